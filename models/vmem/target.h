// The chips that a kernel can be compiled for, with the figures that its scoped VMEM is held against:
// models/base/chips.h, and v4 in its two modes. Not for: what a kernel needs (allocator.h).
#ifndef OOMPH_MODELS_VMEM_TARGET_H_
#define OOMPH_MODELS_VMEM_TARGET_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace oomph::vmem {

// The order is that of the table in target.cc.
enum class Target : uint8_t { kV4, kV4Mega, kV5e, kV5p, kV6e, k7x };
inline constexpr size_t kTargets = 6;

// Sizes in bytes, of one TensorCore.
struct TargetRow {
  std::string_view name;  // "v4", "v4mega", "v5e", "v5p", "v6e", "7x": as in kernels and as variants of libtpu
  std::string_view chip;  // its name in models/base/chips.h
  // TensorCores that one device has: a grid of parallel dimensions is split over them.
  uint64_t cores = 1;
  // No single buffer may be larger than `memory`, nor all together than `usable`: the errors of capacity.
  uint64_t memory = 0, usable = 0;
  uint64_t default_limit = 0;  // of a kernel that states none, without the option
  uint64_t clamp = 0;          // a larger vmem_limit_bytes is lowered to this
};
const TargetRow& RowOf(Target target);
std::span<const TargetRow> Targets();
// The one that is named exactly so.
std::optional<Target> FindTarget(std::string_view name);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_TARGET_H_
