// The rules of operations that several devices run together, and which devices form a group.
// Not for point-to-point transfers (infer_other.cc).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "models/hlo/infer.h"

namespace oomph::hlo {
namespace {

// What the numbers in replica_groups stand for.
enum class Mode : uint8_t { kReplicas, kPartitions, kReplicasOfAllPartitions, kFlat };

struct Groups {
  Mode mode = Mode::kReplicas;
  std::vector<std::vector<int64_t>> list;  // empty: all in one group
  int64_t size = 1;                        // of the first
  Check failure;
};

// `flag`: whether the operation can say use_global_device_ids.
Mode ModeOf(const Context& context, bool flag) {
  if (!context.Has(Key::kChannelId)) return Mode::kReplicas;
  if (!flag) return Mode::kPartitions;
  return context.Flag(Key::kUseGlobalDeviceIds) ? Mode::kFlat : Mode::kReplicasOfAllPartitions;
}

// Each of 0 to n-1 stands in one group, and n is as many as there are, where the header says how many.
Check ExpectAll(const Context& context, const Groups& groups, bool uniform) {
  std::vector<int64_t> all;
  for (const std::vector<int64_t>& group : groups.list) {
    if (group.empty()) return Wrong(Rule::kReplicaGroups, "a group is empty");
    if (uniform && group.size() != groups.list.front().size()) {
      return Wrong(Rule::kReplicaGroups, "the groups have different sizes");
    }
    all.insert(all.end(), group.begin(), group.end());
  }
  if (all.empty()) {
    if (groups.mode != Mode::kFlat) return std::nullopt;
    return Wrong(Rule::kReplicaGroups, "numbers all devices and has no groups");
  }
  if (!AllInRange(all, all.size()) || !AllDifferent(all)) {
    return Wrong(Rule::kReplicaGroups,
                 absl::StrCat("the groups do not have each of 0 to ", all.size() - 1, " once"));
  }
  const int64_t replicas = context.facts.replicas, partitions = context.facts.partitions;
  int64_t count = 0;
  if (__builtin_mul_overflow(groups.mode == Mode::kPartitions ? 1 : replicas,
                             groups.mode == Mode::kPartitions || groups.mode == Mode::kFlat ? partitions : 1,
                             &count)) {
    return Wrong(Rule::kReplicaGroups, "there are too many devices");
  }
  if (count == 1 || static_cast<int64_t>(all.size()) == count) return std::nullopt;
  return Wrong(Rule::kReplicaGroups, absl::StrCat("the groups have ", all.size(), " of ", count));
}

Groups ReadGroups(const Context& context, bool flag, bool uniform) {
  Groups groups;
  groups.mode = ModeOf(context, flag);
  if (flag && context.Flag(Key::kUseGlobalDeviceIds) && !context.Has(Key::kChannelId)) {
    groups.failure = Wrong(Rule::kReplicaGroups, "use_global_device_ids needs a channel_id");
    return groups;
  }
  if (const std::optional<AttributeId> id = context.Find(Key::kReplicaGroups)) {
    const AttributeTable& table = context.facts.module.attribute_table;
    auto list = GroupsOf(table[*id].form, table.Numbers(*id));
    if (!list.has_value()) {
      groups.failure = Wrong(Rule::kReplicaGroups, "the groups are not understood");
      return groups;
    }
    groups.list = *std::move(list);
  }
  groups.failure = ExpectAll(context, groups, uniform);
  const int64_t all = groups.mode == Mode::kPartitions ? context.facts.partitions : context.facts.replicas;
  groups.size = groups.list.empty() ? all : static_cast<int64_t>(groups.list.front().size());
  if (groups.mode == Mode::kReplicasOfAllPartitions &&
      __builtin_mul_overflow(groups.size, context.facts.partitions, &groups.size)) {
    groups.failure = Wrong(Rule::kReplicaGroups, "a group is too large");
  }
  return groups;
}

// One operand gives one array; several give a tuple.
ShapeId Joined(Context& context, std::span<const ShapeId> shapes) {
  return shapes.size() == 1 ? shapes[0] : context.shapes.Tuple(shapes);
}

std::optional<ShapeId> PartOf(const ShapeBook& shapes, ShapeId result, size_t count, size_t i) {
  if (count == 1) return result;
  if (shapes.Elements(result) != count) return std::nullopt;
  return shapes.Element(result, i);
}

// How many times `large` has `small`, rounded up, in the dimension; none where there is no such number.
std::optional<int64_t> Shards(const ShapeBook& shapes, ShapeId large, ShapeId small, size_t dimension) {
  if (dimension >= shapes.Rank(large) || dimension >= shapes.Rank(small)) return std::nullopt;
  const int64_t a = shapes.Size(large, dimension), b = shapes.Size(small, dimension);
  if (b <= 0 || a <= 0) return std::nullopt;
  return (a - 1) / b + 1;
}

struct Cut {
  size_t dimension = 0;
  int64_t shards = 1;
  Check failure;
};

// All-gather makes a dimension larger by the number of shards, reduce-scatter smaller.
Cut ReadCut(Context& context, ShapeId result, bool larger) {
  ShapeBook& shapes = context.shapes;
  Cut split;
  const Groups groups = ReadGroups(context, true, true);
  split.failure = groups.failure;
  if (split.failure.has_value()) return split;
  const int64_t dimension = context.Int(Key::kDimensions, -1);
  const size_t count = context.operands.size();
  std::optional<int64_t> shards;
  for (size_t i = 0; i < count; ++i) {
    const std::optional<ShapeId> part = PartOf(shapes, result, count, i);
    const size_t at = static_cast<size_t>(dimension);
    if (!part.has_value() || dimension < 0 || at >= shapes.Rank(context.operand(i)) ||
        at >= shapes.Rank(*part)) {
      split.failure = Wrong(
          Rule::kAttributeValue,
          absl::StrCat("dimensions={", dimension, "} of ", context.Text(i), " for ", shapes.Text(result)));
      return split;
    }
    if (i == 0) {
      shards = larger ? Shards(shapes, *part, context.operand(i), at)
                      : Shards(shapes, context.operand(i), *part, at);
    }
  }
  if (count == 0) {
    split.failure = Wrong(Rule::kOperandCount, "has no operand");
  } else if (!shards.has_value() || (groups.size != 1 && groups.size != *shards)) {
    split.failure = Wrong(Rule::kResultShape, absl::StrCat("groups of ", groups.size, " make ",
                                                           shapes.Text(result), " of ", context.Text(0)));
  } else {
    split.dimension = static_cast<size_t>(dimension);
    split.shards = *shards;
  }
  return split;
}

}  // namespace

// all-gather; all-gather-start gives (operands, what all-gather gives).
Inferred InferAllGather(Context& context) {
  ShapeBook& shapes = context.shapes;
  const bool start = context.opcode == Opcode::kAllGatherStart;
  if (start && shapes.Elements(context.result) != 2) {
    return Wrong(Rule::kResultShape, absl::StrCat("gives ", shapes.Text(context.result)));
  }
  const ShapeId gathered = start ? shapes.Element(context.result, 1) : context.result;
  const Cut split = ReadCut(context, gathered, true);
  if (split.failure.has_value()) return *split.failure;
  std::vector<ShapeId> parts;
  for (const ShapeId operand : context.operands) {
    Sizes sizes = shapes.SizesOf(operand);
    if (__builtin_mul_overflow(sizes[split.dimension], split.shards, &sizes[split.dimension])) {
      return Wrong(Rule::kResultShape, "gathers too much");
    }
    parts.push_back(shapes.Array(shapes.TypeOf(operand), sizes));
  }
  if (!start) return Joined(context, parts);
  const ShapeId pair[] = {Joined(context, context.operands), Joined(context, parts)};
  return shapes.Tuple(pair);
}

Inferred InferAllGatherDone(Context& context) {
  if (context.shapes.Elements(context.operand(0)) < 2) {
    return Wrong(Rule::kOperandType, absl::StrCat("the operand is ", context.Text(0)));
  }
  return context.shapes.Element(context.operand(0), 1);
}

// all-reduce and all-reduce-start; groups may have different sizes.
Inferred InferAllReduce(Context& context) {
  if (context.operands.empty()) return Wrong(Rule::kOperandCount, "has no operand");
  if (Check bad = ExpectArrays(context)) return *bad;
  if (Check bad = ReadGroups(context, true, false).failure) return *bad;
  if (context.opcode == Opcode::kAllReduce && context.Has(Key::kChannelId) &&
      context.Int(Key::kChannelId, 1) <= 0) {
    return Wrong(Rule::kAttributeValue, "channel_id is not positive");
  }
  return Joined(context, context.operands);
}

Inferred InferReduceScatter(Context& context) {
  ShapeBook& shapes = context.shapes;
  if (Check bad = ExpectArrays(context)) return *bad;
  const Cut split = ReadCut(context, context.result, false);
  if (split.failure.has_value()) return *split.failure;
  std::vector<ShapeId> parts;
  for (const ShapeId operand : context.operands) {
    Sizes sizes = shapes.SizesOf(operand);
    if (sizes[split.dimension] % split.shards != 0) {
      return Wrong(Rule::kOperandShape, absl::StrCat("cuts ", shapes.Text(operand), " into ", split.shards));
    }
    sizes[split.dimension] /= split.shards;
    parts.push_back(shapes.Array(shapes.TypeOf(operand), sizes));
  }
  return Joined(context, parts);
}

// With dimensions: one array, cut along it and joined along it. Without: an operand for each member of the
// group.
Inferred InferAllToAll(Context& context) {
  ShapeBook& shapes = context.shapes;
  const Groups groups = ReadGroups(context, false, true);
  if (groups.failure.has_value()) return *groups.failure;
  if (!context.Has(Key::kDimensions)) {
    if (Check bad = ExpectCount(context, static_cast<size_t>(std::max<int64_t>(groups.size, 0)))) return *bad;
    for (const ShapeId operand : context.operands) {
      if (shapes.SameInMemory(context.operand(0), operand, false)) continue;
      return Wrong(Rule::kOperandShape,
                   absl::StrCat("swaps ", context.Text(0), " and ", shapes.Text(operand)));
    }
    return shapes.Tuple(context.operands);
  }
  if (Check bad = ExpectCount(context, 1)) return *bad;
  const std::span<const int64_t> dimensions = context.Ints(Key::kDimensions);
  if (dimensions.size() != 1 || !AllInRange(dimensions, shapes.Rank(context.operand(0)))) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("dimensions=", List(dimensions), " of ", context.Text(0)));
  }
  if (groups.size <= 0 ||
      shapes.Size(context.operand(0), static_cast<size_t>(dimensions[0])) % groups.size != 0) {
    return Wrong(Rule::kOperandShape, absl::StrCat("cuts ", context.Text(0), " into ", groups.size));
  }
  return context.operand(0);
}

