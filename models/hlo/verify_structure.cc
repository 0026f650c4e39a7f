// What must hold before any rule can look at a module: indices that point somewhere, order, parameters,
// names. Not for shapes and types.
#include <algorithm>
#include <utility>
#include <vector>

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
  const auto reference = [&](const Reference& to) {
    return to.id < (to.kind == Reference::kString        ? module.strings.size()
                    : to.kind == Reference::kShape       ? module.shapes.size()
                    : to.kind == Reference::kComputation ? module.computations.size()
                                                         : UINT32_MAX);
  };
  const auto attribute = [&](AttributeId id) {
    return id < module.attribute_table.size() &&
           std::ranges::all_of(module.attribute_table.References(id), reference);
  };
  const auto attributes = [&](const ListRange& range) {
    return list(range, module.attribute_lists.size()) &&
           std::ranges::all_of(module.Attributes(range), attribute);
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
          static_cast<size_t>(instruction.opcode) >= kOpcodes ||
          static_cast<size_t>(instruction.wrapped) >= kOpcodes ||
          (constant && instruction.payload >= module.strings.size())) {
        return false;
      }
    }
  }
  return true;
}

// Shapes are walked down by functions that call themselves. What a shape is made of has a smaller id.
bool Shallow(const ShapeTable& shapes) {
  std::vector<int> depth(shapes.size(), 0);
  for (ShapeId id = 0; id < shapes.size(); ++id) {
    for (const ShapeId element : shapes.Elements(id)) {
      if (element >= id || depth[element] >= kMaxShapeDepth) return false;
      depth[id] = std::max(depth[id], depth[element] + 1);
    }
  }
  return true;
}

// Computations that attributes call stand before their callers, and control predecessors before what they
// precede.
Check CheckReferences(const Module& module, uint32_t computation, uint32_t instruction) {
  const Computation& parent = module.computations[computation];
  for (const AttributeId id : module.Attributes(parent.instructions[instruction])) {
    for (const Reference& reference : module.attribute_table.References(id)) {
      if (reference.kind == Reference::kInstruction && reference.id >= instruction) {
        return Wrong(Rule::kOperandOrder, "stands before a control predecessor");
      }
      if (reference.kind == Reference::kComputation && reference.id >= computation) {
        return Wrong(Rule::kCallOrder, "calls a computation that does not stand before it");
      }
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
      return Wrong(Rule::kParameters,
                   absl::StrCat("parameter ", instruction.payload, " is there twice or too large"));
    }
    seen[instruction.payload] = true;
    ++count;
  }
  if (std::find(seen.begin(), seen.end(), false) - seen.begin() >= static_cast<std::ptrdiff_t>(count)) {
    return std::nullopt;
  }
  return Wrong(Rule::kParameters, absl::StrCat("has ", count, " parameters, not numbered from 0 on"));
}

// `last` has for each string the computation, counted from 1, that had it as a name last.
Check CheckNames(const Module& module, uint32_t c, std::vector<uint32_t>& last) {
  const Computation& computation = module.computations[c];
  for (const Instruction& instruction : computation.instructions) {
    if (std::exchange(last[instruction.name], c + 1) != c + 1) continue;
    return Wrong(Rule::kNames,
                 absl::StrCat("the name ", std::string(module.Name(instruction)), " is there twice"));
  }
  return std::nullopt;
}

}  // namespace

bool IsSound(const Module& module) { return PointsInside(module) && Shallow(module.shapes); }

bool VerifyStructure(const Module& module, Problems& problems) {
  const bool has_roots = std::ranges::all_of(module.computations, [](const Computation& computation) {
    return computation.root < computation.instructions.size();
  });
  if (module.entry >= module.computations.size() || !has_roots) {
    Report(problems, kNoIndex, kNoIndex,
           Wrong(has_roots ? Rule::kEntry : Rule::kRoot, "a computation is missing"));
    return false;
  }
  if (!IsSound(module)) {
    Report(problems, kNoIndex, kNoIndex,
           Wrong(Rule::kEntry, "an index points outside of the module, or a shape is nested too deep"));
    return false;
  }
  absl::flat_hash_set<StringId> names;
  std::vector<uint32_t> last(module.strings.size());
  for (uint32_t c = 0; c < module.computations.size(); ++c) {
    const Computation& computation = module.computations[c];
    if (!names.insert(computation.name).second)
      Report(problems, c, kNoIndex, Wrong(Rule::kNames, "is there twice"));
    if (Check bad = CheckParameters(computation)) Report(problems, c, kNoIndex, *std::move(bad));
    if (Check bad = CheckNames(module, c, last)) Report(problems, c, kNoIndex, *std::move(bad));
    for (uint32_t i = 0; i < computation.instructions.size(); ++i) {
      Check bad = CheckOperands(module, c, i);
      if (!bad.has_value()) bad = CheckReferences(module, c, i);
      if (bad.has_value()) Report(problems, c, i, *std::move(bad));
    }
  }
  return problems.empty();
}

}  // namespace oomph::hlo
