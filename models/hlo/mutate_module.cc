// Edits of a module as a whole: computations come and go, shapes change, fusions and calls open and close.
// See mutate_edit.h.
#include <algorithm>
#include <utility>

#include "models/hlo/mutate_edit.h"

namespace oomph::hlo {
namespace {

// Another table with the rows at the same ids.
template <typename Row>
void RebuildAttributes(Module& module, const Row& row_of) {
  AttributeTable table;
  std::vector<int64_t> numbers;
  std::vector<Reference> references;
  for (AttributeId id = 0; id < module.attribute_table.size(); ++id) {
    const Attribute& row = module.attribute_table[id];
    const std::span<const int64_t> n = module.attribute_table.Numbers(id);
    const std::span<const Reference> r = module.attribute_table.References(id);
    numbers.assign(n.begin(), n.end());
    references.assign(r.begin(), r.end());
    row_of(row, numbers, references);
    table.Add(row.key, row.form, numbers, references);
  }
  module.attribute_table = std::move(table);
}

// `map[old]` is the new index of a computation.
void RenumberComputations(Module& module, std::span<const uint32_t> map) {
  RebuildAttributes(module, [&](const Attribute&, std::vector<int64_t>&, std::vector<Reference>& references) {
    for (Reference& reference : references) {
      if (reference.kind == Reference::kComputation && reference.id < map.size())
        reference.id = map[reference.id];
    }
  });
  module.entry = map[module.entry];
}

Role RoleFor(Opcode caller) {
  switch (caller) {
    case Opcode::kCall: case Opcode::kWhile: case Opcode::kConditional:
      return Role::kPlain;
    case Opcode::kFusion:
      return Role::kFused;
    case Opcode::kAsyncStart: case Opcode::kAsyncUpdate: case Opcode::kAsyncDone:
      return Role::kWrapped;
    default:
      return Role::kApplied;
  }
}

}  // namespace

std::vector<uint8_t> ReachedFromEntry(const Module& module) {
  std::vector<uint8_t> reached(module.computations.size());
  std::vector<uint32_t> ask = {module.entry};
  while (!ask.empty()) {
    const uint32_t at = ask.back();
    ask.pop_back();
    if (std::exchange(reached[at], uint8_t{1}) != 0) continue;
    for (const Instruction& instruction : module.computations[at].instructions) {
      if (instruction.attributes.count == 0) continue;
      for (const uint32_t called : Called(module, instruction)) ask.push_back(called);
    }
  }
  return reached;
}

std::vector<Role> RolesOf(const Module& module) {
  std::vector<Role> roles(module.computations.size(), Role::kUnused);
  const std::vector<uint8_t> reached = ReachedFromEntry(module);
  for (size_t c = 0; c < roles.size(); ++c) {
    if (reached[c] == 0) continue;
    for (const Instruction& instruction : module.computations[c].instructions) {
      const Role role = RoleFor(instruction.opcode);
      // Who is called in two ways keeps the narrower.
      for (const uint32_t called : Called(module, instruction)) {
        roles[called] = roles[called] == Role::kUnused ? role : std::max(roles[called], role);
      }
    }
  }
  roles[module.entry] = Role::kPlain;
  return roles;
}

std::optional<uint32_t> ComputationNamed(const Module& module, StringId name) {
  for (uint32_t i = 0; i < module.computations.size(); ++i) {
    if (module.computations[i].name == name) return i;
  }
  return std::nullopt;
}

void InsertComputation(Module& module, uint32_t position, Computation computation) {
  std::vector<uint32_t> map(module.computations.size());
  for (uint32_t i = 0; i < map.size(); ++i) map[i] = i < position ? i : i + 1;
  RenumberComputations(module, map);
  module.computations.insert(module.computations.begin() + position, std::move(computation));
}

void DropUnusedComputations(Module& module) {
  const std::vector<uint8_t> reached = ReachedFromEntry(module);
  if (std::find(reached.begin(), reached.end(), 0) == reached.end()) return;
  std::vector<uint32_t> map(reached.size());
  std::vector<Computation> kept;
  for (size_t i = 0; i < reached.size(); ++i) {
    map[i] = static_cast<uint32_t>(kept.size());
    if (reached[i] != 0) kept.push_back(std::move(module.computations[i]));
  }
  module.computations = std::move(kept);
  // Rows of the table that nobody refers to may name what is gone: Tidy drops them first.
  const uint32_t last = static_cast<uint32_t>(module.computations.size() - 1);
  for (uint32_t& place : map) place = std::min(place, last);
  RenumberComputations(module, map);
  Tidy(module);
}

// ---- shapes ----

void ChangeShapes(Module& module, const ArrayChange& change) {
  std::vector<std::optional<ShapeId>> known(module.shapes.size());
  const std::function<ShapeId(ShapeId)> changed = [&](ShapeId id) -> ShapeId {
    if (id < known.size() && known[id].has_value()) return *known[id];
    const Shape shape = module.shapes[id];
    ShapeId now = id;
    if (IsArrayType(shape.type)) {
      now = change(module.shapes, id);
    } else if (shape.type == Type::kTuple || shape.type == Type::kBuffer) {
      std::vector<ShapeId> elements;
      for (uint32_t i = 0; i < shape.count; ++i) elements.push_back(changed(module.shapes.Elements(id)[i]));
      now = shape.type == Type::kTuple ? module.shapes.AddTuple(elements)
                                       : module.shapes.AddBuffer(elements[0]);
    }
    if (id < known.size()) known[id] = now;
    return now;
  };
  for (Computation& computation : module.computations) {
    for (Instruction& instruction : computation.instructions) instruction.shape = changed(instruction.shape);
  }
  RebuildAttributes(module, [&](const Attribute&, std::vector<int64_t>&, std::vector<Reference>& references) {
    for (Reference& reference : references) {
      if (reference.kind == Reference::kShape) reference.id = changed(reference.id);
    }
  });
}

void ChangeNumbers(Module& module, const NumbersChange& change) {
  RebuildAttributes(module, [&](const Attribute& row, std::vector<int64_t>& numbers,
                                std::vector<Reference>&) { change(row, numbers); });
}

namespace {

bool InList(ListRange range, size_t size) { return range.begin <= size && range.count <= size - range.begin; }

bool AttributesPoint(const Module& module, ListRange range, size_t instructions, size_t before) {
  if (!InList(range, module.attribute_lists.size())) return false;
  for (const AttributeId id : module.Attributes(range)) {
    if (id >= module.attribute_table.size()) return false;
    for (const Reference& reference : module.attribute_table.References(id)) {
      const size_t limits[] = {module.strings.size(), module.shapes.size(), before, instructions};
      if (reference.id >= limits[reference.kind]) return false;
    }
  }
  return true;
}

}  // namespace

bool IsWellFormed(const Module& module) {
  if (module.entry >= module.computations.size() || !AttributesPoint(module, module.attributes, 0, 0))
    return false;
  for (size_t c = 0; c < module.computations.size(); ++c) {
    const Computation& computation = module.computations[c];
    const size_t n = computation.instructions.size();
    if (computation.root >= n || computation.name >= module.strings.size()) return false;
    if (!AttributesPoint(module, computation.attributes, n, c)) return false;
    for (const Instruction& instruction : computation.instructions) {
      if (instruction.name >= module.strings.size() || instruction.shape >= module.shapes.size())
        return false;
      if (!InList(instruction.operands, module.operand_lists.size())) return false;
      for (const uint32_t operand : module.Operands(instruction)) {
        if (operand >= n) return false;
      }
      if (!AttributesPoint(module, instruction.attributes, n, c)) return false;
    }
  }
  return true;
}

void RefreshHeader(Module& module) {
  if (!module.Find(module.attributes, Key::kEntryComputationLayout).has_value()) return;
  const Computation& entry = module.computations[module.entry];
  std::vector<Reference> program;
  // An instruction may be written without its shape, and a parameter may be missing or one of too many; then the
  // header stays as it is.
  bool told = true;
  for (const Instruction& instruction : entry.instructions) {
    if (instruction.opcode != Opcode::kParameter) continue;
    told = told && instruction.payload < entry.instructions.size();
    if (!told) break;
    if (program.size() <= instruction.payload)
      program.resize(instruction.payload + 1u, {Reference::kShape, 0});
    program[instruction.payload].id = instruction.shape;
  }
  program.push_back({.kind = Reference::kShape, .id = entry.instructions[entry.root].shape});
  told = told && std::none_of(program.begin(), program.end(), [](const Reference& r) { return r.id == 0; });
  std::vector<AttributeId> header;
  for (const AttributeId id : module.Attributes(module.attributes)) {
    const bool layout = module.attribute_table[id].key == Key::kEntryComputationLayout;
    if (layout && !told && module.attribute_table.References(id).empty()) continue;
    header.push_back(layout && told ? module.attribute_table.Add(Key::kEntryComputationLayout,
                                                                 Form::kProgramShape, {}, program)
                                    : id);
  }
  module.attributes = module.AddAttributes(header);
}

void Tidy(Module& module) {
  std::vector<uint32_t> operands;
  std::vector<AttributeId> lists;
  std::vector<std::optional<AttributeId>> map(module.attribute_table.size());
  AttributeTable table;
  const auto keep = [&](ListRange& range) {
    const ListRange old = range;
    range = {static_cast<uint32_t>(lists.size()), old.count};
    for (const AttributeId id : module.Attributes(old)) {
      if (!map[id].has_value()) {
        const Attribute& row = module.attribute_table[id];
        map[id] = table.Add(row.key, row.form, module.attribute_table.Numbers(id),
                            module.attribute_table.References(id));
      }
      lists.push_back(*map[id]);
    }
  };
  keep(module.attributes);
  for (Computation& computation : module.computations) {
    keep(computation.attributes);
    for (Instruction& instruction : computation.instructions) {
      const std::span<const uint32_t> old = module.Operands(instruction);
      instruction.operands.begin = static_cast<uint32_t>(operands.size());
      operands.insert(operands.end(), old.begin(), old.end());
      keep(instruction.attributes);
    }
  }
  module.operand_lists = std::move(operands);
  module.attribute_lists = std::move(lists);
  module.attribute_table = std::move(table);
}

// ---- calls and fusions ----

bool Inline(Module& module, uint32_t computation, uint32_t node) {
  Editor edit(module, computation);
  const std::vector<uint32_t> called = Called(module, edit.at(node));
  if (called.size() != 1) return false;
  const Computation body = module.computations[called[0]];
  for (const Instruction& instruction : body.instructions) {
    const bool parameter = instruction.opcode == Opcode::kParameter;
    if (parameter && instruction.payload >= edit.operands(node).size()) return false;
    // Text order is not always that of the needs; here it has to be.
    const uint32_t at = static_cast<uint32_t>(&instruction - body.instructions.data());
    for (const uint32_t operand : module.Operands(instruction)) {
      if (operand >= at) return false;
    }
  }
  std::vector<uint32_t> place(body.instructions.size());
  size_t position = edit.PositionOf(node);
  for (size_t i = 0; i < body.instructions.size(); ++i) {
    const Instruction& instruction = body.instructions[i];
    if (instruction.opcode == Opcode::kParameter) {
      place[i] = edit.operands(node)[instruction.payload];
      continue;
    }
    OperandList operands;
    for (const uint32_t operand : module.Operands(instruction)) operands.push_back(place[operand]);
    // Control predecessors of the body have no meaning here: InsertCopy leaves them out.
    place[i] = edit.InsertCopy(position++, instruction, operands);
  }
  edit.ReplaceUses(node, place[body.root]);
  edit.Erase(node);
  edit.Commit();
  DropUnusedComputations(module);
  return true;
}

bool Outline(Module& module, uint32_t computation, std::span<const uint32_t> indices, Opcode caller,
             std::string_view fusion_kind) {
  if (indices.empty()) return false;
  Editor edit(module, computation);
  std::vector<uint8_t> inside(edit.numbers());
  for (const uint32_t index : indices) inside[index] = 1;

  // What comes in, and what goes out: the one value that others use.
  const std::vector<OperandList> users = edit.Users();
  OperandList operands, members;
  std::optional<uint32_t> result;
  for (const uint32_t node : edit.order()) {
    if (inside[node] == 0) continue;
    if (edit.at(node).opcode == Opcode::kParameter || edit.at(node).shape == 0) return false;
    if (module.Find(edit.at(node), Key::kControlPredecessors).has_value()) return false;
    members.push_back(node);
    for (const uint32_t operand : edit.operands(node)) {
      if (inside[operand] == 0 && std::find(operands.begin(), operands.end(), operand) == operands.end()) {
        operands.push_back(operand);
      }
    }
    const bool out = node == edit.root() || std::any_of(users[node].begin(), users[node].end(),
                                                        [&](uint32_t user) { return inside[user] == 0; });
    if (out && result.has_value()) return false;
    if (out) result = node;
    if (!out && users[node].empty()) return false;  // dead: a fusion has none
  }
  if (!result.has_value()) return false;
  // A shape that the text does not give (id 0) cannot be told to a parameter.
  if (std::any_of(operands.begin(), operands.end(), [&](uint32_t o) { return edit.at(o).shape == 0; })) return false;

  const bool fusion = caller == Opcode::kFusion;
  Computation body;
  body.name = FreshName(module, fusion ? "fused_computation" : "outlined");
  std::vector<uint32_t> place(edit.numbers());
  for (uint32_t i = 0; i < operands.size(); ++i) {
    Instruction parameter;
    parameter.name = FreshName(module, "parameter");
    parameter.shape = edit.at(operands[i]).shape;
    parameter.opcode = parameter.wrapped = Opcode::kParameter;
    parameter.payload = i;
    place[operands[i]] = i;
    body.instructions.push_back(parameter);
  }
  for (const uint32_t member : members) {
    Instruction instruction = edit.at(member);
    OperandList inner;
    for (const uint32_t operand : edit.operands(member)) inner.push_back(place[operand]);
    instruction.operands = module.AddOperands(inner);
    place[member] = static_cast<uint32_t>(body.instructions.size());
    body.instructions.push_back(instruction);
  }
  body.root = place[*result];

  const Key key = fusion ? Key::kCalls : Key::kToApply;
  const Reference to = {.kind = Reference::kComputation, .id = computation};  // where it will stand
  std::vector<AttributeId> attributes;
  if (fusion) {
    const Reference kind = {.kind = Reference::kString, .id = module.strings.Add(fusion_kind)};
    attributes.push_back(
        module.attribute_table.Add(Key::kKind, RowOf(Key::kKind).form, {}, std::span(&kind, 1)));
  }
  InsertComputation(module, computation, std::move(body));
  attributes.push_back(module.attribute_table.Add(key, RowOf(key).form, {}, std::span(&to, 1)));

  Editor outer(module, computation + 1);
  const ShapeId shape = outer.at(*result).shape;
  const uint32_t call = outer.Insert(outer.PositionOf(*result), caller, shape, operands, attributes);
  outer.ReplaceUses(*result, call);
  for (auto member = members.rbegin(); member != members.rend(); ++member) outer.Erase(*member);
  // The result is the last of what moves: every other leads to it. So what the call needs stands before that
  // place.
  outer.Commit();
  return true;
}

}  // namespace oomph::hlo
