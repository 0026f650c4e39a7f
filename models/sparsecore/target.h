// The chips that SparseCore programs are planned for. Their limits stand in models/base/chips.h. Not for: other chips.
#ifndef OOMPH_MODELS_SPARSECORE_TARGET_H_
#define OOMPH_MODELS_SPARSECORE_TARGET_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/base/chips.h"

namespace oomph::sparsecore {

enum class Target : uint8_t { kV5p, kV6e, kV7x };
inline constexpr int kTargets = 3;

std::string_view TargetName(Target target);  // "v5p", "v6e", "7x": names of chips.h
std::optional<Target> FindTarget(std::string_view name);  // by any name of the chip
// First and last word of a memory. first_word is absent of tile_spmem: it begins above spmem.
const SparseCoreLimit& LimitOf(Target target, SparseCoreSpace space);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_TARGET_H_
