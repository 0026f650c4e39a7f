// The rules of products, transforms, solvers and batch normalization.
// Not for convolution (infer_convolution.cc).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "models/hlo/infer.h"

namespace oomph::hlo {

std::optional<Type> ProductType(const Context& context) {
  const Type written = context.shapes.TypeOf(context.result);
  if (IsArrayType(written)) return written;
  if (written != Type::kNone) return std::nullopt;
  const Type left = context.shapes.TypeOf(context.operand(0)),
             right = context.shapes.TypeOf(context.operand(1));
  return RowOf(right).bits > RowOf(left).bits ? right : left;
}

namespace {

// The dimension numbers of a product.
struct DotDims {
  std::span<const int64_t> left_contracting, right_contracting, left_batch, right_batch;
};

DotDims ReadDotDims(const Context& context) {
  return {context.Ints(Key::kLhsContractingDims), context.Ints(Key::kRhsContractingDims),
          context.Ints(Key::kLhsBatchDims), context.Ints(Key::kRhsBatchDims)};
}

Check ExpectDims(const Sizes& sizes, std::span<const int64_t> contracting, std::span<const int64_t> batch) {
  std::vector<int64_t> both(contracting.begin(), contracting.end());
  both.insert(both.end(), batch.begin(), batch.end());
  if (AllInRange(both, sizes.size()) && AllDifferent(both)) return std::nullopt;
  return Wrong(Rule::kAttributeValue, absl::StrCat("the dimensions ", List(contracting), " and ", List(batch),
                                                   " of an operand with ", sizes.size()));
}

Check ExpectPairs(const Sizes& left, const Sizes& right, std::span<const int64_t> of_left,
                  std::span<const int64_t> of_right) {
  if (of_left.size() != of_right.size()) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("pairs the dimensions ", List(of_left), " with ", List(of_right)));
  }
  for (size_t i = 0; i < of_left.size(); ++i) {
    const int64_t a = left[static_cast<size_t>(of_left[i])], b = right[static_cast<size_t>(of_right[i])];
    if (a == b) continue;
    return Wrong(Rule::kOperandShape, absl::StrCat("pairs dimension ", of_left[i], " of size ", a, " with ",
                                                   of_right[i], " of size ", b));
  }
  return std::nullopt;
}

Check ExpectDotDims(const Sizes& left, const Sizes& right, const DotDims& dims) {
  if (Check bad = ExpectDims(left, dims.left_contracting, dims.left_batch)) return bad;
  if (Check bad = ExpectDims(right, dims.right_contracting, dims.right_batch)) return bad;
  if (Check bad = ExpectPairs(left, right, dims.left_contracting, dims.right_contracting)) return bad;
  return ExpectPairs(left, right, dims.left_batch, dims.right_batch);
}

// The dimensions that are in neither list.
void AppendFree(Sizes& result, const Sizes& sizes, std::span<const int64_t> a, std::span<const int64_t> b,
                std::span<const int64_t> c = {}) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t dimension = static_cast<int64_t>(i);
    if (!Contains(a, dimension) && !Contains(b, dimension) && !Contains(c, dimension))
      result.push_back(sizes[i]);
  }
}

Inferred DotResult(Context& context, const Sizes& sizes) {
  const std::optional<Type> type = ProductType(context);
  if (!type.has_value()) {
    return Wrong(Rule::kResultShape, absl::StrCat("a product is ", context.shapes.Text(context.result)));
  }
  return context.shapes.Array(*type, sizes);
}

Inferred InferProduct(Context& context) {
  if (Check bad = ExpectArray(context, 0)) return *bad;
  if (Check bad = ExpectArray(context, 1)) return *bad;
  const DotDims dims = ReadDotDims(context);
  const Sizes left = context.shapes.SizesOf(context.operand(0)),
              right = context.shapes.SizesOf(context.operand(1));
  if (Check bad = ExpectDotDims(left, right, dims)) return *bad;
  Sizes sizes;
  for (const int64_t dimension : dims.left_batch) sizes.push_back(left[static_cast<size_t>(dimension)]);
  AppendFree(sizes, left, dims.left_contracting, dims.left_batch);
  AppendFree(sizes, right, dims.right_contracting, dims.right_batch);
  return DotResult(context, sizes);
}

}  // namespace

// Operands after the second say nothing. (They once told which elements a sparse operand has.)
Inferred InferDot(Context& context) {
  if (context.operands.size() < 2) return *ExpectCount(context, 2);
  return InferProduct(context);
}

