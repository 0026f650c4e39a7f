// Which operations work in place, and which may overwrite an operand that dies.
#include <algorithm>

#include "models/hlo/alias_rules.h"

namespace oomph::hlo {
namespace {

// A fusion in a fusion in a fusion …: looked into so far.
constexpr int kMaxFusionDepth = 16;
// Steps back from the root of a fusion through tuples.
constexpr int kMaxSteps = 1000;

// An instruction of a computation, and a node of its result.
struct Place {
  uint32_t instruction = 0;
  uint64_t node = 0;
};

ShapeId ShapeOfOperand(const Module& module, const Computation& computation, const Instruction& instruction,
                       size_t operand) {
  return computation.instructions[module.Operands(instruction)[operand]].shape;
}

void AddDeclared(const Module& module, const ShapeNodes& nodes, const Computation& computation,
                 const Instruction& instruction, std::vector<InPlacePair>& pairs) {
  const std::optional<AttributeId> id = module.Find(instruction, Key::kOutputToOperandAliasing);
  if (!id.has_value() || module.attribute_table[*id].form != Form::kAliases) return;
  // Of `slice-start` it speaks of the result of the slice, which is element 1.
  const bool short_form = instruction.opcode == Opcode::kAsyncStart && instruction.wrapped != instruction.opcode;
  for (Alias& alias : AliasesOf(module.attribute_table.Numbers(*id))) {
    if (short_form) alias.output.insert(alias.output.begin(), 1);
    const size_t count = module.Operands(instruction).size();
    if (alias.parameter < 0 || static_cast<uint64_t>(alias.parameter) >= count) continue;
    const uint32_t operand = static_cast<uint32_t>(alias.parameter);
    const uint64_t result = nodes.NodeAt(instruction.shape, alias.output);
    const uint64_t node =
        nodes.NodeAt(ShapeOfOperand(module, computation, instruction, operand), alias.index);
    if (result != UINT64_MAX && node != UINT64_MAX) pairs.push_back({operand, node, result});
  }
}

// Where what stands at `place` comes from: back through tuples and their elements. Not through bitcasts: XLA does
// not work in place behind one (measured).
Place Source(const Module& module, const ShapeNodes& nodes, const Computation& computation, Place place) {
  for (int steps = 0; steps < kMaxSteps; ++steps) {
    const Instruction& instruction = computation.instructions[place.instruction];
    const std::span<const uint32_t> operands = module.Operands(instruction);
    if (instruction.opcode == Opcode::kTuple && place.node != 0) {
      const std::vector<int64_t> path = nodes.PathOf(instruction.shape, place.node);
      if (path.empty() || static_cast<size_t>(path[0]) >= operands.size()) return place;
      const size_t element = static_cast<size_t>(path[0]);
      place = {operands[element], place.node - nodes.ElementNode(instruction.shape, element)};
    } else if (instruction.opcode == Opcode::kGetTupleElement && operands.size() == 1) {
      const int64_t index = module.Number(instruction, Key::kIndex, -1);
      const uint64_t node = nodes.NodeAt(computation.instructions[operands[0]].shape, std::span(&index, 1));
      if (node == UINT64_MAX) return place;
      place = {operands[0], node + place.node};
    } else {
      return place;
    }
  }
  return place;
}

// A collective over NVSHMEM has buffers of its own (measured).
bool UsesNvshmem(const Module& module, const Instruction& instruction) {
  const std::optional<AttributeId> id = module.Find(instruction, Key::kBackendConfig);
  if (!id.has_value()) return false;
  for (const Reference& reference : module.attribute_table.References(*id)) {
    if (reference.kind != Reference::kString) continue;
    if (module.strings[reference.id].find("\"NVSHMEM\"") != std::string_view::npos) return true;
  }
  return false;
}

void AddPairs(const Module& module, const ShapeNodes& nodes, const Computation& computation,
              const Instruction& instruction, int depth, std::vector<InPlacePair>& pairs);

// A part of the fusion's root that works in place on a parameter makes the fusion work in place on its operand.
void AddOfFusion(const Module& module, const ShapeNodes& nodes, const Computation& computation,
                 const Instruction& fusion, int depth, std::vector<InPlacePair>& pairs) {
  const Computation* fused = FusedComputation(module, fusion);
  if (fused == nullptr || fused->root >= fused->instructions.size() || depth == kMaxFusionDepth) return;
  const uint64_t count = nodes.Count(fusion.shape);
  if (count > (size_t{1} << 16) || nodes.Count(fused->instructions[fused->root].shape) != count) return;
  for (uint64_t node = 0; node < count; ++node) {
    const Place written = Source(module, nodes, *fused, {fused->root, node});
    std::vector<InPlacePair> inner;
    AddPairs(module, nodes, *fused, fused->instructions[written.instruction], depth + 1, inner);
    for (const InPlacePair& pair : inner) {
      if (pair.result_node != written.node) continue;
      const uint32_t from = module.Operands(fused->instructions[written.instruction])[pair.operand];
      const Place source = Source(module, nodes, *fused, {from, pair.operand_node});
      const Instruction& parameter = fused->instructions[source.instruction];
      if (parameter.opcode != Opcode::kParameter || parameter.payload >= module.Operands(fusion).size()) continue;
      if (source.node >= nodes.Count(ShapeOfOperand(module, computation, fusion, parameter.payload))) continue;
      pairs.push_back({parameter.payload, source.node, node});
    }
  }
}

void AddPairs(const Module& module, const ShapeNodes& nodes, const Computation& computation,
              const Instruction& instruction, int depth, std::vector<InPlacePair>& pairs) {
  const size_t operands = module.Operands(instruction).size();
  const bool tuple = module.shapes[instruction.shape].type == Type::kTuple;
  const auto add_elements = [&](uint32_t first, size_t count) {
    for (uint32_t i = 0; i < count && first + i < operands; ++i) {
      if (!tuple) {
        pairs.push_back({first + i, 0, 0});
      } else if (i < module.shapes[instruction.shape].count) {
        pairs.push_back({first + i, 0, nodes.ElementNode(instruction.shape, i)});
      }
    }
  };
  switch (instruction.opcode) {
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kSetDimensionSize:
      add_elements(0, 1);
      break;
    case Opcode::kScatter:  // operands, indices, updates
      add_elements(0, operands / 2);
      break;
    case Opcode::kAllReduceStart:
      if (!UsesNvshmem(module, instruction)) add_elements(0, operands);
      break;
    case Opcode::kRaggedAllToAll:
      add_elements(1, 1);
      break;
    case Opcode::kCollectivePermute:
      if (operands == 4 && !tuple) add_elements(1, 1);
      break;
    case Opcode::kCollectivePermuteStart:
      if (operands == 4 && tuple && module.shapes[instruction.shape].count > 1) {
        const ShapeId from = ShapeOfOperand(module, computation, instruction, 1);
        const uint64_t to = nodes.ElementNode(instruction.shape, 1);
        const uint64_t count = nodes.Count(from);
        if (nodes.Count(nodes.At(instruction.shape, to)) != count || count > (size_t{1} << 16)) break;
        for (uint64_t i = 0; i < count; ++i) pairs.push_back({1, i, to + i});
      }
      break;
    case Opcode::kCustomCall:
    case Opcode::kAsyncStart:
      AddDeclared(module, nodes, computation, instruction, pairs);
      break;
    case Opcode::kFusion:
      AddDeclared(module, nodes, computation, instruction, pairs);
      AddOfFusion(module, nodes, computation, instruction, depth, pairs);
      break;
    default:
      break;
  }
}

// Whether the fused computation needs parameter `number` only element by element, up to its root.
bool ElementwiseFromParameter(const Module& module, const Computation& fused, size_t number) {
  const auto& instructions = fused.instructions;
  std::vector<bool> depends(instructions.size(), false);
  for (size_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].opcode == Opcode::kParameter) {
      depends[i] = instructions[i].payload == number;
      continue;
    }
    const std::span<const uint32_t> operands = module.Operands(instructions[i]);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (operands[k] >= i) return false;  // used before its text: not looked into
      if (!depends[operands[k]]) continue;
      if (instructions[i].opcode != Opcode::kTuple && !IsElementwise(module, fused, instructions[i], k)) return false;
      depends[i] = true;
    }
  }
  return true;
}

