// See target.h. No figures of its own: they are those of models/base/chips.h.
#include "models/sparsecore/target.h"

#include <array>
#include <cstddef>

namespace oomph::sparsecore {
namespace {

constexpr std::array<std::string_view, kTargets> kNames = {"v5p", "v6e", "7x"};

using Limits = std::array<SparseCoreLimit, kSparseCoreSpaces>;

std::array<Limits, kTargets> MakeLimits() {
  std::array<Limits, kTargets> table;
  for (size_t i = 0; i < kTargets; ++i) table[i] = FindChip(kNames[i])->sparse_core->limits.value();
  return table;
}

}  // namespace

std::string_view TargetName(Target target) { return kNames[static_cast<size_t>(target)]; }

std::optional<Target> FindTarget(std::string_view name) {
  const Chip* const chip = FindChip(name);
  for (size_t i = 0; chip != nullptr && i < kTargets; ++i) {
    if (kNames[i] == chip->name) return static_cast<Target>(i);
  }
  return std::nullopt;
}

const SparseCoreLimit& LimitOf(Target target, SparseCoreSpace space) {
  static const std::array<Limits, kTargets> kTable = MakeLimits();
  return kTable[static_cast<size_t>(target)][static_cast<size_t>(space)];
}

}  // namespace oomph::sparsecore
