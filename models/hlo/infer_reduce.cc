// The rules of operations that fold, compare or map with a computation, and how a window runs over an array.
// Not for scatter (infer_index.cc) and convolution (infer_convolution.cc).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "models/hlo/infer.h"

namespace oomph::hlo {

// (accumulators, values) -> accumulators; all scalars, and one accumulator needs no tuple around it.
Check ExpectReducer(Context& context, uint32_t called, std::span<const ShapeId> initial,
                    std::span<const Type> values) {
  ShapeBook& shapes = context.shapes;
  const Signature& signature = context.SignatureOf(called);
  const size_t count = values.size();
  if (signature.parameters.size() != 2 * count) {
    return Wrong(Rule::kSignature, absl::StrCat("folds ", count, " arrays by a computation with ",
                                                signature.parameters.size(), " parameters"));
  }
  std::vector<ShapeId> accumulators = {signature.result};
  if (shapes.IsTuple(signature.result)) {
    accumulators.clear();
    for (size_t i = 0; i < shapes.Elements(signature.result); ++i) {
      accumulators.push_back(shapes.Element(signature.result, i));
    }
  }
  const auto scalar = [&](ShapeId shape) { return shapes.IsScalar(shape); };
  if (accumulators.size() != count || !std::ranges::all_of(accumulators, scalar)) {
    return Wrong(Rule::kSignature, absl::StrCat("folds ", count, " arrays by a computation that gives ",
                                                shapes.Text(signature.result)));
  }
  for (size_t i = 0; i < count; ++i) {
    const ShapeId accumulator = accumulators[i], parameter = signature.parameters[count + i];
    if (!shapes.Compatible(accumulator, signature.parameters[i])) {
      return Wrong(Rule::kSignature, absl::StrCat("the computation gives ", shapes.Text(accumulator),
                                                  " and takes ", shapes.Text(signature.parameters[i])));
    }
    if (!shapes.CompatibleAnyFloat(accumulator, initial[i])) {
      return Wrong(Rule::kSignature,
                   absl::StrCat("accumulates ", shapes.Text(accumulator), " from ", shapes.Text(initial[i])));
    }
    if (!shapes.CompatibleAnyFloat(shapes.Scalar(values[i]), parameter) ||
        !shapes.CompatibleAnyFloat(accumulator, parameter)) {
      return Wrong(Rule::kSignature,
                   absl::StrCat("parameter ", count + i, " of the computation is ", shapes.Text(parameter),
                                " and gets ", shapes.Text(shapes.Scalar(values[i]))));
    }
  }
  return std::nullopt;
}

namespace {

// The first half of the operands, as arrays of one size; the second half are what accumulators begin with.
struct Folded {
  std::vector<ShapeId> arrays, initial;
  std::vector<Type> types;
  Check failure;
};

Folded ReadFolded(Context& context) {
  Folded folded;
  const size_t count = context.operands.size() / 2;
  if (context.operands.size() % 2 != 0 || count == 0) {
    folded.failure = Wrong(Rule::kOperandCount, absl::StrCat("has ", context.operands.size(), " operands"));
    return folded;
  }
  for (size_t i = 0; i < count; ++i) {
    folded.failure = ExpectArray(context, i);
    if (!folded.failure.has_value() && !context.shapes.SameSizes(context.operand(0), context.operand(i))) {
      folded.failure = Wrong(Rule::kOperandShape,
                             absl::StrCat("folds ", context.Text(0), " together with ", context.Text(i)));
    }
    if (folded.failure.has_value()) return folded;
    folded.arrays.push_back(context.operand(i));
    folded.initial.push_back(context.operand(count + i));
    folded.types.push_back(context.shapes.TypeOf(context.operand(i)));
  }
  folded.failure = ExpectReducer(context, context.Called(Key::kToApply), folded.initial, folded.types);
  return folded;
}

int64_t Part(const std::vector<int64_t>& part, size_t i, int64_t otherwise) {
  return i < part.size() ? part[i] : otherwise;
}

// 1 + (size - 1) * dilation, and 0 of 0.
std::optional<int64_t> Dilated(int64_t size, int64_t dilation) {
  int64_t dilated = 0;
  if (size <= 0) return 0;
  if (__builtin_mul_overflow(size - 1, dilation, &dilated) || __builtin_add_overflow(dilated, 1, &dilated)) {
    return std::nullopt;
  }
  return dilated;
}

}  // namespace

Window WindowAt(const Context& context) { return WindowOf(context.Ints(Key::kWindow)); }

WindowSizes RunWindow(const Context& context, const Window& window, std::span<const int64_t> base) {
  if (window.size.size() != base.size()) {
    return {{},
            Wrong(Rule::kAttributeValue, absl::StrCat("the window has ", window.size.size(),
                                                      " dimensions and ", "runs over ", base.size()))};
  }
  for (const auto* part : {&window.stride, &window.pad_low, &window.pad_high, &window.lhs_dilate,
                           &window.rhs_dilate, &window.rhs_reversal}) {
    if (part->empty() || part->size() == base.size()) continue;
    return {{}, Wrong(Rule::kAttributeValue, "the parts of the window have different numbers of dimensions")};
  }
  Sizes sizes;
  for (size_t i = 0; i < base.size(); ++i) {
    const int64_t stride = Part(window.stride, i, 1), left = Part(window.lhs_dilate, i, 1);
    const int64_t right = Part(window.rhs_dilate, i, 1);
    std::optional<int64_t> whole = Dilated(base[i], left), inside = Dilated(window.size[i], right);
    int64_t padded = 0;
    if (window.size[i] <= 0 || stride <= 0 || left <= 0 || right <= 0 || !whole || !inside ||
        __builtin_add_overflow(*whole, Part(window.pad_low, i, 0), &padded) ||
        __builtin_add_overflow(padded, Part(window.pad_high, i, 0), &padded) || padded < 0) {
      return {{},
              Wrong(Rule::kAttributeValue, absl::StrCat("the window in dimension ", i, " over ", base[i],
                                                        " elements of ", context.Text(0)))};
    }
    sizes.push_back(*inside > padded ? 0 : (padded - *inside) / stride + 1);
  }
  return {sizes, std::nullopt};
}

namespace {

// As many results as accumulators, in a tuple where the computation gives one.
ShapeId Results(Context& context, ShapeId computed, const Sizes& sizes) {
  ShapeBook& shapes = context.shapes;
  if (!shapes.IsTuple(computed)) return shapes.Array(shapes.TypeOf(computed), sizes);
  std::vector<ShapeId> results;
  for (size_t i = 0; i < shapes.Elements(computed); ++i) {
    results.push_back(shapes.Array(shapes.TypeOf(shapes.Element(computed, i)), sizes));
  }
  return shapes.Tuple(results);
}

}  // namespace

Inferred InferReduce(Context& context) {
  const Folded folded = ReadFolded(context);
  if (folded.failure.has_value()) return *folded.failure;
  const std::span<const int64_t> dimensions = context.Ints(Key::kDimensions);
  const Sizes whole = context.shapes.SizesOf(folded.arrays[0]);
  if (!AllInRange(dimensions, whole.size()) || !AllDifferent(dimensions)) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("dimensions=", List(dimensions), " of ", context.Text(0)));
  }
  Sizes sizes;
  for (size_t i = 0; i < whole.size(); ++i) {
    if (!Contains(dimensions, static_cast<int64_t>(i))) sizes.push_back(whole[i]);
  }
  return Results(context, context.SignatureOf(context.Called(Key::kToApply)).result, sizes);
}

