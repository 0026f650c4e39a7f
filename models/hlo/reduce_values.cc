// Reductions that take values away from those who use them: outputs, operands, parameters, and what another value can
// stand for. What becomes useless goes with them.
#include <algorithm>
#include <map>

#include "models/hlo/reduce_lists.h"

namespace oomph::hlo::reduce {
namespace {

std::vector<uint32_t> OperandsOf(const Module& module, const Instruction& instruction) {
  const std::span<const uint32_t> operands = module.Operands(instruction);
  return {operands.begin(), operands.end()};
}

// All instructions, those of the entry first, the last of a computation first.
template <typename Visit>
void ForEachLastFirst(const Module& module, const Visit& visit) {
  const auto all_of = [&](uint32_t c) {
    for (uint32_t i = static_cast<uint32_t>(module.computations[c].instructions.size()); i-- > 0;) visit(Place{c, i});
  };
  all_of(module.entry);
  for (uint32_t c = static_cast<uint32_t>(module.computations.size()); c-- > 0;) {
    if (c != module.entry) all_of(c);
  }
}

struct Stand {
  Place place;
  uint32_t by = 0;
};
void Replace(Draft& draft, const Stand& stand) { draft.Replace(stand.place, stand.by); }

}  // namespace

// An out-of-memory is a sum over a limit, so the smallest elements of the root tuple are the first that can go. After
// them, what is left gives way to its only element.
List DropOutputs(const Base& base) {
  const Computation& entry = base.entry();
  List list;
  if (entry.instructions[entry.root].opcode != Opcode::kTuple || base.RootIsUsed()) return list;
  const std::vector<uint32_t> outputs = OperandsOf(base.module(), entry.instructions[entry.root]);
  std::vector<uint32_t> order(outputs.size());
  for (uint32_t k = 0; k < order.size(); ++k) order[k] = k;
  const auto bytes = [&](uint32_t k) { return base.BytesOf(entry.instructions[outputs[k]].shape); };
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) { return std::pair(bytes(a), a) < std::pair(bytes(b), b); });
  list.most.assign(outputs.size() + (outputs.empty() ? 0 : 1), 1);
  list.make = [outputs, order](Draft& draft, std::span<const uint64_t> amounts) {
    std::vector<uint8_t> gone(outputs.size());
    for (size_t k = 0; k < order.size(); ++k) gone[order[k]] = amounts[k] > 0 ? 1 : 0;
    std::vector<uint32_t> kept, was;
    for (uint32_t k = 0; k < outputs.size(); ++k) {
      if (gone[k] == 0) kept.push_back(outputs[k]), was.push_back(k);
    }
    draft.SetOutputs(kept, was, amounts[order.size()] == 0);
  };
  return list;
}

// A value that nobody else uses takes the place of a root that says nothing, or of a root tuple; parameters stay.
List ChooseRoot(const Base& base) {
  const Computation& entry = base.entry();
  const Instruction& root = entry.instructions[entry.root];
  const bool tuple = root.opcode == Opcode::kTuple && !base.RootIsUsed();
  std::vector<uint8_t> can(entry.instructions.size());
  for (uint32_t i = 0; i < can.size(); ++i) can[i] = base.IsIdle({base.module().entry, i}) ? 1 : 0;
  if (tuple) {
    for (const uint32_t output : base.module().Operands(root)) can[output] = 1;
  }
  std::vector<uint32_t> nodes;
  const bool nothing = root.opcode == Opcode::kParameter || root.operands.count == 0;
  for (uint32_t i = static_cast<uint32_t>(can.size()); (tuple || nothing) && i-- > 0;) {
    const bool parameter = entry.instructions[i].opcode == Opcode::kParameter;
    if (can[i] != 0 && !parameter && i != entry.root && base.IsAllArrays(entry.instructions[i].shape)) nodes.push_back(i);
  }
  return ListOf(std::move(nodes), [](Draft& draft, uint32_t node) {
    draft.KeepParameters();
    draft.SetOutputs(std::span(&node, 1), {}, false);
  });
}

