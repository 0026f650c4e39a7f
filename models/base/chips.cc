// The rows of the table of chips. Not for anything derived from them.

#include "models/base/chips.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "models/base/units.h"

namespace oomph {
namespace {

constexpr Figure Documented(uint64_t value) { return {value, Grade::kDocumented}; }
constexpr Figure Measured(uint64_t value) { return {value, Grade::kMeasured}; }
constexpr Figure SeenInMessages(uint64_t value) { return {value, Grade::kSeenInMessages}; }

constexpr std::array<std::string_view, 3> kGradeNames = {"documented", "measured", "seen in messages"};

constexpr std::array<std::string_view, kSparseCoreSpaces> kSpaceNames = {
    "spmem", "tile_spmem", "smem_tile", "sflag_tile", "smem_scs", "sflag_scs", "hbm"};

using Limits = std::array<SparseCoreLimit, kSparseCoreSpaces>;

// Measured with programs that fit and programs one word larger. In the order of SparseCoreSpace: spmem,
// tile_spmem, smem_tile, sflag_tile, smem_scs, sflag_scs, hbm. The first HBM word is 1024 a core of the mesh.
constexpr Limits kLimitsV5p = {
    {{0, 2097151}, {std::nullopt, 131071}, {0, 2046}, {1, 26}, {17, 16326}, {9, 7038}, {4096, 3221225471}}};
constexpr Limits kLimitsV6e = {
    {{0, 1048575}, {std::nullopt, 65535}, {0, 2046}, {1, 26}, {17, 16326}, {9, 7048}, {2048, 1056964607}}};
constexpr Limits kLimits7x = {
    {{0, 2097151}, {std::nullopt, 131071}, {0, 2046}, {1, 58}, {17, 16326}, {9, 6948}, {2048, 3187671039}}};

// Bytes of words.
constexpr uint64_t Words(uint64_t bytes) { return bytes / kWordBytes; }

// In the form that Normal() gives.
constexpr std::array<std::string_view, 1> kAliasesV4i = {"4lite"};
constexpr std::array<std::string_view, 2> kAliasesV5e = {"5lite", "5litepod"};
constexpr std::array<std::string_view, 1> kAliasesV5p = {"5"};
constexpr std::array<std::string_view, 2> kAliasesV6e = {"6lite", "trillium"};
constexpr std::array<std::string_view, 2> kAliases7x = {"7", "ironwood"};

// v4: two TensorCores as one device (megacore). As two devices (split) its VMEM limit, clamp and capacity are
// all 16 MiB and E1000 calls 15.25G available.
const std::array<Chip, 10> kChips = {{
    {.name = "v2",
     .tensor_cores = Documented(2),
     .vmem = {.bytes = Documented(16 * kMiB),
              .smem_bytes = Documented(16 * kKiB),
              .lanes = Documented(128),
              .sublanes = Documented(8)},
     // pytorch/xla issue 1735: capacity 8.00G, of it 554,696,704 B reserved; the sum is exact in its report.
     .hbm = {.raw_bytes = SeenInMessages(8 * kGiB),
             .reserved_bytes = SeenInMessages(554696704),
             .capacity_bytes = SeenInMessages(8 * kGiB - 554696704),
             .e1000_available = "7.48G"}},
    {.name = "v3",
     .tensor_cores = Documented(2),
     .vmem = {.bytes = Documented(16 * kMiB),
              .smem_bytes = Documented(16 * kKiB),
              .lanes = Documented(128),
              .sublanes = Documented(8)},
     .hbm = {.e1000_available = "15.48G"}},
    {.name = "v4i",
     .aliases = kAliasesV4i,
     .tensor_cores = Documented(1),
     .vmem = {.bytes = Documented(16 * kMiB),
              .smem_bytes = Documented(1 * kMiB),
              .lanes = Documented(128),
              .sublanes = Documented(8)}},
    {.name = "v4",
     .tensor_cores = Documented(2),
     .vmem = {.bytes = Documented(16 * kMiB),
              .default_scoped_limit_bytes = Measured(16 * kMiB),
              .vmem_limit_clamp_bytes = Measured(16 * kMiB),
              .smem_bytes = Documented(1 * kMiB),
              .lanes = Documented(128),
              .sublanes = Documented(8)},
     // pytorch/xla pull request 7086: bytes_limit 34,088,157,184 of an idle device, 259 MiB below 32 GiB.
     .hbm = {.raw_bytes = SeenInMessages(32 * kGiB),
             .reserved_bytes = SeenInMessages(259 * kMiB),
             .capacity_bytes = SeenInMessages(34088157184),
             .e1000_available = "30.75G"},
     // XLA's SparseCore guide gives counts only.
     .sparse_core =
         SparseCoreFigures{.cores = Documented(4), .tiles = Documented(16), .lanes = Documented(8)}},
    {.name = "v5e",
     .aliases = kAliasesV5e,
     .tensor_cores = Documented(1),
     .vmem = {.bytes = Documented(128 * kMiB),
              .usable_bytes = Measured(128 * kMiB),
              .default_scoped_limit_bytes = Measured(16 * kMiB),
              .vmem_limit_clamp_bytes = Measured(134217728),
              .smem_bytes = Documented(1 * kMiB),
              .lanes = Documented(128),
              .sublanes = Documented(8)},
     // docs/oom_debugging.md of XLA has the raw size.
     .hbm = {.raw_bytes = Documented(17179869184),
             .e1000_reserved_bytes = Measured(258 * kMiB),
             .e1000_capacity_bytes = Measured(17179869184 - 258 * kMiB),
             .e1000_available = "15.75G",
             .e1000_largest_accepted_bytes = Measured(16908214272)}},
    {.name = "v5p",
     .aliases = kAliasesV5p,
     .tensor_cores = Documented(2),
     .vmem = {.bytes = Documented(64 * kMiB),
              .usable_bytes = Measured(67043328),
              .default_scoped_limit_bytes = Measured(16 * kMiB),
              .vmem_limit_clamp_bytes = Measured(67043328),
              .smem_bytes = Documented(1 * kMiB),
              .lanes = Documented(128),
              .sublanes = Documented(8)},
     // The raw size is the end of the SparseCore's HBM limit.
     .hbm = {.raw_bytes = Measured(96 * kGiB),
             .e1000_reserved_bytes = Measured(279 * kMiB),
             .e1000_capacity_bytes = Measured(96 * kGiB - 279 * kMiB),
             .e1000_available = "95.73G",
             .e1000_largest_accepted_bytes = Measured(102784475136)},
     .sparse_core = SparseCoreFigures{.cores = Documented(4),
                                      .tiles = Documented(16),
                                      .lanes = Documented(8),
                                      .tile_spmem_words = Documented(Words(512 * kKiB)),
                                      .dma_granule_bytes = Documented(32),
                                      .limits = kLimitsV5p}},
    {.name = "v6e",
     .aliases = kAliasesV6e,
     .tensor_cores = Documented(1),
     .vmem = {.bytes = Documented(128 * kMiB),
              .usable_bytes = Measured(134152192),
              .default_scoped_limit_bytes = Measured(32 * kMiB),
              .vmem_limit_clamp_bytes = Measured(134152192),
              .smem_bytes = Documented(1 * kMiB),
              .lanes = Documented(128),
              .sublanes = Documented(8)},
     // Reserved is printed 260.00M; the SparseCore's HBM limit ends at 31.5 GiB; 260 MiB below it is the
     // bytes_limit of 31.246 GiB of Enzyme-JAX issue 2422. A newer E1000 prints a little less.
     .hbm = {.raw_bytes = Measured(32256 * kMiB),
             .reserved_bytes = SeenInMessages(260 * kMiB),
             .capacity_bytes = SeenInMessages(31996 * kMiB),
             // "reserved 264.00M" of the form with a breakdown.
             .e1000_reserved_bytes = Measured(264 * kMiB),
             .e1000_capacity_bytes = Measured((32256 - 264) * kMiB),
             .e1000_available = "31.24G",
             .e1000_largest_accepted_bytes = Measured(33544912896)},
     .sparse_core = SparseCoreFigures{.cores = Documented(2),
                                      .tiles = Documented(16),
                                      .lanes = Documented(8),
                                      .tile_spmem_words = Documented(Words(256 * kKiB)),
                                      .dma_granule_bytes = Documented(32),
                                      .limits = kLimitsV6e}},
    {.name = "7x",
     .aliases = kAliases7x,
     .tensor_cores = Documented(2),
     .vmem = {.bytes = Documented(64 * kMiB),
              .usable_bytes = Measured(67043328),
              .default_scoped_limit_bytes = Measured(32 * kMiB),
              .vmem_limit_clamp_bytes = Measured(67043328),
              .smem_bytes = Documented(1 * kMiB),
              .lanes = Documented(128),
              .sublanes = Documented(8)},
     .hbm = {.raw_bytes = Measured(95 * kGiB),
             .e1000_reserved_bytes = Measured(268 * kMiB),
             .e1000_capacity_bytes = Measured(95 * kGiB - 268 * kMiB),
             .e1000_available = "94.74G",
             .e1000_largest_accepted_bytes = Measured(101723254784)},
     // JAX's SparseCore guide says 64 bytes; its source says 32.
     .sparse_core = SparseCoreFigures{.cores = Documented(2),
                                      .tiles = Documented(16),
                                      .lanes = Documented(16),
                                      .tile_spmem_words = Documented(Words(512 * kKiB)),
                                      .dma_granule_bytes = Documented(32),
                                      .limits = kLimits7x}},
    {.name = "8i",
     .tensor_cores = Documented(2),
     .vmem = {.bytes = Documented(192 * kMiB),
              .smem_bytes = Documented(1 * kMiB),
              .lanes = Documented(128),
              .sublanes = Documented(8)},
     .sparse_core = SparseCoreFigures{.cores = Documented(1),
                                      .tiles = Documented(4),
                                      .lanes = Documented(16),
                                      .tile_spmem_words = Documented(Words(512 * kKiB)),
                                      .dma_granule_bytes = Documented(64)}},
    {.name = "8t",
     .tensor_cores = Documented(1),
     .vmem = {.bytes = Documented(128 * kMiB),
              .smem_bytes = Documented(1 * kMiB),
              .lanes = Documented(128),
              .sublanes = Documented(16)},
     .sparse_core = SparseCoreFigures{.cores = Documented(2),
                                      .tiles = Documented(16),
                                      .lanes = Documented(16),
                                      .tile_spmem_words = Documented(Words(256 * kKiB)),
                                      .dma_granule_bytes = Documented(64)}},
}};

// "TPU v5 lite" -> "5lite", "v5litepod-4" -> "5litepod", "tpu7x:2x2x1" -> "7x".
std::string Normal(std::string_view name) {
  std::string normal;
  for (const char c : name.substr(0, name.find(':'))) {
    if (c == ' ' || c == '_') continue;
    normal.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  if (normal.starts_with("tpu")) normal.erase(0, normal.starts_with("tpu-") ? 4 : 3);
  if (normal.starts_with('v')) normal.erase(0, 1);
  const size_t count = normal.rfind('-');
  if (count != std::string::npos && count + 1 < normal.size() &&
      normal.find_first_not_of("0123456789", count + 1) == std::string::npos) {
    normal.resize(count);
  }
  return normal;
}

}  // namespace

std::string_view GradeName(Grade grade) { return kGradeNames[static_cast<size_t>(grade)]; }

std::string_view SparseCoreSpaceName(SparseCoreSpace space) {
  return kSpaceNames[static_cast<size_t>(space)];
}

uint64_t SparseCoreWordBytes(SparseCoreSpace space) {
  constexpr uint64_t kHbmWordBytes = 32;
  return space == SparseCoreSpace::kHbm ? kHbmWordBytes : kWordBytes;
}

std::span<const Chip> Chips() { return kChips; }

const Chip* FindChip(std::string_view name) {
  const std::string normal = Normal(name);
  for (const Chip& chip : kChips) {
    if (normal == Normal(chip.name)) return &chip;
    if (std::ranges::find(chip.aliases, normal) != chip.aliases.end()) return &chip;
  }
  return nullptr;
}

}  // namespace oomph
