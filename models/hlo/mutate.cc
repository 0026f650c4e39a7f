// Mutations of single instructions, and their dispatch; those of shapes are in mutate_shapes.cc, of fusions
// in mutate_fusions.cc. See mutate.h.
#include "models/hlo/mutate.h"

#include <algorithm>
#include <utility>

#include "models/hlo/generate_scope.h"
#include "models/hlo/mutate_steps.h"
#include "models/hlo/rewrite.h"
#include "models/hlo/verify.h"

namespace oomph::hlo::mutate {
namespace {

AttributeId Word(Module& module, Key key, std::string_view word) {
  const Reference reference = {.kind = Reference::kString, .id = module.strings.Add(word)};
  return module.attribute_table.Add(key, RowOf(key).form, {}, std::span(&reference, 1));
}

bool ReplaceComparison(Choices& choices, Module& module, Instruction& instruction) {
  static constexpr std::string_view kDirections[] = {"EQ", "NE", "LT", "GE", "GT", "LE"};
  std::vector<AttributeId> attributes;
  for (const AttributeId id : module.Attributes(instruction)) {
    if (module.attribute_table[id].key != Key::kDirection) attributes.push_back(id);
  }
  attributes.push_back(Word(module, Key::kDirection, kDirections[choices.Below(std::size(kDirections))]));
  instruction.attributes = module.AddAttributes(attributes);
  return true;
}

bool ReplaceAt(Choices& choices, Module& module, Instruction& instruction) {
  const Shape& shape = module.shapes[instruction.shape];
  if (!IsArrayType(shape.type)) return false;
  if (instruction.opcode == Opcode::kConstant) {
    if (shape.count != 0) return false;
    instruction.payload = module.strings.Add(choices.Pick(generate::LiteralsOf(shape.type)));
    return true;
  }
  if (instruction.opcode == Opcode::kCompare) return ReplaceComparison(choices, module, instruction);
  const Opcode old = instruction.opcode;
  if (instruction.wrapped != old || !module.Attributes(instruction).empty()) return false;
  if (generate::IsUnary(old)) instruction.opcode = generate::DrawUnary(choices, shape.type);
  if (generate::IsBinary(old)) instruction.opcode = generate::DrawBinary(choices, shape.type);
  instruction.wrapped = instruction.opcode;
  return instruction.opcode != old;
}

}  // namespace

bool Replace(Choices& choices, Module& module) {
  const std::optional<uint32_t> computation =
      DrawComputation(choices, module, {Role::kPlain, Role::kFused, Role::kApplied});
  if (!computation.has_value()) return false;
  std::vector<Instruction>& instructions = module.computations[*computation].instructions;
  const size_t first = choices.Below(instructions.size());
  for (size_t i = 0; i < instructions.size(); ++i) {
    if (ReplaceAt(choices, module, instructions[(first + i) % instructions.size()])) return true;
  }
  return false;
}

bool Insert(Choices& choices, Module& module) {
  const std::optional<uint32_t> computation =
      DrawComputation(choices, module, {Role::kPlain, Role::kFused, Role::kApplied});
  if (!computation.has_value()) return false;
  Editor edit(module, *computation);
  const std::optional<uint32_t> node = DrawArray(choices, module, edit);
  if (!node.has_value()) return false;
  const ShapeId shape = edit.at(*node).shape;
  const Type type = module.shapes[shape].type;
  const size_t after = edit.PositionOf(*node) + 1;
  uint32_t made = 0;
  if (choices.Chance(1, 2)) {
    made = edit.Insert(after, generate::DrawBinary(choices, type), shape, std::array{*node, *node});
  } else {
    made = edit.Insert(after, generate::DrawUnary(choices, type), shape, std::array{*node});
  }
  edit.ReplaceUses(*node, made, made);
  edit.Commit();
  return true;
}

bool Delete(Choices& choices, Module& module) {
  const std::optional<uint32_t> computation = DrawComputation(choices, module, {Role::kPlain, Role::kFused});
  if (!computation.has_value()) return false;
  Editor edit(module, *computation);
  const std::optional<uint32_t> node = DrawNode(choices, edit, [&](uint32_t i) {
    return edit.at(i).opcode != Opcode::kParameter && edit.at(i).opcode != Opcode::kConstant;
  });
  if (!node.has_value()) return false;
  const std::optional<uint32_t> instead = Instead(choices, module, edit, *node);
  if (!instead.has_value()) return false;
  edit.ReplaceUses(*node, *instead);
  edit.Erase(*node);
  edit.EraseDead();
  edit.Commit();
  DropUnusedComputations(module);
  return true;
}

bool Rewire(Choices& choices, Module& module) {
  const std::optional<uint32_t> computation = DrawComputation(choices, module, {Role::kPlain, Role::kFused});
  if (!computation.has_value()) return false;
  Editor edit(module, *computation);
  const size_t n = edit.order().size();
  const size_t first = choices.Below(n);
  for (size_t i = 0; i < std::min<size_t>(n, 64); ++i) {
    const size_t position = (first + i) % n;
    OperandList& operands = edit.operands(edit.order()[position]);
    if (operands.empty() || position < 2) continue;
    uint32_t& operand = operands[choices.Below(operands.size())];
    const size_t from = choices.Below(position);
    for (size_t j = 0; j < position; ++j) {
      const uint32_t other = edit.order()[(from + j) % position];
      if (other == operand || edit.at(other).shape != edit.at(operand).shape) continue;
      operand = other;
      edit.Commit();
      return true;
    }
  }
  return false;
}

std::optional<uint32_t> DrawComputation(Choices& choices, const Module& module,
                                        std::initializer_list<Role> roles) {
  const std::vector<Role> all = RolesOf(module);
  std::vector<uint32_t> some;
  for (uint32_t i = static_cast<uint32_t>(all.size()); i-- > 0;) {
    if (std::find(roles.begin(), roles.end(), all[i]) != roles.end()) some.push_back(i);
  }
  if (some.empty()) return std::nullopt;
  // Every second time the entry, which stands first here.
  return choices.Chance(1, 2) ? some[choices.Below(some.size())] : some[0];
}

std::optional<uint32_t> DrawArray(Choices& choices, const Module& module, Editor& edit) {
  return DrawNode(choices, edit, [&](uint32_t i) {
    if (!IsArrayType(module.shapes[edit.at(i).shape].type)) return false;
    const std::span<const Dimension> dimensions = module.shapes.Dimensions(edit.at(i).shape);
    return std::all_of(dimensions.begin(), dimensions.end(),
                       [](const Dimension& d) { return d.extent == Extent::kStatic; });
  });
}

std::optional<uint32_t> Instead(Choices& choices, Module& module, Editor& edit, uint32_t node) {
  const ShapeId shape = edit.at(node).shape;
  const size_t position = edit.PositionOf(node);
  if (!choices.Chance(1, 4)) {
    for (size_t i = position; i-- > 0;) {
      if (edit.at(edit.order()[i]).shape == shape) return edit.order()[i];
    }
  }
  const Shape row = module.shapes[shape];
  if (!IsArrayType(row.type)) return std::nullopt;
  const ShapeId scalar =
      row.count == 0 ? shape : module.shapes.AddArray(row.type, std::span<const Dimension>());
  const uint32_t literal = module.strings.Add(generate::LiteralsOf(row.type)[0]);
  const uint32_t constant = edit.Insert(position, Opcode::kConstant, scalar, {}, {}, literal);
  if (row.count == 0) return constant;
  const AttributeId none = module.attribute_table.Add(Key::kDimensions, Form::kInts, {}, {});
  return edit.Insert(position + 1, Opcode::kBroadcast, shape, std::array{constant}, std::array{none});
}

namespace {

template <Rewrite rewrite>
bool Rewritten(Choices& choices, Module& module) {
  return Apply(rewrite, choices, module);
}

constexpr std::array<bool (*)(Choices&, Module&), kMutations> kSteps = {
    Replace,     Insert,     Delete,
    Rewire,      Resize,     Retype,
    Relayout,    MergeFusion, SplitFusion,
    Rewritten<Rewrite::kOutline>, Rewritten<Rewrite::kInline>, Rewritten<Rewrite::kReorder>};

}  // namespace
}  // namespace oomph::hlo::mutate

