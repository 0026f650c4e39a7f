// See read.h. One loop over statements, with the regions that are open on a stack of its own.
#include "models/mlir/read.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "models/hlo/cursor.h"
#include "models/mlir/values.h"

namespace oomph::mlir {
namespace {

using hlo::Cursor;
using hlo::Is;

bool IsSuffixChar(char c) { return Is(c, hlo::kNameChar) || c == '$'; }

class Reader {
 public:
  explicit Reader(std::string text) : text_(std::make_shared<const std::string>(std::move(text))), cursor_(*text_) {
    module_.text = text_;
  }

  absl::StatusOr<Module> Run(std::string_view name) {
    if (text_->size() > kMaxTextBytes) {
      cursor_.Refuse(cursor_.at(), "a text of more than 256 MiB is not read");
    }
    while (cursor_.ok() && Statement()) {
    }
    if (cursor_.ok() && !open_.empty()) cursor_.Expected("'}' of a region");
    if (!cursor_.ok()) return cursor_.status(name);
    return std::move(module_);
  }

 private:
  // What has begun and waits for its regions.
  struct Open {
    Index operation;
    std::vector<std::pair<std::string_view, uint32_t>> results;  // names, how many
    bool parenthesized;       // generic form: more regions may follow, then attributes and the type
    Index region = kNone;     // that is being read
    Index block = kNone;
    Index last_operation = kNone;
    size_t scope = 0;         // of shadowed_, where the region began
  };

  // --- one statement: an operation's begin, a label, an alias, or the end of a region. False: the end, or an error ---

  bool Statement() {
    const char c = cursor_.Peek();
    if (cursor_.AtEnd()) return false;
    if (c == '}') return EndRegion();
    if (c == '^') return Label();
    if (c == '#' || c == '!') return AliasOf();
    if (c == '{' && open_.empty()) return Resources();
    return BeginOperation();
  }

  size_t At() const { return static_cast<size_t>(cursor_.at() - text_->data()); }
  void MoveTo(size_t at) { cursor_.MoveTo(text_->data() + at); }
  std::string_view View(size_t begin, size_t end) const { return std::string_view(*text_).substr(begin, end - begin); }

  // A stretch from a bracket that stands here to its like.
  bool Brackets(std::string_view& stretch) {
    cursor_.SkipBlanks();
    const size_t begin = At(), end = EndOfBrackets(*text_, begin);
    if (end == 0) return cursor_.Fail(cursor_.at(), "a bracket that is closed");
    MoveTo(end);
    stretch = View(begin, end);
    return true;
  }

  // {-# ... #-}: what stands in the file and not in the module.
  bool Resources() {
    std::string_view all;
    if (text_->compare(At(), 3, "{-#") != 0) return cursor_.Expected("an operation");
    return Brackets(all);
  }

  // #map = affine_map<...> up to the end of the line, or of what is open there.
  bool AliasOf() {
    const size_t begin = At();
    size_t end = begin + 1;
    while (end < text_->size() && IsSuffixChar((*text_)[end])) ++end;
    MoveTo(end);
    if (!cursor_.Expect('=')) return false;
    cursor_.SkipBlanks();
    const size_t value = At(), stop = FindOutside(*text_, "\n", value);
    module_.aliases.push_back({View(begin, end), Trimmed(View(value, stop))});
    MoveTo(stop);
    return true;
  }

  bool Label() {
    if (open_.empty()) return cursor_.Expected("an operation: no region is open here for a block");
    Open& open = open_.back();
    const size_t begin = At();
    size_t end = begin + 1;
    while (end < text_->size() && IsSuffixChar((*text_)[end])) ++end;
    MoveTo(end);
    // The first block of a region stands there before its label is read.
    if (!module_.blocks[open.block].label.empty() || open.last_operation != kNone) NewBlock(open);
    const Index block = open.block;
    module_.blocks[block].label = View(begin, end);
    std::string_view arguments;
    if (cursor_.Peek() == '(' && (!Brackets(arguments) || !Arguments(block, arguments))) return false;
    return cursor_.Expect(':');
  }

