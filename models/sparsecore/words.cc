// See words.h. One pass over a shape, nothing is allocated for the words. The rules and their sources stand in
// specification.cc.
#include "models/sparsecore/words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"

namespace oomph::sparsecore {
namespace {

constexpr uint64_t kLanes = 128;
constexpr uint64_t kLinearWords = 8;  // the last dimension of linear tiling is padded to so many words
constexpr uint64_t kMost = kMaxBytes;  // 2^64 - 1

// Of a type: bits of an element, and how many pack in 32 bits, a power of two.
struct TypeBits {
  uint32_t bits = 32, packing = 1;
};

constexpr bool IsSemaphore(Space space) { return space == Space::kSflagTile || space == Space::kSflagScs; }

std::array<TypeBits, hlo::kTypes> MakeTypeBits() {
  std::array<TypeBits, hlo::kTypes> table;
  for (size_t i = 0; i < table.size(); ++i) {
    TypeBits& row = table[i];
    row.bits = static_cast<Type>(i) == Type::kPred ? 32 : hlo::RowOf(static_cast<Type>(i)).bits;
    row.packing = row.bits == 0 || row.bits > 32 ? 1 : 32 / row.bits;
  }
  return table;
}

const TypeBits& BitsOf(Type type) {
  static const std::array<TypeBits, hlo::kTypes> kTable = MakeTypeBits();
  return kTable[static_cast<size_t>(type)];
}

uint64_t RoundUp(uint64_t n, uint64_t multiple) { return CheckedRoundUp(n, multiple).value_or(kMost); }

// `multiple` is a power of two.
uint64_t RoundUpPower(uint64_t n, uint64_t multiple) {
  uint64_t sum = 0;
  if (__builtin_add_overflow(n, multiple - 1, &sum)) return kMost;
  return sum & ~(multiple - 1);
}

// Rows of a compact tile. `shape` has two dimensions and more.
uint64_t CompactRows(std::span<const uint64_t> shape, const TypeBits& type, bool scratch) {
  if (!scratch && type.bits == 32 && shape.back() <= kLanes) return 1;
  return std::max<uint64_t>(type.packing, std::bit_ceil(std::min<uint64_t>(shape[shape.size() - 2], 8)));
}

uint64_t CompactElements(std::span<const uint64_t> shape, const TypeBits& type, bool scratch) {
  const size_t rank = shape.size();
  if (rank == 1) return RoundUpPower(shape[0], kLanes * type.packing);
  uint64_t elements = SaturatingMul(RoundUpPower(shape[rank - 2], CompactRows(shape, type, scratch)),
                                    RoundUpPower(shape[rank - 1], kLanes));
  for (size_t i = 0; i + 2 < rank; ++i) elements = SaturatingMul(elements, shape[i]);
  return elements;
}

uint64_t TiledElements(std::span<const uint64_t> shape, std::span<const uint64_t> tile) {
  uint64_t elements = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    const size_t back = shape.size() - i;  // 1: the last dimension
    const uint64_t size = back <= tile.size() ? RoundUp(shape[i], std::max<uint64_t>(tile[tile.size() - back], 1))
                                              : shape[i];
    elements = SaturatingMul(elements, size);
  }
  return elements;
}

uint64_t LinearElements(std::span<const uint64_t> shape, uint64_t packing) {
  uint64_t elements = RoundUpPower(shape.back(), kLinearWords * packing);
  for (size_t i = 0; i + 1 < shape.size(); ++i) elements = SaturatingMul(elements, shape[i]);
  return elements;
}

uint64_t ElementsOf(const Program& program, const Buffer& buffer, const TypeBits& type, bool scratch) {
  const std::span<const uint64_t> shape = buffer.shape;
  if (shape.empty()) return 1;
  if (IsSemaphore(buffer.space)) return TiledElements(shape, {});
  if (buffer.tile) return TiledElements(shape, *buffer.tile);
  switch (program.tiling) {
    case Tiling::kCompact:
      return CompactElements(shape, type, scratch);
    case Tiling::kLinear:
      return LinearElements(shape, type.packing);
    case Tiling::kNone:
      break;
  }
  return TiledElements(shape, {});
}

// The tile of a buffer, for its last dimensions, and whether its rows pack into words.
struct TileShape {
  std::vector<uint64_t> sizes;
  bool packs = false;
};

TileShape TileOf(const Program& program, const Buffer& buffer, bool scratch) {
  const uint64_t packing = BitsOf(buffer.type).packing;
  if (buffer.shape.empty() || IsSemaphore(buffer.space)) return {};
  if (buffer.tile) {
    const std::vector<uint64_t>& tile = *buffer.tile;
    const bool lanes = !tile.empty() && tile.back() % kLanes == 0 && tile.back() != 0;
    const bool rows = tile.size() == 2 ? tile[0] % packing == 0 && tile[1] == kLanes
                                       : tile.size() == 1 && tile[0] % (kLanes * packing) == 0;
    return {tile, packing > 1 && lanes && rows};
  }
  if (program.tiling == Tiling::kNone) return {};
  if (program.tiling == Tiling::kLinear) return {{kLinearWords * packing}, false};
  if (buffer.shape.size() == 1) return {{kLanes * packing}, packing > 1};
  return {{CompactRows(buffer.shape, BitsOf(buffer.type), scratch), kLanes}, packing > 1};
}

// The element types of MLIR; of a float of 8 bits e.g. f8E4M3FN.
std::string ElementName(Type type) {
  const std::string_view name = hlo::RowOf(type).name;
  if (type == Type::kPred) return "i32";
  if (type == Type::kC64) return "complex<f32>";
  if (type == Type::kC128) return "complex<f64>";
  if (name.starts_with('s') || name.starts_with('u')) return absl::StrCat("i", std::string(name.substr(1)));
  if (name.starts_with("f8") || name.starts_with("f4")) {
    std::string upper;
    for (const char c : name.substr(1)) upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return "f" + upper;
  }
  return std::string(name);
}

int NumberOfSpace(Space space) {
  switch (space) {
    case Space::kSmemTile:
    case Space::kSmemScs:
      return 0;
    case Space::kTileSpmem:
      return 201;
    case Space::kSpmem:
      return 202;
    case Space::kHbm:
      return 203;
    case Space::kSflagTile:
    case Space::kSflagScs:
      return 204;
  }
  return 0;
}

}  // namespace