namespace oomph::hlo {

bool Mutate(Mutation mutation, Choices& choices, Module& module) {
  if (!IsWellFormed(module)) return false;
  Module before = module;
  if (mutate::kSteps[static_cast<size_t>(mutation)](choices, module)) {
    RefreshHeader(module);
    Tidy(module);
    if (Verify(module).size() <= Verify(before).size()) return true;
  }
  module = std::move(before);
  return false;
}

void MutateModule(Choices& choices, const GenerateOptions& options, Module& module) {
  const auto can = [&](int feature) { return (options.features >> feature & 1) != 0; };
  for (uint64_t edits = 1 + choices.Below(4); edits > 0; --edits) {
    const Mutation mutation = static_cast<Mutation>(choices.Below(kMutations));
    const bool fusion = mutation == Mutation::kMergeFusion || mutation == Mutation::kSplitFusion;
    if (fusion && !can(feature::kFusions)) continue;
    if (mutation == Mutation::kOutline && !can(feature::kControlFlow)) continue;
    if (mutation == Mutation::kRelayout && !can(feature::kLayouts)) continue;
    // At most a few places: what does not apply to this module never will.
    for (int tries = 0; tries < 3 && !Mutate(mutation, choices, module); ++tries) {
    }
  }
}

}  // namespace oomph::hlo
