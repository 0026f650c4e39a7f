// See read.h. One loop over statements, with the regions that are open on a stack of its own.
//
// Where an operation in a form of its own ends, no grammar tells but its dialect's. Here it ends at the } of its region, and
// before a line that begins what only a statement begins with: "%a =", "^label:", "#alias =", "\"name\"(", a name with a dot,
// or one of the few names without (kBareNames); not behind a sign that wants something to follow.
#include "models/mlir/read.h"

#include <algorithm>
#include <array>
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
bool IsWordChar(char c) { return IsSuffixChar(c) && c != '-'; }
bool IsOneOf(char c, std::string_view list) { return list.find(c) != list.npos; }

// Operations that are printed without their dialect: of builtin and func, and older forms of them.
constexpr std::array<std::string_view, 14> kBareNames = {"module", "func",   "return", "call",     "call_indirect", "br",   "cond_br",
                                                         "switch", "select", "alloc",  "dealloc", "constant",      "load", "unrealized_conversion_cast"};
bool IsBareName(std::string_view word) { return std::find(kBareNames.begin(), kBareNames.end(), word) != kBareNames.end(); }

// "scf.yield", "return": what may stand alone in a region.
bool IsTerminator(std::string_view word) {
  const std::string_view last = word.substr(word.rfind('.') + 1);
  return last == "yield" || last == "return" || last == "terminator" || last == "unreachable" || last == "end" || last.ends_with("_terminator") ||
         last.ends_with("_yield") || last.ends_with("_return");
}

