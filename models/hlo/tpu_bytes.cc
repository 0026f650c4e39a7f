// See tpu_bytes.h.
#include "models/hlo/tpu_bytes.h"

#include <algorithm>
#include <vector>

#include "models/base/units.h"
#include "models/hlo/bytes.h"

namespace oomph::hlo {
namespace {

// Sync flags: of the TensorCore, of a SparseCore's sequencer, of its tiles.
constexpr bool IsOfSyncFlags(int64_t space) { return space == 2 || space == 8 || space == 10; }
constexpr uint64_t kSizesOfDynamic = 1024;
constexpr uint64_t kPointer = 4;

// The array alone in a table of its own, with a tile. `layout` may be null.
absl::StatusOr<uint64_t> Tiled(const ShapeTable& shapes, ShapeId shape, const Layout* layout) {
  const std::span<const Dimension> dimensions = shapes.Dimensions(shape);
  Layout tiled;
  if (layout != nullptr) {
    tiled = *layout;
  } else {
    for (size_t i = dimensions.size(); i > 0; --i) tiled.minor_to_major.push_back(static_cast<int64_t>(i - 1));
  }
  tiled.physical.reset();  // of the other table
  tiled.tiles = {dimensions.size() < 2 ? std::vector<int64_t>{1024} : std::vector<int64_t>{8, 128}};
  ShapeTable alone;
  return PaddedBytes(alone, alone.AddArray(shapes[shape].type, dimensions, alone.AddLayout(tiled)));
}

}  // namespace

uint64_t TableGranule(const Chip& chip) {
  if (chip.name == "v2" || chip.name == "v3") return 1024;
  return chip.name == "v5p" || chip.name == "v6e" || chip.name == "7x" ? 32 : kUsualGranule;
}

uint64_t TpuTableBytes(uint64_t elements, uint64_t granule) {
  return CheckedRoundUp(SaturatingMul(elements, kPointer), granule).value_or(kMaxBytes);
}

absl::StatusOr<uint64_t> TpuBytes(const ShapeTable& shapes, ShapeId shape, uint64_t granule) {
  if (shapes[shape].type == Type::kTuple) return TpuTableBytes(shapes[shape].count, granule);
  if (!IsArrayType(shapes[shape].type)) return PaddedBytes(shapes, shape);
  const Layout* layout = shapes.LayoutOf(shape);
  if (layout != nullptr && IsOfSyncFlags(layout->memory_space)) return UnpaddedBytes(shapes, shape);
  const bool has_tile = layout != nullptr && !layout->tiles.empty();
  absl::StatusOr<uint64_t> bytes = has_tile ? PaddedBytes(shapes, shape) : Tiled(shapes, shape, layout);
  if (!bytes.ok() || (layout != nullptr && layout->metadata_bytes > 0)) return bytes;
  const std::span<const Dimension> dimensions = shapes.Dimensions(shape);
  const bool dynamic = std::any_of(dimensions.begin(), dimensions.end(),
                                   [](const Dimension& each) { return each.extent == Extent::kBounded; });
  return dynamic ? SaturatingAdd(*bytes, kSizesOfDynamic) : *bytes;
}

uint64_t TpuArrayBytes(const ShapeTable& shapes, ShapeId shape) { return TpuBytes(shapes, shape).value_or(kMaxBytes); }

}  // namespace oomph::hlo