// Input, output, then four arrays of offsets and sizes that are alike.
Inferred InferRaggedAllToAll(Context& context) {
  if (Check bad = ExpectCount(context, 6)) return *bad;
  if (Check bad = ExpectArrays(context)) return *bad;
  if (Check bad = ReadGroups(context, false, true).failure) return *bad;
  const size_t rank = context.shapes.Rank(context.operand(2));
  if (rank != 1 && rank != 2)
    return Wrong(Rule::kOperandShape, absl::StrCat("operand 2 is ", context.Text(2)));
  for (size_t i = 3; i < 6; ++i) {
    if (context.shapes.SameInMemory(context.operand(2), context.operand(i), true)) continue;
    return Wrong(Rule::kOperandShape,
                 absl::StrCat("operand ", i, " is ", context.Text(i), " and operand 2 is ", context.Text(2)));
  }
  return context.operand(1);
}

// Operands after the first say nothing.
Inferred InferCollectiveBroadcast(Context& context) {
  if (context.operands.empty()) return Wrong(Rule::kOperandCount, "has no operand");
  if (Check bad = ExpectArray(context, 0)) return *bad;
  return context.operand(0);
}

namespace {

// With slice_sizes, operands are input, output, and the offsets in each; the output is written in place.
bool InPlace(const Context& context) { return context.Has(Key::kSliceSizes); }

// How often a device may send: for each of the offsets once.
size_t MaySend(const Context& context) {
  if (!InPlace(context) || context.operands.size() < 3) return 1;
  const ShapeBook& shapes = context.shapes;
  const ShapeId offsets = context.operand(2);
  if (shapes.IsArray(context.operand(0))) return std::max<size_t>(shapes.Elements(offsets), 1);
  if (shapes.Elements(offsets) == 0) return 1;
  return std::max<size_t>(shapes.Elements(shapes.Element(offsets, 0)), 1);
}

// Pairs (from, to); none sends or receives twice.
Check ExpectRoutes(const Context& context) {
  const AttributeTable& table = context.facts.module.attribute_table;
  const AttributeId id = *context.Find(Key::kSourceTargetPairs);
  const auto pairs = GroupsOf(table[id].form, table.Numbers(id));
  const int64_t count = context.Has(Key::kChannelId) ? context.facts.partitions : context.facts.replicas;
  std::vector<int64_t> from, to;
  for (const std::vector<int64_t>& pair : pairs.value_or(std::vector<std::vector<int64_t>>{{}})) {
    if (pair.size() != 2 || pair[0] < 0 || pair[1] < 0 ||
        (count != 1 && (pair[0] >= count || pair[1] >= count))) {
      return Wrong(Rule::kReplicaGroups, absl::StrCat("source_target_pairs has ", List(pair)));
    }
    from.push_back(pair[0]);
    to.push_back(pair[1]);
  }
  for (std::vector<int64_t>* side : {&from, &to}) {
    std::ranges::sort(*side);
    const size_t limit = MaySend(context);
    for (size_t i = limit; i < side->size(); ++i) {
      if ((*side)[i] != (*side)[i - limit]) continue;
      return Wrong(Rule::kReplicaGroups, absl::StrCat("source_target_pairs has ", (*side)[i], " too often"));
    }
  }
  return std::nullopt;
}

// One offset is a tuple of an index a dimension; several are a tuple of such.
bool FitsOffsets(const ShapeBook& shapes, ShapeId buffer, ShapeId offsets) {
  const size_t count = shapes.Elements(offsets);
  if (!shapes.IsTuple(offsets)) return false;
  size_t tuples = 0;
  for (size_t i = 0; i < count; ++i) tuples += shapes.IsTuple(shapes.Element(offsets, i)) ? 1 : 0;
  if (tuples == 0) return count == shapes.Rank(buffer);
  for (size_t i = 0; i < count; ++i) {
    if (shapes.Elements(shapes.Element(offsets, i)) != shapes.Rank(buffer)) return false;
  }
  return tuples == count;
}

Check ExpectOffsets(const Context& context) {
  if (!InPlace(context)) return std::nullopt;
  if (Check bad = ExpectCount(context, 4)) return bad;
  const ShapeBook& shapes = context.shapes;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const ShapeId buffer = context.operand(side), offsets = context.operand(side + 2);
    const size_t count = shapes.Elements(buffer);
    bool fits = shapes.IsArray(buffer) && FitsOffsets(shapes, buffer, offsets);
    if (shapes.IsTuple(buffer) && shapes.Elements(offsets) == count &&
        shapes.Elements(context.operand(0)) == count) {
      fits = true;
      for (size_t i = 0; fits && i < count; ++i) {
        fits = FitsOffsets(shapes, shapes.Element(buffer, i), shapes.Element(offsets, i));
      }
    }
    if (fits && shapes.IsTuple(buffer) == shapes.IsTuple(context.operand(0))) continue;
    return Wrong(Rule::kOperandShape,
                 absl::StrCat("the offsets ", shapes.Text(offsets), " are not for ", shapes.Text(buffer)));
  }
  return std::nullopt;
}

}  // namespace

Inferred InferCollectivePermute(Context& context) {
  if (context.operands.empty()) return Wrong(Rule::kOperandCount, "has no operand");
  if (Check bad = ExpectOffsets(context)) return *bad;
  if (Check bad = ExpectRoutes(context)) return *bad;
  if (InPlace(context)) return context.operand(1);
  if (Check bad = ExpectArrays(context)) return *bad;
  return Joined(context, context.operands);
}

// (operands, results, contexts ...)
Inferred InferCollectivePermuteStart(Context& context) {
  const Inferred permuted = InferCollectivePermute(context);
  if (permuted.failure.has_value()) return permuted;
  ShapeBook& shapes = context.shapes;
  const ShapeId from = InPlace(context) ? context.operand(0) : Joined(context, context.operands);
  std::vector<ShapeId> parts = {from, *permuted.shape};
  for (size_t i = 2; i < shapes.Elements(context.result); ++i)
    parts.push_back(shapes.Element(context.result, i));
  return shapes.Tuple(parts);
}

Inferred InferCollectivePermuteDone(Context& context) { return InferAllGatherDone(context); }

}  // namespace oomph::hlo
