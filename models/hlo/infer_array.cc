// The rules of operations that rearrange, cut, join or make arrays and tuples.
// Not for those with indices known only when the program runs (infer_index.cc).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "models/hlo/infer.h"

namespace oomph::hlo {

Inferred InferBroadcast(Context& context) {
  if (Check bad = ExpectArray(context, 0)) return *bad;
  ShapeBook& shapes = context.shapes;
  if (!shapes.IsArray(context.result) || !shapes.SameTypeAnyFloat(context.result, context.operand(0))) {
    return Wrong(Rule::kResultShape,
                 absl::StrCat("broadcasts ", context.Text(0), " to ", shapes.Text(context.result)));
  }
  const std::span<const int64_t> dimensions = context.Ints(Key::kDimensions);
  const Sizes from = shapes.SizesOf(context.operand(0)), to = shapes.SizesOf(context.result);
  if (dimensions.size() != from.size() || !AllInRange(dimensions, to.size())) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("dimensions=", List(dimensions), " of ", context.Text(0)));
  }
  for (size_t i = 0; i < from.size(); ++i) {
    if (to[static_cast<size_t>(dimensions[i])] == from[i]) continue;
    return Wrong(Rule::kResultShape,
                 absl::StrCat("dimension ", dimensions[i], " of the result must have the size ", from[i],
                              " of dimension ", i, " of the operand"));
  }
  return Inferred::Anything();
}

Inferred InferReshape(Context& context) {
  if (Check bad = ExpectArray(context, 0)) return *bad;
  ShapeBook& shapes = context.shapes;
  const std::optional<int64_t> from = shapes.Count(context.operand(0));
  if (!shapes.IsArray(context.result) || !shapes.SameTypeAnyFloat(context.result, context.operand(0)) ||
      !from.has_value() || from != shapes.Count(context.result)) {
    return Wrong(Rule::kResultShape,
                 absl::StrCat("reshapes ", context.Text(0), " to ", shapes.Text(context.result)));
  }
  return Inferred::Anything();
}

Inferred InferDynamicReshape(Context& context) {
  if (context.operands.empty()) return Wrong(Rule::kOperandCount, "has no operand");
  const Inferred reshape = InferReshape(context);
  if (reshape.failure.has_value()) return reshape;
  if (Check bad = ExpectCount(context, 1 + context.shapes.Rank(context.result))) return *bad;
  for (size_t i = 1; i < context.operands.size(); ++i) {
    if (context.shapes.TypeOf(context.operand(i)) == Type::kS32) continue;
    return Wrong(Rule::kOperandType, absl::StrCat("operand ", i, " must be s32 and is ", context.Text(i)));
  }
  return reshape;
}

Inferred InferTranspose(Context& context) {
  if (Check bad = ExpectArray(context, 0)) return *bad;
  const std::span<const int64_t> order = context.Ints(Key::kDimensions);
  const Sizes from = context.shapes.SizesOf(context.operand(0));
  if (!IsPermutation(order, from.size())) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("dimensions=", List(order), " is no permutation for ", context.Text(0)));
  }
  Sizes sizes;
  for (const int64_t dimension : order) sizes.push_back(from[static_cast<size_t>(dimension)]);
  return context.shapes.Array(context.shapes.TypeOf(context.operand(0)), sizes);
}

Inferred InferReverse(Context& context) {
  if (Check bad = ExpectArray(context, 0)) return *bad;
  const std::span<const int64_t> dimensions = context.Ints(Key::kDimensions);
  if (!AllInRange(dimensions, context.shapes.Rank(context.operand(0))) || !AllDifferent(dimensions)) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("dimensions=", List(dimensions), " for ", context.Text(0)));
  }
  return context.operand(0);
}

Inferred InferSlice(Context& context) {
  if (Check bad = ExpectArray(context, 0)) return *bad;
  const std::span<const int64_t> slices = context.Ints(Key::kSlice);
  Sizes sizes = context.shapes.SizesOf(context.operand(0));
  if (slices.size() != 3 * sizes.size()) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("has ", slices.size() / 3, " slices for ", context.Text(0)));
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t start = slices[3 * i], limit = slices[3 * i + 1], stride = slices[3 * i + 2];
    if (start < 0 || start > limit || limit > sizes[i] || stride <= 0) {
      return Wrong(Rule::kAttributeValue, absl::StrCat("slice [", start, ":", limit, ":", stride,
                                                       "] of dimension ", i, " of ", context.Text(0)));
    }
    sizes[i] = limit == start ? 0 : (limit - start - 1) / stride + 1;
  }
  return context.shapes.Array(context.shapes.TypeOf(context.operand(0)), sizes);
}