  bool Arguments(Index block, std::string_view list) {
    const auto parts = Elements(list);
    const uint32_t begin = static_cast<uint32_t>(module_.values.size());
    for (const std::string_view part : *parts) {
      const size_t colon = FindOutside(part, ":");
      const std::string_view name = Trimmed(part.substr(0, colon));
      if (!name.starts_with('%') || colon == part.size()) return cursor_.Fail(part.data(), "'%name: type' of an argument");
      std::string_view type = part.substr(colon + 1);
      if (const size_t location = type.find(" loc("); location != type.npos) type = type.substr(0, location);
      const uint32_t number = static_cast<uint32_t>(module_.values.size()) - begin;
      Define(name, static_cast<Index>(module_.values.size()));
      module_.values.push_back({name, Trimmed(type), kNone, block, number});
    }
    module_.blocks[block].arguments = {begin, static_cast<uint32_t>(module_.values.size()) - begin};
    return true;
  }

  // --- an operation up to its regions ---

  bool BeginOperation() {
    Open open{};
    if (cursor_.Peek() == '%' && !ResultNames(open.results)) return false;
    Operation operation;
    cursor_.SkipBlanks();
    if (cursor_.Peek() == '"') return BeginGeneric(std::move(open), operation);
    return BeginModule(std::move(open), operation);
  }

  bool ResultNames(std::vector<std::pair<std::string_view, uint32_t>>& names) {
    do {
      cursor_.SkipBlanks();
      const size_t begin = At();
      if (cursor_.Peek() != '%') return cursor_.Expected("'%name' of a result");
      size_t end = begin + 1;
      while (end < text_->size() && IsSuffixChar((*text_)[end])) ++end;
      MoveTo(end);
      int64_t count = 1;
      if (cursor_.Try(':') && (!cursor_.Integer(count))) return false;
      if (count < 0 || count > 1 << 16) return cursor_.Fail(text_->data() + begin, "at most 65536 results");
      names.emplace_back(View(begin, end), static_cast<uint32_t>(count));
    } while (cursor_.Try(','));
    return cursor_.Expect('=');
  }

  bool BeginGeneric(Open open, Operation& operation) {
    const size_t begin = At();
    const char* end = cursor_.EndOfQuoted(cursor_.at());
    if (end == nullptr) return false;
    cursor_.MoveTo(end);
    operation.name = View(begin + 1, At() - 1);
    if (!Operands(operation)) return false;
    std::string_view successors;
    if (cursor_.Peek() == '[' && !Brackets(successors)) return false;
    if (cursor_.Peek() == '<' && !Properties(operation)) return false;
    open.operation = Add(operation);
    open.parenthesized = true;
    const bool has_regions = cursor_.Try('(');
    open_.push_back(std::move(open));
    return has_regions ? BeginRegion() : FinishGeneric();
  }

  // module @name attributes {...} {
  bool BeginModule(Open open, Operation& operation) {
    if (!cursor_.Try(std::string_view("module")) && !cursor_.Try(std::string_view("builtin.module"))) {
      return cursor_.Expected("an operation in generic form, \"name\"(...), or a module");
    }
    operation.name = "builtin.module";
    if (cursor_.Peek() == '@') MoveTo(FindOutside(*text_, " \t\r\n{", At()));
    if (cursor_.Try(std::string_view("attributes")) && !Dictionary(operation.attributes)) return false;
    open.operation = Add(operation);
    open.parenthesized = false;
    open_.push_back(std::move(open));
    return BeginRegion();
  }

  bool Operands(Operation& operation) {
    std::string_view list;
    if (cursor_.Peek() != '(') return cursor_.Expect('(');
    if (!Brackets(list)) return false;
    operation.operands.begin = static_cast<uint32_t>(module_.uses.size());
    const auto parts = Elements(list);
    for (const std::string_view part : *parts) {
      if (!part.starts_with('%')) return cursor_.Fail(part.data(), "'%name' of an operand");
      module_.uses.push_back({part, Find(part)});
    }
    operation.operands.count = static_cast<uint32_t>(parts->size());
    return true;
  }

  bool Properties(Operation& operation) {
    cursor_.Try('<');
    return Dictionary(operation.properties) && cursor_.Expect('>');
  }