// Of a computation that is called once and gives a tuple, the elements that its caller does not take. What is left
// is no tuple if it is one.
List DropResults(const Base& base) {
  struct Result {
    Place call;
    uint32_t called = 0, element = 0;
  };
  const Module& module = base.module();
  std::vector<Result> results;
  for (uint32_t c = 0; c < module.computations.size(); ++c) {
    const Computation& caller = module.computations[c];
    std::vector<std::vector<uint8_t>> taken(caller.instructions.size());
    std::vector<uint8_t> can(caller.instructions.size(), 1);
    const bool outputs = base.IsEntry(c) && !base.RootIsUsed();
    can[caller.root] = outputs ? 1 : 0;
    for (uint32_t i = 0; i < caller.instructions.size(); ++i) {
      const Instruction& user = caller.instructions[i];
      for (const uint32_t operand : module.Operands(user)) {
        const int64_t index = module.Number(user, Key::kIndex, -1);
        if (user.opcode == Opcode::kGetTupleElement && index >= 0 && index < (1 << 20)) {
          std::vector<uint8_t>& of = taken[operand];
          of.resize(std::max(of.size(), static_cast<size_t>(index) + 1));
          of[static_cast<size_t>(index)] = 1;
        } else if (!(outputs && i == caller.root && user.opcode == Opcode::kTuple)) {
          can[operand] = 0;
        }
      }
    }
    for (uint32_t i = 0; i < caller.instructions.size(); ++i) {
      const Instruction& call = caller.instructions[i];
      if (can[i] == 0 || (call.opcode != Opcode::kCall && call.opcode != Opcode::kFusion)) continue;
      const std::vector<uint32_t> called = Called(module, call);
      if (called.size() != 1 || called[0] >= c || base.SitesOf(called[0]).count != 1) continue;
      const Computation& body = module.computations[called[0]];
      if (body.instructions[body.root].opcode != Opcode::kTuple) continue;
      const uint32_t count = body.instructions[body.root].operands.count;
      if (module.shapes.Elements(call.shape).size() != count) continue;
      for (uint32_t k = 0; k < count; ++k) {
        if (k >= taken[i].size() || taken[i][k] == 0) results.push_back({{c, i}, called[0], k});
      }
    }
  }
  List list;
  list.most.assign(results.size(), 1);
  list.make = [results = std::move(results)](Draft& draft, std::span<const uint64_t> amounts) {
    const Module& from = draft.base().module();
    for (size_t k = 0; k < results.size();) {
      const auto [call, called, unused] = results[k];
      const Computation& body = from.computations[called];
      const std::vector<uint32_t> elements = OperandsOf(from, body.instructions[body.root]);
      std::vector<uint8_t> gone(elements.size());
      bool any = false;
      for (; k < results.size() && results[k].called == called; ++k) {
        if (amounts[k] > 0) gone[results[k].element] = 1, any = true;
      }
      if (!any) continue;
      std::vector<uint32_t> kept, turn(elements.size());
      std::vector<ShapeId> shapes;
      for (uint32_t e = 0; e < elements.size(); ++e) {
        turn[e] = static_cast<uint32_t>(kept.size());
        if (gone[e] != 0 && (e + 1 < elements.size() || !kept.empty())) continue;
        kept.push_back(elements[e]);
        shapes.push_back(body.instructions[elements[e]].shape);
      }
      const bool one = kept.size() == 1;
      const ShapeId shape = one ? shapes[0] : draft.module().shapes.AddTuple(shapes);
      if (one) {
        draft.SetRoot(called, kept[0]);
      } else {
        draft.SetOperands({called, body.root}, kept);
        draft.at({called, body.root}).shape = shape;
      }
      draft.at(call).shape = shape;
      const Computation& caller = from.computations[call.computation];
      for (uint32_t i = 0; i < caller.instructions.size(); ++i) {
        const Instruction& user = caller.instructions[i];
        if (user.opcode != Opcode::kGetTupleElement || user.operands.count != 1 || from.Operands(user)[0] != call.node) continue;
        if (one) {
          draft.Replace({call.computation, i}, call.node);
        } else {
          draft.SetIndex({call.computation, i}, turn[static_cast<size_t>(from.Number(user, Key::kIndex, 0))]);
        }
      }
    }
    const Computation& entry = draft.base().entry();
    if (entry.instructions[entry.root].opcode == Opcode::kTuple && !draft.base().RootIsUsed()) {
      draft.RefreshOutputs();
    }
  };
  return list;
}