uint64_t WordsOf(const Program& program, const Buffer& buffer, bool scratch) {
  const TypeBits& type = BitsOf(buffer.type);
  const uint64_t elements = ElementsOf(program, buffer, type, scratch);
  if (IsSemaphore(buffer.space) || elements == kMost) return elements;
  const unsigned shift = buffer.space == Space::kHbm ? 8 : 5;  // bits of a word: 256 or 32
  const uint64_t bits = type.bits, rest = (uint64_t{1} << shift) - 1;
  if (elements < uint64_t{1} << 56) [[likely]]
    return (elements * bits + rest) >> shift;  // an element has at most 128 bits
  const auto words = (static_cast<unsigned __int128>(elements) * bits + rest) >> shift;
  return words > kMost ? kMost : static_cast<uint64_t>(words);
}

std::vector<uint64_t> PhysicalShape(const Program& program, const Buffer& buffer, bool scratch) {
  const TileShape tile = TileOf(program, buffer, scratch);
  std::vector<uint64_t> physical;
  const size_t rank = buffer.shape.size(), tiled = std::min(rank, tile.sizes.size());
  for (size_t i = 0; i < rank; ++i) {
    const uint64_t size = buffer.shape[i];
    const size_t back = rank - i;
    const uint64_t unit = back > tiled ? 1 : std::max<uint64_t>(tile.sizes[tile.sizes.size() - back], 1);
    physical.push_back(size / unit + (size % unit == 0 ? 0 : 1));
  }
  if (tiled == 0) return physical;
  const size_t first = tile.sizes.size() - tiled;
  if (!tile.packs) {
    physical.insert(physical.end(), tile.sizes.begin() + static_cast<std::ptrdiff_t>(first), tile.sizes.end());
    return physical;
  }
  // In the tile rows of 128, of which `packing` lie in one word: T(8,128)(2,1), T(256)(128)(2,1).
  const uint64_t packing = BitsOf(buffer.type).packing;
  uint64_t tile_elements = 1;
  for (size_t i = first; i < tile.sizes.size(); ++i) tile_elements = SaturatingMul(tile_elements, tile.sizes[i]);
  for (const uint64_t size : {tile_elements / (kLanes * packing), kLanes, packing, uint64_t{1}}) {
    physical.push_back(size);
  }
  return physical;
}

std::string MemRefOf(const Program& program, const Buffer& buffer, bool scratch) {
  std::string out = "memref<";
  for (const uint64_t size : PhysicalShape(program, buffer, scratch)) absl::StrAppend(&out, size, "x");
  const bool numbered = program.wording == Wording::kNumbered;
  out += IsSemaphore(buffer.space) && !numbered ? "i32" : ElementName(buffer.type);
  if (numbered) {
    absl::StrAppend(&out, ", ", NumberOfSpace(buffer.space), ">");
  } else {
    absl::StrAppend(&out, ", #sc_tpu.memory_space<", std::string(SparseCoreSpaceName(buffer.space)), ">>");
  }
  return out;
}

}  // namespace oomph::sparsecore
