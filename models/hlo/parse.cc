// Reads a module: header, debug tables, computations, instructions and their operands.
// Shapes are read in read_shape.cc, attributes in read_attribute.cc.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/hlo/cursor.h"
#include "models/hlo/read_attribute.h"
#include "models/hlo/read_shape.h"
#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

constexpr uint32_t kNoIndex = UINT32_MAX;

class ModuleReader final : public NameResolver {
 public:
  explicit ModuleReader(std::string_view text)
      : cursor_(text), shapes_(cursor_, module_.shapes), attributes_(cursor_, shapes_, module_, *this) {
    module_.strings.Reserve(text.size() / 8);
  }

  bool Read() { return ReadHeader() && ReadTables() && ReadComputations() && Finish(); }
  absl::Status status(std::string_view name) const { return cursor_.status(name); }
  Module Take() { return std::move(module_); }

  std::optional<uint32_t> ComputationNamed(std::string_view name) const override {
    const std::optional<StringId> id = module_.strings.Find(name);
    if (!id.has_value()) return std::nullopt;
    const auto found = computations_.find(*id);
    return found == computations_.end() ? std::nullopt : std::optional<uint32_t>(found->second);
  }

  std::optional<uint32_t> InstructionNamed(std::string_view name) const override {
    const std::optional<StringId> id = module_.strings.Find(name);
    if (!id.has_value()) return std::nullopt;
    const uint32_t index = IndexOf(*id);
    return index == kNoIndex ? std::nullopt : std::optional<uint32_t>(index);
  }

 private:
  // Where a name was last defined: instruction `index` of the computation with this scope. Scopes are
  // numbered in the order in which they open, computations in that in which they close.
  struct Definition {
    uint32_t scope = kNoIndex;
    uint32_t index = 0;
  };
  // What is put aside while a computation is read within another.
  struct Scope {
    uint32_t number = 0;
    std::vector<Instruction> instructions;
    std::optional<uint32_t> root;
    std::vector<std::pair<StringId, Definition>> hidden;  // definitions of outer scopes that were replaced
  };

  uint32_t IndexOf(StringId name) const {
    if (name >= definitions_.size()) return kNoIndex;
    const Definition& definition = definitions_[name];
    return definition.scope == scope_.number ? definition.index : kNoIndex;
  }

  bool ReadHeader();
  bool ReadTables();
  bool ReadTexts(std::vector<StringId>& texts);
  bool ReadTable(const std::vector<std::pair<std::string_view, size_t>>& fields, std::vector<int64_t>& rows);
  bool ReadNumberOfRow(size_t rows);
  bool ReadComputations();
  bool ReadComputation();
  bool ReadBody(std::optional<StringId> name);
  bool ReadInlineComputation(uint32_t& index) override;
  StringId FreshComputationName();
  bool ReadSignature();
  size_t LinesOfBody();
  bool ReadInstruction();
  bool ReadCall(Instruction& instruction, int depth);
  bool ReadOpcode(Instruction& instruction);
  bool ReadPayload(Instruction& instruction);
  bool ReadLiteral(Instruction& instruction);
  bool ReadOperands(Instruction& instruction, int depth);
  bool ReadOperand(int depth, uint32_t& operand);
  bool ReadNested(ShapeId shape, int depth, uint32_t& operand);
  bool ReadElements(uint32_t& operand);
  bool ReadAttributes(ListRange& range);
  bool Define(const Instruction& instruction, const char* at, uint32_t& index);
  StringId FreshName(std::string_view like);
  bool Finish();
  std::string_view Beginning() const {
    return has_header_ ? "a computation" : "'HloModule' or a computation";
  }