constexpr size_t kMaxOperations = 16'000'000;
// What is behind a region of an operation moves what was before it to the end of the lists, up to so many.
constexpr size_t kMaxMoved = 4096;
constexpr size_t kMaxTypeBytes = 1 << 16;

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
    SortAliases();
    return std::move(module_);
  }

 private:
  // What has begun and waits for its regions.
  struct Open {
    Index operation;
    std::vector<std::pair<std::string_view, uint32_t>> results;  // names, how many
    bool parenthesized = false;  // generic form: more regions may follow, then attributes and the type
    // Of a form of its own: what was read of it.
    uint32_t parentheses = 0;    // that are open
    bool wants_more = false;     // the last sign was one that something follows
    bool is_typed = false;       // a colon stood outside of all brackets
    bool wants_attributes = false;
    bool behind_symbol = false;  // directly behind @name
    bool in_signature = false;   // in the parentheses behind @name
    size_t type_begin = 0, type_end = 0;
    std::vector<std::pair<std::string_view, std::string_view>> arguments;  // of the region that comes: names, types
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

  void SortAliases() {
    const std::vector<Alias>& all = module_.aliases;
    for (Index i = 0; i < all.size(); ++i) module_.aliases_by_name.push_back(i);
    std::sort(module_.aliases_by_name.begin(), module_.aliases_by_name.end(),
              [&](Index a, Index b) { return all[a].name != all[b].name ? all[a].name < all[b].name : a < b; });
  }

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
    if (module_.operations.size() >= kMaxOperations) return cursor_.Refuse(cursor_.at(), "more than 16000000 operations");
    Open open{};
    if (cursor_.Peek() == '%' && !ResultNames(open.results)) return false;
    Operation operation;
    cursor_.SkipBlanks();
    if (cursor_.Peek() == '"') return BeginGeneric(std::move(open), operation);
    return BeginCustom(std::move(open), operation);
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

  bool BeginCustom(Open open, Operation& operation) {
    const size_t begin = At();
    const std::string_view name = View(begin, EndOfWord(begin));
    const bool is_one = !name.empty() && Is(name[0], hlo::kNameStart);
    if (!is_one || (open_.empty() && name.find('.') == name.npos && !IsBareName(name))) {
      return cursor_.Expected("an operation: \"dialect.name\"(...), dialect.name ..., or a module");
    }
    operation.name = name == "module" ? std::string_view("builtin.module") : name;
    MoveTo(begin + name.size());
    open.operation = Add(operation);
    open_.push_back(std::move(open));
    return ContinueCustom();
  }

  size_t EndOfWord(size_t at) const {
    while (at < text_->size() && IsWordChar((*text_)[at])) ++at;
    return at;
  }
  size_t EndOfName(size_t at) const {
    while (at < text_->size() && IsSuffixChar((*text_)[at]) && text_->compare(at, 2, "->") != 0) ++at;
    return at;
  }
  char CharAt(size_t at) const { return at < text_->size() ? (*text_)[at] : '\0'; }

  // --- an operation in a form of its own: sign by sign, up to a region or its end ---

  bool ContinueCustom() {
    while (true) {
      const size_t before = At();
      cursor_.SkipBlanks();
      const bool is_new_line = View(before, At()).find('\n') != std::string_view::npos;
      Open& open = open_.back();
      if (open.parentheses == 0 && EndsHere(open, is_new_line)) return Finish();
      if (cursor_.AtEnd()) return cursor_.Expected("')'");
      if (cursor_.Peek() == '{') {
        const Brace brace = WhatBrace(open);
        if (brace == Brace::kRegion) return BeginRegion();
        if (!BraceThatIsNone(open, brace)) return false;
        continue;
      }
      const bool is_location = text_->compare(At(), 4, "loc(") == 0 && open.parentheses == 0;
      if (!(is_location ? Location(open) : Sign(open))) return false;
    }
  }

  bool EndsHere(const Open& open, bool is_new_line) {
    if (cursor_.AtEnd() || cursor_.Peek() == '}') return true;
    if (open.wants_more) return false;
    if (!is_new_line) return open.is_typed && cursor_.Peek() == '%' && BeginsResults(At());
    const size_t at = At();
    switch (const char c = cursor_.Peek()) {
      case '%':
        return BeginsResults(at);
      case '^':
        return BeginsLabel(at);
      case '#':
      case '!':
        return NextSign(EndOfName(at + 1)) == '=';
      case '"': {
        const char* end = Cursor(std::string_view(*text_).substr(at)).EndOfQuoted(cursor_.at());
        return end != nullptr && end < cursor_.end() && *end == '(';
      }
      case '{':
        return text_->compare(at, 3, "{-#") == 0;
      default: {
        if (!Is(c, hlo::kNameStart)) return false;
        const std::string_view word = View(at, EndOfWord(at));
        return word.find('.') != word.npos || IsBareName(word);
      }
    }
  }

  // The next sign behind blanks; 0 at the end. Comments are none that it passes.
  char NextSign(size_t at) const {
    while (Is(CharAt(at), hlo::kBlank)) ++at;
    return CharAt(at);
  }
  // "%a, %b:2 ="
  bool BeginsResults(size_t at) const {
    while (CharAt(at) == '%') {
      at = EndOfName(at + 1);
      if (CharAt(at) == ':') at = EndOfWord(at + 1);
      while (Is(CharAt(at), hlo::kBlank)) ++at;
      if (CharAt(at) != ',') return CharAt(at) == '=' && CharAt(at + 1) != '=';
      ++at;
      while (Is(CharAt(at), hlo::kBlank)) ++at;
    }
    return false;
  }
  // "^bb1:", "^bb1(%a: i32):"
  bool BeginsLabel(size_t at) const {
    const char next = NextSign(EndOfName(at + 1));
    return next == ':' || next == '(';
  }

  enum class Brace { kRegion, kAttributes, kOther };

  // What the { that stands here opens. Only what it begins with is looked at.
  Brace WhatBrace(const Open& open) const {
    if (open.wants_attributes) return Brace::kAttributes;
    size_t at = At() + 1;
    const size_t first = SkipBlanks(at);
    const char c = CharAt(first);
    if (open.wants_more && c != '%' && c != '^') return c == '"' || !BeginsOperation(first) ? Brace::kOther : Brace::kRegion;
    if (c == '%') return BeginsResults(first) ? Brace::kRegion : Brace::kOther;
    if (c == '^') return Brace::kRegion;
    if (c == '}') return HasRegions(open) ? Brace::kRegion : Brace::kAttributes;
    if (c == '"') {
      const char* end = Cursor(std::string_view(*text_).substr(first)).EndOfQuoted(text_->data() + first);
      if (end == nullptr) return Brace::kOther;
      const char next = NextSign(static_cast<size_t>(end - text_->data()));
      return next == '(' ? Brace::kRegion : Brace::kAttributes;
    }
    if (!Is(c, hlo::kNameStart)) return HasRegions(open) ? Brace::kRegion : Brace::kOther;
    return BeginsOperation(first) ? Brace::kRegion : Brace::kAttributes;
  }
  // Of a word that stands first behind a {.
  bool BeginsOperation(size_t at) const {
    const size_t end = EndOfWord(at);
    const char next = NextSign(end);
    const std::string_view word = View(at, end);
    if (word.empty() || next == '=' || next == ',') return false;
    if (next != '}') return true;
    return IsTerminator(word);
  }
  bool HasRegions(const Open& open) const {
    const std::string_view name = module_.operations[open.operation].name;
    return name == "builtin.module" || name.ends_with("func") || name.starts_with("scf.") || name.ends_with("_scope") || name.ends_with("module");
  }
  size_t SkipBlanks(size_t at) const {
    Cursor cursor(std::string_view(*text_).substr(at));
    cursor.SkipBlanks();
    return static_cast<size_t>(cursor.at() - text_->data());
  }

  bool BraceThatIsNone(Open& open, Brace brace) {
    open.wants_attributes = false;
    open.wants_more = false;
    open.behind_symbol = false;
    std::string_view all;
    if (brace == Brace::kAttributes && open.parentheses == 0) {
      ListRange range;
      if (!Dictionary(range)) return false;
      AddAttributes(module_.operations[open.operation], range);
      return true;
    }
    if (!Brackets(all)) return false;
    UsesIn(all, open);
    return true;
  }

  void AddAttributes(Operation& operation, ListRange more) {
    ListRange& all = operation.attributes;
    if (all.count > 0 && all.begin + all.count != more.begin) {
      if (all.count > kMaxMoved) return;
      const std::vector<Attribute> before(module_.attributes.begin() + all.begin, module_.attributes.begin() + all.begin + all.count);
      module_.attributes.insert(module_.attributes.begin() + more.begin, before.begin(), before.end());
      all.begin = more.begin;
    } else if (all.count == 0) {
      all.begin = more.begin;
    }
    all.count += more.count;
  }

  void AddUse(Operation& operation, std::string_view name, Index value) {
    ListRange& all = operation.operands;
    if (all.count == 0) all.begin = static_cast<uint32_t>(module_.uses.size());
    if (all.begin + all.count != module_.uses.size()) {
      if (all.count > kMaxMoved) return;
      const uint32_t begin = static_cast<uint32_t>(module_.uses.size());
      for (uint32_t i = 0; i < all.count; ++i) module_.uses.push_back(Use(module_.uses[all.begin + i]));
      all.begin = begin;
    }
    module_.uses.push_back({name, value});
    ++all.count;
  }

  // The values that a stretch in brackets names.
  void UsesIn(std::string_view stretch, Open& open) {
    for (size_t at = 0; (at = FindPercent(stretch, at)) < stretch.size();) {
      const size_t begin = static_cast<size_t>(stretch.data() - text_->data()) + at;
      size_t end = EndOfName(begin + 1);
      if (CharAt(end) == '#') end = EndOfWord(end + 1);
      const std::string_view name = View(begin, end);
      if (name.size() > 1) AddUse(module_.operations[open.operation], name, Find(name));
      at += std::max<size_t>(1, name.size());
    }
  }
  static size_t FindPercent(std::string_view stretch, size_t at) {
    for (bool quoted = false; at < stretch.size(); ++at) {
      if (stretch[at] == '"') quoted = !quoted;
      if (quoted && stretch[at] == '\\') ++at;
      if (!quoted && stretch[at] == '%') break;
    }
    return at;
  }

  bool Location(Open& open) {
    const size_t begin = At();
    std::string_view all;
    MoveTo(begin + 3);
    if (!Brackets(all)) return false;
    module_.operations[open.operation].location = View(begin, At());
    open.wants_more = false;
    return true;
  }

  // One sign that is no brace.
  bool Sign(Open& open) {
    const size_t at = At();
    const char c = CharAt(at);
    const bool was_symbol = std::exchange(open.behind_symbol, false);
    open.wants_attributes = false;
    open.wants_more = IsOneOf(c, ",:=") || text_->compare(at, 2, "->") == 0;
    if (c == '%') {
      ValueHere(open);
    } else if (c == '@') {
      if (!SymbolHere(open)) return false;
    } else if (c == '"') {
      const char* end = cursor_.EndOfQuoted(cursor_.at());
      if (end == nullptr) return false;
      cursor_.MoveTo(end);
    } else if (c == '(') {
      open.in_signature = was_symbol && open.parentheses == 0;
      ++open.parentheses;
      MoveTo(at + 1);
      return true;
    } else if (c == ')') {
      if (open.parentheses == 0) return cursor_.Expected("the end of the operation");
      --open.parentheses;
      MoveTo(at + 1);
    } else if (Is(c, hlo::kNameStart) || Is(c, hlo::kDigit)) {
      // A digit too: 8x128xf32.
      const size_t end = std::max(EndOfWord(at), at + 1);
      open.wants_attributes = View(at, end) == "attributes";
      MoveTo(end);
    } else if (!OtherSign(open, c)) {
      return false;
    }
    if (open.parentheses == 0) open.type_end = At();
    return true;
  }

  bool OtherSign(Open& open, char c) {
    const size_t at = At();
    const std::string_view two = View(at, std::min(at + 2, text_->size()));
    if (two == "->" || two == "<=" || two == ">=" || two == "::" || two == "==") {
      MoveTo(at + 2);
      if (two == "->" && open.parentheses == 0 && !open.is_typed) open.type_begin = At();
      return true;
    }
    if (c == '[' || c == '<') {
      std::string_view all;
      if (!Brackets(all)) return false;
      UsesIn(all, open);
      return true;
    }
    if (c == '#' || c == '!' || c == '^') {
      MoveTo(std::max(EndOfName(at + 1), at + 1));
      return true;
    }
    if (!IsOneOf(c, ",:=-+*/?|&")) return cursor_.Expected("what belongs to an operation");
    MoveTo(at + 1);
    if (c == ':' && open.parentheses == 0) {
      open.is_typed = true;
      open.type_begin = At();
    }
    return true;
  }

  bool SymbolHere(Open& open) {
    const size_t at = At();
    size_t end = at + 1;
    if (CharAt(end) == '"') {
      const char* quoted = cursor_.EndOfQuoted(text_->data() + end);
      if (quoted == nullptr) return false;
      end = static_cast<size_t>(quoted - text_->data());
    } else {
      end = EndOfName(end);
    }
    MoveTo(end);
    Operation& operation = module_.operations[open.operation];
    if (operation.symbol.empty()) operation.symbol = View(at, end);
    open.behind_symbol = open.parentheses == 0;
    return true;
  }

  // A value that is used, or defined for the region that follows: "%a = ...", or one that is not known, or in a signature.
  void ValueHere(Open& open) {
    const size_t begin = At();
    size_t end = EndOfName(begin + 1);
    const bool is_one_of_many = CharAt(end) == '#';
    if (is_one_of_many) end = EndOfWord(end + 1);
    MoveTo(std::max(end, begin + 1));
    const std::string_view name = View(begin, At());
    size_t behind = end;
    while (Is(CharAt(behind), hlo::kBlank)) ++behind;
    const bool is_typed = CharAt(behind) == ':' && open.parentheses > 0;
    const Index value = Find(name);
    const bool is_set = CharAt(behind) == '=' && CharAt(behind + 1) != '=';
    if (!is_one_of_many && (is_set || value == kNone || (is_typed && open.in_signature && open.parentheses == 1))) {
      open.arguments.emplace_back(name, is_typed ? TypeBehind(end) : std::string_view());
    }
    if (!is_set) AddUse(module_.operations[open.operation], name, value);
  }
  // Behind the colon that comes, up to a comma or bracket.
  std::string_view TypeBehind(size_t at) const {
    at = text_->find(':', at) + 1;
    const std::string_view rest = View(at, std::min(at + kMaxTypeBytes, text_->size()));
    std::string_view type = rest.substr(0, FindOutside(rest, ",){"));
    if (const size_t location = type.find(" loc("); location != type.npos) type = type.substr(0, location);
    return Trimmed(type);
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
    DefineArguments(open);
    return true;
  }

  void DefineArguments(Open& open) {
    if (open.arguments.empty()) return;
    const uint32_t begin = static_cast<uint32_t>(module_.values.size());
    for (const auto& [name, type] : open.arguments) {
      const Index value = static_cast<Index>(module_.values.size());
      Define(name, value);
      module_.values.push_back({name, type, kNone, open.block, value - begin});
    }
    module_.blocks[open.block].arguments = {begin, static_cast<uint32_t>(open.arguments.size())};
    open.arguments.clear();
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
    if (!open.parenthesized) {
      open.wants_more = open.wants_attributes = open.behind_symbol = false;
      return ContinueCustom();
    }
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
    uint32_t count = 0;
    for (const auto& [name, of] : open.results) count += of;
    if (!open.parenthesized) {
      if (open.type_begin != 0 && open.type_begin < open.type_end) operation.type = Trimmed(View(open.type_begin, open.type_end));
      EndOperation(count, count == 1 ? ResultOf(operation.type) : std::vector<std::string_view>());
      return true;
    }
    std::string_view location;
    const size_t begin = (cursor_.SkipBlanks(), At());
    if (text_->compare(begin, 4, "loc(") == 0) {
      MoveTo(begin + 3);
      if (!Brackets(location)) return false;
      operation.location = View(begin, At());
    }
    const auto type = ReadFunction(operation.type);
    if (type && type->results.size() != count) {
      // One place tells the two apart: what the operation is named.
      return cursor_.Fail(operation.name.data(), "as many results as the type of the operation has");
    }
    EndOperation(count, type ? type->results : std::vector<std::string_view>());
    return true;
  }

  // "A to B", "(A) -> B" or "A" -> "B", "B", "A", where that can be told without knowing the operation.
  static std::vector<std::string_view> ResultOf(std::string_view type) {
    for (const std::string_view mark : {std::string_view("->"), std::string_view(" to ")}) {
      const size_t at = type.rfind(mark);
      if (at != type.npos && FindOutside(type.substr(at + mark.size()), ")>]}") + at + mark.size() == type.size()) {
        return {Trimmed(type.substr(at + mark.size()))};
      }
    }
    return {type};
  }

  void EndOperation(uint32_t count, const std::vector<std::string_view>& types) {
    const Index index = open_.back().operation;
    module_.operations[index].results = {static_cast<uint32_t>(module_.values.size()), count};
    uint32_t number = 0;
    const auto results = std::move(open_.back().results);
    open_.pop_back();  // its results are seen by what follows, not by its regions
    for (const auto& [name, of] : results) {
      Define(name, static_cast<Index>(module_.values.size()));
      for (uint32_t i = 0; i < of; ++i, ++number) {
        module_.values.push_back({name, number < types.size() ? types[number] : std::string_view(), index, kNone, number});
      }
    }
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
    const size_t equals = rest.find('=');
    if (equals == rest.npos || equals > rest.find('\n')) return false;
    cursor.MoveTo(cursor.at() + FindOutside(rest, "\n", equals));
  }
  if (!cursor.ok()) return false;
  constexpr std::array<std::string_view, 5> kFirst = {"func.func", "memref.global", "llvm.func", "llvm.mlir.global", "gpu.module"};
  for (const std::string_view word : kFirst) {
    const char* const begin = cursor.at();
    if (cursor.Try(word)) return cursor.at() < cursor.end() && !IsSuffixChar(*cursor.at());
    cursor.MoveTo(begin);
  }
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
