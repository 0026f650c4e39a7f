// A module in the making. See reduce_draft.h.
#include "models/hlo/reduce_draft.h"

#include <algorithm>

#include "models/hlo/mutate_edit.h"
#include "models/hlo/reduce_lists.h"
#include "models/hlo/verify.h"

namespace oomph::hlo::reduce {

Draft::Draft(const Base& base, Module& into) : base_(base), module_(into), parts_(base.module().computations.size()) {
  into = base.module();
}

// ---- edits ----

Draft::Part& Draft::Changed(uint32_t computation) {
  Part& part = parts_[computation];
  if (part.changed) return part;
  const Computation& source = module_.computations[computation];
  part.changed = true;
  part.instead.assign(source.instructions.size(), kNone);
  part.gone.assign(source.instructions.size(), 0);
  part.root = source.root;
  return part;
}

Instruction& Draft::at(Place place) {
  std::vector<Instruction>& own = module_.computations[place.computation].instructions;
  return place.node < own.size() ? own[place.node] : parts_[place.computation].added[place.node - own.size()];
}

uint32_t Draft::Add(uint32_t computation, uint32_t before, Instruction instruction, std::string_view stem) {
  Part& part = Changed(computation);
  instruction.name = FreshName(module_, stem);
  part.added.push_back(instruction);
  part.before.push_back(before);
  part.instead.push_back(kNone);
  part.gone.push_back(0);
  return static_cast<uint32_t>(part.instead.size() - 1);
}

std::optional<uint32_t> Draft::AddZeros(uint32_t computation, uint32_t before, ShapeId shape) {
  if (module_.shapes[shape].type != Type::kTuple) return AddZero(computation, before, shape);
  // A tuple may name one element often.
  constexpr size_t kMost = 4096;
  if (Changed(computation).added.size() > kMost) return std::nullopt;
  Instruction tuple;
  tuple.shape = shape;
  tuple.opcode = tuple.wrapped = Opcode::kTuple;
  const std::span<const ShapeId> elements = module_.shapes.Elements(shape);
  std::vector<uint32_t> operands;
  for (const ShapeId element : std::vector<ShapeId>(elements.begin(), elements.end())) {
    const std::optional<uint32_t> zero = AddZeros(computation, before, element);
    if (!zero.has_value()) return std::nullopt;
    operands.push_back(*zero);
  }
  tuple.operands = module_.AddOperands(operands);
  return Add(computation, before, tuple, "tuple");
}

std::optional<uint32_t> Draft::AddZero(uint32_t computation, uint32_t before, ShapeId shape) {
  if (!IsStaticArray(module_.shapes, shape)) return std::nullopt;
  const Type type = module_.shapes[shape].type;
  Part& part = Changed(computation);
  auto known = std::ranges::find(part.constants, type, &std::pair<Type, uint32_t>::first);
  uint32_t constant = kNone;
  if (known != part.constants.end()) {
    constant = known->second;
  } else {
    Instruction zero;
    zero.shape = module_.shapes.AddArray(type, std::span<const Dimension>());
    zero.opcode = zero.wrapped = Opcode::kConstant;
    zero.payload = module_.strings.Add(SimplestLiteral(type));
    constant = Add(computation, 0, zero, "zero");
    part.constants.emplace_back(type, constant);
  }
  if (module_.shapes.Dimensions(shape).empty()) return constant;
  Instruction broadcast;
  broadcast.shape = shape;
  broadcast.opcode = broadcast.wrapped = Opcode::kBroadcast;
  broadcast.operands = module_.AddOperands(std::span(&constant, 1));
  const AttributeId none = module_.attribute_table.Add(Key::kDimensions, Form::kInts, {}, {});
  broadcast.attributes = module_.AddAttributes(std::span(&none, 1));
  return Add(computation, before, broadcast, "zeros");
}

uint32_t Draft::NextParameter(uint32_t computation) {
  Part& part = Changed(computation);
  if (part.next_parameter == kNone) {
    part.next_parameter = 0;
    for (const Instruction& each : module_.computations[computation].instructions) {
      if (each.opcode == Opcode::kParameter && each.payload < kNone - 1) part.next_parameter = std::max(part.next_parameter, each.payload + 1);
    }
  }
  return part.next_parameter++;
}

void Draft::Drop(Place place) { Changed(place.computation).gone[place.node] = 1; }

void Draft::Replace(Place place, uint32_t by) {
  Part& part = Changed(place.computation);
  if (Resolved(part, by) == place.node) return;
  part.instead[place.node] = by;
  part.gone[place.node] = 1;
}

void Draft::SetOperands(Place place, std::span<const uint32_t> operands) {
  Changed(place.computation);
  const ListRange list = module_.AddOperands(operands);
  at(place).operands = list;
}

void Draft::SetRoot(uint32_t computation, uint32_t node) { Changed(computation).root = node; }

uint32_t Draft::RootOf(uint32_t computation) const {
  const Part& part = parts_[computation];
  return part.changed && !part.swept ? Resolved(part, part.root) : module_.computations[computation].root;
}

uint32_t Draft::Resolved(const Part& part, uint32_t node) const {
  while (part.instead[node] != kNone) node = part.instead[node];
  return node;
}

void Draft::SetOutputs(std::span<const uint32_t> nodes, std::span<const uint32_t> was, bool tuple) {
  const uint32_t c = module_.entry;
  const Computation& entry = module_.computations[c];
  outputs_changed_ = true;
  outputs_were_.assign(was.begin(), was.end());
  if (nodes.size() == 1 && !tuple) {
    outputs_were_.clear();
    return SetRoot(c, nodes[0]);
  }
  std::vector<ShapeId> shapes;
  for (const uint32_t node : nodes) shapes.push_back(at({c, node}).shape);
  const ShapeId shape = module_.shapes.AddTuple(shapes);
  uint32_t root = entry.root;
  if (entry.instructions[root].opcode != Opcode::kTuple || base_.RootIsUsed()) {
    Instruction result;
    result.opcode = result.wrapped = Opcode::kTuple;
    root = Add(c, static_cast<uint32_t>(entry.instructions.size()), result, "tuple");
    SetRoot(c, root);
  }
  at({c, root}).shape = shape;
  at({c, root}).attributes = {};
  SetOperands({c, root}, nodes);
}

void Draft::RefreshOutputs() {
  const Place root = {module_.entry, module_.computations[module_.entry].root};
  std::vector<ShapeId> shapes;
  for (const uint32_t node : module_.Operands(at(root))) shapes.push_back(at({root.computation, node}).shape);
  const ShapeId shape = module_.shapes.AddTuple(shapes);
  at(root).shape = shape;
}

void Draft::SetIndex(Place place, int64_t index) {
  Changed(place.computation);
  const AttributeId id = module_.attribute_table.Add(Key::kIndex, Form::kInt, std::span(&index, 1), {});
  std::vector<AttributeId> attributes = {id};
  for (const AttributeId old : module_.Attributes(at(place))) {
    if (module_.attribute_table[old].key != Key::kIndex) attributes.push_back(old);
  }
  const ListRange list = module_.AddAttributes(attributes);
  at(place).attributes = list;
}

void Draft::DropAttribute(Place place, Key key) {
  Changed(place.computation);
  std::vector<AttributeId> kept;
  for (const AttributeId id : module_.Attributes(at(place))) {
    if (module_.attribute_table[id].key != key) kept.push_back(id);
  }
  const ListRange list = module_.AddAttributes(kept);
  at(place).attributes = list;
}

// ---- putting in order ----

// What the root needs, what was there for its effect or for nothing, and the parameters that callers fill.
std::vector<uint8_t> Draft::Needed(uint32_t c, const Part& part) {
  const std::vector<Instruction>& own = module_.computations[c].instructions;
  const bool parameters_go = base_.IsEntry(c) ? !keeps_parameters_ : base_.SitesOf(c).simple;
  std::vector<uint8_t> needed(part.instead.size());
  std::vector<uint32_t> ask;
  const auto need = [&](uint32_t node) {
    if (std::exchange(needed[node], uint8_t{1}) == 0) ask.push_back(node);
  };
  need(Resolved(part, part.root));
  for (uint32_t i = 0; i < own.size(); ++i) {
    const bool parameter = own[i].opcode == Opcode::kParameter;
    const bool stays = parameter && !parameters_go;
    if (stays || (part.gone[i] == 0 && (base_.IsIdle({c, i}) || (base_.HasEffect({c, i}) && !parameter)))) need(i);
  }
  while (!ask.empty()) {
    const uint32_t node = ask.back();
    ask.pop_back();
    for (const uint32_t operand : module_.Operands(at({c, node}))) need(operand);
  }
  return needed;
}

void Draft::DropCallOperands(uint32_t c) {
  if (!parameters_removed_ || std::exchange(parts_[c].calls_mended, true)) return;
  const size_t count = module_.computations[c].instructions.size() + parts_[c].added.size();
  for (uint32_t i = 0; i < count; ++i) {
    const Opcode opcode = at({c, i}).opcode;
    if (opcode != Opcode::kCall && opcode != Opcode::kFusion) continue;
    const std::vector<uint32_t> called = Called(module_, at({c, i}));
    if (called.size() != 1 || parts_[called[0]].removed.empty()) continue;
    const std::vector<uint32_t>& removed = parts_[called[0]].removed;
    std::vector<uint32_t> kept;
    const std::span<const uint32_t> operands = module_.Operands(at({c, i}));
    for (uint32_t k = 0; k < operands.size(); ++k) {
      if (!std::ranges::binary_search(removed, k)) kept.push_back(operands[k]);
    }
    SetOperands({c, i}, kept);
  }
}

// Numbers of parameters close up.
void Draft::Renumber(uint32_t c, std::vector<Instruction>& instructions) {
  std::vector<uint32_t>& removed = parts_[c].removed;
  if (removed.empty()) return;
  std::ranges::sort(removed);
  parameters_removed_ |= !base_.IsEntry(c);
  for (Instruction& each : instructions) {
    if (each.opcode != Opcode::kParameter) continue;
    each.payload -= static_cast<uint32_t>(std::ranges::lower_bound(removed, each.payload) - removed.begin());
  }
}

void Draft::Sweep(uint32_t c) {
  if (parts_[c].swept) return;
  DropCallOperands(c);
  Part& part = parts_[c];
  if (!part.changed) return;
  Computation& computation = module_.computations[c];
  const uint32_t n = static_cast<uint32_t>(computation.instructions.size());
  for (uint32_t i = 0; i < part.instead.size(); ++i) {
    const ListRange list = at({c, i}).operands;
    for (uint32_t k = 0; k < list.count; ++k) {
      uint32_t& operand = module_.operand_lists[list.begin + k];
      operand = Resolved(part, operand);
    }
  }
  const std::vector<uint8_t> needed = Needed(c, part);
  std::vector<std::pair<uint32_t, uint32_t>> added;
  for (uint32_t k = 0; k < part.added.size(); ++k) added.emplace_back(part.before[k], n + k);
  std::ranges::sort(added);
  std::vector<Instruction> now;
  now.reserve(part.instead.size());
  std::vector<uint32_t> place(part.instead.size(), kNone);
  const auto put = [&](uint32_t node) {
    if (needed[node] == 0) {
      if (at({c, node}).opcode == Opcode::kParameter) part.removed.push_back(at({c, node}).payload);
      return;
    }
    place[node] = static_cast<uint32_t>(now.size());
    part.origin.push_back(node);
    now.push_back(at({c, node}));
  };
  auto next = added.begin();
  for (uint32_t i = 0; i <= n; ++i) {
    for (; next != added.end() && next->first == i; ++next) put(next->second);
    if (i < n) put(i);
  }
  for (Instruction& each : now) {
    for (uint32_t k = 0; k < each.operands.count; ++k) {
      uint32_t& operand = module_.operand_lists[each.operands.begin + k];
      operand = place[operand];
    }
    if (!base_.HasControl()) continue;
    const std::optional<AttributeId> control = module_.Find(each, Key::kControlPredecessors);
    if (!control.has_value()) continue;
    std::vector<Reference> before;
    for (const Reference& reference : module_.attribute_table.References(*control)) {
      if (place[reference.id] != kNone) before.push_back({.kind = Reference::kInstruction, .id = place[reference.id]});
    }
    std::vector<AttributeId> attributes;
    for (const AttributeId id : module_.Attributes(each)) {
      if (id != *control) {
        attributes.push_back(id);
      } else if (!before.empty()) {
        attributes.push_back(module_.attribute_table.Add(Key::kControlPredecessors, Form::kInstructions, {}, before));
      }
    }
    each.attributes = module_.AddAttributes(attributes);
  }
  Renumber(c, now);
  computation.root = place[Resolved(part, part.root)];
  computation.instructions = std::move(now);
  part.swept = true;
}

void Draft::DropComputations() {
  const size_t count = module_.computations.size();
  for (uint32_t c = 0; c < count; ++c) origins_.push_back(c);
  if (count == 1) return;
  std::vector<uint8_t> kept(count);
  std::vector<uint32_t> ask = {module_.entry};
  for (uint32_t c = 0; c < count; ++c) {
    if (!base_.IsReached(c) && std::ranges::find(dropped_, c) == dropped_.end()) ask.push_back(c);
  }
  while (!ask.empty()) {
    const uint32_t at = ask.back();
    ask.pop_back();
    if (std::exchange(kept[at], uint8_t{1}) != 0) continue;
    for (const Instruction& instruction : module_.computations[at].instructions) {
      if (instruction.attributes.count == 0) continue;
      for (const AttributeId id : module_.Attributes(instruction)) {
        for (const Reference& to : module_.attribute_table.References(id)) {
          if (to.kind == Reference::kComputation) ask.push_back(to.id);
        }
      }
    }
  }
  if (std::ranges::find(kept, 0) == kept.end()) return;
  std::vector<uint32_t> map(count);
  std::vector<Computation> computations;
  origins_.clear();
  for (uint32_t c = 0; c < count; ++c) {
    map[c] = static_cast<uint32_t>(computations.size());
    if (kept[c] != 0) origins_.push_back(c);
    if (kept[c] != 0) computations.push_back(std::move(module_.computations[c]));
  }
  module_.computations = std::move(computations);
  module_.entry = map[module_.entry];
  std::vector<Reference> references;
  for (uint32_t& id : module_.attribute_lists) {
    const std::span<const Reference> old = module_.attribute_table.References(id);
    if (std::ranges::none_of(old, [](const Reference& to) { return to.kind == Reference::kComputation; })) continue;
    references.assign(old.begin(), old.end());
    for (Reference& to : references) {
      if (to.kind == Reference::kComputation) to.id = map[to.id];
    }
    const Attribute row = module_.attribute_table[id];
    const std::span<const int64_t> n = module_.attribute_table.Numbers(id);
    const std::vector<int64_t> numbers(n.begin(), n.end());
    id = module_.attribute_table.Add(row.key, row.form, numbers, references);
  }
}

// What the header says of parameters and outputs that are there no more goes, and numbers are the new ones.
void Draft::MendHeader() {
  RefreshHeader(module_);
  const bool aliases = module_.Find(module_.attributes, Key::kInputOutputAlias).has_value();
  if (!aliases && !module_.Find(module_.attributes, Key::kBufferDonor).has_value()) return;
  const uint32_t old_entry = base_.module().entry;
  const std::vector<uint32_t>& removed = parts_[old_entry].removed;
  const auto renumbered = [&](int64_t number) -> std::optional<int64_t> {
    const auto at = std::ranges::lower_bound(removed, number);
    if (at != removed.end() && *at == number) return std::nullopt;
    return number - (at - removed.begin());
  };
  std::vector<AttributeId> header;
  for (const AttributeId id : module_.Attributes(module_.attributes)) {
    const Key key = module_.attribute_table[id].key;
    if (other_entry_ && (key == Key::kInputOutputAlias || key == Key::kBufferDonor)) continue;
    const std::span<const int64_t> view = module_.attribute_table.Numbers(id);
    const std::vector<int64_t> numbers(view.begin(), view.end());
    std::vector<int64_t> now;
    if (key == Key::kInputOutputAlias) {
      std::vector<Alias> kept;
      for (Alias alias : AliasesOf(numbers)) {
        const std::optional<int64_t> number = renumbered(alias.parameter);
        if (!number.has_value()) continue;
        if (outputs_changed_) {
          if (alias.output.empty()) continue;
          const auto at = std::ranges::find(outputs_were_, alias.output[0]);
          if (at == outputs_were_.end()) continue;
          alias.output[0] = at - outputs_were_.begin();
        }
        alias.parameter = *number;
        kept.push_back(std::move(alias));
      }
      if (kept.empty()) continue;
      now = NumbersOf(kept);
    } else if (key == Key::kBufferDonor) {
      for (NumberReader reader(numbers); !reader.done();) {
        const std::optional<int64_t> number = renumbered(reader.Next());
        const std::span<const int64_t> index = reader.List();
        if (!number.has_value()) continue;
        now.push_back(*number);
        now.push_back(static_cast<int64_t>(index.size()));
        now.insert(now.end(), index.begin(), index.end());
      }
      if (now.empty()) continue;
    } else {
      header.push_back(id);
      continue;
    }
    const Attribute row = module_.attribute_table[id];
    header.push_back(now == numbers ? id : module_.attribute_table.Add(row.key, row.form, now, {}));
  }
  module_.attributes = module_.AddAttributes(header);
}

// Names take long, and rarely matter.
bool Draft::IsSmaller() const {
  Measure old = base_.measure();
  const uint64_t names = std::exchange(old.names, 0);
  const Measure now = MeasureWithoutNames(module_);
  return now < old || (now == old && OtherNames(module_) < names);
}

// What is as it was in the base is not asked about again.
bool Draft::IsNoWorse() const {
  const Module& old = base_.module();
  const auto same_list = [&](ListRange a, ListRange b) {
    return std::ranges::equal(old.Attributes(a), module_.Attributes(b));
  };
  const auto header = [](const Module& of, Key key) { return of.Find(of.attributes, key); };
  if (header(old, Key::kReplicaCount) != header(module_, Key::kReplicaCount) ||
      header(old, Key::kNumPartitions) != header(module_, Key::kNumPartitions)) {
    return Verify(module_).size() <= base_.problems();
  }
  Known known(module_.computations.size());
  for (size_t c = 0; c < known.size(); ++c) {
    const std::vector<Instruction>& now = module_.computations[c].instructions;
    const uint32_t from = origins_[c];
    const std::vector<Instruction>& was = old.computations[from].instructions;
    known[c].resize(now.size());
    for (uint32_t i = 0; i < now.size(); ++i) {
      const uint32_t node = parts_[from].swept ? parts_[from].origin[i] : i;
      if (node >= was.size() || !base_.IsKnown({from, node})) continue;
      const Instruction &a = was[node], &b = now[i];
      const bool same = a.opcode == b.opcode && a.wrapped == b.wrapped && a.shape == b.shape && a.payload == b.payload &&
                        same_list(a.attributes, b.attributes);
      known[c][i] = same && std::ranges::equal(old.Operands(a), module_.Operands(b), [&](uint32_t x, uint32_t y) {
                      return was[x].shape == now[y].shape;
                    });
    }
  }
  return Verify(module_, known).size() <= base_.problems();
}

bool Draft::Finish() {
  for (uint32_t c = 0; c < parts_.size(); ++c) Sweep(c);
  DropComputations();
  MendHeader();
  return IsSmaller() && IsNoWorse();
}

}  // namespace oomph::hlo::reduce
