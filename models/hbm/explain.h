// Why the first failing request of an HBM trace failed, in a person's words: what was asked for, what lay in
// memory and who put it there, what was tried, what would fit.
// Not for OOM texts of a real runtime (see models/message) nor for judging whether it had to fail.

#ifndef OOMPH_MODELS_HBM_EXPLAIN_H_
#define OOMPH_MODELS_HBM_EXPLAIN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/hbm/history.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

// Steps are counted from 0; step N stands in line N + 2 of the trace as PrintTrace prints it. If nothing
// failed: the peak, and what is still there at the end.
std::string Explain(const Trace& trace, const TraceOutcome& outcome);

// A request that failed for good.
struct FailedRequest {
  size_t step = 0;      // the row that failed
  size_t asked_in = 0;  // the step that says the size: an output of a launch, or the load of its program
  uint32_t name = 0;
  bool program = false;
  End end = End::kAny;
  size_t block = kNever;   // the one that a reallocate would move, in History::blocks; it stays until it has
  uint64_t size = 0;       // bytes asked for
  uint64_t need = 0;       // bytes after rounding
  uint64_t alignment = 1;  // in effect
  uint64_t beside = 0;     // bytes that the launch's last attempt got for other outputs, and gave back
  uint64_t lost = 0;       // bytes of donated buffers that the failed launch freed
};
std::optional<FailedRequest> FirstFailure(const Trace& trace, const TraceOutcome& outcome,
                                          const History& history);

// What the rules of the trace's policy would serve at once, without a retry, in the state after the failure:
// a buffer or program of its own, not one beside the other outputs of a launch.
struct WouldFit {
  bool known = false;     // false: its rules are not those of Allocator::kTpu
  uint64_t largest = 0;   // the largest need of the same kind, end and alignment
  bool possible = false;  // freeing what is in `to_free` makes room for the request; false for launches
                          // that got other outputs
  std::vector<HistoryPiece> to_free;  // as few bytes as can be
  uint64_t bytes_to_free = 0;
};
WouldFit FindWouldFit(const Trace& trace, const History& history, const FailedRequest& request);

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_EXPLAIN_H_