// Of custom calls and joins of tokens each operand, the smallest first; of calls and fusions the parameters, whose users
// use a constant.
List DropOperands(const Base& base) {
  struct Operand {
    Place place;           // the user, or the parameter
    uint32_t operand = kNone;
    uint64_t bytes = 0;
  };
  const Module& module = base.module();
  std::vector<Operand> operands;
  for (uint32_t c = 0; c < module.computations.size(); ++c) {
    const std::vector<Instruction>& instructions = module.computations[c].instructions;
    const bool called = !base.IsEntry(c) && base.SitesOf(c).simple;
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      const Instruction& instruction = instructions[i];
      if (instruction.opcode == Opcode::kParameter && called) {
        operands.push_back({{c, i}, kNone, base.BytesOf(instruction.shape)});
      }
      if (instruction.opcode != Opcode::kCustomCall && instruction.opcode != Opcode::kAfterAll) continue;
      const std::span<const uint32_t> list = module.Operands(instruction);
      for (uint32_t k = 0; k < list.size(); ++k) operands.push_back({{c, i}, k, base.BytesOf(instructions[list[k]].shape)});
    }
  }
  std::ranges::sort(operands, {}, [](const Operand& each) {
    return std::tuple(each.bytes, each.place.computation, each.place.node, each.operand);
  });
  List list;
  list.most.assign(operands.size(), 1);
  list.make = [operands = std::move(operands)](Draft& draft, std::span<const uint64_t> amounts) {
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> gone;
    for (size_t k = 0; k < operands.size(); ++k) {
      if (amounts[k] == 0) continue;
      const auto& [place, operand, bytes] = operands[k];
      if (operand != kNone) {
        gone[{place.computation, place.node}].push_back(operand);
      } else if (!draft.base().IsIdle(place)) {
        const std::optional<uint32_t> zero = draft.AddZero(place.computation, 0, draft.base().at(place).shape);
        if (zero.has_value()) draft.Replace(place, *zero);
      } else {
        draft.Drop(place);
      }
    }
    for (auto& [at, numbers] : gone) {
      const Place place = {at.first, at.second};
      std::ranges::sort(numbers);
      std::vector<uint32_t> kept;
      const std::vector<uint32_t> all = OperandsOf(draft.module(), draft.base().at(place));
      for (uint32_t k = 0; k < all.size(); ++k) {
        if (!std::ranges::binary_search(numbers, k)) kept.push_back(all[k]);
      }
      draft.SetOperands(place, kept);
      for (const Key key : {Key::kOperandLayoutConstraints, Key::kOutputToOperandAliasing}) draft.DropAttribute(place, key);
    }
  };
  return list;
}

// An instruction gives way to its first operand of the same shape.
List Bypass(const Base& base) {
  const Module& module = base.module();
  std::vector<Stand> stands;
  ForEachLastFirst(module, [&](Place place) {
    const Instruction& instruction = base.at(place);
    if (instruction.opcode == Opcode::kParameter || base.IsIdle(place)) return;
    for (const uint32_t operand : module.Operands(instruction)) {
      if (operand == place.node || base.at({place.computation, operand}).shape != instruction.shape) continue;
      stands.push_back({place, operand});
      return;
    }
  });
  return ListOf(std::move(stands), Replace);
}

// An instruction or a parameter of the entry gives way to the first value of its shape that stands before it.
List Merge(const Base& base) {
  const Module& module = base.module();
  std::vector<std::map<ShapeId, uint32_t>> first(module.computations.size());
  std::vector<Stand> stands;
  for (uint32_t c = 0; c < module.computations.size(); ++c) {
    const std::vector<Instruction>& instructions = module.computations[c].instructions;
    for (uint32_t i = 0; i < instructions.size(); ++i) first[c].emplace(instructions[i].shape, i);
  }
  ForEachLastFirst(module, [&](Place place) {
    const Instruction& instruction = base.at(place);
    const uint32_t by = first[place.computation][instruction.shape];
    if (by == place.node || instruction.shape == 0 || base.IsIdle(place)) return;
    if (instruction.opcode == Opcode::kParameter && !base.IsEntry(place.computation)) return;
    const std::span<const uint32_t> operands = module.Operands(instruction);
    const auto same = std::ranges::find_if(operands, [&](uint32_t operand) {
      return base.at({place.computation, operand}).shape == instruction.shape;
    });
    if (same != operands.end() && *same == by) return;  // see Bypass
    stands.push_back({place, by});
  });
  return ListOf(std::move(stands), Replace);
}

