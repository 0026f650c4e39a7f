// The values that the generator has and makes: parameters, constants, and the shapes and layouts of results.
// See generate_scope.h.
#include <algorithm>
#include <cstdio>

#include "models/hlo/generate_scope.h"

namespace oomph::hlo::generate {
namespace {

constexpr size_t kMostParameters = 12;

}  // namespace

std::span<const std::string_view> LiteralsOf(Type type) {
  static constexpr std::array<std::string_view, 2> kPred = {"false", "true"}, kBit = {"0", "1"},
                                                   kSignedBit = {"0", "-1"}, kScale = {"1", "2"};
  static constexpr std::array<std::string_view, 2> kComplex = {"(1, 0)", "(0, -1)"};
  static constexpr std::array<std::string_view, 4> kSigned = {"0", "1", "-1", "-2"};
  static constexpr std::array<std::string_view, 4> kUnsigned = {"0", "1", "2", "3"};
  static constexpr std::array<std::string_view, 5> kFloat = {"1", "0", "-1", "0.5", "2"};
  if (type == Type::kPred) return kPred;
  if (type == Type::kS1) return kSignedBit;
  if (type == Type::kU1) return kBit;
  if (type == Type::kF8e8m0fnu) return kScale;  // has no zero and no sign
  if (IsComplex(type)) return kComplex;
  if (IsSigned(type)) return kSigned;
  if (IsUnsigned(type)) return kUnsigned;
  return kFloat;
}

uint32_t Generator::Register(uint32_t index, std::span<const uint32_t> operands) {
  Scope& scope = *scope_;
  scope.used.resize(index + 1);
  for (const uint32_t operand : operands) scope.used[operand] = 1;
  const ShapeId id = build_.ShapeOf(index);
  const hlo::Shape& shape = shapes_[id];
  if (shape.type == Type::kTuple) scope.tuples.push_back(index);
  if (shape.type == Type::kToken) scope.tokens.push_back(index);
  if (!IsArrayType(shape.type) || shape.count > kMaxRank) return index;
  Value value;
  value.type = shape.type;
  value.index = index;
  value.shape = id;
  for (const Dimension& dimension : shapes_.Dimensions(id)) {
    if (dimension.extent != Extent::kStatic) return index;
    value.dims.push(dimension.size);
  }
  scope.arrays.push_back(value);
  return index;
}

uint32_t Generator::Emit(Opcode opcode, ShapeId shape, std::span<const uint32_t> operands,
                         std::span<const AttributeId> attributes, uint32_t payload) {
  return Register(build_.Add(opcode, shape, operands, attributes, payload), operands);
}

std::string_view Generator::DrawLiteral(Type type) {
  return choices_.Pick(LiteralsOf(type));
}

uint32_t Generator::ConstantScalar(Type type) {
  return Register(build_.Constant(Scalar(type), DrawLiteral(type)), {});
}

uint32_t Generator::Number(Type type, int64_t value) {
  std::array<char, 24> text;
  const size_t size =
      static_cast<size_t>(snprintf(text.data(), text.size(), "%lld", static_cast<long long>(value)));
  return Register(build_.Constant(Scalar(type), std::string_view(text.data(), size)), {});
}

Value Generator::Broadcasted(const Array& array, ShapeId shape) {
  if (array.dims.rank == 0) {
    Register(build_.Constant(shape, DrawLiteral(array.type)), {});
    return Last();
  }
  const uint32_t constant = ConstantScalar(array.type);
  Emit(Opcode::kBroadcast, shape, {constant}, {build_.Numbers(Key::kDimensions, {})});
  return Last();
}

Value Generator::Source(const Array& array) {
  const ShapeId shape = Result(array);
  if (scope_->depth == 0 && scope_->parameters < kMostParameters && !choices_.Chance(1, 4)) {
    Emit(Opcode::kParameter, shape, {}, {}, scope_->parameters++);
    return Last();
  }
  return Broadcasted(array, shape);
}

Value Generator::Need(const Array& array) {
  const Value* found = Find([&](const Value& value) { return value == array; });
  return found != nullptr ? *found : Source(array);
}

uint32_t Generator::Parameter() {
  if (scope_->depth > 0 || scope_->parameters >= kMostParameters) return kNothing;
  if (choices_.Chance(1, 12)) {  // a tuple
    absl::InlinedVector<ShapeId, 3> elements;
    for (uint64_t n = choices_.Below(4); n > 0; --n) elements.push_back(Result({DrawType(), DrawDims()}));
    return Emit(Opcode::kParameter, shapes_.AddTuple(elements), {}, {}, scope_->parameters++);
  }
  return Emit(Opcode::kParameter, Result({DrawType(), DrawDims()}), {}, {}, scope_->parameters++);
}

uint32_t Generator::Iota() {
  Type type = DrawType();
  if (type == Type::kPred) type = Type::kS32;
  const Dims dims = DrawDims(1);
  return Emit(Opcode::kIota, Result({type, dims}), {},
              {build_.Numbers(Key::kIotaDimension, {static_cast<int64_t>(choices_.Below(dims.rank))})});
}

// Few elements, one or two dimensions.
uint32_t Generator::ConstantArray() {
  const Type type = DrawType();
  const uint64_t rank = choices_.Below(3);
  if (rank == 0 || (layout_mode_ == LayoutMode::kTiled && RowOf(type).bits < 8)) return ConstantScalar(type);
  const int64_t rows = rank == 2 ? 1 + static_cast<int64_t>(choices_.Below(3)) : 1;
  const int64_t columns = 1 + static_cast<int64_t>(choices_.Below(4));
  std::string literal = rank == 2 ? "{ " : "";
  for (int64_t row = 0; row < rows; ++row) {
    literal += row == 0 ? "{" : ", {";
    if (rank == 2) literal += " ";
    for (int64_t column = 0; column < columns; ++column) {
      if (column > 0) literal += ", ";
      literal += DrawLiteral(type);
    }
    literal += rank == 2 ? " }" : "}";
  }
  if (rank == 2) literal += " }";
  const Dims dims = rank == 2 ? Dims{rows, columns} : Dims{columns};
  return Register(build_.Constant(Result({type, dims}), literal), {});
}

// ---- shapes ----

LayoutId Generator::LayoutOf(Type type, std::span<const int64_t> order, bool fast_memory) {
  const int bits = type == Type::kPred ? 8 : RowOf(type).bits;
  uint64_t key = order.size() | (fast_memory ? 8 : 0) | static_cast<uint64_t>(bits) << 4;
  for (const int64_t dimension : order) key = key * 8 + static_cast<uint64_t>(dimension) + (1ull << 40);
  for (const Known& known : layouts_) {
    if (known.key == key) return known.id;
  }
  Layout layout;
  layout.minor_to_major.assign(order.begin(), order.end());
  if (layout_mode_ == LayoutMode::kTiled) {
    const int64_t packing = std::max(1, 32 / bits);
    // XLA's parser forgets E(n) of a constant, and constants of the generator are mostly scalars.
    if (bits < 8 && !order.empty()) layout.element_bits = bits;
    if (order.size() < 2) {
      layout.tiles = {{order.empty() ? 128 : 128 * packing}};
      if (!order.empty() && packing > 1) layout.tiles.push_back({128});
      if (!order.empty() && packing > 1) layout.tiles.push_back({packing, 1});
    } else {
      layout.tiles = {{8, 128}};
      if (bits < 8) layout.tiles = {{8 * packing, 128}};
      if (packing > 1) layout.tiles.push_back({packing, 1});
    }
    layout.memory_space = fast_memory ? 1 : 0;
  }
  const LayoutId id = shapes_.AddLayout(layout);
  layouts_.push_back({key, id});
  return id;
}

ShapeId Generator::Shape(const Array& array, std::span<const int64_t> order, bool fast_memory) {
  absl::InlinedVector<Dimension, kMaxRank> dimensions;
  for (const int64_t size : array.dims) dimensions.push_back({size, Extent::kStatic});
  std::optional<LayoutId> layout;
  // A scalar without tiles has nothing to say of its layout.
  const bool bare = layout_mode_ == LayoutMode::kNone || (array.dims.rank == 0 && !scalar_tiles_);
  if (!bare) layout = LayoutOf(array.type, order, fast_memory);
  return shapes_.AddArray(array.type, dimensions, layout);
}

ShapeId Generator::Result(const Array& array) {
  std::array<int64_t, kMaxRank> order = {};
  const size_t rank = array.dims.rank;
  for (size_t i = 0; i < rank; ++i) order[i] = static_cast<int64_t>(rank - 1 - i);
  const bool permuted = layout_mode_ == LayoutMode::kPermuted ||
                        (layout_mode_ == LayoutMode::kTiled && Can(feature::kLayouts));
  if (permuted && rank > 1 && choices_.Chance(1, 3)) {
    for (size_t i = rank - 1; i > 0; --i) std::swap(order[i], order[choices_.Below(i + 1)]);
  }
  const bool fast = layout_mode_ == LayoutMode::kTiled && rank > 0 && choices_.Chance(1, 12);
  return Shape(array, std::span(order).first(rank), fast);
}

ShapeId Generator::Like(const Value& value, Type type) {
  if (value.type == type) return value.shape;
  std::array<int64_t, kMaxRank> order = {};
  bool fast = false;
  if (const Layout* layout = shapes_.LayoutOf(value.shape); layout != nullptr) {
    std::copy(layout->minor_to_major.begin(), layout->minor_to_major.end(), order.begin());
    fast = layout->memory_space == 1;
  }
  return Shape({type, value.dims}, std::span(order).first(value.dims.rank), fast);
}

}  // namespace oomph::hlo::generate
