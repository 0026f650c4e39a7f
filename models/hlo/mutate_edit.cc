// One computation taken apart and put back. See mutate_edit.h.
#include "models/hlo/mutate_edit.h"

#include <algorithm>
#include <array>

#include "models/hlo/builder.h"

namespace oomph::hlo {
namespace {

// The instructions that `control-predecessors` names.
std::span<const Reference> Predecessors(const Module& module, const Instruction& instruction) {
  const std::optional<AttributeId> id = module.Find(instruction, Key::kControlPredecessors);
  return id.has_value() ? module.attribute_table.References(*id) : std::span<const Reference>();
}

template <typename Predicate>
void EraseIf(OperandList& list, const Predicate& predicate) {
  list.erase(std::remove_if(list.begin(), list.end(), predicate), list.end());
}

}  // namespace

StringId FreshName(Module& module, std::string_view stem) {
  std::array<char, 64> buffer;
  // Strings only ever come, so their count is a number that has rarely been given out.
  for (uint64_t number = module.strings.size();; ++number) {
    const std::string_view name = NumberedName(stem, number, buffer);
    if (!module.strings.Find(name).has_value()) return module.strings.Add(name);
  }
}

bool HasEffect(const Module& module, std::span<const uint8_t> effects, const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kInfeed:
    case Opcode::kOutfeed: case Opcode::kRng: case Opcode::kRngGetAndUpdateState: case Opcode::kDomain:
    case Opcode::kAllReduce: case Opcode::kAllGather: case Opcode::kAllToAll: case Opcode::kReduceScatter:
    case Opcode::kCollectivePermute: case Opcode::kCollectiveBroadcast: case Opcode::kRaggedAllToAll:
    case Opcode::kAddDependency:
      return true;
    case Opcode::kCustomCall:
      return module.Number(instruction, Key::kCustomCallHasSideEffect) != 0;
    default:
      break;
  }
  for (const AttributeId id : module.Attributes(instruction)) {
    for (const Reference& reference : module.attribute_table.References(id)) {
      if (reference.kind == Reference::kComputation && effects[reference.id] != 0) return true;
    }
  }
  return false;
}

std::vector<uint8_t> EffectsOf(const Module& module) {
  std::vector<uint8_t> effects(module.computations.size());
  for (size_t c = 0; c < effects.size(); ++c) {  // callees first
    const std::vector<Instruction>& instructions = module.computations[c].instructions;
    effects[c] = std::any_of(instructions.begin(), instructions.end(), [&](const Instruction& instruction) {
      return HasEffect(module, effects, instruction);
    });
  }
  return effects;
}

// ---- Editor ----

Editor::Editor(Module& module, uint32_t computation) : module_(module), computation_(computation) {
  const Computation& source = module.computations[computation];
  nodes_.reserve(source.instructions.size() + 8);
  for (const Instruction& instruction : source.instructions) {
    order_.push_back(static_cast<uint32_t>(nodes_.size()));
    nodes_.push_back(Taken(instruction));
    const std::span<const uint32_t> operands = module.Operands(instruction);
    nodes_.back().operands.assign(operands.begin(), operands.end());
    for (const Reference& before : Predecessors(module, instruction))
      nodes_.back().after.push_back(before.id);
  }
  root_ = source.root;
}

Editor::Node Editor::Taken(const Instruction& instruction) const {
  Node node;
  node.instruction = instruction;
  return node;
}

size_t Editor::PositionOf(uint32_t node) const {
  return static_cast<size_t>(std::find(order_.begin(), order_.end(), node) - order_.begin());
}

std::vector<OperandList> Editor::Users() const {
  std::vector<OperandList> users(nodes_.size());
  for (const uint32_t user : order_) {
    for (const uint32_t operand : nodes_[user].operands) {
      if (users[operand].empty() || users[operand].back() != user) users[operand].push_back(user);
    }
  }
  return users;
}

bool Editor::IsUsed(uint32_t node) const {
  return std::any_of(order_.begin(), order_.end(), [&](uint32_t user) {
    const OperandList& operands = nodes_[user].operands;
    return std::find(operands.begin(), operands.end(), node) != operands.end();
  });
}