// Left, right and the sizes of the groups into which one dimension of the left is cut. Where that dimension
// is free, the right has a matrix a group; where it is contracted, the result has.
Inferred InferRaggedDot(Context& context) {
  if (Check bad = ExpectCount(context, 3)) return *bad;
  if (Check bad = ExpectArrays(context)) return *bad;
  if (Check bad = ExpectType(context, 2, kIntegers)) return *bad;
  const DotDims dims = ReadDotDims(context);
  ShapeBook& shapes = context.shapes;
  const Sizes left = shapes.SizesOf(context.operand(0)), right = shapes.SizesOf(context.operand(1));
  const Sizes groups = shapes.SizesOf(context.operand(2));
  if (Check bad = ExpectDotDims(left, right, dims)) return *bad;
  const std::span<const int64_t> ragged = context.Ints(Key::kLhsRaggedDims);
  const std::span<const int64_t> group = context.Ints(Key::kRhsGroupDims);
  if (ragged.size() != 1 || !AllInRange(ragged, left.size())) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("lhs_ragged_dims=", List(ragged), " of ", context.Text(0)));
  }
  if (groups.empty()) return Wrong(Rule::kOperandShape, absl::StrCat("the groups are ", context.Text(2)));
  const bool contracted = Contains(dims.left_contracting, ragged[0]);
  const bool free = !contracted && !Contains(dims.left_batch, ragged[0]);
  if (group.size() != (free ? 1 : 0) || !AllInRange(group, right.size()) ||
      (free && (Contains(dims.right_contracting, group[0]) || Contains(dims.right_batch, group[0])))) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("rhs_group_dims=", List(group), " of ", context.Text(1)));
  }
  if (free && right[static_cast<size_t>(group[0])] != groups.back()) {
    return Wrong(Rule::kOperandShape,
                 absl::StrCat("the groups are ", context.Text(2), " for ", context.Text(1)));
  }
  Sizes sizes;
  if (contracted) sizes.push_back(groups.back());
  for (const int64_t dimension : dims.left_batch) sizes.push_back(left[static_cast<size_t>(dimension)]);
  AppendFree(sizes, left, dims.left_contracting, dims.left_batch);
  AppendFree(sizes, right, dims.right_contracting, dims.right_batch, group);
  return DotResult(context, sizes);
}

// Left, right, a scale of each that divides its sizes, and perhaps two scalars.
Inferred InferScaledDot(Context& context) {
  if (context.operands.size() != 6) {
    if (Check bad = ExpectCount(context, 4)) return *bad;
  }
  if (Check bad = ExpectArrays(context)) return *bad;
  ShapeBook& shapes = context.shapes;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const Sizes whole = shapes.SizesOf(context.operand(side)),
                scale = shapes.SizesOf(context.operand(side + 2));
    const auto is_one = [](int64_t size) { return size == 1; };
    if (shapes.TypeOf(context.operand(side)) == Type::kBf16 &&
        shapes.TypeOf(context.operand(side + 2)) == Type::kBf16 && std::ranges::all_of(scale, is_one) &&
        !std::ranges::all_of(whole, is_one)) {
      continue;  // stands for no scale
    }
    bool fits = whole.size() == scale.size();
    for (size_t i = 0; fits && i < whole.size(); ++i) fits = scale[i] > 0 && whole[i] % scale[i] == 0;
    if (!fits) {
      return Wrong(Rule::kOperandShape,
                   absl::StrCat("scales ", context.Text(side), " by ", context.Text(side + 2)));
    }
  }
  if (shapes.IsScalar(context.operand(2)) && shapes.IsScalar(context.operand(3))) {
    return Wrong(Rule::kOperandShape, "both scales are scalars");
  }
  for (size_t i = 4; i < context.operands.size(); ++i) {
    if (shapes.IsScalar(context.operand(i))) continue;
    return Wrong(Rule::kOperandShape,
                 absl::StrCat("operand ", i, " must be a scalar and is ", context.Text(i)));
  }
  return InferProduct(context);
}

Inferred InferFft(Context& context) {
  if (Check bad = ExpectArray(context, 0)) return *bad;
  ShapeBook& shapes = context.shapes;
  const std::string_view kind = context.Word(Key::kFftType);
  const std::span<const int64_t> length = context.Ints(Key::kFftLength);
  Sizes sizes = shapes.SizesOf(context.operand(0));
  const Type type = shapes.TypeOf(context.operand(0));
  const bool real = kind == "RFFT";
  if (!real && kind != "FFT" && kind != "IFFT" && kind != "IRFFT") {
    return Wrong(Rule::kAttributeValue, absl::StrCat("fft_type=", std::string(kind)));
  }
  if (real ? type != Type::kF32 && type != Type::kF64 : ClassOf(type) != kComplexes) {
    return Wrong(Rule::kOperandType, absl::StrCat(std::string(kind), " of ", context.Text(0)));
  }
  const auto wrong_length = [&] {
    return Wrong(Rule::kAttributeValue, absl::StrCat("fft_length=", List(length), " for ", std::string(kind),
                                                     " of ", context.Text(0)));
  };
  if (length.empty() || length.size() > 3 || length.size() > sizes.size()) return wrong_length();
  if (kind == "FFT" || kind == "IFFT") return context.operand(0);
  // The last dimension holds the half that is not its mirror image: n/2+1 complex numbers for n real ones.
  const size_t first = sizes.size() - length.size();
  const int64_t last = length.back(), half = last / 2 + 1;
  for (size_t i = 0; i + 1 < length.size(); ++i) {
    if (sizes[first + i] != length[i]) return wrong_length();
  }
  if (real) {
    if (sizes.back() != last) return wrong_length();
    if (last != 0) sizes.back() = half;
    return shapes.Array(type == Type::kF32 ? Type::kC64 : Type::kC128, sizes);
  }
  if ((sizes.back() != 0 || last != 0) && sizes.back() != half) return wrong_length();
  sizes.back() = last;
  return shapes.Array(ComponentOf(type), sizes);
}

