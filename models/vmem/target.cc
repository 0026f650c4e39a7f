// See target.h. The figures are those of models/base/chips.h; what differs between the modes of v4 stands here.
#include "models/vmem/target.h"

#include <array>
#include <cstddef>

#include "models/base/chips.h"
#include "models/base/units.h"

namespace oomph::vmem {
namespace {

// Measured with libtpu 0.0.52 (docs/FACTS.md). v4 has one figure for limit, clamp and capacity, as one device of two
// cores (mega) and as two.
constexpr std::array<TargetRow, kTargets> kRows = {{
    {"v4", "v4", 1, 16 * kMiB, 16 * kMiB, 16 * kMiB, 16 * kMiB},
    {"v4mega", "v4", 2, 16 * kMiB, 16 * kMiB, 16 * kMiB, 16 * kMiB},
    {"v5e", "v5e", 1, 128 * kMiB, 128 * kMiB, 16 * kMiB, 134217728},
    {"v5p", "v5p", 2, 64 * kMiB, 67043328, 16 * kMiB, 67043328},
    {"v6e", "v6e", 1, 128 * kMiB, 134152192, 32 * kMiB, 134152192},
    {"7x", "7x", 1, 64 * kMiB, 67043328, 32 * kMiB, 67043328},
}};

}  // namespace

const TargetRow& RowOf(Target target) { return kRows[static_cast<size_t>(target)]; }
std::span<const TargetRow> Targets() { return kRows; }

std::optional<Target> FindTarget(std::string_view name) {
  for (size_t i = 0; i < kTargets; ++i) {
    if (kRows[i].name == name) return static_cast<Target>(i);
  }
  const Chip* chip = FindChip(name);
  return chip != nullptr && chip->name != name ? FindTarget(chip->name) : std::nullopt;
}

}  // namespace oomph::vmem