Inferred InferPad(Context& context) {
  if (Check bad = ExpectArray(context, 0)) return *bad;
  ShapeBook& shapes = context.shapes;
  if (!shapes.IsScalar(context.operand(1)) ||
      !shapes.SameTypeAnyFloat(context.operand(0), context.operand(1))) {
    return Wrong(Rule::kOperandType, absl::StrCat("pads ", context.Text(0), " with ", context.Text(1)));
  }
  const std::span<const int64_t> padding = context.Ints(Key::kPadding);
  Sizes sizes = shapes.SizesOf(context.operand(0));
  if (padding.size() != 3 * sizes.size()) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("pads ", padding.size() / 3, " dimensions of ", context.Text(0)));
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t low = padding[3 * i], high = padding[3 * i + 1], interior = padding[3 * i + 2];
    int64_t inside = 0, size = 0;
    if (interior < 0 || __builtin_mul_overflow(std::max<int64_t>(sizes[i] - 1, 0), interior, &inside) ||
        __builtin_add_overflow(sizes[i], inside, &size) || __builtin_add_overflow(size, low, &size) ||
        __builtin_add_overflow(size, high, &size) || size < 0) {
      return Wrong(Rule::kAttributeValue, absl::StrCat("padding ", low, "_", high, "_", interior,
                                                       " of dimension ", i, " of ", context.Text(0)));
    }
    sizes[i] = size;
  }
  return shapes.Array(shapes.TypeOf(context.operand(0)), sizes);
}

Inferred InferConcatenate(Context& context) {
  if (context.operands.empty()) return Wrong(Rule::kOperandCount, "has no operand");
  if (Check bad = ExpectArrays(context)) return *bad;
  ShapeBook& shapes = context.shapes;
  const std::span<const int64_t> dimensions = context.Ints(Key::kDimensions);
  Sizes sizes = shapes.SizesOf(context.operand(0));
  if (dimensions.size() != 1 || !AllInRange(dimensions, sizes.size())) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("dimensions=", List(dimensions), " for ", context.Text(0)));
  }
  const size_t joined = static_cast<size_t>(dimensions[0]);
  for (size_t i = 1; i < context.operands.size(); ++i) {
    Sizes other = shapes.SizesOf(context.operand(i));
    if (!shapes.SameTypeAnyFloat(context.operand(0), context.operand(i))) {
      return Wrong(Rule::kOperandType, absl::StrCat("joins ", context.Text(0), " and ", context.Text(i)));
    }
    if (other.size() != sizes.size() ||
        __builtin_add_overflow(sizes[joined], other[joined], &sizes[joined])) {
      return Wrong(Rule::kOperandShape, absl::StrCat("joins ", context.Text(0), " and ", context.Text(i)));
    }
    other[joined] = sizes[joined];
    if (other != sizes) {
      return Wrong(Rule::kOperandShape, absl::StrCat("joins ", context.Text(0), " and ", context.Text(i),
                                                     ", which differ beside dimension ", joined));
    }
  }
  return shapes.Array(shapes.TypeOf(context.operand(0)), sizes);
}

Inferred InferIota(Context& context) {
  ShapeBook& shapes = context.shapes;
  if ((ClassOf(shapes.TypeOf(context.result)) & kNumbers) == 0) {
    return Wrong(Rule::kResultShape, absl::StrCat("counts in ", shapes.Text(context.result)));
  }
  const int64_t dimension = context.Int(Key::kIotaDimension, -1);
  if (!AllInRange({&dimension, 1}, shapes.Rank(context.result))) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("iota_dimension=", dimension, " of ", shapes.Text(context.result)));
  }
  return Inferred::Anything();
}

Inferred InferTuple(Context& context) { return context.shapes.Tuple(context.operands); }

Inferred InferGetTupleElement(Context& context) {
  const int64_t index = context.Int(Key::kIndex, -1);
  const std::optional<ShapeId> element = context.shapes.At(context.operand(0), {&index, 1});
  if (!element.has_value()) {
    return Wrong(Rule::kAttributeValue, absl::StrCat("index=", index, " of ", context.Text(0)));
  }
  return *element;
}

// Both hold sizes in s32.
Inferred InferGetDimensionSize(Context& context) {
  const std::span<const int64_t> dimensions = context.Ints(Key::kDimensions);
  ShapeBook& shapes = context.shapes;
  if (dimensions.size() != 1 || !AllInRange(dimensions, shapes.Rank(context.operand(0)))) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("dimensions=", List(dimensions), " of ", context.Text(0)));
  }
  if (shapes.Size(context.operand(0), static_cast<size_t>(dimensions[0])) > INT32_MAX) {
    return Wrong(Rule::kOperandShape, absl::StrCat("the size is too large for s32: ", context.Text(0)));
  }
  return shapes.Scalar(Type::kS32);
}

Inferred InferSetDimensionSize(Context& context) {
  const Inferred size = InferGetDimensionSize(context);
  if (size.failure.has_value()) return size;
  if (!context.shapes.IsScalar(context.operand(1), Type::kS32)) {
    return Wrong(Rule::kOperandType, absl::StrCat("the size must be s32[] and is ", context.Text(1)));
  }
  return context.operand(0);
}

Inferred InferTopk(Context& context) {
  if (Check bad = ExpectArray(context, 0)) return *bad;
  ShapeBook& shapes = context.shapes;
  Sizes sizes = shapes.SizesOf(context.operand(0));
  const int64_t k = context.Int(Key::kK, -1);
  if (sizes.empty() || k < 0 || k > sizes.back()) {
    return Wrong(Rule::kAttributeValue, absl::StrCat("k=", k, " for ", context.Text(0)));
  }
  sizes.back() = k;
  const ShapeId parts[] = {shapes.Array(shapes.TypeOf(context.operand(0)), sizes),
                           shapes.Array(Type::kS32, sizes)};
  return shapes.Tuple(parts);
}

}  // namespace oomph::hlo