  Module module_;
  Cursor cursor_;
  ShapeReader shapes_;
  AttributeReader attributes_;
  absl::flat_hash_map<StringId, uint32_t> computations_;
  std::vector<Definition> definitions_;  // by the id of the name
  Scope scope_;                          // of the computation being read
  uint32_t scopes_ = 0;
  int scope_depth_ = 0;
  std::vector<uint32_t> operand_stack_;
  std::vector<AttributeId> attribute_stack_;
  std::optional<uint32_t> entry_;
  const char* counted_to_ = nullptr;
  bool has_header_ = false;
  size_t fresh_ = 0;
  size_t fresh_computations_ = 0;
  bool saw_name_ = false;
  bool saw_long_list_ = false;
};

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
  if (cursor_.Try(std::string_view("ENTRY"))) {
    if (entry_.has_value()) return cursor_.Refuse(start, "a second ENTRY: a module has one");
    entry_ = static_cast<uint32_t>(module_.computations.size());
  }
  cursor_.SkipBlanks();
  start = cursor_.at();
  std::string_view name;
  if (!cursor_.Name(name, Beginning())) return false;
  const StringId id = module_.strings.Add(name);
  if (computations_.contains(id)) {
    return cursor_.Refuse(start, absl::StrCat("a computation named '", std::string(name), "' stands above"));
  }
  if (cursor_.Peek() != '{' && !ReadSignature()) return false;
  return ReadBody(id) && ReadAttributes(module_.computations.back().attributes);
}