Inferred InferReduceWindow(Context& context) {
  const Folded folded = ReadFolded(context);
  if (folded.failure.has_value()) return *folded.failure;
  const WindowSizes window = RunWindow(context, WindowAt(context), context.shapes.SizesOf(folded.arrays[0]));
  if (window.failure.has_value()) return *window.failure;
  return Results(context, context.SignatureOf(context.Called(Key::kToApply)).result, window.sizes);
}

Inferred InferSelectAndScatter(Context& context) {
  if (Check bad = ExpectArray(context, 0)) return *bad;
  if (Check bad = ExpectArray(context, 1)) return *bad;
  ShapeBook& shapes = context.shapes;
  const Signature& select = context.SignatureOf(context.Called(Key::kSelect));
  const ShapeId element = shapes.Scalar(shapes.TypeOf(context.operand(0)));
  const auto takes = [&](ShapeId parameter) { return shapes.CompatibleAnyFloat(parameter, element); };
  if (select.parameters.size() != 2 || !shapes.IsScalar(select.result, Type::kPred) ||
      !std::ranges::all_of(select.parameters, takes)) {
    return Wrong(Rule::kSignature,
                 absl::StrCat("selects from ", context.Text(0),
                              " by a computation that does not compare two of its elements"));
  }
  const ShapeId initial[] = {context.operand(2)};
  const Type values[] = {shapes.TypeOf(context.operand(1))};
  if (Check bad = ExpectReducer(context, context.Called(Key::kScatter), initial, values)) return *bad;
  const WindowSizes window = RunWindow(context, WindowAt(context), shapes.SizesOf(context.operand(0)));
  if (window.failure.has_value()) return *window.failure;
  const ShapeId source = shapes.Array(shapes.TypeOf(context.operand(0)), window.sizes);
  if (!shapes.CompatibleAnyFloat(source, context.operand(1))) {
    return Wrong(Rule::kOperandShape, absl::StrCat("the window makes ", shapes.Text(source),
                                                   " and the source is ", context.Text(1)));
  }
  return context.operand(0);
}

