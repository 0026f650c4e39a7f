// The forms of linear algebra and of random numbers: dot, convolution, factorizations, batch normalization.
// See generate_scope.h.
#include "models/hlo/generate_scope.h"

namespace oomph::hlo::generate {

// The last dimension of the left side is contracted; leading ones may be of the batch.
uint32_t Generator::Dot() {
  const Value a = PickType(IsArithmetic, Type::kF32, 1);
  const size_t batches = a.dims.rank > 1 ? choices_.Below(a.dims.rank) : 0;
  const size_t contracted = a.dims.rank - 1u;
  Array rhs = {a.type, {}}, result = {a.type, {}};
  absl::InlinedVector<int64_t, kMaxRank> batch_dims;
  for (size_t i = 0; i < batches; ++i) {
    batch_dims.push_back(static_cast<int64_t>(i));
    rhs.dims.push(a.dims[i]);
    result.dims.push(a.dims[i]);
  }
  for (size_t i = batches; i < contracted; ++i) result.dims.push(a.dims[i]);
  // Its own dimension before or after the contracted one, or none.
  const uint64_t shape = choices_.Below(3);
  const bool own = shape < 2 && result.dims.rank < kMaxRank && rhs.dims.rank + 2u <= kMaxRank;
  const int64_t columns = own ? DrawSize() : 1;
  if (own && shape == 1) rhs.dims.push(columns);
  const int64_t rhs_contracted = rhs.dims.rank;
  rhs.dims.push(a.dims[contracted]);
  if (own && shape == 0) rhs.dims.push(columns);
  if (own) result.dims.push(columns);
  if (result.dims.Elements() > most_elements_ || rhs.dims.Elements() > most_elements_) return kNothing;
  const Value b = Need(rhs);
  if (choices_.Chance(1, 4) && RowOf(a.type).bits <= 16 && IsFloat(a.type)) result.type = Type::kF32;
  absl::InlinedVector<AttributeId, 4> attributes;
  if (batches > 0) attributes.push_back(build_.Numbers(Key::kLhsBatchDims, batch_dims));
  attributes.push_back(build_.Numbers(Key::kLhsContractingDims, {static_cast<int64_t>(contracted)}));
  if (batches > 0) attributes.push_back(build_.Numbers(Key::kRhsBatchDims, batch_dims));
  attributes.push_back(build_.Numbers(Key::kRhsContractingDims, {rhs_contracted}));
  return Emit(Opcode::kDot, Result(result), std::array{a.index, b.index}, attributes);
}

// One or two spatial dimensions; plain, grouped by feature (one input feature a group), or grouped by batch.
uint32_t Generator::Convolution() {
  static constexpr std::string_view kLabels[] = {"b0f_0io->b0f", "b01f_01io->b01f"};
  const Value* found = Find([](const Value& value) {
    return (value.dims.rank == 3 || value.dims.rank == 4) && IsArithmetic(value.type) &&
           value.dims.Elements() > 0;
  });
  const Value a = found != nullptr ? *found : Source({Type::kF32, {DrawSize() + 1, 8, 8, 4}});
  if (a.dims.Elements() == 0) return kNothing;
  const size_t spatial = a.dims.rank - 2u;
  Array middle = {a.type, {}};
  for (size_t i = 0; i < spatial; ++i) middle.dims.push(a.dims[i + 1]);
  Window window;
  Dims left;
  if (!WindowFits(middle, window, left)) return kNothing;
  const int64_t features = a.dims[a.dims.rank - 1u], batch = a.dims[0];
  const bool by_feature = choices_.Chance(1, 5),
             by_batch = !by_feature && batch % 2 == 0 && choices_.Chance(1, 6);
  const int64_t outputs = by_feature ? features : by_batch ? 2 : 1 + DrawSize();
  Array kernel = {a.type, {}}, result = {a.type, {by_batch ? batch / 2 : batch}};
  for (size_t i = 0; i < spatial; ++i) {
    kernel.dims.push(window.size[i]);
    result.dims.push(left[i]);
  }
  kernel.dims.push(by_feature ? 1 : features);
  kernel.dims.push(outputs);
  result.dims.push(outputs);
  if (result.dims.Elements() > most_elements_ || kernel.dims.Elements() > most_elements_) return kNothing;
  const Value b = Need(kernel);
  absl::InlinedVector<AttributeId, 4> attributes = {build_.WindowOf(window),
                                                    build_.Text(Key::kDimLabels, kLabels[spatial - 1])};
  if (by_feature) attributes.push_back(build_.Numbers(Key::kFeatureGroupCount, {features}));
  if (by_batch) attributes.push_back(build_.Numbers(Key::kBatchGroupCount, {2}));
  return Emit(Opcode::kConvolution, Result(result), std::array{a.index, b.index}, attributes);
}

uint32_t Generator::Cholesky() {
  const Value* found = Find([](const Value& value) {
    return value.dims.rank >= 2 && IsLarge(value.type) &&
           value.dims[value.dims.rank - 1u] == value.dims[value.dims.rank - 2u];
  });
  const int64_t n = DrawSize();
  const Value a = found != nullptr ? *found : Source({Type::kF32, {n, n}});
  return Emit(Opcode::kCholesky, a.shape, {a.index},
              {build_.Numbers(Key::kLower, {choices_.Chance(1, 2) ? 1 : 0})});
}

uint32_t Generator::TriangularSolve() {
  static constexpr std::string_view kTransposes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  const Value b = PickType(IsLarge, Type::kF32, 2);
  const bool left = !choices_.Chance(1, 2);
  Array triangle = b;
  int64_t& rows = triangle.dims[triangle.dims.rank - 2u];
  int64_t& columns = triangle.dims[triangle.dims.rank - 1u];
  (left ? columns : rows) = left ? rows : columns;
  if (triangle.dims.Elements() > most_elements_) return kNothing;
  const Value a = Need(triangle);
  return Emit(Opcode::kTriangularSolve, b.shape, {a.index, b.index},
              {build_.Numbers(Key::kLeftSide, {left ? 1 : 0}),
               build_.Numbers(Key::kLower, {choices_.Chance(1, 2) ? 1 : 0}),
               build_.Numbers(Key::kUnitDiagonal, {choices_.Chance(1, 2) ? 1 : 0}),
               build_.Text(Key::kTransposeA, kTransposes[choices_.Below(3)])});
}

uint32_t Generator::Fft() {
  if (!Can(feature::kWideTypes)) return kNothing;
  const bool real = choices_.Chance(1, 3);
  const Value a = real ? PickType(IsLarge, Type::kF32, 1) : PickType(IsComplex, Type::kC64, 1);
  const int64_t length = a.dims[a.dims.rank - 1u];
  if (length == 0) return kNothing;
  Array result = a;
  if (real) {
    result.type = a.type == Type::kF32 ? Type::kC64 : Type::kC128;
    result.dims[result.dims.rank - 1u] = length / 2 + 1;
  }
  const std::string_view kind = real ? "RFFT" : choices_.Chance(1, 2) ? "IFFT" : "FFT";
  return Emit(Opcode::kFft, real ? Result(result) : a.shape, {a.index},
              {build_.Text(Key::kFftType, kind), build_.Numbers(Key::kFftLength, {length})});
}

// ---- batch normalization: the statistics have the size of the feature dimension ----

uint32_t Generator::BatchNormTraining() {
  const Value a = PickType(IsFloat, Type::kF32, 1);
  const size_t feature = choices_.Below(a.dims.rank);
  const Array statistic = {a.type, {a.dims[feature]}};
  const Value scale = Need(statistic), offset = Need(statistic);
  const ShapeId of_statistic = Result(statistic);
  return Emit(Opcode::kBatchNormTraining, TupleOf({a.shape, of_statistic, of_statistic}),
              {a.index, scale.index, offset.index},
              {build_.Text(Key::kEpsilon, "0.001"),
               build_.Numbers(Key::kFeatureIndex, {static_cast<int64_t>(feature)})});
}

uint32_t Generator::BatchNormInference() {
  const Value a = PickType(IsFloat, Type::kF32, 1);
  const size_t feature = choices_.Below(a.dims.rank);
  const Array statistic = {a.type, {a.dims[feature]}};
  const Value scale = Need(statistic), offset = Need(statistic), mean = Need(statistic),
              variance = Need(statistic);
  return Emit(Opcode::kBatchNormInference, a.shape,
              {a.index, scale.index, offset.index, mean.index, variance.index},
              {build_.Text(Key::kEpsilon, "0.001"),
               build_.Numbers(Key::kFeatureIndex, {static_cast<int64_t>(feature)})});
}

uint32_t Generator::BatchNormGrad() {
  const Value a = PickType(IsFloat, Type::kF32, 1);
  const size_t feature = choices_.Below(a.dims.rank);
  const Array statistic = {a.type, {a.dims[feature]}};
  const Value scale = Need(statistic), mean = Need(statistic), variance = Need(statistic), gradient = Need(a);
  const ShapeId of_statistic = Result(statistic);
  return Emit(Opcode::kBatchNormGrad, TupleOf({a.shape, of_statistic, of_statistic}),
              {a.index, scale.index, mean.index, variance.index, gradient.index},
              {build_.Text(Key::kEpsilon, "0.001"),
               build_.Numbers(Key::kFeatureIndex, {static_cast<int64_t>(feature)})});
}

// ---- random numbers ----

uint32_t Generator::Rng() {
  const Type type = choices_.Chance(1, 3) ? Type::kS32 : Type::kF32;
  const Value low = Need({type, {}}), high = Need({type, {}});
  const bool normal = type == Type::kF32 && choices_.Chance(1, 2);
  return Emit(Opcode::kRng, Result({type, DrawDims()}), {low.index, high.index},
              {build_.Text(Key::kDistribution, normal ? "rng_normal" : "rng_uniform")});
}

uint32_t Generator::RngBitGenerator() {
  if (!Can(feature::kWideTypes)) return kNothing;
  static constexpr Type kOutputs[] = {Type::kU32, Type::kU64, Type::kU16, Type::kS32, Type::kU8};
  const bool philox = choices_.Chance(1, 3);
  const Value state = Need({Type::kU64, {philox ? 3 : 2}});
  const size_t outputs = std::size(kOutputs) - (Can(feature::kNarrowTypes) ? 0 : 1);
  const Type output = kOutputs[choices_.Below(outputs)];
  return Emit(Opcode::kRngBitGenerator, TupleOf({state.shape, Result({output, DrawDims()})}), {state.index},
              {build_.Text(Key::kAlgorithm, philox ? "rng_philox" : "rng_three_fry")});
}

uint32_t Generator::RngState() {
  if (!Can(feature::kWideTypes)) return kNothing;
  return Emit(Opcode::kRngGetAndUpdateState, Result({Type::kU64, {2}}), {},
              {build_.Numbers(Key::kDelta, {1 + static_cast<int64_t>(choices_.Below(64))})});
}

}  // namespace oomph::hlo::generate
