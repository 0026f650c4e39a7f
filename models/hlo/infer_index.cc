// The rules of operations whose indices are known only when the program runs.
// Not for slices with fixed bounds (infer_array.cc).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "models/hlo/infer.h"

namespace oomph::hlo {
namespace {

bool IsInteger(const Context& context, ShapeId shape) {
  return (ClassOf(context.shapes.TypeOf(shape)) & kIntegers) != 0;
}

// One scalar a dimension, all of one integer type; or, as older texts have it, all in one array.
Check ExpectIndices(Context& context, size_t first, size_t rank) {
  ShapeBook& shapes = context.shapes;
  const std::span<const ShapeId> indices = std::span(context.operands).subspan(first);
  if (indices.size() == 1 && shapes.Rank(indices[0]) == 1) {
    if (IsInteger(context, indices[0]) && shapes.Size(indices[0], 0) == static_cast<int64_t>(rank)) {
      return std::nullopt;
    }
    return Wrong(Rule::kOperandType, absl::StrCat("the indices are ", shapes.Text(indices[0])));
  }
  if (indices.size() != rank) {
    return Wrong(Rule::kOperandCount,
                 absl::StrCat("has ", indices.size(), " indices for ", rank, " dimensions"));
  }
  for (const ShapeId index : indices) {
    if (shapes.IsScalar(index) && IsInteger(context, index) && shapes.Compatible(index, indices[0])) continue;
    return Wrong(Rule::kOperandType, absl::StrCat("an index is ", shapes.Text(index)));
  }
  return std::nullopt;
}

Check ExpectWithin(const Context& context, std::span<const int64_t> part, std::span<const int64_t> whole) {
  bool within = part.size() == whole.size();
  for (size_t i = 0; within && i < part.size(); ++i) within = part[i] >= 0 && part[i] <= whole[i];
  if (within) return std::nullopt;
  return Wrong(Rule::kOperandShape, absl::StrCat("a slice of sizes ", List(part), " of ", context.Text(0)));
}

// What gather and scatter say about the array of indices.
struct IndexDims {
  std::span<const int64_t> map;            // which dimension of the operand an index is for
  std::span<const int64_t> batch;          // dimensions of the operand that go along with ...
  std::span<const int64_t> indices_batch;  // ... these of the indices
  std::span<const int64_t> dropped;        // dimensions of the operand that slices of size 1 lose
  int64_t vector_dim = -1;
};

// The sizes of the indices; where each is a scalar, with a last dimension of size 1.
struct IndexSizes {
  Sizes sizes;
  Check failure;
};

IndexSizes ReadIndices(const Context& context, ShapeId indices, const IndexDims& dims) {
  if (!IsInteger(context, indices)) {
    return {{}, Wrong(Rule::kOperandType, absl::StrCat("the indices are ", context.shapes.Text(indices)))};
  }
  Sizes sizes = context.shapes.SizesOf(indices);
  if (dims.vector_dim < 0 || static_cast<uint64_t>(dims.vector_dim) > sizes.size()) {
    return {{},
            Wrong(Rule::kAttributeValue,
                  absl::StrCat("index_vector_dim=", dims.vector_dim, " for ", context.shapes.Text(indices)))};
  }
  if (static_cast<uint64_t>(dims.vector_dim) == sizes.size()) sizes.push_back(1);
  return {sizes, std::nullopt};
}

bool SortedInRange(std::span<const int64_t> numbers, size_t limit) {
  return AllInRange(numbers, limit) && AllDifferent(numbers) && std::ranges::is_sorted(numbers);
}

std::vector<int64_t> Joined(std::span<const int64_t> a, std::span<const int64_t> b) {
  std::vector<int64_t> both(a.begin(), a.end());
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

Check ExpectIndexDims(const Context& context, ShapeId operand, std::span<const int64_t> indices,
                      const IndexDims& dims) {
  const size_t rank = context.shapes.Rank(operand);
  const auto bad = [&](std::string_view what, std::span<const int64_t> numbers) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat(std::string(what), " ", List(numbers), " for ", context.shapes.Text(operand)));
  };
  if (static_cast<int64_t>(dims.map.size()) != indices[static_cast<size_t>(dims.vector_dim)] ||
      !AllInRange(dims.map, rank)) {
    return bad("indices are for the dimensions", dims.map);
  }
  if (!SortedInRange(dims.dropped, rank)) return bad("left out are the dimensions", dims.dropped);
  if (!SortedInRange(dims.batch, rank)) return bad("batch dimensions", dims.batch);
  if (!AllDifferent(dims.map)) return bad("indices are twice for one of the dimensions", dims.map);
  // XLA does not look whether they are as large as those of the operand, nor whether they are left out as
  // well, or indices are for them.
  if (dims.batch.size() != dims.indices_batch.size() || !AllInRange(dims.indices_batch, indices.size()) ||
      !AllDifferent(dims.indices_batch)) {
    return bad("batch dimensions of the indices", dims.indices_batch);
  }
  return std::nullopt;
}

}  // namespace

