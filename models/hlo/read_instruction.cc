// One instruction: its name, shape and operation, its operands or literal, and who may refer to it.
#include <algorithm>
#include <span>
#include <string>

#include "absl/strings/str_cat.h"
#include "models/hlo/read_module.h"
#include "models/hlo/text.h"

namespace oomph::hlo {

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

}  // namespace oomph::hlo
