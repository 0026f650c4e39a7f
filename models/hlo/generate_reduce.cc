// The forms that combine elements, and those with indices: reduce, windows, sort, gather, scatter.
// See generate_scope.h.
#include "models/hlo/generate_scope.h"

namespace oomph::hlo::generate {

// ---- the computations that they apply ----

uint32_t Generator::Combiner(std::span<const Type> types) {
  const Opcode opcode = DrawCombination(types[0]);
  const uint64_t key = static_cast<uint64_t>(opcode) << 8 | static_cast<uint64_t>(types[0]);
  if (types.size() == 1) {
    for (const Known& known : combiners_) {
      if (known.key == key) return known.id;
    }
  }
  build_.Begin("combine");
  absl::InlinedVector<uint32_t, 4> parameters, results;
  absl::InlinedVector<ShapeId, 4> shapes;
  const size_t n = types.size();
  for (size_t i = 0; i < 2 * n; ++i) {
    parameters.push_back(
        build_.Add(Opcode::kParameter, Scalar(types[i % n]), {}, {}, static_cast<uint32_t>(i)));
  }
  for (size_t i = 0; i < n; ++i) {
    const ShapeId shape = Scalar(types[i]);
    const Opcode combination = i == 0 ? opcode : DrawCombination(types[i]);
    results.push_back(build_.Add(combination, shape, {parameters[i], parameters[i + n]}));
    shapes.push_back(shape);
  }
  uint32_t root = results[0];
  if (n > 1) root = build_.Add(Opcode::kTuple, shapes_.AddTuple(shapes), results);
  const uint32_t computation = build_.End(root);
  if (n == 1) combiners_.push_back({key, computation});
  return computation;
}

// (a0, b0, a1, b1, ...) -> a0 ? b0, for sort.
uint32_t Generator::Comparator(std::span<const Type> types) {
  build_.Begin("compare");
  for (size_t i = 0; i < 2 * types.size(); ++i) {
    build_.Add(Opcode::kParameter, Scalar(types[i / 2]), {}, {}, static_cast<uint32_t>(i));
  }
  const std::string_view direction = IsComplex(types[0]) ? "NE" : choices_.Chance(1, 2) ? "GT" : "LT";
  return build_.End(
      build_.Add(Opcode::kCompare, Scalar(Type::kPred), {0, 1}, {build_.Text(Key::kDirection, direction)}));
}

// ---- reductions ----

uint32_t Generator::Reduce() {
  const Value a = Pick(1);
  absl::InlinedVector<int64_t, kMaxRank> dimensions;
  Array result = {a.type, {}};
  const uint64_t which = 1 + choices_.Below((uint64_t{1} << a.dims.rank) - 1);
  for (size_t i = 0; i < a.dims.rank; ++i) {
    if ((which >> i & 1) != 0) {
      dimensions.push_back(static_cast<int64_t>(i));
    } else {
      result.dims.push(a.dims[i]);
    }
  }
  absl::InlinedVector<uint32_t, 4> operands = {a.index};
  absl::InlinedVector<Type, 2> types = {a.type};
  if (choices_.Chance(1, 6)) {
    const Value* other = Find([&](const Value& value) { return value.dims == a.dims; });
    operands.push_back(other->index);
    types.push_back(other->type);
  }
  absl::InlinedVector<ShapeId, 2> shapes;
  for (const Type type : types) {
    operands.push_back(Need({type, {}}).index);
    shapes.push_back(Result({type, result.dims}));
  }
  const ShapeId shape = types.size() == 1 ? shapes[0] : shapes_.AddTuple(shapes);
  return Emit(
      Opcode::kReduce, shape, operands,
      std::array{build_.Numbers(Key::kDimensions, dimensions), build_.Calls(Key::kToApply, Combiner(types))});
}

// Draws a window over `array`, and what it leaves. False where it does not fit.
bool Generator::WindowFits(const Array& array, Window& window, Dims& result) {
  const bool strided = choices_.Chance(1, 2), padded = choices_.Chance(1, 2), dilated = choices_.Chance(1, 8);
  for (const int64_t size : array.dims) {
    const int64_t at_most = std::clamp<int64_t>(size, 1, 5);
    const int64_t extent = 1 + static_cast<int64_t>(choices_.Below(static_cast<uint64_t>(at_most)));
    const int64_t stride = strided ? 1 + static_cast<int64_t>(choices_.Below(3)) : 1;
    const int64_t low = padded ? static_cast<int64_t>(choices_.Below(static_cast<uint64_t>(extent))) : 0;
    const int64_t high = padded ? static_cast<int64_t>(choices_.Below(static_cast<uint64_t>(extent))) : 0;
    const int64_t dilate = dilated ? 1 + static_cast<int64_t>(choices_.Below(2)) : 1;
    window.size.push_back(extent);
    if (strided) window.stride.push_back(stride);
    if (padded) window.pad_low.push_back(low);
    if (padded) window.pad_high.push_back(high);
    if (dilated) window.rhs_dilate.push_back(dilate);
    const int64_t covered = (extent - 1) * dilate + 1, room = size + low + high;
    const int64_t count = room < covered ? 0 : (room - covered) / stride + 1;
    if (count == 0 && (size != 0 && !Can(feature::kZeroSized))) return false;
    result.push(count);
  }
  return true;
}

uint32_t Generator::ReduceWindow() {
  const Value a = Pick(1);
  Window window;
  Array result = {a.type, {}};
  if (!WindowFits(a, window, result.dims)) return kNothing;
  const Value init = Need({a.type, {}});
  const Type types[] = {a.type};
  return Emit(Opcode::kReduceWindow, Result(result), {a.index, init.index},
              {build_.WindowOf(window), build_.Calls(Key::kToApply, Combiner(types))});
}

uint32_t Generator::SelectAndScatter() {
  const Value a = PickType([](Type t) { return IsFloat(t) || IsInteger(t); }, Type::kF32, 1);
  Window window;
  Array source = {a.type, {}};
  if (!WindowFits(a, window, source.dims) || !window.rhs_dilate.empty()) return kNothing;
  const Value from = Need(source), init = Need({a.type, {}});
  const Type types[] = {a.type};
  const uint32_t select = Comparator(types);
  return Emit(Opcode::kSelectAndScatter, a.shape, {a.index, from.index, init.index},
              {build_.WindowOf(window), build_.Calls(Key::kSelect, select),
               build_.Calls(Key::kScatter, Combiner(types))});
}

uint32_t Generator::Sort() {
  const Value a = Pick(1);
  absl::InlinedVector<uint32_t, 3> operands = {a.index};
  absl::InlinedVector<Type, 3> types = {a.type};
  absl::InlinedVector<ShapeId, 3> shapes = {a.shape};
  for (uint64_t n = choices_.Below(3); n > 0; --n) {
    const Value* other = Find([&](const Value& value) { return value.dims == a.dims; });
    operands.push_back(other->index);
    types.push_back(other->type);
    shapes.push_back(other->shape);
  }
  const ShapeId shape = shapes.size() == 1 ? shapes[0] : shapes_.AddTuple(shapes);
  absl::InlinedVector<AttributeId, 3> attributes = {
      build_.Numbers(Key::kDimensions, {static_cast<int64_t>(choices_.Below(a.dims.rank))})};
  if (choices_.Chance(1, 3)) attributes.push_back(build_.Numbers(Key::kIsStable, {1}));
  attributes.push_back(build_.Calls(Key::kToApply, Comparator(types)));
  return Emit(Opcode::kSort, shape, operands, attributes);
}

uint32_t Generator::TopK() {
  const Value* found = Find([](const Value& value) {
    return (value.dims.rank == 1 || value.dims.rank == 2) && (IsFloat(value.type) || IsInteger(value.type)) &&
           value.dims[value.dims.rank - 1u] > 0;
  });
  const Value a = found != nullptr ? *found : Source({Type::kF32, {8, 128}});
  Dims dims = a.dims;
  int64_t& last = dims[dims.rank - 1u];
  last = 1 + static_cast<int64_t>(choices_.Below(static_cast<uint64_t>(std::min<int64_t>(last, 16))));
  const int64_t k = last;
  return Emit(Opcode::kTopk, TupleOf({Result({a.type, dims}), Result({Type::kS32, dims})}), {a.index},
              {build_.Numbers(Key::kK, {k}), build_.Numbers(Key::kLargest, {choices_.Chance(1, 2) ? 0 : 1})});
}

// ---- indices ----
//
// Both have windows of the operand at places that the indices say: `mapped` are the dimensions that an index
// names, `dropped` those of the windows that the result, or the updates, have not.
namespace {

struct Windows {
  absl::InlinedVector<int64_t, kMaxRank> mapped, dropped, offset, sizes;
  int64_t index_vector_dim = 0;
  Dims indices, result;
};

// One of each size, in two orders: the dimensions of the windows stand last or first.
Windows DrawWindows(Choices& choices, const Dims& operand, int64_t rows) {
  Windows w;
  for (size_t i = 0; i < operand.rank; ++i) {
    const bool mapped = i == 0 || choices.Chance(1, 3);
    const bool dropped = mapped && operand[i] > 0 && !choices.Chance(1, 3);
    int64_t size = operand[i];
    if (dropped) size = 1;
    if (!dropped && size > 1 && choices.Chance(1, 3))
      size = 1 + static_cast<int64_t>(choices.Below(static_cast<uint64_t>(size)));
    w.sizes.push_back(size);
    if (mapped) w.mapped.push_back(static_cast<int64_t>(i));
    if (dropped) w.dropped.push_back(static_cast<int64_t>(i));
  }
  // Batch dimensions of the indices: with one mapped dimension the vector of the index may be left out.
  w.indices.push(rows);
  if (choices.Chance(1, 4)) w.indices.push(2);
  const Dims batch = w.indices;
  w.index_vector_dim = w.indices.rank;
  if (w.mapped.size() > 1 || choices.Chance(1, 2)) w.indices.push(static_cast<int64_t>(w.mapped.size()));
  const bool windows_first = choices.Chance(1, 3);
  if (!windows_first) w.result = batch;
  for (size_t i = 0; i < operand.rank; ++i) {
    if (std::find(w.dropped.begin(), w.dropped.end(), static_cast<int64_t>(i)) != w.dropped.end()) continue;
    w.offset.push_back(w.result.rank);
    w.result.push(w.sizes[i]);
  }
  if (windows_first) {
    for (const int64_t size : batch) w.result.push(size);
  }
  return w;
}

}  // namespace

uint32_t Generator::Gather() {
  const Value* found =
      Find([](const Value& value) { return value.dims.rank > 0 && value.dims.rank <= kMaxRank - 2; });
  const Value a = found != nullptr ? *found : Source({DrawType(), DrawDims(1, 3)});
  const Windows w = DrawWindows(choices_, a.dims, DrawSize());
  if (w.result.Elements() > most_elements_) return kNothing;
  const Value indices = Need({choices_.Chance(1, 6) ? Type::kU32 : Type::kS32, w.indices});
  return Emit(
      Opcode::kGather, Result({a.type, w.result}), {a.index, indices.index},
      {build_.Numbers(Key::kOffsetDims, w.offset), build_.Numbers(Key::kCollapsedSliceDims, w.dropped),
       build_.Numbers(Key::kStartIndexMap, w.mapped),
       build_.Numbers(Key::kIndexVectorDim, {w.index_vector_dim}),
       build_.Numbers(Key::kSliceSizes, w.sizes)});
}

uint32_t Generator::Scatter() {
  const Value* found =
      Find([](const Value& value) { return value.dims.rank > 0 && value.dims.rank <= kMaxRank - 2; });
  const Value a = found != nullptr ? *found : Source({DrawType(), DrawDims(1, 3)});
  const Windows w = DrawWindows(choices_, a.dims, DrawSize());
  if (w.result.Elements() > most_elements_) return kNothing;
  const Value indices = Need({choices_.Chance(1, 6) ? Type::kU32 : Type::kS32, w.indices});
  const Value* other =
      choices_.Chance(1, 6) ? Find([&](const Value& value) { return value.dims == a.dims; }) : nullptr;
  absl::InlinedVector<uint32_t, 5> operands = {a.index};
  absl::InlinedVector<Type, 2> types = {a.type};
  ShapeId shape = a.shape;
  if (other != nullptr) {
    operands.push_back(other->index);
    types.push_back(other->type);
    shape = TupleOf({a.shape, other->shape});
  }
  operands.push_back(indices.index);
  for (const Type type : types) operands.push_back(Need({type, w.result}).index);
  return Emit(Opcode::kScatter, shape, operands,
              std::array{build_.Numbers(Key::kUpdateWindowDims, w.offset),
                         build_.Numbers(Key::kInsertedWindowDims, w.dropped),
                         build_.Numbers(Key::kScatterDimsToOperandDims, w.mapped),
                         build_.Numbers(Key::kIndexVectorDim, {w.index_vector_dim}),
                         build_.Calls(Key::kToApply, Combiner(types))});
}

}  // namespace oomph::hlo::generate