// An element of a tuple is what was put into it; of a parameter that is a tuple each element that is used becomes a
// parameter.
List FlattenTuples(const Base& base) {
  const Module& module = base.module();
  const auto index_of = [](const Module& of, const Instruction& instruction) { return of.Number(instruction, Key::kIndex, -1); };
  std::vector<Place> elements, parameters;
  ForEachLastFirst(module, [&](Place place) {
    const Instruction& instruction = base.at(place);
    const std::span<const uint32_t> operands = module.Operands(instruction);
    if (instruction.opcode == Opcode::kGetTupleElement && operands.size() == 1 &&
        base.at({place.computation, operands[0]}).opcode == Opcode::kTuple) {
      const int64_t index = index_of(module, instruction);
      if (index >= 0 && static_cast<uint64_t>(index) < base.at({place.computation, operands[0]}).operands.count) elements.push_back(place);
    }
    if (instruction.opcode == Opcode::kParameter && base.IsEntry(place.computation) &&
        module.shapes[instruction.shape].type == Type::kTuple) {
      parameters.push_back(place);
    }
  });
  List list;
  list.most.assign(elements.size() + parameters.size(), 1);
  list.make = [elements = std::move(elements), parameters = std::move(parameters), index_of](
                  Draft& draft, std::span<const uint64_t> amounts) {
    const Module& from = draft.base().module();
    for (size_t k = 0; k < elements.size(); ++k) {
      if (amounts[k] == 0) continue;
      const Instruction& element = draft.base().at(elements[k]);
      const Instruction& tuple = draft.base().at({elements[k].computation, from.Operands(element)[0]});
      draft.Replace(elements[k], from.Operands(tuple)[static_cast<size_t>(index_of(from, element))]);
    }
    // Of each parameter that goes, what stands for its elements.
    std::map<uint32_t, std::vector<uint32_t>> parts;
    for (size_t k = 0; k < parameters.size(); ++k) {
      if (amounts[elements.size() + k] == 0) continue;
      parts[parameters[k].node].resize(from.shapes.Elements(draft.base().at(parameters[k]).shape).size(), kNone);
    }
    if (parts.empty()) return;
    const uint32_t c = from.entry;
    const Computation& entry = from.computations[c];
    for (uint32_t i = 0; i < entry.instructions.size(); ++i) {
      const Instruction& element = entry.instructions[i];
      if (element.opcode != Opcode::kGetTupleElement || element.operands.count != 1) continue;
      const auto tuple = parts.find(from.Operands(element)[0]);
      const int64_t index = index_of(from, element);
      if (tuple == parts.end() || index < 0 || static_cast<uint64_t>(index) >= tuple->second.size()) continue;
      uint32_t& part = tuple->second[static_cast<size_t>(index)];
      if (part == kNone) {
        part = i;
        draft.at({c, i}) = Plain(element, Opcode::kParameter, draft.NextParameter(c));
      } else {
        draft.Replace({c, i}, part);
      }
    }
    if (entry.instructions[entry.root].opcode != Opcode::kTuple || draft.base().RootIsUsed()) return;
    std::vector<uint32_t> outputs, was;
    bool any = false;
    const std::span<const uint32_t> old = from.Operands(entry.instructions[entry.root]);
    for (uint32_t k = 0; k < old.size(); ++k) {
      const auto tuple = parts.find(old[k]);
      if (tuple == parts.end()) {
        outputs.push_back(old[k]), was.push_back(k);
        continue;
      }
      any = true;
      const std::vector<ShapeId> shapes(from.shapes.Elements(entry.instructions[old[k]].shape).begin(),
                                        from.shapes.Elements(entry.instructions[old[k]].shape).end());
      for (size_t e = 0; e < shapes.size(); ++e) {
        uint32_t& part = tuple->second[e];
        if (part == kNone) {
          Instruction parameter = Plain({}, Opcode::kParameter, draft.NextParameter(c));
          parameter.shape = shapes[e];
          part = draft.Add(c, 0, parameter, "p");
        }
        outputs.push_back(part), was.push_back(kNone);
      }
    }
    if (any) draft.SetOutputs(outputs, was, true);
  };
  return list;
}

}  // namespace oomph::hlo::reduce
