// Bytes without padding, and the trees of shapes as lists.
#include "models/hlo/liveness_bytes.h"

#include <algorithm>

namespace oomph::hlo {

uint64_t PlainBytes(const ShapeTable& shapes, ShapeId id, uint64_t pointer_bytes) {
  const Shape& shape = shapes[id];
  if (shape.type == Type::kTuple) return SaturatingMul(pointer_bytes, shape.count);
  if (shape.type == Type::kOpaque) return pointer_bytes;
  if (shape.type == Type::kBuffer) {
    for (const ShapeId element : shapes.Elements(id)) {
      if (shapes[element].type != Type::kBuffer) return PlainBytes(shapes, element, pointer_bytes);
    }
    return pointer_bytes;
  }
  if (!IsArrayType(shape.type)) return 0;
  uint64_t elements = 1;
  bool empty = false;  // 0 times what does not fit is 0
  for (const Dimension& dimension : shapes.Dimensions(id)) {
    empty = empty || dimension.size <= 0;
    elements = SaturatingMul(elements, static_cast<uint64_t>(std::max<int64_t>(dimension.size, 0)));
  }
  if (empty) return 0;
  const Layout* layout = shapes.LayoutOf(id);
  if (layout == nullptr || layout->element_bits <= 0) return SaturatingMul(elements, RowOf(shape.type).bytes);
  const uint64_t bits = SaturatingMul(elements, static_cast<uint64_t>(layout->element_bits));
  return bits == kMostBytes ? kMostBytes : bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

std::vector<uint64_t> PlainTreeBytes(const ShapeTable& shapes) {
  std::vector<uint64_t> bytes(shapes.size());
  for (ShapeId id = 0; id < shapes.size(); ++id) {
    bytes[id] = PlainBytes(shapes, id);
    if (shapes[id].type != Type::kTuple) continue;
    for (const ShapeId element : shapes.Elements(id)) bytes[id] = SaturatingAdd(bytes[id], bytes[element]);
  }
  return bytes;
}

uint32_t SpaceOf(const ShapeTable& shapes, ShapeId shape) {
  const bool buffer = shapes[shape].type == Type::kBuffer && shapes[shape].count > 0;
  const Layout* layout = shapes.LayoutOf(buffer ? shapes.Elements(shape)[0] : shape);
  if (layout == nullptr) return 0;
  return static_cast<uint32_t>(std::clamp<int64_t>(layout->memory_space, 0, UINT32_MAX));
}

ShapeNodes::ShapeNodes(const ShapeTable& shapes) : shapes_(shapes) {
  count_.reserve(shapes.size());
  begin_.reserve(shapes.size());
  for (ShapeId id = 0; id < shapes.size(); ++id) {
    begin_.push_back(static_cast<uint32_t>(offsets_.size()));
    uint64_t count = 1;
    if (shapes[id].type == Type::kTuple) {
      for (const ShapeId element : shapes.Elements(id)) {  // an element stands in the table before its tuple
        offsets_.push_back(count);
        count = std::min(kMany, count + count_[element]);
      }
    }
    count_.push_back(count);
  }
}

size_t ShapeNodes::ElementOf(ShapeId tuple, uint64_t node) const {
  const auto first = offsets_.begin() + begin_[tuple];
  return static_cast<size_t>(std::upper_bound(first, first + shapes_[tuple].count, node) - first) - 1;
}

ShapeId ShapeNodes::At(ShapeId shape, uint64_t node) const {
  while (node != 0 && node < count_[shape]) {
    const size_t element = ElementOf(shape, node);
    node -= ElementNode(shape, element);
    shape = shapes_.Elements(shape)[element];
  }
  return shape;
}

std::vector<int64_t> ShapeNodes::PathOf(ShapeId shape, uint64_t node) const {
  std::vector<int64_t> path;
  while (node != 0 && node < count_[shape]) {
    const size_t element = ElementOf(shape, node);
    path.push_back(static_cast<int64_t>(element));
    node -= ElementNode(shape, element);
    shape = shapes_.Elements(shape)[element];
  }
  return path;
}

uint64_t ShapeNodes::NodeAt(ShapeId shape, std::span<const int64_t> path) const {
  uint64_t node = 0;
  for (const int64_t step : path) {
    if (shapes_[shape].type != Type::kTuple || step < 0 || static_cast<uint64_t>(step) >= shapes_[shape].count) {
      return UINT64_MAX;
    }
    node += ElementNode(shape, static_cast<size_t>(step));
    shape = shapes_.Elements(shape)[static_cast<size_t>(step)];
  }
  return node;
}

void ShapeNodes::List(ShapeId shape, std::vector<ShapeId>& into) const {
  std::vector<ShapeId> open = {shape};
  while (!open.empty()) {
    const ShapeId at = open.back();
    open.pop_back();
    into.push_back(at);
    if (shapes_[at].type != Type::kTuple) continue;
    const std::span<const ShapeId> elements = shapes_.Elements(at);
    open.insert(open.end(), elements.rbegin(), elements.rend());
  }
}

}  // namespace oomph::hlo
