// See rewrite.h. Each rewrite is one change at a drawn place.
#include "models/hlo/rewrite.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "models/hlo/builder.h"
#include "models/hlo/generate_scope.h"
#include "models/hlo/mutate_edit.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace {

// A computation of one of these roles that is not empty.
std::optional<uint32_t> DrawComputation(Choices& choices, const Module& module, bool fused) {
  const std::vector<Role> roles = RolesOf(module);
  std::vector<uint32_t> some;
  // The entry first: it is the simplest answer.
  for (uint32_t i = static_cast<uint32_t>(roles.size()); i-- > 0;) {
    if (roles[i] == Role::kPlain || (fused && roles[i] == Role::kFused)) some.push_back(i);
  }
  if (some.empty()) return std::nullopt;
  return some[choices.Below(some.size())];
}

// From a drawn place on, the first node for which `predicate` holds.
template <typename Predicate>
std::optional<uint32_t> DrawNode(Choices& choices, const Editor& edit, const Predicate& predicate) {
  const size_t n = edit.order().size();
  const size_t first = choices.Below(n);
  for (size_t i = 0; i < n; ++i) {
    const uint32_t node = edit.order()[(first + i) % n];
    if (predicate(node)) return node;
  }
  return std::nullopt;
}

bool IsArray(const Module& module, ShapeId shape) { return IsArrayType(module.shapes[shape].type); }

// An array that any operation may take: of static sizes.
bool IsPlainArray(const Module& module, ShapeId shape) {
  if (!IsArray(module, shape)) return false;
  const std::span<const Dimension> dimensions = module.shapes.Dimensions(shape);
  return std::all_of(dimensions.begin(), dimensions.end(),
                     [](const Dimension& d) { return d.extent == Extent::kStatic; });
}

// ---- names and order ----

bool Rename(Choices& choices, Module& module) {
  static constexpr std::string_view kStems[] = {"v", "x", "value", "a-long-name_with.marks"};
  const std::string_view stem = kStems[choices.Below(std::size(kStems))];
  std::array<char, 64> buffer;
  uint64_t number = 0;
  for (Computation& computation : module.computations) {
    computation.name = module.strings.Add(NumberedName("c", number++, buffer));
    for (Instruction& instruction : computation.instructions) {
      instruction.name = module.strings.Add(NumberedName(stem, number++, buffer));
    }
  }
  return true;
}

bool Reorder(Choices& choices, Module& module) {
  const std::optional<uint32_t> computation = DrawComputation(choices, module, true);
  if (!computation.has_value()) return false;
  Editor edit(module, *computation);
  const size_t n = edit.order().size();
  const size_t begin = choices.Below(n);
  for (size_t i = 0; i < std::min<size_t>(n, 64); ++i) {
    const size_t position = (begin + i) % n;
    const auto [first, last] = edit.RoomOf(position);
    if (first == last) continue;
    size_t to = first + choices.Below(last - first);
    if (to >= position) ++to;  // elsewhere
    edit.Move(position, to);
    edit.Commit();
    return true;
  }
  return false;
}

// ---- dead code, identities ----

bool AddDeadCode(Choices& choices, Module& module) {
  const std::optional<uint32_t> computation = DrawComputation(choices, module, false);
  if (!computation.has_value()) return false;
  Editor edit(module, *computation);
  const std::optional<uint32_t> node =
      DrawNode(choices, edit, [&](uint32_t i) { return IsPlainArray(module, edit.at(i).shape); });
  if (!node.has_value()) return false;
  const ShapeId shape = edit.at(*node).shape;
  const Opcode opcode = generate::DrawUnary(choices, module.shapes[shape].type);
  const size_t after = edit.PositionOf(*node) + 1;
  edit.Insert(after + choices.Below(edit.order().size() - after + 1), opcode, shape, std::array{*node});
  edit.Commit();
  return true;
}

std::vector<int64_t> UpTo(size_t rank) {
  std::vector<int64_t> numbers(rank);
  for (size_t i = 0; i < rank; ++i) numbers[i] = static_cast<int64_t>(i);
  return numbers;
}

AttributeId AddNumbers(Module& module, Key key, std::span<const int64_t> numbers) {
  return module.attribute_table.Add(key, RowOf(key).form, numbers, {});
}

constexpr Opcode kIdentities[] = {
    Opcode::kCopy,  Opcode::kReshape, Opcode::kTranspose,  Opcode::kTuple,   Opcode::kBroadcast,
    Opcode::kSlice, Opcode::kReverse, Opcode::kOptBarrier, Opcode::kConvert, Opcode::kBitcast};

