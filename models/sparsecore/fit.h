// What would make a program fit: a smaller buffer, other tiles, a scope of its own, an operation behind a last scope, another
// chip. Each candidate is planned, none is guessed between two others. Not for: words about it (explain.h), nor whether the
// kernel is still right: that is up to its author.
#ifndef OOMPH_MODELS_SPARSECORE_FIT_H_
#define OOMPH_MODELS_SPARSECORE_FIT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/sparsecore/answer.h"
#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

enum class WayKind : uint8_t {
  kSmaller,  // one buffer with fewer elements along its largest dimension: as many as fit
  kLinear,   // use_tc_tiling_on_sc=False: only the last dimension is padded
  kScope,    // a buffer in a scope around the operations that use it
  kWork,     // an operation behind each scope that is the last of its region: scopes are not hoisted then and use the same words
  kChip,     // another chip with more of the memory
};

struct Way {
  WayKind kind = WayKind::kSmaller;
  uint32_t buffer = kNoBuffer;  // of kSmaller, kScope
  Program program;              // that is planned
};

struct FitOptions {
  size_t most_buffers = 8;           // that are made smaller or moved: the largest
  size_t most_statements = 2'000'000;  // of programs with more nothing is tried
};

// The buffers that lie below the one that fails and are not free yet, in the same memory, by base; of tile_spmem without those
// of spmem, which lie below it. Where an answer tells places.
std::vector<Placed> LiveAtFailure(const Answer& answer);

// In the order of the kinds; empty where it fits as it is, or nothing of these helps.
std::vector<Way> WaysToFit(const Program& program, const FitOptions& options = {});

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_FIT_H_