  // {a = 1, b, "c d" = 2}
  bool Dictionary(ListRange& range) {
    std::string_view all;
    if (cursor_.Peek() != '{') return cursor_.Expect('{');
    if (!Brackets(all)) return false;
    range.begin = static_cast<uint32_t>(module_.attributes.size());
    const auto parts = Elements(all);
    for (const std::string_view part : *parts) {
      const size_t equals = FindOutside(part, "=");
      std::string_view name = Trimmed(part.substr(0, equals));
      if (const auto quoted = Quoted(name)) name = *quoted;
      if (name.empty()) return cursor_.Fail(part.data(), "the name of an attribute");
      const std::string_view value = equals < part.size() ? Trimmed(part.substr(equals + 1)) : std::string_view();
      module_.attributes.push_back({name, value});
    }
    range.count = static_cast<uint32_t>(parts->size());
    return true;
  }

  Index Add(const Operation& operation) {
    const Index index = static_cast<Index>(module_.operations.size());
    module_.operations.push_back(operation);
    Index& last = open_.empty() ? last_operation_ : open_.back().last_operation;
    if (last != kNone) {
      module_.operations[last].next = index;
    } else if (open_.empty()) {
      module_.first_operation = index;
    } else {
      module_.blocks[open_.back().block].first_operation = index;
    }
    if (!open_.empty()) module_.operations[index].block = open_.back().block;
    last = index;
    return index;
  }

  // --- its regions ---

  bool BeginRegion() {
    if (open_.size() > kMaxDepth) return cursor_.Refuse(cursor_.at(), "more than 1000000 regions in one another");
    if (!cursor_.Expect('{')) return false;
    Open& open = open_.back();
    const Index region = static_cast<Index>(module_.regions.size());
    module_.regions.push_back({open.operation, kNone, kNone});
    if (open.region == kNone) {
      module_.operations[open.operation].first_region = region;
    } else {
      module_.regions[open.region].next = region;
    }
    open.region = region;
    open.block = kNone;
    open.scope = shadowed_.size();
    NewBlock(open);
    return true;
  }

  void NewBlock(Open& open) {
    const Index block = static_cast<Index>(module_.blocks.size());
    module_.blocks.emplace_back();
    module_.blocks[block].region = open.region;
    if (open.block == kNone) {
      module_.regions[open.region].first_block = block;
    } else {
      module_.blocks[open.block].next = block;
    }
    open.block = block;
    open.last_operation = kNone;
  }

  bool EndRegion() {
    if (open_.empty()) return cursor_.Expected("an operation: no region is open here");
    cursor_.Try('}');
    Open& open = open_.back();
    while (shadowed_.size() > open.scope) {
      const auto& [name, before] = shadowed_.back();
      if (before == kNone) {
        names_.erase(name);
      } else {
        names_[name] = before;
      }
      shadowed_.pop_back();
    }
    if (!open.parenthesized) return Finish();
    if (cursor_.Try(',')) return BeginRegion();
    return cursor_.Expect(')') && FinishGeneric();
  }

  // --- and its end ---

  bool FinishGeneric() {
    ListRange attributes;
    if (cursor_.Peek() == '{' && !Dictionary(attributes)) return false;
    if (!cursor_.Expect(':')) return false;
    cursor_.SkipBlanks();
    const size_t begin = At();
    if (!Function()) return false;
    Operation& operation = module_.operations[open_.back().operation];
    operation.attributes = attributes;
    operation.type = View(begin, At());
    return Finish();
  }

  bool Function() {
    std::string_view operands;
    if (cursor_.Peek() != '(') return cursor_.Expected("the type of a function: (...) -> ...");
    if (!Brackets(operands)) return false;
    cursor_.SkipBlanks();
    if (text_->compare(At(), 2, "->") != 0) return cursor_.Expected("'->'");
    MoveTo(At() + 2);
    return OneType();
  }

