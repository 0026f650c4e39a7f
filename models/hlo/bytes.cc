// The size rules of XLA's tiled layouts (ShapeUtil::ArraySize), with checked arithmetic:
//   - only the first tile pads: from the minor dimension on, each is rounded up to the tile's; a shape with
//   fewer
//     dimensions than the tile is padded as if it had more of size 1;
//   - then the number of elements is rounded up to the alignment L(n) of its end;
//   - then bits are counted: E(n) a number, else whole bytes of the type, so that s4 without E(4) takes a
//   byte;
//   - a dimension that is split over cores, SC(d:i), counts with its largest part;
//   - a dynamic array carries M(n) bytes before it.
#include "models/hlo/bytes.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

absl::Status NoSize(const ShapeTable& shapes, ShapeId shape, std::string_view why) {
  const bool array = IsArrayType(shapes[shape].type);  // a tuple's text may be longer than all memory
  const std::string text = array ? PrintShape(shapes, shape) : "a tuple";
  return absl::InvalidArgumentError(absl::StrCat(text, " has no size: ", std::string(why)));
}

// What a dimension counts: the largest part where it is split.
uint64_t Counted(const Layout* layout, size_t dimension, uint64_t size) {
  if (layout == nullptr) return size;
  for (const Split& split : layout->splits) {
    if (split.dimension < 0 || static_cast<uint64_t>(split.dimension) != dimension) continue;
    uint64_t largest = 0, begin = 0;
    for (const int64_t index : split.indices) {
      const uint64_t end = std::min(size, static_cast<uint64_t>(std::max<int64_t>(index, 0)));
      if (end < begin) continue;
      largest = std::max(largest, end - begin);
      begin = end;
    }
    return std::max(largest, size - begin);
  }
  return size;
}

// Whether the layout names each dimension once.
bool Fits(const Layout& layout, size_t rank) {
  std::vector<bool> seen(rank);
  if (layout.minor_to_major.size() != rank) return false;
  for (const int64_t dimension : layout.minor_to_major) {
    if (dimension < 0 || static_cast<uint64_t>(dimension) >= rank || seen[static_cast<size_t>(dimension)])
      return false;
    seen[static_cast<size_t>(dimension)] = true;
  }
  return true;
}

// The product of the sizes; a size of 0 anywhere makes it 0, even where the others overflow.
std::optional<uint64_t> Product(const std::vector<uint64_t>& sizes) {
  if (std::ranges::count(sizes, 0u) > 0) return 0;
  std::optional<uint64_t> product = 1;
  for (const uint64_t size : sizes) {
    if (product.has_value()) product = CheckedMul(*product, size);
  }
  return product;
}

std::optional<uint64_t> BytesOfElements(uint64_t elements, Type type, const Layout* layout) {
  if (layout == nullptr || layout->element_bits <= 0) return CheckedMul(elements, RowOf(type).bytes);
  // Eight elements take as many bytes as one takes bits.
  const uint64_t bits = static_cast<uint64_t>(layout->element_bits);
  const std::optional<uint64_t> whole = CheckedMul(elements / 8, bits);
  const std::optional<uint64_t> rest = CheckedMul(elements % 8, bits);
  if (!whole.has_value() || !rest.has_value()) return std::nullopt;
  return CheckedAdd(*whole, CeilDiv(*rest, 8));
}

// The sizes of the dimensions, minor first, as the first tile rounds them.
absl::StatusOr<std::vector<uint64_t>> TiledSizes(const ShapeTable& shapes, ShapeId id, const Layout& layout) {
  const std::span<const Dimension> dimensions = shapes.Dimensions(id);
  const std::vector<int64_t>& tile = layout.tiles.front();
  std::vector<uint64_t> sizes;
  for (size_t i = 0; i < std::max(dimensions.size(), tile.size()); ++i) {
    uint64_t size = 1;
    if (i < dimensions.size()) {
      const size_t dimension = static_cast<size_t>(layout.minor_to_major[i]);
      size = Counted(&layout, dimension, static_cast<uint64_t>(dimensions[dimension].size));
    }
    if (i < tile.size()) {
      const int64_t step = tile[tile.size() - 1 - i];
      if (step == kCombineDimension)
        return NoSize(shapes, id, "what a merged dimension T(*) takes is not published");
      if (step <= 0) return NoSize(shapes, id, "a tile of no elements");
      const std::optional<uint64_t> rounded = CheckedRoundUp(size, static_cast<uint64_t>(step));
      if (!rounded.has_value()) return NoSize(shapes, id, "2^64 elements or more");
      size = *rounded;
    }
    sizes.push_back(size);
  }
  return sizes;
}

