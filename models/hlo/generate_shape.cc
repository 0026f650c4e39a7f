// The forms that move elements about: broadcast, reshape, slices, joins. See generate_scope.h.
#include "models/hlo/generate_scope.h"

namespace oomph::hlo::generate {

// New dimensions stand before, after or among those of the operand.
uint32_t Generator::Broadcast() {
  const Value a = Pick();
  Array result = {a.type, {}};
  absl::InlinedVector<int64_t, kMaxRank> mapped;
  const size_t more = std::min<size_t>(kMaxRank - a.dims.rank, 1 + choices_.Below(2));
  size_t added = 0, taken = 0;
  while (added < more || taken < a.dims.rank) {
    const bool add = taken == a.dims.rank || (added < more && !choices_.Chance(1, 3));
    if (add) {
      ++added;
      result.dims.push(DrawSize());
    } else {
      mapped.push_back(result.dims.rank);
      result.dims.push(a.dims[taken++]);
    }
  }
  if (result.dims.Elements() > most_elements_) return kNothing;
  return Emit(Opcode::kBroadcast, Result(result), {a.index}, {build_.Numbers(Key::kDimensions, mapped)});
}

namespace {

// Another list of sizes with as many elements: neighbours merge, a size is split, ones come and go.
Dims Reshaped(Choices& choices, Dims dims) {
  switch (choices.Below(3)) {
    case 0: {  // merge two neighbours
      if (dims.rank < 2) break;
      const size_t at = choices.Below(dims.rank - 1u);
      dims[at] *= dims[at + 1];
      std::copy(dims.begin() + at + 2, dims.end(), dims.size.begin() + at + 1);
      --dims.rank;
      return dims;
    }
    case 1: {  // split one
      if (dims.rank == 0 || dims.rank == kMaxRank) break;
      const size_t at = choices.Below(dims.rank);
      static constexpr int64_t kFactors[] = {2, 128, 8, 3, 4, 5, 7};
      const int64_t factor = kFactors[choices.Below(std::size(kFactors))];
      if (dims[at] % factor != 0) break;
      std::copy_backward(dims.begin() + at, dims.end(), dims.size.begin() + dims.rank + 1);
      ++dims.rank;
      dims[at] /= factor;
      dims[at + 1] = factor;
      return dims;
    }
    default:
      break;
  }
  if (dims.rank == kMaxRank) {  // all into one
    Dims flat;
    flat.push(dims.Elements());
    return flat;
  }
  const size_t at = choices.Below(dims.rank + 1u);  // a one more
  std::copy_backward(dims.begin() + at, dims.end(), dims.size.begin() + dims.rank + 1);
  ++dims.rank;
  dims[at] = 1;
  return dims;
}

}  // namespace

uint32_t Generator::Reshape() {
  const Value a = Pick();
  return Emit(Opcode::kReshape, Result({a.type, Reshaped(choices_, a.dims)}), {a.index});
}

// Both have as many bytes: other sizes only where no tile pads them.
uint32_t Generator::Bitcast() {
  const Value a = Pick();
  if (layout_mode_ == LayoutMode::kTiled) return Emit(Opcode::kBitcast, a.shape, {a.index});
  return Emit(Opcode::kBitcast, Result({a.type, Reshaped(choices_, a.dims)}), {a.index});
}

uint32_t Generator::Transpose() {
  const Value a = Pick(2);
  std::array<int64_t, kMaxRank> order = {};
  for (size_t i = 0; i < a.dims.rank; ++i) order[i] = static_cast<int64_t>(a.dims.rank - 1 - i);
  for (size_t i = a.dims.rank - 1u; i > 0 && choices_.Chance(1, 2); --i) {
    std::swap(order[i], order[choices_.Below(i + 1)]);
  }
  Array result = {a.type, {}};
  for (size_t i = 0; i < a.dims.rank; ++i) result.dims.push(a.dims[static_cast<size_t>(order[i])]);
  const std::span<const int64_t> permutation = std::span(order).first(a.dims.rank);
  return Emit(Opcode::kTranspose, Result(result), {a.index}, {build_.Numbers(Key::kDimensions, permutation)});
}

uint32_t Generator::Reverse() {
  const Value a = Pick(1);
  absl::InlinedVector<int64_t, kMaxRank> dimensions;
  const uint64_t first = choices_.Below(a.dims.rank);
  for (uint64_t i = first; i < a.dims.rank; i += 1 + choices_.Below(3)) {
    dimensions.push_back(static_cast<int64_t>(i));
  }
  return Emit(Opcode::kReverse, a.shape, {a.index}, {build_.Numbers(Key::kDimensions, dimensions)});
}

// Mostly to another layout.
uint32_t Generator::Copy() {
  const Value a = Pick();
  return Emit(Opcode::kCopy, Result(a), {a.index});
}

uint32_t Generator::Slice() {
  const Value a = Pick();
  Array result = {a.type, {}};
  absl::InlinedVector<int64_t, 3 * kMaxRank> slices;
  for (const int64_t size : a.dims) {
    const bool whole = choices_.Below(3) == 2;
    const int64_t start =
        whole ? 0 : static_cast<int64_t>(choices_.Below(static_cast<uint64_t>(size) / 2 + 1));
    const int64_t length = static_cast<int64_t>(choices_.Below(static_cast<uint64_t>(size - start) + 1));
    int64_t limit = whole ? size : start + length;
    if (limit == start && !Can(feature::kZeroSized)) limit = size;
    if (limit == start && choices_.Below(8) != 0) limit = size;
    const int64_t stride = choices_.Chance(1, 4) ? 1 + static_cast<int64_t>(choices_.Below(4)) : 1;
    slices.insert(slices.end(), {start, limit, stride});
    result.dims.push((limit - start + stride - 1) / stride);
  }
  return Emit(Opcode::kSlice, Result(result), {a.index}, {build_.Numbers(Key::kSlice, slices)});
}

// Starts are scalars, one for each dimension.
uint32_t Generator::DynamicSlice() {
  const Value a = Pick(1);
  Array result = {a.type, {}};
  absl::InlinedVector<uint32_t, kMaxRank + 1> operands = {a.index};
  const Value start = Need({Type::kS32, {}});
  for (const int64_t size : a.dims) {
    operands.push_back(start.index);
    result.dims.push(size == 0 || choices_.Chance(1, 3)
                         ? size
                         : 1 + static_cast<int64_t>(choices_.Below(static_cast<uint64_t>(size))));
  }
  return Emit(Opcode::kDynamicSlice, Result(result), operands,
              std::array{build_.Numbers(Key::kDynamicSliceSizes, result.dims.span())});
}

uint32_t Generator::DynamicUpdateSlice() {
  const Value a = Pick(1);
  Array update = a;
  for (size_t i = 0; i < a.dims.rank; ++i) {
    if (a.dims[i] > 0 && choices_.Chance(1, 2))
      update.dims[i] = 1 + static_cast<int64_t>(choices_.Below(static_cast<uint64_t>(a.dims[i])));
  }
  const Value with = Need(update);
  const Value start = Need({Type::kS32, {}});
  absl::InlinedVector<uint32_t, kMaxRank + 2> operands = {a.index, with.index};
  operands.resize(a.dims.rank + 2u, start.index);
  return Emit(Opcode::kDynamicUpdateSlice, a.shape, operands);
}

uint32_t Generator::Concatenate() {
  const Value a = Pick(1);
  const size_t dimension = choices_.Below(a.dims.rank);
  Array result = a;
  absl::InlinedVector<uint32_t, 4> operands = {a.index};
  for (uint64_t n = choices_.Below(3); n > 0; --n) {
    const Value* other = Find([&](const Value& value) {
      Dims dims = value.dims;
      if (dims.rank != a.dims.rank) return false;
      dims[dimension] = a.dims[dimension];
      return value.type == a.type && dims == a.dims;
    });
    if (other == nullptr) break;  // never: there is `a`
    operands.push_back(other->index);
    result.dims[dimension] += other->dims[dimension];
  }
  if (result.dims.Elements() > most_elements_) return kNothing;
  return Emit(Opcode::kConcatenate, Result(result), operands,
              std::array{build_.Numbers(Key::kDimensions, {static_cast<int64_t>(dimension)})});
}

uint32_t Generator::Pad() {
  const Value a = Pick(1);
  Array result = {a.type, {}};
  absl::InlinedVector<int64_t, 3 * kMaxRank> padding;
  for (const int64_t size : a.dims) {
    int64_t low = static_cast<int64_t>(choices_.Below(4)), high = static_cast<int64_t>(choices_.Below(4));
    if (choices_.Chance(1, 8))
      low = -static_cast<int64_t>(choices_.Below(static_cast<uint64_t>(size) / 2 + 1));
    if (choices_.Chance(1, 4)) high = (128 - (size + low) % 128) % 128;
    const int64_t interior = choices_.Chance(1, 6) ? static_cast<int64_t>(choices_.Below(3)) : 0;
    padding.insert(padding.end(), {low, high, interior});
    result.dims.push(low + high + size + std::max<int64_t>(0, size - 1) * interior);
  }
  if (result.dims.Elements() > most_elements_) return kNothing;
  if (result.dims.Elements() == 0 && a.dims.Elements() != 0 && !Can(feature::kZeroSized)) return kNothing;
  const Value with = Need({a.type, {}});
  return Emit(Opcode::kPad, Result(result), {a.index, with.index}, {build_.Numbers(Key::kPadding, padding)});
}

uint32_t Generator::GetDimensionSize() {
  const Value a = Pick(1);
  const int64_t dimension = static_cast<int64_t>(choices_.Below(a.dims.rank));
  return Emit(Opcode::kGetDimensionSize, Scalar(Type::kS32), {a.index},
              {build_.Numbers(Key::kDimensions, {dimension})});
}

// What is dynamic has no further users but one that asks its size.
uint32_t Generator::SetDimensionSize() {
  const Value a = Pick(1);
  const size_t dimension = choices_.Below(a.dims.rank);
  const Value size = Need({Type::kS32, {}});
  absl::InlinedVector<Dimension, kMaxRank> dimensions;
  for (const int64_t s : a.dims) dimensions.push_back({s, Extent::kStatic});
  dimensions[dimension].extent = Extent::kBounded;
  const hlo::Shape& shape = shapes_[a.shape];
  const std::optional<LayoutId> layout = shape.has_layout ? std::optional(shape.layout) : std::nullopt;
  const ShapeId result = shapes_.AddArray(a.type, dimensions, layout);
  const int64_t number = static_cast<int64_t>(dimension);
  const uint32_t set = Emit(Opcode::kSetDimensionSize, result, {a.index, size.index},
                            {build_.Numbers(Key::kDimensions, {number})});
  return Emit(Opcode::kGetDimensionSize, Scalar(Type::kS32), {set},
              {build_.Numbers(Key::kDimensions, {number})});
}

}  // namespace oomph::hlo::generate
