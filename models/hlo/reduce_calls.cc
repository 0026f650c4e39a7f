// Reductions of what calls what: one computation becomes the entry, loops give way to a call of their body, calls and
// fusions are opened, asynchronous operations are done at once.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "models/hlo/mutate_edit.h"
#include "models/hlo/reduce_lists.h"

namespace oomph::hlo::reduce {
namespace {

template <typename Visit>
void ForEach(const Module& module, const Visit& visit) {
  for (uint32_t c = static_cast<uint32_t>(module.computations.size()); c-- > 0;) {
    for (uint32_t i = 0; i < module.computations[c].instructions.size(); ++i) visit(Place{c, i});
  }
}

// The instruction becomes the call of a computation.
void MakeCall(Draft& draft, Place place, uint32_t computation, uint32_t operand) {
  Module& module = draft.module();
  const Reference to = {.kind = Reference::kComputation, .id = computation};
  const AttributeId id = module.attribute_table.Add(Key::kToApply, Form::kComputation, {}, std::span(&to, 1));
  Instruction call = Plain(draft.base().at(place), Opcode::kCall);
  call.attributes = module.AddAttributes(std::span(&id, 1));
  draft.SetOperands(place, std::span(&operand, 1));
  call.operands = draft.at(place).operands;
  draft.at(place) = call;
}

// The body of the call stands where it is called. Bodies are swept before, so that they are what they will be.
void Open(Draft& draft, Place place, absl::flat_hash_set<StringId>& names) {
  Module& module = draft.module();
  const uint32_t called = Called(module, draft.at(place))[0];
  const Computation body = module.computations[called];
  const std::span<const uint32_t> given = module.Operands(draft.at(place));
  std::vector<uint32_t> operands(given.begin(), given.end());
  std::vector<uint32_t> node(body.instructions.size(), kNone);
  for (uint32_t i = 0; i < body.instructions.size(); ++i) {
    Instruction copy = body.instructions[i];
    if (copy.opcode == Opcode::kParameter) {
      node[i] = operands[copy.payload];
      continue;
    }
    std::vector<uint32_t> inner;
    for (const uint32_t operand : module.Operands(copy)) inner.push_back(node[operand]);
    copy.operands = module.AddOperands(inner);
    const StringId name = copy.name;
    node[i] = draft.Add(place.computation, place.node, copy, RowOf(copy.opcode).name);
    if (names.insert(name).second) draft.at({place.computation, node[i]}).name = name;
    // Those of the body have no meaning here.
    draft.DropAttribute({place.computation, node[i]}, Key::kControlPredecessors);
  }
  draft.Replace(place, node[body.root]);
}

// Whether each operand stands before its user and each parameter has a value.
bool CanOpen(const Module& module, const Instruction& call, const Computation& body) {
  for (uint32_t i = 0; i < body.instructions.size(); ++i) {
    const Instruction& instruction = body.instructions[i];
    if (instruction.opcode == Opcode::kParameter && instruction.payload >= call.operands.count) return false;
    if (std::ranges::any_of(module.Operands(instruction), [&](uint32_t operand) { return operand >= i; })) return false;
  }
  return true;
}

}  // namespace

// One that is called, and what it calls; also without those that nobody calls.
List ChooseEntry(const Base& base) {
  std::vector<uint32_t> computations;
  for (uint32_t c = 0; c < base.module().computations.size(); ++c) {
    if (!base.IsEntry(c)) computations.push_back(c);
  }
  const auto size = [&](uint32_t c) { return base.module().computations[c].instructions.size(); };
  std::ranges::sort(computations, [&](uint32_t a, uint32_t b) { return std::pair(size(b), a) < std::pair(size(a), b); });
  return ListOf(std::move(computations), [](Draft& draft, uint32_t c) { draft.SetEntry(c); });
}

// Those that the entry does not reach.
List DropUnused(const Base& base) {
  std::vector<uint32_t> computations;
  for (uint32_t c = static_cast<uint32_t>(base.module().computations.size()); c-- > 0;) {
    if (!base.IsReached(c)) computations.push_back(c);
  }
  return ListOf(std::move(computations), [](Draft& draft, uint32_t c) { draft.DropComputation(c); });
}

List OpenLoops(const Base& base) {
  struct Branch {
    Place place;
    uint32_t computation = 0, operand = 0;
  };
  const Module& module = base.module();
  std::vector<Branch> branches;
  ForEach(module, [&](Place place) {
    const Instruction& instruction = base.at(place);
    const bool loop = instruction.opcode == Opcode::kWhile;
    if (!loop && instruction.opcode != Opcode::kConditional) return;
    const std::span<const uint32_t> operands = module.Operands(instruction);
    const std::vector<uint32_t> called = Called(module, instruction);
    for (size_t k = 0; k < called.size(); ++k) {
      const size_t operand = loop ? 0 : k + 1;
      if (operand < operands.size()) branches.push_back({place, called[k], operands[operand]});
    }
  });
  return ListOf(std::move(branches), [](Draft& draft, const Branch& branch) {
    MakeCall(draft, branch.place, branch.computation, branch.operand);
  });
}

// Of computations that are called once.
List OpenCalls(const Base& base) {
  const Module& module = base.module();
  std::vector<Place> calls;
  ForEach(module, [&](Place place) {
    const Instruction& instruction = base.at(place);
    if (instruction.opcode != Opcode::kCall && instruction.opcode != Opcode::kFusion) return;
    const std::vector<uint32_t> called = Called(module, instruction);
    if (called.size() != 1 || called[0] >= place.computation || base.SitesOf(called[0]).count != 1) return;
    if (CanOpen(module, instruction, module.computations[called[0]])) calls.push_back(place);
  });
  List list;
  list.most.assign(calls.size(), 1);
  list.make = [calls = std::move(calls)](Draft& draft, std::span<const uint64_t> amounts) {
    std::vector<Place> chosen;
    for (size_t k = 0; k < calls.size(); ++k) {
      if (amounts[k] > 0) chosen.push_back(calls[k]);
    }
    // Callees first.
    std::ranges::sort(chosen, {}, [](Place place) { return std::pair(place.computation, place.node); });
    absl::flat_hash_set<StringId> names;
    uint32_t swept = 0;
    for (size_t k = 0; k < chosen.size(); ++k) {
      const uint32_t c = chosen[k].computation;
      if (k == 0 || chosen[k - 1].computation != c) {
        for (; swept < c; ++swept) draft.Sweep(swept);
        draft.DropCallOperands(c);
        names.clear();
        for (const Instruction& each : draft.base().module().computations[c].instructions) names.insert(each.name);
      }
      Open(draft, chosen[k], names);
    }
  };
  return list;
}

namespace {

struct PairRow {
  Opcode done, start, plain;
};
constexpr PairRow kPairs[] = {
    {Opcode::kAsyncDone, Opcode::kAsyncStart, Opcode::kAsyncStart},  // what it wraps
    {Opcode::kAllReduceDone, Opcode::kAllReduceStart, Opcode::kAllReduce},
    {Opcode::kAllGatherDone, Opcode::kAllGatherStart, Opcode::kAllGather},
    {Opcode::kCollectivePermuteDone, Opcode::kCollectivePermuteStart, Opcode::kCollectivePermute},
    {Opcode::kCopyDone, Opcode::kCopyStart, Opcode::kCopy},
};

}  // namespace

// What ends it becomes the whole operation; what started it is useless then.
List JoinPairs(const Base& base) {
  struct Pair {
    Place done;
    uint32_t start = 0;
    Opcode plain = Opcode::kCopy;
  };
  const Module& module = base.module();
  std::vector<Pair> pairs;
  ForEach(module, [&](Place place) {
    const Instruction& done = base.at(place);
    const PairRow* row = std::ranges::find(kPairs, done.opcode, &PairRow::done);
    if (row == std::end(kPairs) || done.operands.count == 0) return;
    uint32_t start = module.Operands(done)[0];
    const auto at = [&](uint32_t node) -> const Instruction& { return base.at({place.computation, node}); };
    for (size_t steps = 0; at(start).opcode == Opcode::kAsyncUpdate && at(start).operands.count > 0 && steps < 64; ++steps) {
      start = module.Operands(at(start))[0];
    }
    if (at(start).opcode != row->start) return;
    Opcode plain = row->plain;
    if (plain == Opcode::kAsyncStart) plain = at(start).wrapped == plain ? Opcode::kCall : at(start).wrapped;
    pairs.push_back({place, start, plain});
  });
  return ListOf(std::move(pairs), [](Draft& draft, const Pair& pair) {
    const Instruction& start = draft.base().at({pair.done.computation, pair.start});
    Module& to = draft.module();
    Instruction whole = Plain(draft.base().at(pair.done), pair.plain);
    const std::span<const uint32_t> given = draft.base().module().Operands(start);
    draft.SetOperands(pair.done, std::vector<uint32_t>(given.begin(), given.end()));
    whole.operands = draft.at(pair.done).operands;
    std::vector<AttributeId> attributes;
    for (const AttributeId id : draft.base().module().Attributes(start)) {
      const Attribute row = to.attribute_table[id];
      if (row.key == Key::kAsyncExecutionThread || row.key == Key::kCrossProgramPrefetchIndex) continue;
      const bool call = pair.plain == Opcode::kCall && (row.key == Key::kCalls || row.key == Key::kCalledComputations);
      if (!call) {
        attributes.push_back(id);
        continue;
      }
      const std::span<const Reference> to_call = to.attribute_table.References(id);
      const std::vector<Reference> references(to_call.begin(), to_call.end());
      attributes.push_back(to.attribute_table.Add(Key::kToApply, Form::kComputation, {}, references));
    }
    whole.attributes = to.AddAttributes(attributes);
    draft.at(pair.done) = whole;
  });
}

}  // namespace oomph::hlo::reduce
