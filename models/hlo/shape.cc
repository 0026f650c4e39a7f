// The table of element types, and the interning of shapes and layouts.
#include "models/hlo/shape.h"

#include <algorithm>
#include <array>

#include "absl/hash/hash.h"
#include "absl/types/span.h"

namespace oomph::hlo {
namespace {

// In the order of the enum. A type of fewer than 8 bits takes a byte, unless a layout says E(bits).
constexpr std::array<TypeRow, kTypes> kRows = {{
    {"pred", 1, 1},       {"s1", 1, 1},      {"s2", 2, 1},         {"s4", 4, 1},
    {"s8", 8, 1},         {"s16", 16, 2},    {"s32", 32, 4},       {"s64", 64, 8},
    {"u1", 1, 1},         {"u2", 2, 1},      {"u4", 4, 1},         {"u8", 8, 1},
    {"u16", 16, 2},       {"u32", 32, 4},    {"u64", 64, 8},       {"f4e2m1fn", 4, 1},
    {"f8e3m4", 8, 1},     {"f8e4m3", 8, 1},  {"f8e4m3fn", 8, 1},   {"f8e4m3b11fnuz", 8, 1},
    {"f8e4m3fnuz", 8, 1}, {"f8e5m2", 8, 1},  {"f8e5m2fnuz", 8, 1}, {"f8e8m0fnu", 8, 1},
    {"f16", 16, 2},       {"bf16", 16, 2},   {"f32", 32, 4},       {"f64", 64, 8},
    {"c64", 64, 8},       {"c128", 128, 16}, {"token", 0, 0},      {"opaque", 0, 0},
    {"tuple", 0, 0},      {"b", 0, 0},       {"", 0, 0},
}};

size_t HashOfLayout(const Layout& layout) {
  size_t hash = absl::HashOf(layout.minor_to_major, layout.dim_levels, layout.tiles, layout.tail_alignment,
                             layout.index_type, layout.pointer_type, layout.element_bits, layout.memory_space,
                             layout.metadata_bytes);
  for (const Split& split : layout.splits) hash = absl::HashOf(hash, split.dimension, split.indices);
  return absl::HashOf(hash, layout.physical.has_value(), layout.physical.value_or(0));
}

size_t HashOfShape(Type type, std::span<const Dimension> dimensions, std::span<const ShapeId> elements,
                   bool has_layout, LayoutId layout) {
  size_t hash = absl::HashOf(type, has_layout, has_layout ? layout : 0, dimensions.size());
  for (const Dimension& dimension : dimensions) hash = absl::HashOf(hash, dimension.size, dimension.extent);
  return absl::HashOf(hash, absl::MakeConstSpan(elements.data(), elements.size()));
}

}  // namespace

const TypeRow& RowOf(Type type) { return kRows[static_cast<size_t>(type)]; }

Type TypeNamed(std::string_view name) {
  for (size_t i = 0; i < kRows.size(); ++i) {
    const Type type = static_cast<Type>(i);
    if (kRows[i].name == name && (IsArrayType(type) || type == Type::kToken || type == Type::kOpaque)) {
      return type;
    }
  }
  return Type::kNone;
}

bool IsArrayType(Type type) { return type < Type::kToken; }

ShapeTable::ShapeTable() { Add(Type::kNone, {}, {}, std::nullopt); }

ShapeId ShapeTable::AddArray(Type type, std::span<const Dimension> dimensions,
                             std::optional<LayoutId> layout) {
  return Add(type, dimensions, {}, layout);
}

ShapeId ShapeTable::AddArray(Type type, std::span<const int64_t> sizes, std::optional<LayoutId> layout) {
  std::vector<Dimension> dimensions;
  for (const int64_t size : sizes) dimensions.push_back({size, Extent::kStatic});
  return Add(type, dimensions, {}, layout);
}

ShapeId ShapeTable::AddTuple(std::span<const ShapeId> elements) {
  return Add(Type::kTuple, {}, elements, std::nullopt);
}

ShapeId ShapeTable::AddBuffer(ShapeId element) {
  return Add(Type::kBuffer, {}, std::span(&element, 1), std::nullopt);
}

LayoutId ShapeTable::AddLayout(const Layout& layout) {
  if (const std::optional<LayoutId> found = FindLayout(layout)) return *found;
  const LayoutId id = static_cast<LayoutId>(layouts_.size());
  layouts_.push_back(layout);
  layout_index_.Insert(HashOfLayout(layout), id);
  return id;
}

std::optional<LayoutId> ShapeTable::FindLayout(const Layout& layout) const {
  return layout_index_.Find(HashOfLayout(layout), [&](LayoutId id) { return layouts_[id] == layout; });
}

std::optional<ShapeId> ShapeTable::Find(Type type, std::span<const Dimension> dimensions,
                                        std::span<const ShapeId> elements,
                                        std::optional<LayoutId> layout) const {
  return shape_index_.Find(
      HashOfShape(type, dimensions, elements, layout.has_value(), layout.value_or(0)), [&](ShapeId id) {
        const Shape& shape = shapes_[id];
        return shape.type == type && shape.has_layout == layout.has_value() &&
               (!layout.has_value() || shape.layout == *layout) &&
               std::ranges::equal(Dimensions(id), dimensions) && std::ranges::equal(Elements(id), elements);
      });
}

std::span<const Dimension> ShapeTable::Dimensions(ShapeId id) const {
  const Shape& shape = shapes_[id];
  if (!IsArrayType(shape.type)) return {};
  return std::span(dimensions_).subspan(shape.begin, shape.count);
}

std::span<const ShapeId> ShapeTable::Elements(ShapeId id) const {
  const Shape& shape = shapes_[id];
  if (shape.type != Type::kTuple && shape.type != Type::kBuffer) return {};
  return std::span(elements_).subspan(shape.begin, shape.count);
}

const Layout* ShapeTable::LayoutOf(ShapeId id) const {
  const Shape& shape = shapes_[id];
  return shape.has_layout ? &layouts_[shape.layout] : nullptr;
}

ShapeId ShapeTable::WithoutLayout(ShapeId id) {
  const Shape shape = shapes_[id];
  if (IsArrayType(shape.type)) {
    const std::span<const Dimension> dimensions = Dimensions(id);
    return shape.has_layout ? AddArray(shape.type, std::vector(dimensions.begin(), dimensions.end())) : id;
  }
  if (shape.type != Type::kTuple && shape.type != Type::kBuffer) return id;
  std::vector<ShapeId> elements;
  for (uint32_t i = 0; i < shape.count; ++i) elements.push_back(WithoutLayout(elements_[shape.begin + i]));
  return Add(shape.type, {}, elements, std::nullopt);
}

ShapeId ShapeTable::Add(Type type, std::span<const Dimension> dimensions, std::span<const ShapeId> elements,
                        std::optional<LayoutId> layout) {
  // XLA's texts cannot tell a scalar without a layout from one whose layout says nothing.
  if (layout.has_value() && dimensions.empty() && layouts_[*layout] == Layout{}) layout.reset();
  if (const std::optional<ShapeId> found = Find(type, dimensions, elements, layout)) return *found;
  Shape shape = {.type = type, .has_layout = layout.has_value(), .layout = layout.value_or(0)};
  if (IsArrayType(type)) {
    shape.begin = static_cast<uint32_t>(dimensions_.size());
    shape.count = static_cast<uint32_t>(dimensions.size());
    dimensions_.insert(dimensions_.end(), dimensions.begin(), dimensions.end());
  } else {
    shape.begin = static_cast<uint32_t>(elements_.size());
    shape.count = static_cast<uint32_t>(elements.size());
    elements_.insert(elements_.end(), elements.begin(), elements.end());
  }
  const ShapeId id = static_cast<ShapeId>(shapes_.size());
  shapes_.push_back(shape);
  shape_index_.Insert(HashOf(id), id);
  return id;
}

size_t ShapeTable::HashOf(ShapeId id) const {
  const Shape& shape = shapes_[id];
  return HashOfShape(shape.type, Dimensions(id), Elements(id), shape.has_layout, shape.layout);
}

std::vector<std::optional<ShapeId>> MapShapes(const ShapeTable& from, const ShapeTable& to) {
  // What a shape is made of has smaller ids than the shape itself.
  std::vector<std::optional<ShapeId>> map(from.size());
  for (ShapeId id = 0; id < from.size(); ++id) {
    std::vector<ShapeId> elements;
    bool missing = false;
    const auto translate = [&](ShapeId part) {
      missing |= !map[part].has_value();
      return map[part].value_or(0);
    };
    for (const ShapeId element : from.Elements(id)) elements.push_back(translate(element));
    std::optional<LayoutId> layout;
    if (from[id].has_layout) {
      Layout renamed = *from.LayoutOf(id);
      if (renamed.physical.has_value()) renamed.physical = translate(*renamed.physical);
      layout = to.FindLayout(renamed);
      missing |= !layout.has_value();
    }
    if (!missing) map[id] = to.Find(from[id].type, from.Dimensions(id), elements, layout);
  }
  return map;
}

}  // namespace oomph::hlo