uint32_t Editor::Insert(size_t position, Opcode opcode, ShapeId shape, std::span<const uint32_t> operands,
                        std::span<const AttributeId> attributes, uint32_t payload) {
  Node node;
  node.instruction.name = FreshName(module_, RowOf(opcode).name);
  node.instruction.shape = shape;
  node.instruction.opcode = node.instruction.wrapped = opcode;
  node.instruction.payload = payload;
  if (!attributes.empty()) node.instruction.attributes = module_.AddAttributes(attributes);
  node.operands.assign(operands.begin(), operands.end());
  const uint32_t number = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back(std::move(node));
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(position), number);
  return number;
}

uint32_t Editor::InsertCopy(size_t position, const Instruction& of, std::span<const uint32_t> operands) {
  Node node = Taken(of);
  node.instruction.name = FreshName(module_, RowOf(of.opcode).name);
  node.operands.assign(operands.begin(), operands.end());
  const uint32_t number = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back(std::move(node));
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(position), number);
  return number;
}

void Editor::ReplaceUses(uint32_t old, uint32_t now, uint32_t except) {
  for (const uint32_t user : order_) {
    if (user == except) continue;
    std::replace(nodes_[user].operands.begin(), nodes_[user].operands.end(), old, now);
  }
  if (root_ == old) root_ = now;
}

void Editor::Erase(uint32_t node) {
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(PositionOf(node)));
  for (Node& other : nodes_) EraseIf(other.after, [&](uint32_t before) { return before == node; });
}

void Editor::EraseDead(bool effects_too) {
  std::vector<uint8_t> needed(nodes_.size());
  std::vector<uint32_t> ask = {root_};
  const std::vector<uint8_t> effects = EffectsOf(module_);
  for (const uint32_t node : order_) {
    if (nodes_[node].instruction.opcode == Opcode::kParameter ||
        (!effects_too && HasEffect(module_, effects, nodes_[node].instruction))) {
      ask.push_back(node);
    }
  }
  while (!ask.empty()) {
    const uint32_t node = ask.back();
    ask.pop_back();
    if (std::exchange(needed[node], uint8_t{1}) != 0) continue;
    ask.insert(ask.end(), nodes_[node].operands.begin(), nodes_[node].operands.end());
  }
  std::erase_if(order_, [&](uint32_t node) { return needed[node] == 0; });
  for (Node& node : nodes_) EraseIf(node.after, [&](uint32_t before) { return needed[before] == 0; });
}

void Editor::Move(size_t from, size_t to) {
  const uint32_t node = order_[from];
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(from));
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(to), node);
}

std::pair<size_t, size_t> Editor::RoomOf(size_t position) const {
  const uint32_t node = order_[position];
  size_t first = position, last = position;
  const auto needs = [](const Node& later, uint32_t earlier) {
    return std::count(later.operands.begin(), later.operands.end(), earlier) > 0 ||
           std::count(later.after.begin(), later.after.end(), earlier) > 0;
  };
  while (first > 0 && !needs(nodes_[node], order_[first - 1])) --first;
  while (last + 1 < order_.size() && !needs(nodes_[order_[last + 1]], node)) ++last;
  return {first, last};
}

void Editor::Commit() {
  std::vector<uint32_t> place(nodes_.size());
  for (size_t i = 0; i < order_.size(); ++i) place[order_[i]] = static_cast<uint32_t>(i);
  Computation& target = module_.computations[computation_];
  target.instructions.clear();
  target.root = place[root_];
  std::vector<AttributeId> attributes;
  for (const uint32_t number : order_) {
    Node& node = nodes_[number];
    for (uint32_t& operand : node.operands) operand = place[operand];
    node.instruction.operands = module_.AddOperands(node.operands);
    if (module_.Find(node.instruction, Key::kControlPredecessors).has_value()) {
      std::vector<Reference> before;
      for (const uint32_t other : node.after)
        before.push_back({.kind = Reference::kInstruction, .id = place[other]});
      attributes.clear();
      for (const AttributeId id : module_.Attributes(node.instruction)) {
        if (module_.attribute_table[id].key != Key::kControlPredecessors) attributes.push_back(id);
      }
      if (!before.empty()) {
        attributes.push_back(
            module_.attribute_table.Add(Key::kControlPredecessors, Form::kInstructions, {}, before));
      }
      node.instruction.attributes = module_.AddAttributes(attributes);
    }
    target.instructions.push_back(node.instruction);
  }
}

}  // namespace oomph::hlo