// The attributes that make `opcode` change nothing of an array of this shape.
std::vector<AttributeId> IdentityAttributes(Module& module, Opcode opcode, ShapeId shape) {
  const std::span<const Dimension> dimensions = module.shapes.Dimensions(shape);
  switch (opcode) {
    case Opcode::kTranspose: case Opcode::kBroadcast:
      return {AddNumbers(module, Key::kDimensions, UpTo(dimensions.size()))};
    case Opcode::kReverse:
      return {AddNumbers(module, Key::kDimensions, {})};
    case Opcode::kSlice: {
      std::vector<int64_t> slices;
      for (const Dimension& dimension : dimensions) slices.insert(slices.end(), {0, dimension.size, 1});
      return {AddNumbers(module, Key::kSlice, slices)};
    }
    default:
      return {};
  }
}

bool AddIdentity(Choices& choices, Module& module) {
  const std::optional<uint32_t> computation = DrawComputation(choices, module, true);
  if (!computation.has_value()) return false;
  Editor edit(module, *computation);
  const std::optional<uint32_t> node =
      DrawNode(choices, edit, [&](uint32_t i) { return IsPlainArray(module, edit.at(i).shape); });
  if (!node.has_value()) return false;
  const ShapeId shape = edit.at(*node).shape;
  const Opcode opcode = kIdentities[choices.Below(std::size(kIdentities))];
  const size_t after = edit.PositionOf(*node) + 1;
  uint32_t first = 0, last = 0;
  if (opcode == Opcode::kTuple) {  // put in and taken out again
    first = edit.Insert(after, opcode, module.shapes.AddTuple(std::array{shape}), std::array{*node});
    const AttributeId zero = AddNumbers(module, Key::kIndex, std::array<int64_t, 1>{0});
    last = edit.Insert(after + 1, Opcode::kGetTupleElement, shape, std::array{first}, std::array{zero});
  } else {
    const std::vector<AttributeId> attributes = IdentityAttributes(module, opcode, shape);
    first = last = edit.Insert(after, opcode, shape, std::array{*node}, attributes);
  }
  edit.ReplaceUses(*node, last, first);
  edit.Commit();
  return true;
}

// What an operation gives unchanged: itself if none.
uint32_t SameValue(const Module& module, Editor& edit, uint32_t node) {
  const Instruction& instruction = edit.at(node);
  if (edit.operands(node).empty()) return node;
  const uint32_t operand = edit.operands(node)[0];
  const auto all = [&](Key key, const std::vector<int64_t>& numbers) {
    const std::optional<AttributeId> id = module.Find(instruction, key);
    return id.has_value() && std::ranges::equal(module.attribute_table.Numbers(*id), numbers);
  };
  const size_t rank = module.shapes.Dimensions(instruction.shape).size();
  bool same = false;
  switch (instruction.opcode) {
    case Opcode::kGetTupleElement: {
      const int64_t index = module.Number(instruction, Key::kIndex);
      if (edit.at(operand).opcode != Opcode::kTuple || index < 0) return node;
      const OperandList& elements = edit.operands(operand);
      if (static_cast<size_t>(index) >= elements.size()) return node;
      const uint32_t element = elements[static_cast<size_t>(index)];
      return edit.at(element).shape == instruction.shape ? element : node;
    }
    case Opcode::kCopy:
    case Opcode::kReshape:
    case Opcode::kConvert:
    case Opcode::kBitcast:
    case Opcode::kOptBarrier:
      same = true;
      break;
    case Opcode::kTranspose: case Opcode::kBroadcast:
      same = all(Key::kDimensions, UpTo(rank));
      break;
    case Opcode::kReverse:
      same = all(Key::kDimensions, {});
      break;
    case Opcode::kSlice: {
      std::vector<int64_t> whole;
      for (const Dimension& d : module.shapes.Dimensions(instruction.shape))
        whole.insert(whole.end(), {0, d.size, 1});
      same = all(Key::kSlice, whole);
      break;
    }
    default:
      break;
  }
  return same && edit.at(operand).shape == instruction.shape ? operand : node;
}

bool RemoveIdentity(Choices& choices, Module& module) {
  const std::optional<uint32_t> computation = DrawComputation(choices, module, true);
  if (!computation.has_value()) return false;
  Editor edit(module, *computation);
  const std::optional<uint32_t> node = DrawNode(choices, edit, [&](uint32_t i) {
    return SameValue(module, edit, i) != i;
  });
  if (!node.has_value()) return false;
  const uint32_t operand = edit.operands(*node)[0];
  edit.ReplaceUses(*node, SameValue(module, edit, *node));
  edit.Erase(*node);
  // A tuple that was there for this only.
  if (edit.at(operand).opcode == Opcode::kTuple && operand != edit.root() && !edit.IsUsed(operand)) {
    edit.Erase(operand);
  }
  edit.Commit();
  return true;
}