Inferred InferCholesky(Context& context) {
  if (Check bad = ExpectType(context, 0, kFloats | kComplexes)) return *bad;
  const Sizes sizes = context.shapes.SizesOf(context.operand(0));
  if (sizes.size() < 2 || sizes[sizes.size() - 2] != sizes.back()) {
    return Wrong(Rule::kOperandShape, absl::StrCat("factors ", context.Text(0)));
  }
  return context.operand(0);
}

Inferred InferTriangularSolve(Context& context) {
  const Inferred left = InferCholesky(context);
  if (left.failure.has_value()) return left;
  ShapeBook& shapes = context.shapes;
  if (shapes.TypeOf(context.operand(0)) != shapes.TypeOf(context.operand(1))) {
    return Wrong(Rule::kOperandType, absl::StrCat("solves ", context.Text(0), " for ", context.Text(1)));
  }
  const Sizes a = shapes.SizesOf(context.operand(0)), b = shapes.SizesOf(context.operand(1));
  const size_t shared = context.Flag(Key::kLeftSide) ? 2 : 1;
  if (a.size() != b.size() || b[b.size() - shared] != a.back() ||
      !std::equal(a.begin(), a.end() - 2, b.begin(), b.end() - 2)) {
    return Wrong(Rule::kOperandShape, absl::StrCat("solves ", context.Text(0), " for ", context.Text(1)));
  }
  const std::string_view transpose = context.Word(Key::kTransposeA);
  if (transpose != "NO_TRANSPOSE" && transpose != "TRANSPOSE" && transpose != "ADJOINT") {
    return Wrong(Rule::kAttributeValue, absl::StrCat("transpose_a=", std::string(transpose)));
  }
  return context.operand(1);
}

namespace {

// Operands 1 to `vectors` have one number a feature.
Check ExpectFeatures(Context& context, size_t vectors) {
  if (Check bad = ExpectArrays(context)) return bad;
  if (Check bad = ExpectType(context, 0, kFloats)) return bad;
  ShapeBook& shapes = context.shapes;
  const int64_t index = context.Int(Key::kFeatureIndex, -1);
  if (!AllInRange({&index, 1}, shapes.Rank(context.operand(0)))) {
    return Wrong(Rule::kAttributeValue, absl::StrCat("feature_index=", index, " of ", context.Text(0)));
  }
  for (size_t i = 1; i < context.operands.size(); ++i) {
    if (!shapes.SameTypeAnyFloat(context.operand(0), context.operand(i))) {
      return Wrong(Rule::kOperandType, absl::StrCat("operand ", i, " is ", context.Text(i)));
    }
    const Sizes sizes = shapes.SizesOf(context.operand(i));
    if (i > vectors) {
      if (sizes == shapes.SizesOf(context.operand(0))) continue;
    } else if (sizes.size() == 1 && sizes[0] == shapes.Size(context.operand(0), static_cast<size_t>(index))) {
      continue;
    }
    return Wrong(Rule::kOperandShape, absl::StrCat("operand ", i, " is ", context.Text(i)));
  }
  return std::nullopt;
}

ShapeId WithFeatures(Context& context) {
  ShapeBook& shapes = context.shapes;
  const size_t index = static_cast<size_t>(context.Int(Key::kFeatureIndex, 0));
  const int64_t size = shapes.Size(context.operand(0), index);
  const ShapeId features = shapes.Array(shapes.TypeOf(context.operand(0)), {&size, 1});
  const ShapeId parts[] = {context.operand(0), features, features};
  return shapes.Tuple(parts);
}

}  // namespace

Inferred InferBatchNormTraining(Context& context) {
  if (Check bad = ExpectFeatures(context, 2)) return *bad;
  return WithFeatures(context);
}

Inferred InferBatchNormInference(Context& context) {
  if (Check bad = ExpectFeatures(context, 4)) return *bad;
  return context.operand(0);
}

Inferred InferBatchNormGrad(Context& context) {
  if (Check bad = ExpectFeatures(context, 3)) return *bad;
  return WithFeatures(context);
}

}  // namespace oomph::hlo
