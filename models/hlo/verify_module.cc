// What the header of a module says: the layout of the entry computation, which output shares memory with
// which parameter, and what all all-reduces have in common. Not for instructions and computations.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "models/hlo/infer.h"

namespace oomph::hlo {
namespace {

const Signature& Entry(const Facts& facts) { return facts.signatures[facts.module.entry]; }

// The shapes that entry_computation_layout gives: those of the parameters, then that of the result.
std::vector<ShapeId> EntryLayout(const Facts& facts) {
  std::vector<ShapeId> shapes;
  const Module& module = facts.module;
  const std::optional<AttributeId> id = module.Find(module.attributes, Key::kEntryComputationLayout);
  if (!id.has_value()) return shapes;
  for (const Reference& reference : module.attribute_table.References(*id)) {
    if (reference.kind == Reference::kShape && facts.shapes.Known(reference.id))
      shapes.push_back(reference.id);
  }
  return shapes;
}

Check CheckEntryLayout(Facts& facts) {
  const std::vector<ShapeId> layout = EntryLayout(facts);
  if (layout.empty()) return std::nullopt;
  const Signature& entry = Entry(facts);
  if (layout.size() != entry.parameters.size() + 1) {
    return Wrong(Rule::kEntryLayout,
                 absl::StrCat("is for ", layout.size() - 1, " parameters of ", entry.parameters.size()));
  }
  for (size_t i = 0; i < layout.size(); ++i) {
    const ShapeId shape = i < entry.parameters.size() ? entry.parameters[i] : entry.result;
    if (facts.shapes.Compatible(layout[i], shape)) continue;
    return Wrong(Rule::kEntryLayout,
                 absl::StrCat("has ", facts.shapes.Text(layout[i]), " for ", facts.shapes.Text(shape)));
  }
  return std::nullopt;
}

// A part of a parameter: its number, then the index.
std::optional<ShapeId> ParameterPart(const Facts& facts, int64_t parameter, std::span<const int64_t> index) {
  const Signature& entry = Entry(facts);
  if (parameter < 0 || static_cast<uint64_t>(parameter) >= entry.parameters.size()) return std::nullopt;
  return facts.shapes.At(entry.parameters[static_cast<size_t>(parameter)], index);
}

using Place = std::pair<int64_t, std::vector<int64_t>>;

Check CheckAlias(Facts& facts, const Alias& alias, std::set<Place>& taken) {
  const std::optional<ShapeId> from = ParameterPart(facts, alias.parameter, alias.index);
  const std::optional<ShapeId> to = facts.shapes.At(Entry(facts).result, alias.output);
  const std::string text = absl::StrCat(List(alias.output), " of the output and ", List(alias.index),
                                        " of parameter ", alias.parameter);
  if (!from.has_value() || !to.has_value()) return Wrong(Rule::kAlias, absl::StrCat("there is no ", text));
  if (!facts.shapes.IsArray(*from) || !facts.shapes.IsArray(*to)) {
    return Wrong(Rule::kAlias, absl::StrCat("no array is ", text));
  }
  if (!taken.emplace(alias.parameter, alias.index).second) {
    return Wrong(Rule::kAlias, absl::StrCat("twice, ", text));
  }
  if (alias.kind != kMustAlias) return std::nullopt;
  const std::vector<ShapeId> layout = EntryLayout(facts);
  const bool given = layout.size() == Entry(facts).parameters.size() + 1;
  const ShapeId parameter = given ? layout[static_cast<size_t>(alias.parameter)]
                                  : Entry(facts).parameters[static_cast<size_t>(alias.parameter)];
  const ShapeId result = given ? layout.back() : Entry(facts).result;
  const std::optional<ShapeId> a = facts.shapes.At(parameter, alias.index),
                               b = facts.shapes.At(result, alias.output);
  if (a.has_value() && b.has_value() && facts.shapes.SameInMemory(*a, *b, true)) return std::nullopt;
  return Wrong(Rule::kAlias, absl::StrCat("different shapes have ", text));
}

Check CheckAliases(Facts& facts) {
  const Module& module = facts.module;
  std::set<Place> taken;
  if (const std::optional<AttributeId> id = module.Find(module.attributes, Key::kInputOutputAlias)) {
    std::set<std::vector<int64_t>> outputs;
    for (const Alias& alias : AliasesOf(module.attribute_table.Numbers(*id))) {
      if (!outputs.insert(alias.output).second) continue;  // XLA keeps the first
      if (Check bad = CheckAlias(facts, alias, taken)) return bad;
    }
  }
  const std::optional<AttributeId> donors = module.Find(module.attributes, Key::kBufferDonor);
  if (!donors.has_value()) return std::nullopt;
  for (NumberReader reader(module.attribute_table.Numbers(*donors)); !reader.done();) {
    const int64_t parameter = reader.Next();
    const std::span<const int64_t> index = reader.List();
    const std::optional<ShapeId> from = ParameterPart(facts, parameter, index);
    const std::string text = absl::StrCat(List(index), " of parameter ", parameter);
    if (!from.has_value() || !facts.shapes.IsArray(*from)) {
      return Wrong(Rule::kAlias, absl::StrCat("a buffer donor is no array: ", text));
    }
    if (taken.contains(Place(parameter, {index.begin(), index.end()}))) {
      return Wrong(Rule::kAlias, absl::StrCat("a buffer donor is aliased as well: ", text));
    }
  }
  return std::nullopt;
}

Check CheckConstrainLayout(const Module& module) {
  std::optional<bool> first;
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      if (instruction.opcode != Opcode::kAllReduce && instruction.opcode != Opcode::kAllReduceStart) continue;
      const bool constrains = module.Number(instruction, Key::kConstrainLayout) != 0;
      if (first.value_or(constrains) != constrains) {
        return Wrong(Rule::kConstrainLayout, "some all-reduces constrain their layout and some do not");
      }
      first = constrains;
    }
  }
  return std::nullopt;
}

}  // namespace

void VerifyHeader(Facts& facts, Problems& problems) {
  for (Check bad : {CheckEntryLayout(facts), CheckAliases(facts), CheckConstrainLayout(facts.module)}) {
    if (bad.has_value()) Report(problems, kNoIndex, kNoIndex, *std::move(bad));
  }
}

}  // namespace oomph::hlo