// ---- calls ----

bool InlineCall(Choices& choices, Module& module) {
  struct Place {
    uint32_t computation = 0, node = 0;
  };
  const std::vector<Role> roles = RolesOf(module);
  std::vector<Place> calls;
  for (uint32_t c = 0; c < roles.size(); ++c) {
    const std::vector<Instruction>& instructions = module.computations[c].instructions;
    for (uint32_t i = 0; roles[c] == Role::kPlain && i < instructions.size(); ++i) {
      if (instructions[i].opcode == Opcode::kCall) calls.push_back({c, i});
    }
  }
  if (calls.empty()) return false;
  const Place& place = calls[choices.Below(calls.size())];
  return Inline(module, place.computation, place.node);
}

// What may stand apart from its neighbours: no half of a pair, nothing that speaks of its computation.
bool MayMove(const Module& module, const Instruction& instruction) {
  const std::string_view name = RowOf(instruction.opcode).name;
  if (name.ends_with("-start") || name.ends_with("-done") || name.ends_with("-update")) return false;
  switch (instruction.opcode) {
    case Opcode::kParameter:
    case Opcode::kSend:
    case Opcode::kRecv:
    case Opcode::kDomain:
    case Opcode::kAddDependency:
      return false;
    default:
      return !module.Find(instruction, Key::kControlPredecessors).has_value();
  }
}

bool OutlineCall(Choices& choices, Module& module) {
  const std::optional<uint32_t> computation = DrawComputation(choices, module, false);
  if (!computation.has_value()) return false;
  Editor edit(module, *computation);
  const std::optional<uint32_t> result =
      DrawNode(choices, edit, [&](uint32_t i) { return MayMove(module, edit.at(i)); });
  if (!result.has_value()) return false;
  // From the result backwards: what only those inside use may come along.
  const std::vector<OperandList> users = edit.Users();
  std::vector<uint8_t> inside(edit.numbers());
  std::vector<uint32_t> members = {*result};
  inside[*result] = 1;
  for (size_t i = 0; i < members.size() && members.size() < 16; ++i) {
    for (const uint32_t operand : edit.operands(members[i])) {
      const bool only =
          operand != edit.root() && std::all_of(users[operand].begin(), users[operand].end(),
                                                [&](uint32_t user) { return inside[user] != 0; });
      if (inside[operand] != 0 || !only || !MayMove(module, edit.at(operand)) || choices.Chance(1, 4))
        continue;
      inside[operand] = 1;
      members.push_back(operand);
    }
  }
  return Outline(module, *computation, members, Opcode::kCall);
}

// ---- operands that change places ----

bool Commute(Choices& choices, Module& module) {
  const std::optional<uint32_t> computation = DrawComputation(choices, module, true);
  if (!computation.has_value()) return false;
  Editor edit(module, *computation);
  const std::optional<uint32_t> node = DrawNode(choices, edit, [&](uint32_t i) {
    if (edit.operands(i).size() != 2 || edit.operands(i)[0] == edit.operands(i)[1]) return false;
    switch (edit.at(i).opcode) {
      case Opcode::kAdd: case Opcode::kMultiply: case Opcode::kAnd: case Opcode::kOr: case Opcode::kXor:
      case Opcode::kMaximum: case Opcode::kMinimum:
        return true;
      default:
        return false;
    }
  });
  if (!node.has_value()) return false;
  std::swap(edit.operands(*node)[0], edit.operands(*node)[1]);
  edit.Commit();
  return true;
}

constexpr std::array<bool (*)(Choices&, Module&), kRewrites> kSteps = {
    Rename, Reorder, AddDeadCode, InlineCall, OutlineCall, AddIdentity, RemoveIdentity, Commute};

}  // namespace

bool Apply(Rewrite rewrite, Choices& choices, Module& module) {
  if (!IsWellFormed(module)) return false;
  Module before = module;
  if (!kSteps[static_cast<size_t>(rewrite)](choices, module)) {
    module = std::move(before);
    return false;
  }
  RefreshHeader(module);
  Tidy(module);
  if (Verify(module).size() <= Verify(before).size()) return true;
  module = std::move(before);
  return false;
}

}  // namespace oomph::hlo
