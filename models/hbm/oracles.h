// The oracles of the HBM family: sentences that an outcome can break, each a pure function over the
// shadow map at one moment of the trace. A long trace is judged in one pass and judging stops at the
// first bad step. Not for: comparing two outcomes (see compare.h) or two runs (see relations.h).
#ifndef OOMPH_MODELS_HBM_ORACLES_H_
#define OOMPH_MODELS_HBM_ORACLES_H_

#include <span>

#include "models/base/family.h"
#include "models/hbm/outcome.h"
#include "models/hbm/shadow.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

// When an oracle is asked.
enum class Occasion : uint8_t {
  kPlaced,     // a block got memory: `block`, its neighbours; not yet in the shadow
  kMoved,      // a defragmentation moved `block`; it is out of the shadow, its neighbours are told
  kLanded,     // a queued free took effect: `block` is still in the shadow
  kEvicted,    // a program is being evicted: `block` is still in the shadow
  kRetried,    // another attempt begins: `event`, and what was done since the last one
  kFailed,     // a request failed for good: `wanted`, `fits`
  kServed,     // a request was served, before its block is placed: `wanted`
  kDefragmented,  // moves were made: `holes_before`, `wanted_given`
  kQueried,    // the row tells about free memory: of a query or of a failure
  kLaunched,   // an execute, with the rows of its outputs
  kTookOver,   // an output took over a donor's `block`, still in the shadow
  kStepped,    // the step is over
  kEnded,      // the outcome ends here, early
};
inline constexpr int kNumOccasions = 13;

struct Moment {
  const Trace& trace;
  const TraceOutcome& outcome;
  const Shadow& shadow;
  Reasons& reasons;
  bool follows_policy = false;
  size_t index = 0;  // of the step
  const Step* step = nullptr;
  const Row* row = nullptr;
  const Row* previous = nullptr;  // of the step before; nullptr at the first
  const Event* event = nullptr;
  LiveBlock block = {};
  const LiveBlock* below = nullptr;  // neighbours of `block`; nullptr: none
  const LiveBlock* above = nullptr;
  Wanted wanted = {};
  bool fits = false;            // kFailed: some hole fits `wanted` now
  Shadow::Holes holes_before = {};  // kDefragmented: the largest holes before the moves,
  bool wanted_given = false;       //   and whether the moves were made for a request
  uint32_t landed = 0, moved = 0, evicted = 0;  // since the last attempt
  uint32_t retries = 0;                         // in this step
  uint32_t restored = 0, evicted_in_step = 0;
  size_t num_outputs = 0;       // of the launch at hand
  std::span<const Wanted> launch_wants = {};  //   and what it asks for: its program, then each output
  uint32_t launching = kNobody; // the program whose launch this is
  bool repeated = false;        // the step before was the same request and failed for good
  bool limit_reached = false;   // kFailed: the policy's retry limit was used up
};

struct OracleRow {
  OracleInfo info;
  Occasion occasion;
  void (*ask)(const Moment& moment);
};

std::span<const OracleRow> Oracles();

// Asks each oracle that needs no promise, or one that is in `promises`.
void JudgeTrace(const Trace& trace, const TraceOutcome& outcome, Bits64 promises, Reasons& reasons);

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_ORACLES_H_
