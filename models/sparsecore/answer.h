// What a planner answers to a SparseCore program: where each buffer goes, or which is the first that does not fit. A plain
// value. Not for: the program (program.h), nor whether the answer is right (oracles.h).
#ifndef OOMPH_MODELS_SPARSECORE_ANSWER_H_
#define OOMPH_MODELS_SPARSECORE_ANSWER_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

enum class Status : uint8_t {
  kNotRun,        // the harness could not ask; nobody is to blame
  kPlanned,       // all of it fits
  kOverBound,     // E3000: the upper bound of an allocation exceeds that of its memory
  kOverHighWater,  // passed E3000, and then the function's Smem is too much, or the sync flags of the program
  kNotHere,       // its memory cannot be allocated on this core: spmem inside of a vector subcore's kernel
  kDeclined,      // not compiled for another reason; `why` has it
  kDied,
  kHung,
  kRubbish,       // its answer cannot be read
};
inline constexpr int kStatuses = 9;

// Bounds are the last word, included, as the message has them.
struct Overrun {
  Space space = Space::kTileSpmem;  // the memory that is printed: spmem of kernel-level scratch in tile_spmem
  uint64_t bound = 0;  // N = base + words - 1; 2^64 - 1 where it does not fit
  uint64_t limit = 0;  // M
  uint64_t words = 0;  // K
  uint32_t buffer = kNoBuffer;  // which; kNoBuffer: one that the compiler adds, or not told
  bool operator==(const Overrun&) const = default;
};

// A buffer's place. Words of its memory: 4 bytes, 32 in HBM; of kernel-level scratch in tile_spmem 16 times the tile's, in spmem.
struct Placed {
  uint32_t buffer = kNoBuffer;  // kNoBuffer: the semaphore of the copy at `statement`
  uint32_t statement = 0;       // that allocates it
  Space space = Space::kTileSpmem;
  uint64_t base = 0, words = 0;
  bool operator==(const Placed&) const = default;
};

struct Answer {
  Status status = Status::kNotRun;
  std::optional<Overrun> overrun;  // of kOverBound
  // Used words from 0, by Space, implicit ones too; of kPlanned. Absent: not told. In the order of SparseCoreSpace; that of
  // tile_spmem counts what spmem takes of the tile (one memory).
  std::array<std::optional<uint64_t>, kSparseCoreSpaces> high_water = {};
  std::vector<Placed> placed;  // in planning order, up to the one that fails, excluded; of one who tells
  std::string message;         // of a refusal, one text
  std::string why;             // of every other end: one line
  bool operator==(const Answer&) const = default;
};

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_ANSWER_H_