bool IsKind(const Module& module, const Instruction& fusion, std::string_view kind) {
  const std::optional<AttributeId> id = module.Find(fusion, Key::kKind);
  if (!id.has_value()) return false;
  const std::span<const Reference> references = module.attribute_table.References(*id);
  return !references.empty() && references[0].kind == Reference::kString &&
         module.strings[references[0].id] == kind;
}

// An output fusion that adds something to a dot or a convolution may write over what it adds, if that is all
// that it does with it.
bool AddsToProduct(const Module& module, const Computation& fused, size_t number) {
  if (fused.root >= fused.instructions.size()) return false;
  const Instruction& add = fused.instructions[fused.root];
  const std::span<const uint32_t> operands = module.Operands(add);
  if (add.opcode != Opcode::kAdd || operands.size() != 2) return false;
  const auto is_product = [&](uint32_t index) {
    const Opcode opcode = fused.instructions[index].opcode;
    return opcode == Opcode::kDot || opcode == Opcode::kConvolution;
  };
  if (!is_product(operands[0]) && !is_product(operands[1])) return false;
  const uint32_t other = is_product(operands[0]) ? operands[1] : operands[0];
  const Instruction& parameter = fused.instructions[other];
  if (parameter.opcode != Opcode::kParameter || parameter.payload != number) return false;
  size_t uses = 0;
  for (const Instruction& instruction : fused.instructions) {
    const std::span<const uint32_t> list = module.Operands(instruction);
    uses += static_cast<size_t>(std::count(list.begin(), list.end(), other));
  }
  return uses == 1;
}

