// What must hold before any rule can look at a module: indices that point somewhere, order, parameters, names.
// Not for shapes and types.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "models/hlo/infer.h"

namespace oomph::hlo {
namespace {

// Every id and every range of the module points into its tables. Only a module that was not read from a text
// can fail here.
bool PointsInside(const Module& module) {
  const auto list = [](const ListRange& range, size_t size) {
    return range.begin <= size && range.count <= size - range.begin;
  };
  const auto attributes = [&](const ListRange& range) {
    if (!list(range, module.attribute_lists.size())) return false;
    return std::ranges::all_of(module.Attributes(range),
                               [&](AttributeId id) { return id < module.attribute_table.size(); });
  };
  if (module.entry >= module.computations.size() || !attributes(module.attributes)) return false;
  for (const Computation& computation : module.computations) {
    if (computation.root >= computation.instructions.size() || !attributes(computation.attributes) ||
        computation.name >= module.strings.size()) {
      return false;
    }
    for (const Instruction& instruction : computation.instructions) {
      const bool constant = instruction.opcode == Opcode::kConstant;
      if (instruction.shape >= module.shapes.size() || instruction.name >= module.strings.size() ||
          !list(instruction.operands, module.operand_lists.size()) || !attributes(instruction.attributes) ||
          static_cast<size_t>(instruction.opcode) >= kOpcodes || static_cast<size_t>(instruction.wrapped) >= kOpcodes ||
          (constant && instruction.payload >= module.strings.size())) {
        return false;
      }
    }
  }
  return true;
}

// What attributes refer to is there: strings and shapes anywhere, computations before their callers.
Check CheckReferences(const Module& module, uint32_t computation, uint32_t instruction) {
  const Computation& parent = module.computations[computation];
  for (const AttributeId id : module.Attributes(parent.instructions[instruction])) {
    for (const Reference& reference : module.attribute_table.References(id)) {
      const bool later_instruction = reference.kind == Reference::kInstruction && reference.id >= instruction;
      if (later_instruction) return Wrong(Rule::kOperandOrder, "stands before a control predecessor");
      const size_t limit = reference.kind == Reference::kString  ? module.strings.size()
                           : reference.kind == Reference::kShape ? module.shapes.size()
                           : reference.kind == Reference::kComputation
                               ? computation
                               : parent.instructions.size();
      if (reference.id < limit) continue;
      return Wrong(Rule::kCallOrder, "calls a computation that does not stand before it");
    }
  }
  return std::nullopt;
}

Check CheckOperands(const Module& module, uint32_t computation, uint32_t i) {
  const Instruction& instruction = module.computations[computation].instructions[i];
  const std::span<const uint32_t> operands = module.Operands(instruction);
  if (std::ranges::any_of(operands, [&](uint32_t operand) { return operand >= i; })) {
    return Wrong(Rule::kOperandOrder, "stands before an operand");
  }
  const int arity = RowOf(instruction.opcode).operands;
  if (arity >= 0 && operands.size() != static_cast<size_t>(arity)) {
    return Wrong(Rule::kOperandCount, absl::StrCat("takes ", arity, " operands and has ", operands.size()));
  }
  return std::nullopt;
}

Check CheckParameters(const Computation& computation) {
  std::vector<bool> seen(computation.instructions.size(), false);
  size_t count = 0;
  for (const Instruction& instruction : computation.instructions) {
    if (instruction.opcode != Opcode::kParameter) continue;
    if (instruction.payload >= seen.size() || seen[instruction.payload]) {
      return Wrong(Rule::kParameters, absl::StrCat("parameter ", instruction.payload, " is there twice or too large"));
    }
    seen[instruction.payload] = true;
    ++count;
  }
  if (std::find(seen.begin(), seen.end(), false) - seen.begin() >= static_cast<std::ptrdiff_t>(count)) {
    return std::nullopt;
  }
  return Wrong(Rule::kParameters, absl::StrCat("has ", count, " parameters, not numbered from 0 on"));
}

Check CheckNames(const Module& module, const Computation& computation) {
  absl::flat_hash_set<StringId> names;
  for (const Instruction& instruction : computation.instructions) {
    if (names.insert(instruction.name).second) continue;
    return Wrong(Rule::kNames, absl::StrCat("the name ", std::string(module.Name(instruction)), " is there twice"));
  }
  return std::nullopt;
}

}  // namespace

bool VerifyStructure(const Module& module, Problems& problems) {
  const bool has_roots = std::ranges::all_of(module.computations, [](const Computation& computation) {
    return computation.root < computation.instructions.size();
  });
  if (module.entry >= module.computations.size() || !has_roots) {
    Report(problems, kNoIndex, kNoIndex, Wrong(has_roots ? Rule::kEntry : Rule::kRoot, "a computation is missing"));
    return false;
  }
  if (!PointsInside(module)) {
    Report(problems, kNoIndex, kNoIndex, Wrong(Rule::kEntry, "an index points outside of the module"));
    return false;
  }
  absl::flat_hash_set<StringId> names;
  for (uint32_t c = 0; c < module.computations.size(); ++c) {
    const Computation& computation = module.computations[c];
    if (!names.insert(computation.name).second) Report(problems, c, kNoIndex, Wrong(Rule::kNames, "is there twice"));
    if (Check bad = CheckParameters(computation)) Report(problems, c, kNoIndex, *std::move(bad));
    if (Check bad = CheckNames(module, computation)) Report(problems, c, kNoIndex, *std::move(bad));
    for (uint32_t i = 0; i < computation.instructions.size(); ++i) {
      Check bad = CheckOperands(module, c, i);
      if (!bad.has_value()) bad = CheckReferences(module, c, i);
      if (bad.has_value()) Report(problems, c, i, *std::move(bad));
    }
  }
  return problems.empty();
}

}  // namespace oomph::hlo
