// What an operation writes into the memory of an operand.
#include <string_view>

#include "models/hlo/interpreter_machine.h"

namespace oomph::hlo {

void Machine::InPlace(const Instruction& instruction, const Operands& operands, const Tree& result) {
  const auto whole = [&](size_t operand, size_t element) {
    if (operand >= operands.size() || operands.trees[operand].empty()) return;
    if (!IsTuple(instruction.shape)) {
      OneMemory(operands.trees[operand][0], result[0]);
    } else if (const Tree part = Element(instruction.shape, result, static_cast<int64_t>(element)); !part.empty()) {
      OneMemory(operands.trees[operand][0], part[0]);
    }
  };
  switch (instruction.opcode) {
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kSetDimensionSize:
      whole(0, 0);
      break;
    case Opcode::kScatter:
      for (size_t i = 0; i < operands.size() / 2; ++i) whole(i, i);
      break;
    case Opcode::kAllReduceStart:
      if (HasBuffersOfItsOwn(instruction)) break;
      for (size_t i = 0; i < operands.size(); ++i) whole(i, i);
      break;
    case Opcode::kCollectivePermute:
      if (operands.size() == 4 && operands.trees[1].size() == 1) OneMemory(operands.trees[1], result);
      break;
    case Opcode::kCollectivePermuteStart:
      if (operands.size() == 4) OneMemory(operands.trees[1], Element(instruction.shape, result, 1));
      break;
    case Opcode::kRaggedAllToAll:
      whole(1, 0);
      break;
    default:
      break;
  }
  Declared(instruction, operands, result);
  if (instruction.opcode == Opcode::kFusion) InPlaceFusion(instruction, operands, result);
}

// What an instruction says itself; `slice-start` says it of the slice, whose result is its element 1.
void Machine::Declared(const Instruction& instruction, const Operands& operands, const Tree& result) {
  const std::optional<AttributeId> id = module_.Find(instruction, Key::kOutputToOperandAliasing);
  if (!id.has_value() || module_.attribute_table[*id].form != Form::kAliases) return;
  const bool start = instruction.opcode == Opcode::kAsyncStart && instruction.wrapped != instruction.opcode;
  for (const Alias& alias : AliasesOf(module_.attribute_table.Numbers(*id))) {
    if (alias.parameter < 0 || static_cast<size_t>(alias.parameter) >= operands.size()) continue;
    const size_t k = static_cast<size_t>(alias.parameter);
    std::vector<int64_t> output = alias.output;
    if (start) output.insert(output.begin(), 1);
    const Tree from = Walk(operands.shapes[k], operands.trees[k], alias.index);
    const Tree to = Walk(instruction.shape, result, output);
    if (!from.empty() && !to.empty()) OneMemory(from[0], to[0]);
  }
}

// Of a collective over NVSHMEM.
bool Machine::HasBuffersOfItsOwn(const Instruction& instruction) const {
  const std::optional<AttributeId> id = module_.Find(instruction, Key::kBackendConfig);
  if (!id.has_value() || module_.attribute_table.References(*id).empty()) return false;
  const Reference text = module_.attribute_table.References(*id)[0];
  return text.kind == Reference::kString && module_.strings[text.id].find("\"NVSHMEM\"") != std::string_view::npos;
}

// Back from a part of a tuple to what was put there.
Machine::Place Machine::Origin(uint32_t fused, Place place) {
  for (int steps = 0; steps < 1000 && Spend(1 + place.path.size()); ++steps) {
    const Instruction& instruction = At(fused, place.instruction);
    const std::span<const uint32_t> operands = module_.Operands(instruction);
    if (instruction.opcode == Opcode::kGetTupleElement && operands.size() == 1) {
      place.path.insert(place.path.begin(), module_.Number(instruction, Key::kIndex, -1));
      place.instruction = operands[0];
    } else if (instruction.opcode == Opcode::kTuple && !place.path.empty() && place.path[0] >= 0 &&
               place.path[0] < static_cast<int64_t>(operands.size())) {
      place.instruction = operands[static_cast<size_t>(place.path[0])];
      place.path.erase(place.path.begin());
    } else {
      break;
    }
  }
  return place;
}

// A fusion of which a part of the root is an update of a parameter updates its operand.
void Machine::InPlaceFusion(const Instruction& fusion, const Operands& operands, const Tree& result) {
  const std::vector<uint32_t> calls = Calls(fusion, {Key::kCalls});
  if (!calls.empty()) Updates(calls[0], fusion.shape, {}, operands, result);
}

void Machine::Updates(uint32_t fused, ShapeId shape, const std::vector<int64_t>& path, const Operands& operands,
                      const Tree& part) {
  if (part.empty() || !Spend(part.size())) return;
  for (size_t i = 0; i < ElementCount(shape); ++i) {
    std::vector<int64_t> further = path;
    further.push_back(static_cast<int64_t>(i));
    Updates(fused, ElementShape(shape, i), further, operands, Element(shape, part, static_cast<int64_t>(i)));
  }
  const Place written = Origin(fused, {module_.computations[fused].root, path});
  const Instruction& update = At(fused, written.instruction);
  const std::span<const uint32_t> inner = module_.Operands(update);
  size_t operand = 0;
  switch (update.opcode) {
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kSetDimensionSize:
      if (!written.path.empty()) return;
      break;
    case Opcode::kScatter:
      if (written.path.empty() != (inner.size() == 3) || written.path.size() > 1) return;
      if (!written.path.empty()) operand = static_cast<size_t>(written.path[0]);
      break;
    default:
      return;
  }
  if (operand >= inner.size()) return;
  const Place from = Origin(fused, {inner[operand], {}});
  const Instruction& parameter = At(fused, from.instruction);
  if (parameter.opcode != Opcode::kParameter || parameter.payload >= operands.size()) return;
  const Tree there = Walk(parameter.shape, operands.trees[parameter.payload], from.path);
  if (!there.empty()) OneMemory(there[0], part[0]);
}

}  // namespace oomph::hlo