// { instructions }
bool ModuleReader::ReadBody(std::optional<StringId> given_name) {
  cursor_.SkipBlanks();
  const char* start = cursor_.at();
  if (!cursor_.Expect('{')) return false;
  scope_.number = scopes_++;
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

bool ModuleReader::ReadInstruction() {
  cursor_.SkipBlanks();
  const char* start = cursor_.at();
  const bool is_root = start < cursor_.end() && *start == 'R' && cursor_.Try(std::string_view("ROOT"));
  if (is_root && scope_.root.has_value())
    return cursor_.Refuse(start, "a second ROOT: a computation has one");
  cursor_.SkipBlanks();
  start = cursor_.at();
  std::string_view name;
  if (!cursor_.Name(name, "an instruction or '}'")) return false;
  if (!saw_name_) module_.style.percent = *start == '%';
  saw_name_ = true;
  Instruction instruction;
  instruction.name = module_.strings.Add(name);
  if (!cursor_.Expect('=')) return false;
  if (shapes_.AtShape() && !shapes_.Read(instruction.shape)) return false;
  uint32_t index = 0;
  if (!ReadCall(instruction, 0) || !ReadAttributes(instruction.attributes) ||
      !Define(instruction, start, index)) {
    return false;
  }
  if (is_root) scope_.root = index;
  return true;
}

// opcode(operands), for an instruction of its own and for one that stands as an operand.
bool ModuleReader::ReadCall(Instruction& instruction, int depth) {
  if (!ReadOpcode(instruction) || !cursor_.Expect('(')) return false;
  if (instruction.opcode == Opcode::kConstant) return ReadLiteral(instruction);
  if (instruction.opcode == Opcode::kParameter) return ReadPayload(instruction);
  return ReadOperands(instruction, depth);
}

bool ModuleReader::ReadOpcode(Instruction& instruction) {
  cursor_.SkipBlanks();
  const char* start = cursor_.at();
  const std::string_view name = cursor_.Word(start);
  const std::optional<OpcodeName> opcode = OpcodeNamed(name);
  if (!opcode.has_value()) {
    return cursor_.Fail(
        start, instruction.shape == 0 ? "a shape or the name of an operation" : "the name of an operation");
  }
  instruction.opcode = opcode->opcode;
  instruction.wrapped = opcode->wrapped;
  return true;
}

// parameter(3)
bool ModuleReader::ReadPayload(Instruction& instruction) {
  cursor_.SkipBlanks();
  const char* start = cursor_.at();
  int64_t number = 0;
  if (!cursor_.Integer(number)) return false;
  if (number < 0 || number > INT32_MAX) return cursor_.Fail(start, "the number of a parameter");
  instruction.payload = static_cast<uint32_t>(number);
  return cursor_.Expect(')');
}

// constant({1, 2}), up to the parenthesis that closes.
bool ModuleReader::ReadLiteral(Instruction& instruction) {
  cursor_.SkipBlanks();
  const char* start = cursor_.at();
  const char* p = start;
  size_t depth = 0;
  bool normal = true;
  for (;; ++p) {
    while (p < cursor_.end() && !Is(*p, kBreak)) ++p;
    if (p == cursor_.end()) return cursor_.Fail(start, "a literal that is closed by ')'");
    const char c = *p;
    if (c == '(' || c == '{') {
      ++depth;
    } else if (c == ')' || c == '}') {
      if (depth == 0) break;
      --depth;
    } else if (c == '/' || (Is(c, kBlank) && (c != ' ' || p[-1] == ' '))) {
      normal = false;
      if (c == '/' && cursor_.end() - p >= 2 && (p[1] == '/' || p[1] == '*')) {
        cursor_.MoveTo(p);
        cursor_.SkipBlanks();
        if (!cursor_.ok()) return false;
        p = cursor_.at() - 1;
      }
    }
  }
  cursor_.MoveTo(p);
  const std::string_view text = cursor_.From(start);
  normal &= text.empty() || text.back() != ' ';
  instruction.payload = module_.strings.Add(normal ? text : NormalLiteral(text));
  return cursor_.Expect(')');
}

bool ModuleReader::ReadOperands(Instruction& instruction, int depth) {
  // Operands that are instructions have operands of their own: the list is gathered on a stack.
  const size_t base = operand_stack_.size();
  if (!cursor_.Try(')')) {
    do {
      uint32_t operand = 0;
      if (!ReadOperand(depth, operand)) return false;
      operand_stack_.push_back(operand);
    } while (cursor_.Try(','));
    if (!cursor_.Expect(')')) return false;
  }
  const std::span<const uint32_t> operands = std::span(operand_stack_).subspan(base);
  saw_long_list_ |= operands.size() > 5;
  instruction.operands = module_.AddOperands(operands);
  operand_stack_.resize(base);
  return true;
}

// %a, f32[2] %a, %a#0#1, or an instruction: f32[2] negate(%a), negate(%a)
bool ModuleReader::ReadOperand(int depth, uint32_t& operand) {
  ShapeId shape = 0;
  bool has_shape = false;
  char next = cursor_.Peek();
  if (next != '%' && shapes_.AtShape()) {
    if (!shapes_.Read(shape)) return false;
    has_shape = true;
    next = cursor_.Peek();
  }
  const char* start = cursor_.at();
  std::string_view name = cursor_.TryName();
  if (name.empty()) return cursor_.Fail(start, has_shape ? "an operand's name" : "an operand or ')'");
  if (next != '%' && cursor_.at() < cursor_.end() && *cursor_.at() == '(') {
    cursor_.MoveTo(start);
    return ReadNested(shape, depth, operand);
  }
  module_.style.operand_shapes |= has_shape;
  const std::optional<StringId> id = module_.strings.Find(name);
  operand = id.has_value() ? IndexOf(*id) : kNoIndex;
  if (operand == kNoIndex) {
    return cursor_.Refuse(start, absl::StrCat("no instruction named '", std::string(name.substr(0, 100)),
                                              "' stands above in this computation"));
  }
  return cursor_.at() == cursor_.end() || *cursor_.at() != '#' || ReadElements(operand);
}

bool ModuleReader::ReadNested(ShapeId shape, int depth, uint32_t& operand) {
  const char* start = cursor_.at();
  if (depth >= kMaxNesting) {
    return cursor_.Refuse(start, absl::StrCat("instructions are nested deeper than ", kMaxNesting,
                                              ", which is more than this reader follows"));
  }
  Instruction instruction;
  instruction.shape = shape;
  if (!ReadCall(instruction, depth + 1)) return false;
  instruction.name = FreshName(RowOf(instruction.opcode).name);
  return Define(instruction, start, operand);
}

// %tuple#1#0: element 0 of element 1, short for two get-tuple-element instructions.
bool ModuleReader::ReadElements(uint32_t& operand) {
  while (cursor_.at() < cursor_.end() && *cursor_.at() == '#') {
    const char* start = cursor_.at();
    cursor_.MoveTo(start + 1);
    int64_t index = 0;
    if (!cursor_.Integer(index)) return false;
    const std::span<const ShapeId> elements = module_.shapes.Elements(scope_.instructions[operand].shape);
    if (index < 0 || static_cast<uint64_t>(index) >= elements.size()) {
      return cursor_.Refuse(start, "the operand has no such element");
    }
    Instruction element;
    element.opcode = element.wrapped = Opcode::kGetTupleElement;
    element.shape = elements[static_cast<size_t>(index)];
    element.operands = module_.AddOperands(std::span(&operand, 1));
    const AttributeId attribute =
        module_.attribute_table.Add(Key::kIndex, Form::kInt, std::span(&index, 1), {});
    element.attributes = module_.AddAttributes(std::span(&attribute, 1));
    element.name = FreshName("get-tuple-element");
    if (!Define(element, start, operand)) return false;
  }
  return true;
}

bool ModuleReader::ReadAttributes(ListRange& range) {
  // Gathered on a stack: a computation within an attribute has lists of its own.
  const size_t base = attribute_stack_.size();
  while (cursor_.Try(',')) {
    AttributeId attribute = 0;
    if (!attributes_.Read(attribute)) return false;
    attribute_stack_.push_back(attribute);
  }
  range = module_.AddAttributes(std::span(attribute_stack_).subspan(base));
  attribute_stack_.resize(base);
  return cursor_.ok();
}

bool ModuleReader::Define(const Instruction& instruction, const char* at, uint32_t& index) {
  if (IndexOf(instruction.name) != kNoIndex) {
    return cursor_.Refuse(
        at, absl::StrCat("an instruction named '", std::string(module_.Name(instruction).substr(0, 100)),
                         "' stands above in this computation"));
  }
  if (instruction.name >= definitions_.size()) {
    definitions_.resize(
        std::max<size_t>(instruction.name + 1, definitions_.size() + definitions_.size() / 4));
  }
  index = static_cast<uint32_t>(scope_.instructions.size());
  Definition& definition = definitions_[instruction.name];
  if (scope_depth_ > 0) scope_.hidden.emplace_back(instruction.name, definition);
  definition = {scope_.number, index};
  scope_.instructions.push_back(instruction);
  return true;
}

// A name that no instruction above has. Should one below have it, that one is refused.
StringId ModuleReader::FreshName(std::string_view like) {
  std::string name = absl::StrCat(std::string(like), ".anon");
  while (module_.strings.Find(name).has_value()) name = absl::StrCat(std::string(like), ".anon", ++fresh_);
  return module_.strings.Add(name);
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

}  // namespace

absl::StatusOr<Module> Parse(std::string_view name, std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(absl::StrCat(std::string(name), ": the text has ", text.size(),
                                                   " bytes, which is over the limit of ", kMaxTextBytes));
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  ModuleReader reader(text);
  if (!reader.Read()) return reader.status(name);
  return reader.Take();
}

absl::StatusOr<ShapeId> ParseShape(std::string_view text, ShapeTable& shapes) {
  Cursor cursor(text);
  ShapeReader reader(cursor, shapes);
  ShapeId shape = 0;
  if (!reader.Read(shape)) return cursor.status("shape");
  if (!cursor.AtEnd()) cursor.Expected("the end of the shape");
  if (!cursor.ok()) return cursor.status("shape");
  return shape;
}

}  // namespace oomph::hlo
