// Which operations may write their result over an operand that nobody needs afterwards.
// Not for what works in place by its nature (alias_in_place.cc).
#include <algorithm>

#include "models/hlo/alias_rules.h"

namespace oomph::hlo {
namespace {

// By number: the parameters that a fused computation needs in another way than element by element, on any way from
// them to its root. One pass from the end: what is needed so, needs all its operands so.
std::vector<bool> NotElementwise(const Module& module, const Computation& fused, size_t parameters) {
  const auto& instructions = fused.instructions;
  std::vector<bool> bad(instructions.size(), false), found(parameters, false);
  for (size_t i = instructions.size(); i-- > 0;) {
    const Instruction& instruction = instructions[i];
    if (instruction.opcode == Opcode::kParameter) {
      if (bad[i] && instruction.payload < parameters) found[instruction.payload] = true;
      continue;
    }
    const std::span<const uint32_t> operands = module.Operands(instruction);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (operands[k] >= i) return std::vector<bool>(parameters, true);  // used before its text: not looked into
      const bool passes = instruction.opcode == Opcode::kTuple || IsElementwise(module, fused, instruction, k);
      if (bad[i] || !passes) bad[operands[k]] = true;
    }
  }
  return found;
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

bool IsDefaultLayout(const Layout& layout) {
  Layout usual;
  for (size_t i = layout.minor_to_major.size(); i-- > 0;) usual.minor_to_major.push_back(static_cast<int64_t>(i));
  return layout == usual;
}

}  // namespace

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
      const Type from = module.shapes[computation.instructions[module.Operands(instruction)[operand]].shape].type;
      return RowOf(from).bits == RowOf(module.shapes[instruction.shape].type).bits;
    }
    default:
      return IsElementwiseOpcode(instruction.opcode);
  }
}

OperandReuse::OperandReuse(const Module& module, const ShapeNodes& nodes, bool wherever_right)
    : module_(module), nodes_(nodes), wherever_right_(wherever_right), in_place_(module, nodes) {}

bool OperandReuse::OfAny(const Instruction& instruction) const {
  switch (instruction.opcode) {
    case Opcode::kFusion:
    case Opcode::kTriangularSolve:
    case Opcode::kSort:
      return true;
    case Opcode::kCopy:  // what a copy is for
      return false;
    case Opcode::kRng:
      return wherever_right_;
    default:
      return in_place_.MayHave(instruction.opcode) || IsElementwiseOpcode(instruction.opcode);
  }
}

bool OperandReuse::OfFusion(const Instruction& fusion, size_t operand) {
  const Computation* fused = FusedComputation(module_, fusion);
  if (fused == nullptr || fused->root >= fused->instructions.size()) return false;
  if (IsKind(module_, fusion, "kOutput") && (!wherever_right_ || AddsToProduct(module_, *fused, operand))) {
    return AddsToProduct(module_, *fused, operand);
  }
  // A custom fusion only where it computes nothing: measured.
  if (!wherever_right_ && IsKind(module_, fusion, "kCustom") && fused->instructions[fused->root].opcode != Opcode::kParameter) return false;
  std::vector<bool>& known = not_elementwise_[fused];
  const size_t operands = module_.Operands(fusion).size();
  if (known.size() < operands) known = NotElementwise(module_, *fused, operands);
  return !known[operand];
}

std::vector<uint32_t> OperandReuse::InPlaceSources(const Computation& computation, const Instruction& instruction,
                                                   uint64_t result_node) {
  const std::span<const InPlacePair> pairs = in_place_.Of(computation, instruction);
  std::vector<uint32_t> sources;
  auto pair = std::ranges::lower_bound(pairs, result_node, {}, &InPlacePair::result_node);
  for (; pair != pairs.end() && pair->result_node == result_node; ++pair) {
    if (pair->operand_node == 0) sources.push_back(module_.Operands(instruction)[pair->operand]);
  }
  return sources;
}

bool OperandReuse::Of(const Computation& computation, const Instruction& instruction, size_t operand,
                      uint64_t result_node, Uses uses) {
  const std::span<const uint32_t> operands = module_.Operands(instruction);
  const uint32_t source = operands[operand];
  if (computation.instructions[source].opcode == Opcode::kConstant) return false;
  const std::vector<uint32_t> in_place = InPlaceSources(computation, instruction, result_node);
  if (std::ranges::count(in_place, source) > 0) return true;
  const ShapeId result = nodes_.At(instruction.shape, result_node);
  if (!SameArray(module_.shapes, computation.instructions[source].shape, result)) return false;
  switch (instruction.opcode) {
    case Opcode::kFusion:
      return OfFusion(instruction, operand);
    case Opcode::kTriangularSolve:
      return operand == 1 && uses.here == 1;
    case Opcode::kSort: {
      if (uses.instructions != 1) return false;
      if (operands.size() == 1) return true;
      const std::vector<int64_t> path = nodes_.PathOf(instruction.shape, result_node);
      return path.size() == 1 && static_cast<size_t>(path[0]) == operand && uses.here == 1;
    }
    case Opcode::kCopy:
      return false;
    case Opcode::kRng:  // of two scalars, which are read before the only element is written
      return wherever_right_ && result_node == 0;
    default:
      return result_node == 0 && IsElementwise(module_, computation, instruction, operand);
  }
}

}  // namespace oomph::hlo