absl::StatusOr<uint64_t> ArrayBytes(const ShapeTable& shapes, ShapeId id, bool padded) {
  const std::span<const Dimension> dimensions = shapes.Dimensions(id);
  const Layout* layout = shapes.LayoutOf(id);
  std::vector<uint64_t> sizes;
  for (const Dimension& dimension : dimensions) {
    if (dimension.extent == Extent::kUnbounded) return NoSize(shapes, id, "a dimension without a bound");
    if (dimension.size < 0) return NoSize(shapes, id, "a negative dimension");
    sizes.push_back(static_cast<uint64_t>(dimension.size));
  }
  if (layout != nullptr && !Fits(*layout, dimensions.size())) {
    return NoSize(shapes, id, "the layout does not name each dimension once");
  }
  if (padded && layout != nullptr && !layout->tiles.empty()) {
    absl::StatusOr<std::vector<uint64_t>> tiled = TiledSizes(shapes, id, *layout);
    if (!tiled.ok()) return tiled.status();
    sizes = *std::move(tiled);
  }
  std::optional<uint64_t> elements = Product(sizes);
  if (padded && elements.has_value() && layout != nullptr && !layout->tiles.empty() &&
      layout->tail_alignment > 1) {
    elements = CheckedRoundUp(*elements, static_cast<uint64_t>(layout->tail_alignment));
  }
  std::optional<uint64_t> bytes;
  if (elements.has_value()) bytes = BytesOfElements(*elements, shapes[id].type, layout);
  if (padded && bytes.has_value() && layout != nullptr && layout->metadata_bytes > 0) {
    bytes = CheckedAdd(*bytes, static_cast<uint64_t>(layout->metadata_bytes));
  }
  if (!bytes.has_value()) return NoSize(shapes, id, "2^64 bytes or more");
  return *bytes;
}

// A tuple may hold the same tuple twice, and that one another twice: each shape is summed once. What a shape
// is made of has a smaller id.
absl::StatusOr<std::map<int64_t, uint64_t>> Sum(const ShapeTable& shapes, ShapeId id, bool padded,
                                                std::map<ShapeId, std::map<int64_t, uint64_t>>& known) {
  std::map<int64_t, uint64_t> sums;
  if (IsArrayType(shapes[id].type)) {
    const absl::StatusOr<uint64_t> bytes = ArrayBytes(shapes, id, padded);
    if (!bytes.ok()) return bytes.status();
    const Layout* layout = shapes.LayoutOf(id);
    sums[layout == nullptr ? 0 : layout->memory_space] = *bytes;
    return sums;
  }
  if (const auto found = known.find(id); found != known.end()) return found->second;
  for (const ShapeId element : shapes.Elements(id)) {
    const absl::StatusOr<std::map<int64_t, uint64_t>> parts = Sum(shapes, element, padded, known);
    if (!parts.ok()) return parts.status();
    for (const auto& [space, bytes] : *parts) {
      const std::optional<uint64_t> sum = CheckedAdd(sums[space], bytes);
      if (!sum.has_value()) return NoSize(shapes, element, "2^64 bytes or more with what stands before it");
      sums[space] = *sum;
    }
  }
  known.emplace(id, sums);
  return sums;
}

absl::StatusOr<uint64_t> Total(const ShapeTable& shapes, ShapeId id, bool padded) {
  if (IsArrayType(shapes[id].type)) return ArrayBytes(shapes, id, padded);
  std::map<ShapeId, std::map<int64_t, uint64_t>> known;
  const absl::StatusOr<std::map<int64_t, uint64_t>> sums = Sum(shapes, id, padded, known);
  if (!sums.ok()) return sums.status();
  uint64_t total = 0;
  for (const auto& [space, bytes] : *sums) {
    const std::optional<uint64_t> sum = CheckedAdd(total, bytes);
    if (!sum.has_value()) return NoSize(shapes, id, "2^64 bytes or more in all memory spaces");
    total = *sum;
  }
  return total;
}

}  // namespace

absl::StatusOr<uint64_t> PaddedBytes(const ShapeTable& shapes, ShapeId shape) {
  return Total(shapes, shape, true);
}

absl::StatusOr<uint64_t> UnpaddedBytes(const ShapeTable& shapes, ShapeId shape) {
  return Total(shapes, shape, false);
}

absl::StatusOr<std::map<int64_t, uint64_t>> PaddedBytesBySpace(const ShapeTable& shapes, ShapeId shape) {
  std::map<ShapeId, std::map<int64_t, uint64_t>> known;
  return Sum(shapes, shape, true, known);
}

}  // namespace oomph::hlo
