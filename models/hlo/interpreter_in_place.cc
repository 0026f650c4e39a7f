// What an operation writes into the memory of an operand.
#include <string_view>

#include "models/hlo/interpreter_machine.h"

namespace oomph::hlo {

void Machine::InPlace(const Instruction& instruction, const Operands& operands, const Tree& result, Links& links,
                      int depth) {
  const auto whole = [&](size_t operand, size_t element) {
    if (operand >= operands.size() || operands.trees[operand].empty()) return;
    if (!IsTuple(instruction.shape)) {
      OneMemory(operands.trees[operand][0], result[0], links);
    } else if (const Tree part = Element(instruction.shape, result, static_cast<int64_t>(element)); !part.empty()) {
      OneMemory(operands.trees[operand][0], part[0], links);
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
      if (operands.size() == 4 && operands.trees[1].size() == 1) OneMemory(operands.trees[1], result, links);
      break;
    case Opcode::kCollectivePermuteStart:
      if (operands.size() == 4) OneMemory(operands.trees[1], Element(instruction.shape, result, 1), links);
      break;
    case Opcode::kRaggedAllToAll:
      whole(1, 0);
      break;
    default:
      break;
  }
  Declared(instruction, operands, result, links);
  if (instruction.opcode == Opcode::kFusion) InPlaceFusion(instruction, operands, result, links, depth);
}

// What an instruction says itself; `slice-start` says it of the slice, whose result is its element 1.
void Machine::Declared(const Instruction& instruction, const Operands& operands, const Tree& result, Links& links) {
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
    if (!from.empty() && !to.empty()) OneMemory(from[0], to[0], links);
  }
}

// Of a collective over NVSHMEM.
bool Machine::HasBuffersOfItsOwn(const Instruction& instruction) const {
  const std::optional<AttributeId> id = module_.Find(instruction, Key::kBackendConfig);
  if (!id.has_value() || module_.attribute_table.References(*id).empty()) return false;
  const Reference text = module_.attribute_table.References(*id)[0];
  return text.kind == Reference::kString && module_.strings[text.id].find("\"NVSHMEM\"") != std::string_view::npos;
}

// A fusion updates an operand where a part of its root is an update of that operand itself, or of a view of it; not of an
// update of it, nor of a view of a view.
// Goes through the fused computation once, with a version of its own for whatever it computes.
void Machine::InPlaceFusion(const Instruction& fusion, const Operands& operands, const Tree& result, Links& links,
                            int depth) {
  const std::vector<uint32_t> calls = Calls(fusion, {Key::kCalls});
  if (calls.empty() || depth >= kMaxDepth) return;
  const Computation& fused = module_.computations[calls[0]];
  const uint32_t first = inner_version_;
  std::vector<Tree> values;
  std::map<uint32_t, uint32_t> views;  // a version of its own to the operand's
  Links inner;
  for (const Instruction& instruction : fused.instructions) {
    Operands given;
    for (const uint32_t operand : module_.Operands(instruction)) {
      if (!Spend(1 + values[operand].size())) return;
      given.trees.push_back(values[operand]);
      given.shapes.push_back(fused.instructions[operand].shape);
    }
    values.push_back(ValueInFusion(instruction, operands, given));
    const bool view = instruction.opcode == Opcode::kBitcast && given.size() == 1 && given.trees[0].size() == 1;
    if (view && given.trees[0][0] < first && values.back().size() == 1) views[values.back()[0]] = given.trees[0][0];
    if (given.size() > 0) InPlace(instruction, given, values.back(), inner, depth + 1);
  }
  const Tree& root = values[fused.root];
  std::map<uint32_t, std::vector<uint32_t>> written_over;  // by what was written: what had been there
  for (const auto& [there, to] : inner) {
    const auto view = views.find(there);
    const uint32_t from = view == views.end() ? there : view->second;
    if (from < first || from >= inner_version_) written_over[to].push_back(from);
  }
  for (size_t i = 0; i < root.size() && root.size() == result.size(); ++i) {
    const auto found = written_over.find(root[i]);
    if (found == written_over.end()) continue;
    for (const uint32_t from : found->second) OneMemory(from, result[i], links);
  }
}

// Parameters are the fusion's operands, tuples and their elements pass on; all else is new.
Tree Machine::ValueInFusion(const Instruction& instruction, const Operands& outer, const Operands& given) {
  const size_t size = Size(instruction.shape);
  if (instruction.opcode == Opcode::kParameter && instruction.payload < outer.size() &&
      outer.trees[instruction.payload].size() == size) {
    return outer.trees[instruction.payload];
  }
  if (instruction.opcode == Opcode::kGetTupleElement && given.size() == 1) {
    Tree part = Element(given.shapes[0], given.trees[0], module_.Number(instruction, Key::kIndex, -1));
    if (part.size() == size) return part;
  }
  Tree value;
  if (!Spend(size)) return value;
  while (value.size() < size) value.push_back(inner_version_++);
  if (instruction.opcode != Opcode::kTuple) return value;
  for (size_t i = 0; i < given.size(); ++i) PutFitting(instruction.shape, value, static_cast<int64_t>(i), given.trees[i]);
  return value;
}

}  // namespace oomph::hlo
