// Shardings: whether one is for its shape and the devices there are, and whether a loop and its parts agree.
// Not for what a sharding makes of a program.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "models/hlo/infer.h"

namespace oomph::hlo {
namespace {

constexpr size_t kMaxDevices = size_t{1} << 20;

// The devices of a tiled sharding, in the order of the tiles; none where there are too many to write out.
std::optional<std::vector<int64_t>> Devices(const Sharding& sharding) {
  if (!sharding.devices.empty() || sharding.iota.empty()) return sharding.devices;
  size_t total = 1;
  for (const int64_t size : sharding.iota) {
    if (size <= 0 || static_cast<uint64_t>(size) > kMaxDevices / total) return std::nullopt;
    total *= static_cast<size_t>(size);
  }
  // GroupsOf writes an iota form out: one group of all.
  std::vector<int64_t> numbers = {2, 1, static_cast<int64_t>(total),
                                  static_cast<int64_t>(sharding.iota.size())};
  numbers.insert(numbers.end(), sharding.iota.begin(), sharding.iota.end());
  numbers.push_back(static_cast<int64_t>(sharding.order.size()));
  numbers.insert(numbers.end(), sharding.order.begin(), sharding.order.end());
  const auto groups = GroupsOf(Form::kIotaGroups, numbers, kMaxDevices);
  if (!groups.has_value() || groups->size() != 1) return std::nullopt;
  return groups->front();
}

// The dimensions of tiles that are dimensions of the array: the others are groups of equal parts.
size_t TiledRank(const Sharding& sharding) {
  const size_t groups = sharding.last_dims.size() + (sharding.last_replicated ? 1 : 0);
  return sharding.dimensions.size() - std::min(groups, sharding.dimensions.size());
}

// Where the header gives no number of devices, any will do.
std::string JudgeArray(const Facts& facts, const Sharding& sharding, ShapeId shape) {
  const bool counted = facts.partitions > 1;
  if (sharding.kind == Sharding::kMaximal) {
    const bool inside = sharding.devices.empty() || !counted || sharding.devices.front() < facts.partitions;
    return inside ? "" : "names a device that there is not";
  }
  if (sharding.kind != Sharding::kTiled) return "";
  const std::optional<std::vector<int64_t>> devices = Devices(sharding);
  if (!devices.has_value()) return "has devices that are not understood";
  if (counted && static_cast<int64_t>(devices->size()) != facts.partitions) return "has not all devices";
  if (!AllDifferent(*devices) || (counted && !AllInRange(*devices, static_cast<size_t>(facts.partitions)))) {
    return "does not have each device once";
  }
  if (TiledRank(sharding) != facts.shapes.Rank(shape)) return "has another number of dimensions";
  return "";
}

// The elements of a sharding for the leaves of the shape. One for all of them stands for as many of it.
std::optional<std::vector<Sharding>> ForLeaves(Facts& facts, const Sharding& sharding, ShapeId shape) {
  if (sharding.kind == Sharding::kTuple) {
    if (!facts.shapes.IsTuple(shape)) return std::nullopt;
    if (sharding.elements.size() != std::max<size_t>(facts.shapes.Leaves(shape), 1)) return std::nullopt;
    return sharding.elements;
  }
  if (!facts.shapes.IsTuple(shape)) return std::vector<Sharding>{sharding};
  const size_t leaves = facts.shapes.Leaves(shape);
  if (leaves > kMaxDevices) return std::nullopt;
  return std::vector<Sharding>(std::max<size_t>(leaves, 1), sharding);
}

void LeavesOf(const ShapeBook& shapes, ShapeId shape, std::vector<ShapeId>& leaves) {
  if (!shapes.IsTuple(shape)) {
    leaves.push_back(shape);
    return;
  }
  for (size_t i = 0; i < shapes.Elements(shape); ++i) LeavesOf(shapes, shapes.Element(shape, i), leaves);
}

std::optional<Sharding> ShardingAt(const Facts& facts, const Instruction& instruction) {
  const std::optional<AttributeId> id = facts.module.Find(instruction, Key::kSharding);
  if (!id.has_value() || facts.module.attribute_table[*id].form != Form::kSharding) return std::nullopt;
  return ShardingOf(facts.module.attribute_table.Numbers(*id));
}

// Two ways to write the same are the same.
Sharding Canonical(Sharding sharding) {
  if (std::optional<std::vector<int64_t>> devices = Devices(sharding)) {
    sharding.devices = *std::move(devices);
    sharding.iota.clear();
    sharding.order.clear();
  }
  return sharding;
}

bool Agree(Facts& facts, const Instruction& a, const Instruction& b) {
  const std::optional<Sharding> left = ShardingAt(facts, a), right = ShardingAt(facts, b);
  if (!left.has_value() || !right.has_value()) return true;
  const auto x = ForLeaves(facts, *left, a.shape), y = ForLeaves(facts, *right, b.shape);
  if (!x.has_value() || !y.has_value()) return true;  // wrong already
  return std::ranges::equal(
      *x, *y, [](const Sharding& s, const Sharding& t) { return Canonical(s) == Canonical(t); });
}

const Instruction* ParameterOf(const Computation& computation) {
  for (const Instruction& instruction : computation.instructions) {
    if (instruction.opcode == Opcode::kParameter) return &instruction;
  }
  return nullptr;
}

}  // namespace

Check CheckSharding(Context& context) {
  Facts& facts = context.facts;
  const std::optional<Sharding> sharding = ShardingAt(facts, context.self());
  if (!sharding.has_value()) return std::nullopt;
  const std::optional<std::vector<Sharding>> parts = ForLeaves(facts, *sharding, context.result);
  const auto wrong = [&](std::string_view what) {
    return Wrong(Rule::kSharding, absl::StrCat("the sharding of ", context.shapes.Text(context.result), " ",
                                               std::string(what)));
  };
  if (!parts.has_value()) return wrong("has another structure");
  std::vector<ShapeId> leaves;
  LeavesOf(context.shapes, context.result, leaves);
  for (size_t i = 0; i < leaves.size() && i < parts->size(); ++i) {
    const std::string error = JudgeArray(facts, (*parts)[i], leaves[i]);
    if (!error.empty()) return wrong(error);
  }
  return std::nullopt;
}

// A loop, what it passes on and what it takes, and a choice and what each branch gives.
void VerifySharding(Facts& facts, Problems& problems) {
  const Module& module = facts.module;
  for (uint32_t c = 0; c < module.computations.size(); ++c) {
    for (uint32_t i = 0; i < module.computations[c].instructions.size(); ++i) {
      const Instruction& caller = module.computations[c].instructions[i];
      const bool loop = caller.opcode == Opcode::kWhile;
      if (!loop && caller.opcode != Opcode::kConditional) continue;
      std::vector<const Instruction*> together = {&caller};
      const std::optional<AttributeId> body = module.Find(caller, Key::kBody);
      for (const uint32_t called : Called(module, caller)) {
        const Computation& computation = module.computations[called];
        const bool is_body = loop && body.has_value() && !module.attribute_table.References(*body).empty() &&
                             module.attribute_table.References(*body).front().id == called;
        if (!loop || is_body) together.push_back(&computation.instructions[computation.root]);
        const Instruction* parameter = loop ? ParameterOf(computation) : nullptr;
        if (parameter != nullptr) together.push_back(parameter);
      }
      const auto has = [&](const Instruction* one) { return ShardingAt(facts, *one).has_value(); };
      const auto first = std::ranges::find_if(together, has);
      if (first == together.end()) continue;
      if (!std::ranges::all_of(together,
                               [&](const Instruction* one) { return Agree(facts, **first, *one); })) {
        Report(problems, c, i, Wrong(Rule::kSharding, "what it calls has another sharding"));
      }
    }
  }
}

}  // namespace oomph::hlo
