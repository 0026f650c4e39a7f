// Nested computations: call, while, conditional, map, fusion; and tuples and custom calls. See
// generate_scope.h.
#include "models/hlo/generate_scope.h"

namespace oomph::hlo::generate {

// ---- computations ----

Generator::Inner Generator::Nested(std::string_view name, std::span<const ShapeId> parameters,
                                   std::optional<ShapeId> result, bool fused) {
  Scope scope;
  scope.depth = scope_->depth + 1;
  scope.fused = fused;
  Scope* const outer = std::exchange(scope_, &scope);
  build_.Begin(name);
  for (const ShapeId shape : parameters) {
    const uint32_t parameter = Emit(Opcode::kParameter, shape, {}, {}, scope.parameters++);
    const size_t elements = shapes_.Elements(shape).size();
    for (size_t i = 0; i < elements; ++i) {
      Emit(Opcode::kGetTupleElement, shapes_.Elements(shape)[i], {parameter},
           {build_.Numbers(Key::kIndex, {static_cast<int64_t>(i)})});
    }
  }
  const size_t left = limit_ - std::min(limit_, build_.total());
  Grow(build_.total() + std::min<size_t>(left, choices_.Below(fused ? 6 : 8)));
  EndPending();
  const uint32_t root = result.has_value() ? Produce(*result) : FreeRoot();
  const ShapeId shape = build_.ShapeOf(root);
  scope_ = outer;
  return {build_.End(root), shape};
}

// A value of exactly this shape: one that is there, a copy into its layout, or a constant.
uint32_t Generator::Produce(ShapeId id) {
  const hlo::Shape shape = shapes_[id];
  if (shape.type == Type::kTuple) {
    absl::InlinedVector<uint32_t, 4> elements;
    for (uint32_t i = 0; i < shape.count; ++i) elements.push_back(Produce(shapes_.Elements(id)[i]));
    return Emit(Opcode::kTuple, id, elements);
  }
  if (shape.type == Type::kToken) return Token();
  if (const Value* found = Find([&](const Value& value) { return value.shape == id; }); found != nullptr) {
    return found->index;
  }
  Array array = {shape.type, {}};
  for (const Dimension& dimension : shapes_.Dimensions(id)) array.dims.push(dimension.size);
  const Value* near = Find([&](const Value& value) { return value == array; });
  if (near != nullptr) return Emit(Opcode::kCopy, id, {near->index});
  return Broadcasted(array, id).index;
}

// A fusion has no dead code: what nobody uses is its result.
uint32_t Generator::FusedRoot() {
  absl::InlinedVector<uint32_t, 16> elements;
  absl::InlinedVector<ShapeId, 16> shapes;
  for (uint32_t i = 0; i < scope_->used.size(); ++i) {
    if (scope_->used[i] != 0) continue;
    elements.push_back(i);
    shapes.push_back(build_.ShapeOf(i));
  }
  if (elements.size() == 1) return elements[0];
  return Emit(Opcode::kTuple, shapes_.AddTuple(shapes), elements);
}

// The last value; or a tuple of it and what nobody uses.
uint32_t Generator::FreeRoot() {
  Scope& scope = *scope_;
  if (scope.arrays.empty()) Source({DrawType(), scope.depth == 0 ? DrawDims() : Dims()});
  if (scope.fused) return FusedRoot();
  if (!choices_.Chance(1, 2)) return Last().index;
  absl::InlinedVector<uint32_t, 8> elements;
  absl::InlinedVector<ShapeId, 8> shapes;
  for (size_t i = scope.arrays.size(); i-- > 0 && elements.size() < 8;) {
    const uint32_t index = scope.arrays[i].index;
    if (scope.used[index] != 0) continue;
    elements.push_back(index);
    shapes.push_back(scope.arrays[i].shape);
  }
  if (!scope.tokens.empty() && choices_.Chance(1, 2)) {
    elements.push_back(scope.tokens.back());
    shapes.push_back(build_.ShapeOf(scope.tokens.back()));
  }
  return Emit(Opcode::kTuple, shapes_.AddTuple(shapes), elements);
}

// Different arrays of this computation.
absl::InlinedVector<uint32_t, 4> Generator::Captures(size_t most) {
  absl::InlinedVector<uint32_t, 4> captured;
  for (uint64_t n = choices_.Below(most + 1); n > 0; --n) {
    const uint32_t index = Pick().index;
    if (std::find(captured.begin(), captured.end(), index) == captured.end()) captured.push_back(index);
  }
  return captured;
}

uint32_t Generator::Call() {
  const auto operands = Captures(3);
  absl::InlinedVector<ShapeId, 4> shapes;
  for (const uint32_t operand : operands) shapes.push_back(build_.ShapeOf(operand));
  const Inner inner = Nested("callee", shapes, std::nullopt, false);
  return Emit(Opcode::kCall, inner.result, operands,
              std::array{build_.Calls(Key::kToApply, inner.computation)});
}

// A counter runs up to a limit; what else is in the state is drawn. A state may also be one array.
uint32_t Generator::While() {
  auto state = Captures(3);
  ShapeId shape = 0;
  uint32_t init = 0;
  const bool single = choices_.Chance(1, 6) && !state.empty();
  if (single) {
    init = state[0];
    shape = build_.ShapeOf(init);
  } else {
    state.insert(state.begin(), Number(Type::kS32, 0));
    absl::InlinedVector<ShapeId, 4> shapes;
    for (const uint32_t value : state) shapes.push_back(build_.ShapeOf(value));
    shape = shapes_.AddTuple(shapes);
    init = Emit(Opcode::kTuple, shape, state);
  }

  build_.Begin("condition");
  const uint32_t parameter = build_.Add(Opcode::kParameter, shape, {});
  uint32_t root = 0;
  if (single) {
    root = build_.Constant(Scalar(Type::kPred), "false");
  } else {
    const ShapeId scalar = shapes_.Elements(shape)[0];
    const uint32_t counter =
        build_.Add(Opcode::kGetTupleElement, scalar, {parameter}, {build_.Numbers(Key::kIndex, {0})});
    static constexpr std::string_view kTrips[] = {"1", "0", "10", "127"};
    const uint32_t trips = build_.Constant(scalar, kTrips[choices_.Below(std::size(kTrips))]);
    root = build_.Add(Opcode::kCompare, Scalar(Type::kPred), {counter, trips},
                      {build_.Text(Key::kDirection, "LT")});
  }
  const uint32_t condition = build_.End(root);
  const Inner body = Nested("body", std::array{shape}, shape, false);
  const uint32_t loop =
      Emit(Opcode::kWhile, shape, {init},
           {build_.Calls(Key::kCondition, condition), build_.Calls(Key::kBody, body.computation)});
  if (single) return loop;
  const size_t elements = shapes_.Elements(shape).size();
  const size_t which = elements - 1 - choices_.Below(elements);
  return Emit(Opcode::kGetTupleElement, shapes_.Elements(shape)[which], {loop},
              {build_.Numbers(Key::kIndex, {static_cast<int64_t>(which)})});
}

// By a pred with two branches, or by an s32 with one to three.
uint32_t Generator::Conditional() {
  const bool indexed = choices_.Chance(1, 2);
  const Value which = Need({indexed ? Type::kS32 : Type::kPred, {}});
  const size_t branches = indexed ? 1 + choices_.Below(3) : 2;
  absl::InlinedVector<uint32_t, 4> operands = {which.index};
  absl::InlinedVector<uint32_t, 3> computations;
  std::optional<ShapeId> result;
  for (size_t i = 0; i < branches; ++i) {
    const uint32_t operand = scope_->tuples.empty() || !choices_.Chance(1, 3)
                                 ? Pick().index
                                 : scope_->tuples[choices_.Below(scope_->tuples.size())];
    const ShapeId shape = build_.ShapeOf(operand);
    operands.push_back(operand);
    const Inner inner = Nested("branch", std::array{shape}, result, false);
    result = inner.result;
    computations.push_back(inner.computation);
  }
  if (indexed) {
    return Emit(Opcode::kConditional, *result, operands,
                std::array{build_.Calls(Key::kBranchComputations, computations)});
  }
  return Emit(Opcode::kConditional, *result, operands,
              std::array{build_.Calls(Key::kTrueComputation, computations[0]),
                         build_.Calls(Key::kFalseComputation, computations[1])});
}

uint32_t Generator::Map() {
  const Value a = Pick(1);
  const Value b = Need(a);
  absl::InlinedVector<int64_t, kMaxRank> dimensions;
  for (int64_t i = 0; i < a.dims.rank; ++i) dimensions.push_back(i);
  const Type types[] = {a.type};
  return Emit(
      Opcode::kMap, a.shape, std::array{a.index, b.index},
      std::array{build_.Numbers(Key::kDimensions, dimensions), build_.Calls(Key::kToApply, Combiner(types))});
}

uint32_t Generator::Fusion() {
  static constexpr std::string_view kKinds[] = {"kLoop", "kInput", "kOutput", "kCustom"};
  const auto operands = Captures(4);
  absl::InlinedVector<ShapeId, 4> shapes;
  for (const uint32_t operand : operands) shapes.push_back(build_.ShapeOf(operand));
  const Inner inner = Nested("fused_computation", shapes, std::nullopt, true);
  return Emit(Opcode::kFusion, inner.result, operands,
              std::array{build_.Text(Key::kKind, kKinds[choices_.Below(std::size(kKinds))]),
                         build_.Calls(Key::kCalls, inner.computation)});
}

// ---- tuples ----

uint32_t Generator::Tuple() {
  absl::InlinedVector<uint32_t, 4> elements;
  absl::InlinedVector<ShapeId, 4> shapes;
  for (uint64_t n = choices_.Below(5); n > 0; --n) {
    const bool nested = !scope_->fused && !scope_->tuples.empty() && choices_.Chance(1, 6);
    elements.push_back(nested ? scope_->tuples[choices_.Below(scope_->tuples.size())] : Pick().index);
    shapes.push_back(build_.ShapeOf(elements.back()));
  }
  return Emit(Opcode::kTuple, shapes_.AddTuple(shapes), elements);
}

uint32_t Generator::Element() {
  if (scope_->tuples.empty()) return Tuple();
  const uint32_t tuple = scope_->tuples[scope_->tuples.size() - 1 - choices_.Below(scope_->tuples.size())];
  const std::span<const ShapeId> elements = shapes_.Elements(build_.ShapeOf(tuple));
  if (elements.empty()) return kNothing;
  const size_t which = choices_.Below(elements.size());
  return Emit(Opcode::kGetTupleElement, elements[which], {tuple},
              {build_.Numbers(Key::kIndex, {static_cast<int64_t>(which)})});
}

uint32_t Generator::Barrier() {
  const uint32_t value =
      scope_->tuples.empty() ? Pick().index : scope_->tuples[choices_.Below(scope_->tuples.size())];
  return Emit(Opcode::kOptBarrier, build_.ShapeOf(value), {value});
}

// ---- custom calls ----

uint32_t Generator::CustomCall() {
  static constexpr std::string_view kTargets[] = {"custom", "tpu_custom_call", "Sharding",
                                                  "SPMDFullToShardShape"};
  const auto operands = Captures(3);
  // The last two are known to change nothing, and take one operand.
  const size_t target = operands.size() == 1 ? choices_.Below(std::size(kTargets)) : choices_.Below(2);
  absl::InlinedVector<ShapeId, 3> results;
  if (target >= 2) {
    results.push_back(build_.ShapeOf(operands[0]));
  } else {
    for (uint64_t n = 1 + choices_.Below(3); n > 0; --n) results.push_back(Result({DrawType(), DrawDims()}));
  }
  const bool one = results.size() == 1;
  absl::InlinedVector<AttributeId, 4> attributes = {build_.Text(Key::kCustomCallTarget, kTargets[target])};
  if (layout_mode_ != LayoutMode::kNone && choices_.Chance(1, 3)) {
    absl::InlinedVector<ShapeId, 4> constraints;
    for (const uint32_t operand : operands) constraints.push_back(build_.ShapeOf(operand));
    attributes.push_back(build_.Shapes(Key::kOperandLayoutConstraints, constraints));
  }
  if (choices_.Chance(1, 4)) attributes.push_back(build_.Numbers(Key::kCustomCallHasSideEffect, {1}));
  // In place: the result is where the first operand was.
  if (one && !operands.empty() && results[0] == build_.ShapeOf(operands[0]) && choices_.Chance(1, 2)) {
    const Alias alias = {.output = {}, .parameter = 0, .index = {}, .kind = kPlainAlias};
    attributes.push_back(build_.Numbers(Key::kOutputToOperandAliasing, NumbersOf(std::span(&alias, 1))));
  }
  return Emit(Opcode::kCustomCall, one ? results[0] : shapes_.AddTuple(results), operands, attributes);
}

}  // namespace oomph::hlo::generate
