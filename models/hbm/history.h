// What lay where from which step to which: an outcome's rows and events replayed into blocks and the pieces
// of their lives, for drawing and explaining.
// Not for judging: it believes what the outcome says, overlaps and all, and skips what makes no sense.

#ifndef OOMPH_MODELS_HBM_HISTORY_H_
#define OOMPH_MODELS_HBM_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/base/range.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

inline constexpr size_t kNever = SIZE_MAX;

// One buffer or one stay of a program in memory.
struct HistoryBlock {
  uint32_t name = 0;
  bool program = false;
  bool pinned = false;
  End end = End::kAny;       // as asked for
  size_t created = 0;        // the allocate, output, load or execute that made it
  size_t shadowed = kNever;  // the step that gave its name to another block: from then on none can name it
  size_t last_named = 0;     // the last step that named it
  size_t ended = kNever;     // the step in which it left memory
};

// Where a block lay and how, in the steps of a range: from the one that put it there (of an output, its
// launch) to the one that ended it, exclusive. What lies in memory after step i is in pieces whose steps
// contain i.
struct HistoryPiece {
  size_t block = 0;
  Range steps;
  uint64_t offset = 0;
  uint64_t reserved = 0;
  uint64_t size = 0;       // bytes asked for
  uint64_t alignment = 0;  // bytes asked for; 0 = none
  uint32_t fence = 0;      // > 0: freed, but the free waits for it
  bool queued() const { return fence > 0; }
};

struct History {
  std::vector<HistoryBlock> blocks;  // in the order of their creation
  std::vector<HistoryPiece> pieces;
  size_t num_steps = 0;  // that have a row
  // The pieces in memory after a step, in address order.
  std::vector<HistoryPiece> After(size_t step) const;
};

History MakeHistory(const Trace& trace, const TraceOutcome& outcome);

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_HISTORY_H_