Inferred InferDynamicSlice(Context& context) {
  if (context.operands.empty()) return Wrong(Rule::kOperandCount, "has no operand");
  if (Check bad = ExpectArray(context, 0)) return *bad;
  const Sizes sizes = context.shapes.SizesOf(context.operand(0));
  if (Check bad = ExpectIndices(context, 1, sizes.size())) return *bad;
  const std::span<const int64_t> slice = context.Ints(Key::kDynamicSliceSizes);
  if (Check bad = ExpectWithin(context, slice, sizes)) return Wrong(Rule::kAttributeValue, bad->text);
  return context.shapes.Array(context.shapes.TypeOf(context.operand(0)), slice);
}

// The operand may be a buffer, which is then written in place.
Inferred InferDynamicUpdateSlice(Context& context) {
  if (context.operands.size() < 2) return Wrong(Rule::kOperandCount, "has fewer than two operands");
  ShapeBook& shapes = context.shapes;
  const bool buffer = shapes.TypeOf(context.operand(0)) == Type::kBuffer;
  const ShapeId operand = buffer ? shapes.table().Elements(context.operand(0)).front() : context.operand(0);
  if (!shapes.IsArray(operand)) return *ExpectArray(context, 0);
  if (Check bad = ExpectArray(context, 1)) return *bad;
  const Sizes sizes = shapes.SizesOf(operand);
  if (Check bad = ExpectIndices(context, 2, sizes.size())) return *bad;
  if (!shapes.SameTypeAnyFloat(operand, context.operand(1))) {
    return Wrong(Rule::kOperandType, absl::StrCat("writes ", context.Text(1), " into ", context.Text(0)));
  }
  if (Check bad = ExpectWithin(context, shapes.SizesOf(context.operand(1)), sizes)) return *bad;
  return context.operand(0);
}

Inferred InferGather(Context& context) {
  if (Check bad = ExpectArrays(context)) return *bad;
  ShapeBook& shapes = context.shapes;
  const IndexDims dims = {.map = context.Ints(Key::kStartIndexMap),
                          .batch = context.Ints(Key::kOperandBatchingDims),
                          .indices_batch = context.Ints(Key::kStartIndicesBatchingDims),
                          .dropped = context.Ints(Key::kCollapsedSliceDims),
                          .vector_dim = context.Int(Key::kIndexVectorDim, -1)};
  const IndexSizes indices = ReadIndices(context, context.operand(1), dims);
  if (indices.failure.has_value()) return *indices.failure;
  if (Check bad = ExpectIndexDims(context, context.operand(0), indices.sizes, dims)) return *bad;

  const std::span<const int64_t> offset = context.Ints(Key::kOffsetDims);
  const std::span<const int64_t> slice = context.Ints(Key::kSliceSizes);
  const size_t rank = offset.size() + indices.sizes.size() - 1;
  if (!SortedInRange(offset, rank)) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("offset_dims=", List(offset), " of ", rank, " dimensions"));
  }
  if (Check bad = ExpectWithin(context, slice, shapes.SizesOf(context.operand(0)))) {
    return Wrong(Rule::kAttributeValue, bad->text);
  }
  const std::vector<int64_t> lost = Joined(dims.dropped, dims.batch);
  if (slice.size() != offset.size() + lost.size()) {
    return Wrong(Rule::kAttributeValue, absl::StrCat("slices of ", slice.size(), " dimensions keep ",
                                                     offset.size(), " and lose ", lost.size()));
  }
  for (const int64_t dimension : lost) {
    if (slice[static_cast<size_t>(dimension)] <= 1) continue;
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("loses dimension ", dimension, " of slices ", List(slice)));
  }
  Sizes kept;  // of the slices
  for (size_t i = 0; i < slice.size(); ++i) {
    if (!Contains(lost, static_cast<int64_t>(i))) kept.push_back(slice[i]);
  }
  Sizes places = indices.sizes;
  places.erase(places.begin() + dims.vector_dim);
  Sizes sizes;
  for (size_t i = 0, from_slice = 0, from_indices = 0; i < rank; ++i) {
    const bool inside = Contains(offset, static_cast<int64_t>(i));
    sizes.push_back(inside ? kept[from_slice++] : places[from_indices++]);
  }
  return shapes.Array(shapes.TypeOf(context.operand(0)), sizes);
}