// Scalars go along with arrays. The dimensions in the text say nothing.
Inferred InferMap(Context& context) {
  if (context.operands.empty()) return Wrong(Rule::kOperandCount, "has no operand");
  if (Check bad = ExpectArrays(context)) return *bad;
  ShapeBook& shapes = context.shapes;
  ShapeId shape = context.operand(0);
  for (size_t i = 1; i < context.operands.size(); ++i) {
    const ShapeId operand = context.operand(i);
    if (shapes.SameSizes(operand, shape)) continue;
    const bool same_type = shapes.SameTypeAnyFloat(operand, shape);
    if (same_type && shapes.IsScalar(operand)) continue;
    if (same_type && shapes.IsScalar(shape)) {
      shape = operand;
      continue;
    }
    return Wrong(Rule::kOperandShape,
                 absl::StrCat("maps ", context.Text(0), " together with ", context.Text(i)));
  }
  const Signature& signature = context.SignatureOf(context.Called(Key::kToApply));
  bool fits = signature.parameters.size() == context.operands.size() && shapes.IsScalar(signature.result);
  for (size_t i = 0; fits && i < context.operands.size(); ++i) {
    fits = shapes.IsScalar(signature.parameters[i]) &&
           shapes.SameTypeAnyFloat(signature.parameters[i], context.operand(i));
  }
  if (!fits) return Wrong(Rule::kSignature, "the computation does not take the elements of the operands");
  return shapes.WithType(shape, shapes.TypeOf(signature.result));
}

Inferred InferSort(Context& context) {
  if (context.operands.empty()) return Wrong(Rule::kOperandCount, "has no operand");
  if (Check bad = ExpectArrays(context)) return *bad;
  ShapeBook& shapes = context.shapes;
  const Signature& compare = context.SignatureOf(context.Called(Key::kToApply));
  bool fits = compare.parameters.size() == 2 * context.operands.size() &&
              shapes.IsScalar(compare.result, Type::kPred);
  for (size_t i = 0; fits && i < compare.parameters.size(); ++i) {
    const ShapeId element = shapes.Scalar(shapes.TypeOf(context.operand(i / 2)));
    fits = shapes.CompatibleAnyFloat(compare.parameters[i], element);
  }
  if (!fits) return Wrong(Rule::kSignature, "the computation does not compare two elements of each operand");
  for (size_t i = 1; i < context.operands.size(); ++i) {
    if (shapes.SameSizes(context.operand(0), context.operand(i))) continue;
    return Wrong(Rule::kOperandShape,
                 absl::StrCat("sorts ", context.Text(0), " together with ", context.Text(i)));
  }
  const std::span<const int64_t> dimensions = context.Ints(Key::kDimensions);
  if (dimensions.size() != 1 || !AllInRange(dimensions, shapes.Rank(context.operand(0)))) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("dimensions=", List(dimensions), " of ", context.Text(0)));
  }
  if (context.operands.size() == 1) return context.operand(0);
  return shapes.Tuple(context.operands);
}

// Operands: inputs, then what the carries begin with; results: outputs, then the carries. The computation
// sees inputs and outputs without the dimension that is scanned.
Inferred InferScan(Context& context) {
  ShapeBook& shapes = context.shapes;
  const auto parts = [&](ShapeId shape) {
    std::vector<ShapeId> list = {shape};
    if (!shapes.IsTuple(shape)) return list;
    list.clear();
    for (size_t i = 0; i < shapes.Elements(shape); ++i) list.push_back(shapes.Element(shape, i));
    return list;
  };
  const Signature& signature = context.SignatureOf(context.Called(Key::kToApply));
  const std::vector<ShapeId> roots = parts(signature.result), results = parts(context.result);
  const int64_t number = context.Int(Key::kNumCarries, -1);
  const std::span<const int64_t> dimensions = context.Ints(Key::kDimensions);
  const size_t carries = number < 0 ? SIZE_MAX : static_cast<size_t>(number);
  if (carries > context.operands.size() || carries > results.size() ||
      (carries == context.operands.size() && carries == results.size()) || roots.size() != results.size() ||
      signature.parameters.size() != context.operands.size()) {
    return Wrong(Rule::kSignature, "operands, results and carries do not fit the computation");
  }
  if (dimensions.size() != 1 || dimensions[0] < 0) {
    return Wrong(Rule::kAttributeValue, absl::StrCat("dimensions=", List(dimensions)));
  }
  const size_t dimension = static_cast<size_t>(dimensions[0]);
  std::optional<int64_t> size;
  const auto without = [&](ShapeId shape) -> std::optional<ShapeId> {
    Sizes sizes = shapes.SizesOf(shape);
    if (dimension >= sizes.size() || size.value_or(sizes[dimension]) != sizes[dimension]) return std::nullopt;
    size = sizes[dimension];
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dimension));
    return shapes.Array(shapes.TypeOf(shape), sizes);
  };
  const auto matches = [&](std::span<const ShapeId> outside, std::span<const ShapeId> inside) {
    for (size_t i = 0; i < outside.size(); ++i) {
      const bool scanned = i + carries < outside.size();
      const std::optional<ShapeId> expected = scanned ? without(outside[i]) : outside[i];
      if (!expected.has_value() || !shapes.CompatibleAnyFloat(*expected, inside[i])) return false;
    }
    return true;
  };
  const bool fits = matches(context.operands, signature.parameters) && matches(results, roots);
  if (!fits) return Wrong(Rule::kSignature, "the computation does not scan the operands into the results");
  return Inferred::Anything();
}

}  // namespace oomph::hlo
