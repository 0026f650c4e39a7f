// What runs beside the others or between replicas: asynchronous pairs, collectives, transfers. See
// generate_scope.h.
#include "models/hlo/generate_scope.h"

namespace oomph::hlo::generate {

// ---- pairs ----
//
// A start has one user, its end, which comes later: what is drawn between runs beside it.

uint32_t Generator::Pending(uint32_t index) {
  // It is no value for others.
  if (!scope_->tuples.empty() && scope_->tuples.back() == index) scope_->tuples.pop_back();
  scope_->pending.push_back(index);
  return index;
}

// To the other memory where layouts tell of memories; the layout stays.
uint32_t Generator::CopyStart() {
  const Value a = Pick();
  ShapeId to = a.shape;
  if (const Layout* layout = shapes_.LayoutOf(a.shape);
      layout != nullptr && layout_mode_ == LayoutMode::kTiled) {
    const std::vector<int64_t> order = layout->minor_to_major;
    to = Shape(a, order, layout->memory_space == 0);
  }
  return Pending(Emit(Opcode::kCopyStart, TupleOf({to, a.shape, Scalar(Type::kU32)}), {a.index}));
}

// With a computation of its own.
uint32_t Generator::AsyncStart() {
  if (scope_->depth >= 2 || !Can(feature::kCustomCalls)) return kNothing;
  const auto operands = Captures(3);
  absl::InlinedVector<ShapeId, 4> shapes;
  for (const uint32_t operand : operands) shapes.push_back(build_.ShapeOf(operand));
  build_.Begin("async_computation");
  absl::InlinedVector<uint32_t, 4> parameters;
  for (const ShapeId shape : shapes) {
    const uint32_t number = static_cast<uint32_t>(parameters.size());
    parameters.push_back(build_.Add(Opcode::kParameter, shape, {}, {}, number));
  }
  const ShapeId result = Result({DrawType(), DrawDims()});
  const AttributeId target = build_.Text(Key::kCustomCallTarget, "custom");
  const uint32_t computation =
      build_.End(build_.Add(Opcode::kCustomCall, result, parameters, std::array{target}));
  const ShapeId start = TupleOf({shapes_.AddTuple(shapes), result, Scalar(Type::kU32)});
  return Pending(
      Emit(Opcode::kAsyncStart, start, operands, std::array{build_.Calls(Key::kCalls, computation)}));
}

// One operation, written short.
uint32_t Generator::AsyncShort() {
  static constexpr Opcode kWrapped[] = {Opcode::kNegate, Opcode::kSlice, Opcode::kReverse};
  const Value a = PickType(IsArithmetic, Type::kF32, 1);
  const Opcode wrapped = kWrapped[choices_.Below(std::size(kWrapped))];
  Array result = a;
  absl::InlinedVector<AttributeId, 1> attributes;
  if (wrapped == Opcode::kSlice) {
    absl::InlinedVector<int64_t, 3 * kMaxRank> slices;
    for (int64_t& size : result.dims.size) {
      if (slices.size() == 3u * a.dims.rank) break;
      if (size > 1) size = 1 + static_cast<int64_t>(choices_.Below(static_cast<uint64_t>(size)));
      slices.insert(slices.end(), {0, size, 1});
    }
    attributes.push_back(build_.Numbers(Key::kSlice, slices));
  }
  if (wrapped == Opcode::kReverse) attributes.push_back(build_.Numbers(Key::kDimensions, {0}));
  const ShapeId shape = wrapped == Opcode::kSlice ? Result(result) : a.shape;
  const ShapeId start = TupleOf({TupleOf({a.shape}), shape, Scalar(Type::kU32)});
  const uint32_t index = Emit(Opcode::kAsyncStart, start, std::array{a.index}, attributes);
  build_.instruction(index).wrapped = wrapped;
  return Pending(index);
}

uint32_t Generator::AllReduceStart() {
  if (!collectives_) return kNothing;
  const Value a = PickType(IsArithmetic, Type::kF32);
  const Type types[] = {a.type};
  const uint32_t start = build_.Add(Opcode::kAllReduceStart, a.shape, {a.index},
                                    {Channel(), Groups(), build_.Calls(Key::kToApply, Combiner(types))});
  scope_->used.resize(start + 1);
  scope_->used[a.index] = 1;
  return Pending(start);
}

uint32_t Generator::AllGatherStart() {
  if (!collectives_) return kNothing;
  const Value a = Pick(1);
  const size_t dimension = choices_.Below(a.dims.rank);
  Array result = a;
  if (result.dims[dimension] == 0)
    return kNothing;  // XLA's verifier (2.21 of the wheel) divides by it and dies
  result.dims[dimension] *= 2;
  if (result.dims.Elements() > most_elements_) return kNothing;
  return Pending(
      Emit(Opcode::kAllGatherStart, TupleOf({a.shape, Result(result)}), {a.index},
           {Channel(), Groups(), build_.Numbers(Key::kDimensions, {static_cast<int64_t>(dimension)})}));
}

uint32_t Generator::CollectivePermuteStart() {
  if (!collectives_) return kNothing;
  const Value a = Pick();
  return Pending(Emit(Opcode::kCollectivePermuteStart, TupleOf({a.shape, a.shape}), {a.index},
                      {Channel(), build_.Numbers(Key::kSourceTargetPairs, {2, 0, 1, 2, 1, 0})}));
}

namespace {

Opcode EndOf(Opcode start) {
  switch (start) {
    case Opcode::kCopyStart: return Opcode::kCopyDone;
    case Opcode::kAsyncStart: return Opcode::kAsyncDone;
    case Opcode::kAllReduceStart: return Opcode::kAllReduceDone;
    case Opcode::kAllGatherStart: return Opcode::kAllGatherDone;
    default: return Opcode::kCollectivePermuteDone;
  }
}

}  // namespace

uint32_t Generator::AsyncEnd() {
  if (scope_->pending.empty()) return CopyStart();
  uint32_t& place = scope_->pending[choices_.Below(scope_->pending.size())];
  uint32_t start = place;
  place = scope_->pending.back();
  scope_->pending.pop_back();
  const Opcode opcode = build_.instruction(start).opcode, wrapped = build_.instruction(start).wrapped;
  const ShapeId shape = build_.ShapeOf(start);
  if (opcode == Opcode::kAsyncStart && choices_.Chance(1, 4)) {
    start = Pending(Emit(Opcode::kAsyncUpdate, shape, {start}));
    build_.instruction(start).wrapped = opcode == wrapped ? Opcode::kAsyncUpdate : wrapped;
    scope_->pending.pop_back();
  }
  ShapeId result = shape;  // all-reduce-start
  if (opcode == Opcode::kCopyStart) {
    result = shapes_.Elements(shape)[0];
  } else if (opcode != Opcode::kAllReduceStart) {
    result = shapes_.Elements(shape)[1];
  }
  const uint32_t end = Emit(EndOf(opcode), result, {start});
  if (opcode == Opcode::kAsyncStart && wrapped != opcode) build_.instruction(end).wrapped = wrapped;
  return end;
}

void Generator::EndPending() {
  while (!scope_->pending.empty()) AsyncEnd();
}

// ---- collectives: two replicas ----

uint32_t Generator::AllReduce() {
  if (!collectives_) return kNothing;
  const Value a = Pick();
  const Type types[] = {a.type};
  return Emit(Opcode::kAllReduce, a.shape, {a.index},
              {Channel(), Groups(), build_.Calls(Key::kToApply, Combiner(types))});
}

uint32_t Generator::AllGather() {
  if (!collectives_) return kNothing;
  const Value a = Pick(1);
  const size_t dimension = choices_.Below(a.dims.rank);
  Array result = a;
  if (result.dims[dimension] == 0)
    return kNothing;  // XLA's verifier (2.21 of the wheel) divides by it and dies
  result.dims[dimension] *= 2;
  if (result.dims.Elements() > most_elements_) return kNothing;
  return Emit(Opcode::kAllGather, Result(result), {a.index},
              {Channel(), Groups(), build_.Numbers(Key::kDimensions, {static_cast<int64_t>(dimension)})});
}

uint32_t Generator::AllToAll() {
  if (!collectives_) return kNothing;
  const Value a = Pick(1);
  const size_t dimension = choices_.Below(a.dims.rank);
  if (a.dims[dimension] % 2 != 0) return kNothing;
  return Emit(Opcode::kAllToAll, a.shape, {a.index},
              {Channel(), Groups(), build_.Numbers(Key::kDimensions, {static_cast<int64_t>(dimension)})});
}

uint32_t Generator::ReduceScatter() {
  if (!collectives_) return kNothing;
  const Value a = Pick(1);
  const size_t dimension = choices_.Below(a.dims.rank);
  Array result = a;
  if (result.dims[dimension] % 2 != 0 || result.dims[dimension] == 0) return kNothing;  // as in AllGather
  result.dims[dimension] /= 2;
  const Type types[] = {a.type};
  return Emit(Opcode::kReduceScatter, Result(result), {a.index},
              {Channel(), Groups(), build_.Numbers(Key::kDimensions, {static_cast<int64_t>(dimension)}),
               build_.Calls(Key::kToApply, Combiner(types))});
}

uint32_t Generator::CollectivePermute() {
  if (!collectives_) return kNothing;
  const Value a = Pick();
  return Emit(Opcode::kCollectivePermute, a.shape, {a.index},
              {Channel(), build_.Numbers(Key::kSourceTargetPairs, {2, 0, 1, 2, 1, 0})});
}

uint32_t Generator::CollectiveBroadcast() {
  if (!collectives_) return kNothing;
  const Value a = Pick();
  return Emit(Opcode::kCollectiveBroadcast, a.shape, {a.index}, {Channel(), Groups()});
}

uint32_t Generator::Id() {
  return Emit(choices_.Chance(1, 2) ? Opcode::kReplicaId : Opcode::kPartitionId, Scalar(Type::kU32), {});
}

uint32_t Generator::Domain() {
  if (!collectives_) return kNothing;
  const Value a = Pick();
  return Emit(
      Opcode::kDomain, a.shape, {a.index},
      {build_.Text(Key::kDomain, "{kind=\"sharding\", entry={maximal device=0}, exit={maximal device=1}}")});
}

// ---- transfers ----

uint32_t Generator::Token() {
  if (!scope_->tokens.empty()) return scope_->tokens.back();
  return AfterAll();
}

uint32_t Generator::AfterAll() {
  absl::InlinedVector<uint32_t, 4> tokens;
  for (const uint32_t token : scope_->tokens) {
    if (tokens.size() < 4 && choices_.Chance(1, 2)) tokens.push_back(token);
  }
  return Emit(Opcode::kAfterAll, shapes_.AddArray(Type::kToken, std::span<const Dimension>()), tokens);
}

uint32_t Generator::AddDependency() {
  const Value a = Pick();
  const uint32_t token = Token();
  return Emit(Opcode::kAddDependency, a.shape, {a.index, token});
}

// send and send-done with nothing between them; host transfers half of the time.
uint32_t Generator::Send() {
  const Value a = Pick();
  const uint32_t token = Token();
  const ShapeId of_token = build_.ShapeOf(token);
  const bool host = choices_.Chance(1, 2);
  absl::InlinedVector<AttributeId, 2> attributes = {Channel()};
  if (host) attributes.push_back(build_.Numbers(Key::kIsHostTransfer, {1}));
  const uint32_t send = Pending(Emit(Opcode::kSend, TupleOf({a.shape, Scalar(Type::kU32), of_token}),
                                     std::array{a.index, token}, attributes));
  scope_->pending.pop_back();
  return Emit(Opcode::kSendDone, of_token, std::array{send}, attributes);
}

uint32_t Generator::Receive() {
  const uint32_t token = Token();
  const ShapeId of_token = build_.ShapeOf(token);
  const ShapeId what = Result({DrawType(), DrawDims()});
  const bool host = choices_.Chance(1, 2);
  absl::InlinedVector<AttributeId, 2> attributes = {Channel()};
  if (host) attributes.push_back(build_.Numbers(Key::kIsHostTransfer, {1}));
  const uint32_t receive = Pending(Emit(Opcode::kRecv, TupleOf({what, Scalar(Type::kU32), of_token}),
                                        std::array{token}, attributes));
  scope_->pending.pop_back();
  return Emit(Opcode::kRecvDone, TupleOf({what, of_token}), std::array{receive}, attributes);
}

uint32_t Generator::Infeed() {
  const uint32_t token = Token();
  const ShapeId of_token = build_.ShapeOf(token);
  absl::InlinedVector<ShapeId, 2> elements;
  for (uint64_t n = 1 + choices_.Below(2); n > 0; --n) elements.push_back(Result({DrawType(), DrawDims()}));
  return Emit(Opcode::kInfeed, TupleOf({shapes_.AddTuple(elements), of_token}), {token});
}

uint32_t Generator::Outfeed() {
  const Value a = Pick();
  const uint32_t token = Token();
  return Emit(Opcode::kOutfeed, build_.ShapeOf(token), {a.index, token},
              {build_.Shapes(Key::kOutfeedShape, std::array{a.shape})});
}

}  // namespace oomph::hlo::generate