namespace {

// One operand of a scatter and the updates for it.
Check ExpectUpdates(const Context& context, ShapeId operand, ShapeId updates, const Sizes& indices,
                    const IndexDims& dims) {
  const ShapeBook& shapes = context.shapes;
  const std::span<const int64_t> window = context.Ints(Key::kUpdateWindowDims);
  const Sizes sizes = shapes.SizesOf(updates), whole = shapes.SizesOf(operand);
  const auto bad = [&] {
    return Wrong(Rule::kOperandShape,
                 absl::StrCat("updates ", shapes.Text(operand), " by ", shapes.Text(updates)));
  };
  if (sizes.size() != indices.size() - 1 + window.size()) return bad();
  if (Check wrong = ExpectIndexDims(context, operand, indices, dims)) return wrong;
  const std::vector<int64_t> lost = Joined(dims.dropped, dims.batch);
  if (!SortedInRange(window, sizes.size()) || window.size() + lost.size() != whole.size()) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("update_window_dims=", List(window), " for ", shapes.Text(operand)));
  }
  Sizes kept;
  for (size_t i = 0; i < whole.size(); ++i) {
    if (!Contains(lost, static_cast<int64_t>(i))) kept.push_back(whole[i]);
  }
  Sizes places = indices;
  places.erase(places.begin() + dims.vector_dim);
  for (size_t i = 0, from_window = 0, from_indices = 0; i < sizes.size(); ++i) {
    const bool inside = Contains(window, static_cast<int64_t>(i));
    if (inside ? sizes[i] > kept[from_window++] : sizes[i] != places[from_indices++]) return bad();
  }
  return std::nullopt;
}

}  // namespace

// Operands, the indices, as many updates.
Inferred InferScatter(Context& context) {
  ShapeBook& shapes = context.shapes;
  const size_t count = context.operands.size() / 2;
  if (context.operands.size() % 2 == 0 || count == 0) {
    return Wrong(Rule::kOperandCount, absl::StrCat("has ", context.operands.size(), " operands"));
  }
  if (Check bad = ExpectArrays(context)) return *bad;
  const IndexDims dims = {.map = context.Ints(Key::kScatterDimsToOperandDims),
                          .batch = context.Ints(Key::kInputBatchingDims),
                          .indices_batch = context.Ints(Key::kScatterIndicesBatchingDims),
                          .dropped = context.Ints(Key::kInsertedWindowDims),
                          .vector_dim = context.Int(Key::kIndexVectorDim, -1)};
  const IndexSizes indices = ReadIndices(context, context.operand(count), dims);
  if (indices.failure.has_value()) return *indices.failure;
  std::vector<ShapeId> initial;
  std::vector<Type> values;
  for (size_t i = 0; i < count; ++i) {
    const ShapeId operand = context.operand(i), updates = context.operand(count + 1 + i);
    if (Check bad = ExpectUpdates(context, operand, updates, indices.sizes, dims)) return *bad;
    initial.push_back(shapes.Scalar(shapes.TypeOf(operand)));
    values.push_back(shapes.TypeOf(updates));
  }
  if (Check bad = ExpectReducer(context, context.Called(Key::kToApply), initial, values)) return *bad;
  if (count == 1) return context.operand(0);
  return shapes.Tuple(std::span(context.operands).first(count));
}

}  // namespace oomph::hlo