bool FusionMayReuse(const Module& module, const Instruction& fusion, size_t operand) {
  const Computation* fused = FusedComputation(module, fusion);
  if (fused == nullptr || fused->root >= fused->instructions.size()) return false;
  if (IsKind(module, fusion, "kOutput")) return AddsToProduct(module, *fused, operand);
  // A custom fusion only where it computes nothing: measured.
  if (IsKind(module, fusion, "kCustom") && fused->instructions[fused->root].opcode != Opcode::kParameter) return false;
  return ElementwiseFromParameter(module, *fused, operand);
}

bool IsDefaultLayout(const Layout& layout) {
  Layout usual;
  for (size_t i = layout.minor_to_major.size(); i-- > 0;) usual.minor_to_major.push_back(static_cast<int64_t>(i));
  return layout == usual;
}

}  // namespace

std::vector<InPlacePair> InPlacePairs(const Module& module, const ShapeNodes& nodes,
                                      const Computation& computation, const Instruction& instruction) {
  std::vector<InPlacePair> pairs;
  AddPairs(module, nodes, computation, instruction, 0, pairs);
  return pairs;
}

const Computation* FusedComputation(const Module& module, const Instruction& instruction) {
  if (instruction.opcode != Opcode::kFusion) return nullptr;
  const std::optional<AttributeId> id = module.Find(instruction, Key::kCalls);
  if (!id.has_value()) return nullptr;
  const std::span<const Reference> references = module.attribute_table.References(*id);
  if (references.empty() || references[0].kind != Reference::kComputation ||
      references[0].id >= module.computations.size()) {
    return nullptr;
  }
  return &module.computations[references[0].id];
}

bool SameArray(const ShapeTable& shapes, ShapeId a, ShapeId b) {
  if (a == b) return IsArrayType(shapes[a].type);
  if (shapes[a].type != shapes[b].type || !IsArrayType(shapes[a].type)) return false;
  if (!std::ranges::equal(shapes.Dimensions(a), shapes.Dimensions(b))) return false;
  const Layout* x = shapes.LayoutOf(a);
  const Layout* y = shapes.LayoutOf(b);
  if (x != nullptr && y != nullptr) return *x == *y;
  const Layout* given = x != nullptr ? x : y;
  return given == nullptr || IsDefaultLayout(*given);
}

bool IsElementwise(const Module& module, const Computation& computation, const Instruction& instruction,
                   size_t operand) {
  switch (instruction.opcode) {
    case Opcode::kDynamicUpdateSlice:
      return operand == 0;
    case Opcode::kBitcastConvert: {
      const Type from = module.shapes[ShapeOfOperand(module, computation, instruction, operand)].type;
      return RowOf(from).bits == RowOf(module.shapes[instruction.shape].type).bits;
    }
    default:
      return IsElementwiseOpcode(instruction.opcode);
  }
}

bool MayReuseOperand(const Module& module, const ShapeNodes& nodes, const Computation& computation,
                     const Instruction& instruction, size_t operand, uint64_t result_node, size_t users) {
  const std::span<const uint32_t> operands = module.Operands(instruction);
  const uint32_t source = operands[operand];
  if (computation.instructions[source].opcode == Opcode::kConstant) return false;
  for (const InPlacePair& pair : InPlacePairs(module, nodes, computation, instruction)) {
    if (pair.result_node == result_node && operands[pair.operand] == source && pair.operand_node == 0) return true;
  }
  const ShapeId result = nodes.At(instruction.shape, result_node);
  if (!SameArray(module.shapes, computation.instructions[source].shape, result)) return false;
  switch (instruction.opcode) {
    case Opcode::kFusion:
      return FusionMayReuse(module, instruction, operand);
    case Opcode::kTriangularSolve:
      return operand == 1 && std::ranges::count(operands, source) == 1;
    case Opcode::kSort: {
      if (users != 1) return false;
      if (operands.size() == 1) return true;
      const std::vector<int64_t> path = nodes.PathOf(instruction.shape, result_node);
      return std::ranges::count(operands, source) == 1 && path.size() == 1 &&
             static_cast<size_t>(path[0]) == operand;
    }
    case Opcode::kCopy:  // what a copy is for
      return false;
    default:
      return result_node == 0 && IsElementwise(module, computation, instruction, operand);
  }
}

}  // namespace oomph::hlo
