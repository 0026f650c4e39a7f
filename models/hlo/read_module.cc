// The frame of a module: header, debug tables, computations one within another, and where the text ends.
#include "models/hlo/read_module.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "models/hlo/text.h"

namespace oomph::hlo {

// A text may begin with a computation: the module then has a name made of the entry's, as XLA gives it.
bool ModuleReader::ReadHeader() {
  if (!cursor_.Try(std::string_view("HloModule"))) return true;
  has_header_ = true;
  std::string_view name;
  if (!cursor_.Name(name, "the name of the module")) return false;
  module_.name = module_.strings.Add(name);
  return ReadAttributes(module_.attributes);
}

// FileNames, FunctionNames, FileLocations and StackFrames: numbered rows, as metadata={stack_frame_id=3} uses
// them.
bool ModuleReader::ReadTables() {
  std::vector<int64_t> rows;
  while (true) {
    if (cursor_.Try(std::string_view("FileNames"))) {
      if (!ReadTexts(module_.file_names)) return false;
    } else if (cursor_.Try(std::string_view("FunctionNames"))) {
      if (!ReadTexts(module_.function_names)) return false;
    } else if (cursor_.Try(std::string_view("FileLocations"))) {
      if (!ReadTable({{"file_name_id", 0},
                      {"function_name_id", 1},
                      {"line", 2},
                      {"end_line", 3},
                      {"column", 4},
                      {"end_column", 5}},
                     rows)) {
        return false;
      }
      for (size_t i = 0; i + 6 <= rows.size(); i += 6) {
        module_.file_locations.push_back(
            {rows[i], rows[i + 1], rows[i + 2], rows[i + 3], rows[i + 4], rows[i + 5]});
      }
    } else if (cursor_.Try(std::string_view("StackFrames"))) {
      if (!ReadTable({{"file_location_id", 0}, {"parent_frame_id", 1}}, rows)) return false;
      for (size_t i = 0; i + 2 <= rows.size(); i += 2) module_.stack_frames.push_back({rows[i], rows[i + 1]});
    } else {
      return true;
    }
  }
}

// The number that a row begins with is its place.
bool ModuleReader::ReadNumberOfRow(size_t rows) {
  const char* start = cursor_.at();
  int64_t number = 0;
  if (!cursor_.Integer(number)) return false;
  if (static_cast<size_t>(number) == rows + 1) return true;
  return cursor_.Refuse(start, absl::StrCat("the rows are numbered from 1: expected ", rows + 1));
}

bool ModuleReader::ReadTexts(std::vector<StringId>& texts) {
  std::string text;
  texts.clear();
  while (Is(cursor_.Peek(), kDigit)) {
    if (!ReadNumberOfRow(texts.size()) || !cursor_.Quoted(text)) return false;
    texts.push_back(module_.strings.Add(text));
  }
  return true;
}

bool ModuleReader::ReadTable(const std::vector<std::pair<std::string_view, size_t>>& fields,
                             std::vector<int64_t>& rows) {
  rows.clear();
  while (Is(cursor_.Peek(), kDigit)) {
    if (!ReadNumberOfRow(rows.size() / fields.size()) || !cursor_.Expect('{')) return false;
    const size_t row = rows.size();
    rows.resize(row + fields.size());
    while (!cursor_.Try('}')) {
      const char* start = cursor_.at();
      const std::string_view name = cursor_.TryName();
      const auto field = std::ranges::find(fields, name, [](const auto& f) { return f.first; });
      if (field == fields.end()) return cursor_.Fail(start, "a field of this table or '}'");
      if (!cursor_.Expect('=') || !cursor_.Integer(rows[row + field->second])) return false;
    }
  }
  return true;
}

bool ModuleReader::ReadComputations() {
  while (!cursor_.AtEnd()) {
    if (!ReadComputation()) return false;
  }
  return cursor_.ok();
}

bool ModuleReader::ReadComputation() {
  const char* start = cursor_.at();
  if (cursor_.Try(std::string_view("HloModule"))) {
    return cursor_.Refuse(start, "a second module begins here: a text holds one, split it");
  }
  const bool is_entry = cursor_.Try(std::string_view("ENTRY"));
  if (is_entry && entry_.has_value()) return cursor_.Refuse(start, "a second ENTRY: a module has one");
  cursor_.SkipBlanks();
  start = cursor_.at();
  std::string_view name;
  if (!cursor_.Name(name, Beginning())) return false;
  const StringId id = module_.strings.Add(name);
  if (computations_.contains(id)) {
    return cursor_.Refuse(start, absl::StrCat("a computation named '", std::string(name), "' stands above"));
  }
  if (cursor_.Peek() != '{' && !ReadSignature()) return false;
  if (!ReadBody(id)) return false;
  // Those that stand inside it have come before it.
  if (is_entry) entry_ = static_cast<uint32_t>(module_.computations.size() - 1);
  return ReadAttributes(module_.computations.back().attributes);
}

// { instructions }
bool ModuleReader::ReadBody(std::optional<StringId> given_name) {
  cursor_.SkipBlanks();
  const char* start = cursor_.at();
  if (!cursor_.Expect('{')) return false;
  scope_.number = ++scopes_;
  scope_.instructions.reserve(LinesOfBody());
  while (!cursor_.Try('}')) {
    if (!ReadInstruction()) return false;
  }
  if (scope_.instructions.empty()) return cursor_.Refuse(start, "a computation without instructions");
  Computation computation;
  const StringId name = given_name.has_value() ? *given_name : FreshComputationName();
  computation.name = name;
  computation.root = scope_.root.value_or(static_cast<uint32_t>(scope_.instructions.size() - 1));
  if (scope_.instructions.size() * 2 < scope_.instructions.capacity()) scope_.instructions.shrink_to_fit();
  computation.instructions = std::move(scope_.instructions);
  computations_.emplace(name, static_cast<uint32_t>(module_.computations.size()));
  module_.computations.push_back(std::move(computation));
  for (const auto& [id, definition] : scope_.hidden) definitions_[id] = definition;
  scope_ = {};
  return true;
}

// It gets the name _, _.1, _.2, … when it closes, as XLA gives it, and stands before the computation that it
// is in.
bool ModuleReader::ReadInlineComputation(uint32_t& index) {
  if (++scope_depth_ > kMaxNesting) {
    return cursor_.Refuse(cursor_.at(), absl::StrCat("computations are nested deeper than ", kMaxNesting,
                                                     ", which is more than this reader follows"));
  }
  Scope outer = std::exchange(scope_, {});
  if (!ReadBody(std::nullopt)) return false;
  scope_ = std::move(outer);
  --scope_depth_;
  index = static_cast<uint32_t>(module_.computations.size() - 1);
  return true;
}

StringId ModuleReader::FreshComputationName() {
  while (true) {
    const StringId id =
        module_.strings.Add(fresh_computations_ == 0 ? "_" : absl::StrCat("_.", fresh_computations_));
    ++fresh_computations_;
    if (!computations_.contains(id)) return id;
  }
}

// (p0: f32[2], p1: s32[]) -> f32[2]: said again by the instructions, so it is only looked through.
bool ModuleReader::ReadSignature() {
  ShapeId shape = 0;
  std::string_view name;
  if (!cursor_.Expect('(')) return false;
  if (!cursor_.Try(')')) {
    do {
      if (!cursor_.Name(name, "the name of a parameter") || !cursor_.Expect(':') || !shapes_.Read(shape))
        return false;
    } while (cursor_.Try(','));
    if (!cursor_.Expect(')')) return false;
  }
  if (!cursor_.Try(std::string_view("->"))) return cursor_.Expected("'->'");
  return shapes_.Read(shape);
}

// How many lines stand before the next one that begins with a brace: about as many instructions. No more than
// could be instructions by their length. What was looked through once is not looked through again.
size_t ModuleReader::LinesOfBody() {
  const char* p = cursor_.at();
  if (p < counted_to_) return 4;
  size_t lines = 1;
  while (p < cursor_.end()) {
    const void* line_end = std::memchr(p, '\n', static_cast<size_t>(cursor_.end() - p));
    p = line_end == nullptr ? cursor_.end() : static_cast<const char*>(line_end) + 1;
    if (p < cursor_.end() && *p == '}') break;
    ++lines;
  }
  counted_to_ = p;
  return std::min(lines, static_cast<size_t>(p - cursor_.at()) / 16 + 1);
}

bool ModuleReader::Finish() {
  if (module_.computations.empty()) return cursor_.Expected(Beginning());
  module_.entry = entry_.value_or(static_cast<uint32_t>(module_.computations.size() - 1));
  if (!has_header_) {
    const std::string name(module_.Name(module_.computations[module_.entry]));
    module_.name = module_.strings.Add(absl::StrCat("module_", name));
  }
  const bool long_lists = saw_long_list_ || shapes_.saw_long_tuple();
  module_.style.index_comments = cursor_.saw_index_comment() || !long_lists;
  module_.style.layout_blanks = !attributes_.saw_tight_layout();
  return true;
}

}  // namespace oomph::hlo