  // memref<...>, !a.b<...>, i32, (i32, i32)
  bool OneType() {
    std::string_view all;
    if (cursor_.Peek() == '(') return Brackets(all);
    size_t end = At();
    if (end < text_->size() && (*text_)[end] == '!') ++end;
    const size_t name = end;
    while (end < text_->size() && IsSuffixChar((*text_)[end]) && text_->compare(end, 2, "->") != 0) ++end;
    if (end == name) return cursor_.Expected("a type");
    MoveTo(end);
    return end < text_->size() && (*text_)[end] == '<' ? Brackets(all) : true;
  }

  bool Finish() {
    const Open& open = open_.back();
    Operation& operation = module_.operations[open.operation];
    std::string_view location;
    const size_t begin = (cursor_.SkipBlanks(), At());
    if (text_->compare(begin, 4, "loc(") == 0) {
      MoveTo(begin + 3);
      if (!Brackets(location)) return false;
      operation.location = View(begin, At());
    }
    const auto type = ReadFunction(operation.type);
    uint32_t count = 0;
    for (const auto& [name, of] : open.results) count += of;
    if (type && type->results.size() != count) {
      // One place tells the two apart: what the operation is named.
      return cursor_.Fail(operation.name.data(), "as many results as the type of the operation has");
    }
    operation.results = {static_cast<uint32_t>(module_.values.size()), count};
    uint32_t number = 0;
    const Index index = open.operation;
    const auto results = open.results;
    open_.pop_back();  // its results are seen by what follows, not by its regions
    for (const auto& [name, of] : results) {
      Define(name, static_cast<Index>(module_.values.size()));
      for (uint32_t i = 0; i < of; ++i, ++number) {
        module_.values.push_back({name, type ? type->results[number] : std::string_view(), index, kNone, number});
      }
    }
    return true;
  }

  // --- names ---

  void Define(std::string_view name, Index value) {
    const auto [at, is_new] = names_.try_emplace(name, value);
    shadowed_.emplace_back(name, is_new ? kNone : at->second);
    at->second = value;
  }

  // "%a", or "%a#1", the second of the results that share a name.
  Index Find(std::string_view use) const {
    const size_t mark = use.find('#');
    const auto found = names_.find(use.substr(0, mark));
    if (found == names_.end()) return kNone;
    if (mark == use.npos) return found->second;
    const std::optional<int64_t> number = Integer(use.substr(mark + 1));
    if (!number || *number < 0 || static_cast<size_t>(*number) >= module_.values.size() - found->second) return kNone;
    const Index value = found->second + static_cast<Index>(*number);
    return module_.values[value].name == found->first ? value : kNone;
  }

  const std::shared_ptr<const std::string> text_;
  Cursor cursor_;
  Module module_;
  std::vector<Open> open_;
  Index last_operation_ = kNone;  // of those in no other
  absl::flat_hash_map<std::string_view, Index, hlo::TextHash> names_;
  std::vector<std::pair<std::string_view, Index>> shadowed_;  // what the names of open regions stood for before
};

}  // namespace

bool LooksLikeModule(std::string_view text) {
  Cursor cursor(text);
  while (cursor.ok() && (cursor.Peek() == '#' || cursor.Peek() == '!')) {  // an alias, or a comment of another kind
    const std::string_view rest(cursor.at(), static_cast<size_t>(cursor.end() - cursor.at()));
    const size_t line = rest.find('\n'), equals = rest.find('=');
    if (equals == rest.npos || equals > line) return false;
    cursor.MoveTo(line == rest.npos ? cursor.end() : cursor.at() + line);
  }
  if (!cursor.ok()) return false;
  if (cursor.Try(std::string_view("module")) || cursor.Try(std::string_view("builtin.module"))) {
    const char c = cursor.Peek();
    return c == '{' || c == '@' || cursor.Try(std::string_view("attributes"));
  }
  if (cursor.Peek() != '"') return false;
  const char* end = cursor.EndOfQuoted(cursor.at());
  return end != nullptr && end < cursor.end() && *end == '(';
}

bool LooksLikeBytecode(std::string_view bytes) { return bytes.starts_with("ML\xEFR"); }

absl::StatusOr<Module> Read(std::string_view name, std::string text) { return Reader(std::move(text)).Run(name); }

}  // namespace oomph::mlir
