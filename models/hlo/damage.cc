// See damage.h. A table of what can be wrong, one function each.
#include "models/hlo/damage.h"

#include <array>
#include <vector>

namespace oomph::hlo {
namespace {

// A place in a module. The computation is drawn from the entry on, so that a short tape damages the entry.
struct Place {
  Module& module;
  Computation& computation;
  Instruction& instruction;
  uint32_t index = 0;  // of the instruction
};

// Whether it is written with its operands, and not with a number or a literal in their place.
bool IsPlain(Opcode opcode) { return opcode != Opcode::kParameter && opcode != Opcode::kConstant; }

bool ChangeShape(Choices& choices, Place& place) {
  const ShapeId shape = static_cast<ShapeId>(1 + choices.Below(place.module.shapes.size() - 1));
  if (shape == place.instruction.shape) return false;
  place.instruction.shape = shape;
  return true;
}

bool ChangeOperand(Choices& choices, Place& place) {
  const std::span<const uint32_t> now = place.module.Operands(place.instruction);
  if (now.empty() || place.index == 0) return false;
  std::vector<uint32_t> operands(now.begin(), now.end());
  uint32_t& operand = operands[choices.Below(operands.size())];
  const uint32_t other = static_cast<uint32_t>(choices.Below(place.index));
  if (operand == other) return false;
  operand = other;
  place.instruction.operands = place.module.AddOperands(operands);
  return true;
}

bool DropOperand(Choices&, Place& place) {
  if (place.instruction.operands.count == 0) return false;
  --place.instruction.operands.count;
  return true;
}

// Not to what is written with something else in the place of operands.
bool AddOperand(Choices& choices, Place& place) {
  if (place.index == 0 || !IsPlain(place.instruction.opcode)) return false;
  const std::span<const uint32_t> now = place.module.Operands(place.instruction);
  std::vector<uint32_t> operands(now.begin(), now.end());
  operands.push_back(static_cast<uint32_t>(choices.Below(place.index)));
  place.instruction.operands = place.module.AddOperands(operands);
  return true;
}

// Another operation of as many operands.
bool ChangeOpcode(Choices& choices, Place& place) {
  Instruction& instruction = place.instruction;
  const Opcode other = static_cast<Opcode>(choices.Below(kOpcodes));
  const int takes = RowOf(other).operands;
  if (!IsPlain(other) || !IsPlain(instruction.opcode) || instruction.wrapped != instruction.opcode) return false;
  if (other == instruction.opcode || (takes >= 0 && static_cast<uint32_t>(takes) != instruction.operands.count)) return false;
  instruction.opcode = instruction.wrapped = other;
  return true;
}

bool DropAttribute(Choices& choices, Place& place) {
  const std::span<const AttributeId> now = place.module.Attributes(place.instruction);
  if (now.empty()) return false;
  std::vector<AttributeId> attributes(now.begin(), now.end());
  attributes.erase(attributes.begin() + static_cast<ptrdiff_t>(choices.Below(attributes.size())));
  place.instruction.attributes = place.module.AddAttributes(attributes);
  return true;
}

// One number more or less. Numbers that are lengths of lists, as a sharding has them, are left alone.
bool ChangeNumber(Choices& choices, Place& place) {
  const std::span<const AttributeId> now = place.module.Attributes(place.instruction);
  if (now.empty()) return false;
  std::vector<AttributeId> attributes(now.begin(), now.end());
  AttributeId& id = attributes[choices.Below(attributes.size())];
  const Attribute row = place.module.attribute_table[id];
  if (row.form != Form::kInt && row.form != Form::kInts && row.form != Form::kSlices && row.form != Form::kPadding) return false;
  const std::span<const int64_t> old = place.module.attribute_table.Numbers(id);
  if (old.empty()) return false;
  std::vector<int64_t> numbers(old.begin(), old.end());
  numbers[choices.Below(numbers.size())] += choices.Chance(1, 2) ? -1 : 1;
  const std::span<const Reference> references = place.module.attribute_table.References(id);
  id = place.module.attribute_table.Add(row.key, row.form, numbers, std::vector<Reference>(references.begin(), references.end()));
  place.instruction.attributes = place.module.AddAttributes(attributes);
  return true;
}

bool ChangeRoot(Choices& choices, Place& place) {
  const uint32_t root = static_cast<uint32_t>(choices.Below(place.computation.instructions.size()));
  if (root == place.computation.root) return false;
  place.computation.root = root;
  return true;
}

bool ChangeParameterNumber(Choices& choices, Place& place) {
  if (place.instruction.opcode != Opcode::kParameter) return false;
  place.instruction.payload += static_cast<uint32_t>(1 + choices.Below(2));
  return true;
}

constexpr std::array kDamages = {ChangeShape,   ChangeOperand, ChangeOpcode, DropAttribute,        ChangeNumber,
                                 DropOperand,   AddOperand,    ChangeRoot,   ChangeParameterNumber};

}  // namespace

bool Damage(Choices& choices, Module& module) {
  if (module.computations.empty()) return false;
  const size_t c = module.computations.size() - 1 - choices.Below(module.computations.size());
  Computation& computation = module.computations[c];
  if (computation.instructions.empty()) return false;
  const uint32_t index = static_cast<uint32_t>(choices.Below(computation.instructions.size()));
  Place place{module, computation, computation.instructions[index], index};
  return kDamages[choices.Below(kDamages.size())](choices, place);
}

}  // namespace oomph::hlo
