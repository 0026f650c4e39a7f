// Mutations of fusions: two become one, one becomes two. See mutate.h.
#include <algorithm>
#include <array>
#include <vector>

#include "models/hlo/generate_scope.h"
#include "models/hlo/mutate_steps.h"

namespace oomph::hlo::mutate {
namespace {

constexpr std::string_view kKinds[] = {"kLoop", "kInput", "kOutput", "kCustom"};

bool Fusible(Opcode opcode) {
  if (generate::IsUnary(opcode) || generate::IsBinary(opcode)) return true;
  switch (opcode) {
    case Opcode::kBroadcast:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kSlice:
    case Opcode::kConvert:
    case Opcode::kSelect:
    case Opcode::kCompare:
    case Opcode::kReduce:
    case Opcode::kPad:
    case Opcode::kConcatenate:
    case Opcode::kDynamicSlice: case Opcode::kDynamicUpdateSlice: case Opcode::kClamp: case Opcode::kIota:
    case Opcode::kDot: case Opcode::kFusion:
      return true;
    default:
      return false;
  }
}

bool IsFusible(const Module& module, const Instruction& instruction) {
  return Fusible(instruction.opcode) && instruction.wrapped == instruction.opcode &&
         !module.Find(instruction, Key::kControlPredecessors).has_value();
}

// Names stay when numbers move.
std::vector<uint32_t> IndicesOf(const Module& module, uint32_t computation, std::span<const StringId> names) {
  std::vector<uint32_t> indices;
  const std::vector<Instruction>& instructions = module.computations[computation].instructions;
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    if (std::find(names.begin(), names.end(), instructions[i].name) != names.end()) indices.push_back(i);
  }
  return indices;
}

// Opens the fusion with this name; the names of what stands in its place.
std::vector<StringId> Open(Module& module, StringId computation, StringId name) {
  const uint32_t c = *ComputationNamed(module, computation);
  std::vector<StringId> before;
  for (const Instruction& instruction : module.computations[c].instructions)
    before.push_back(instruction.name);
  const std::vector<uint32_t> at = IndicesOf(module, c, std::array{name});
  if (at.empty() || !Inline(module, c, at[0])) return {};
  std::vector<StringId> fresh;
  for (const Instruction& instruction :
       module.computations[*ComputationNamed(module, computation)].instructions) {
    if (std::find(before.begin(), before.end(), instruction.name) == before.end())
      fresh.push_back(instruction.name);
  }
  return fresh;
}

// The names of one instruction, or those of its body.
std::vector<StringId> Opened(Module& module, StringId computation, const Instruction& instruction) {
  if (instruction.opcode != Opcode::kFusion) return {instruction.name};
  return Open(module, computation, instruction.name);
}

}  // namespace

bool MergeFusion(Choices& choices, Module& module) {
  const std::optional<uint32_t> computation = DrawComputation(choices, module, {Role::kPlain});
  if (!computation.has_value()) return false;
  const StringId name = module.computations[*computation].name;
  Editor edit(module, *computation);
  const std::vector<OperandList> users = edit.Users();
  // An operand that only its user needs.
  uint32_t operand = 0;
  const std::optional<uint32_t> user = DrawNode(choices, edit, [&](uint32_t i) {
    if (!IsFusible(module, edit.at(i))) return false;
    for (const uint32_t o : edit.operands(i)) {
      if (users[o].size() != 1 || o == edit.root() || !IsFusible(module, edit.at(o))) continue;
      operand = o;
      return true;
    }
    return false;
  });
  if (!user.has_value()) return false;
  const Instruction first = edit.at(operand), second = edit.at(*user);
  std::vector<StringId> names = Opened(module, name, first);
  const std::vector<StringId> more = Opened(module, name, second);
  names.insert(names.end(), more.begin(), more.end());
  const uint32_t at = *ComputationNamed(module, name);
  const std::vector<uint32_t> indices = IndicesOf(module, at, names);
  return Outline(module, at, indices, Opcode::kFusion, kKinds[choices.Below(std::size(kKinds))]);
}

// At a drawn place of its body; a part that has several results stays open.
bool SplitFusion(Choices& choices, Module& module) {
  const std::optional<uint32_t> computation = DrawComputation(choices, module, {Role::kPlain});
  if (!computation.has_value()) return false;
  const StringId name = module.computations[*computation].name;
  Editor edit(module, *computation);
  const std::optional<uint32_t> fusion =
      DrawNode(choices, edit, [&](uint32_t i) { return edit.at(i).opcode == Opcode::kFusion; });
  if (!fusion.has_value()) return false;
  const std::vector<StringId> names = Open(module, name, edit.at(*fusion).name);
  if (names.empty()) return false;
  const size_t cut = choices.Below(names.size());
  const std::span<const StringId> all = names;
  for (const std::span<const StringId> part : {all.subspan(cut), all.first(cut)}) {
    const uint32_t at = *ComputationNamed(module, name);
    Outline(module, at, IndicesOf(module, at, part), Opcode::kFusion,
            kKinds[choices.Below(std::size(kKinds))]);
  }
  return true;
}

}  // namespace oomph::hlo::mutate
