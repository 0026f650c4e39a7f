// What an allocator did with an HBM trace, one row a step, plus events for what a row cannot hold.
// The same for built-in models and real subjects; what a subject does not tell stays unknown.
// Not for: deciding whether it was right (see oracles.h).
#ifndef OOMPH_MODELS_HBM_OUTCOME_H_
#define OOMPH_MODELS_HBM_OUTCOME_H_

#include <cstdint>
#include <string>
#include <vector>

namespace oomph::hbm {

enum class Result : uint8_t {
  kOk,
  kFailed,       // refused for want of memory, after all retries
  kInvalid,      // refused as malformed (alignment not a power of two, zero size under Zero::kRefused)
  kNoOp,         // names nothing that is live
  kUnsupported,  // the subject cannot do this
  kOutOfFuel,    // the call did not end within its fuel; nothing follows
  kDied,         // the subject crashed in this step; nothing follows
  kTimedOut,     // the step did not end within the time limit; nothing follows
  kCorrupt,      // a check of contents found damage; nothing follows
  kInconsistent, // the subject's own check found damage; nothing follows
  kUnknown,      // the outcome does not reach this step
};
inline constexpr int kNumResults = 11;

// What a kCorrupt row found damaged: contents or the subject's own structures, or a kind that has a name of its own in
// signatures.
enum class Damaged : uint8_t {
  kContents,
  kNotZeroed,    // memory that was to be zero is not
  kSlack,        // bytes between the size and those reserved
  kOtherThread,  // what another thread wrote into blocks of its own
};
inline constexpr int kNumDamaged = 4;

enum class EventKind : uint8_t {
  kRetry,      // another attempt begins; `cause` says what was done before it
  kLanded,     // a queued free of `name` at `offset`, `size` took effect
  kMoved,      // a defragmentation: `name` went from `from` to `offset`; size bytes
  kEvicted,    // program `name` at `offset`, `size` left memory
  kRestored,   // an evicted program was put back at `offset` (Undo::kYes)
  kLoaded,     // program `name` was loaded at `offset`, `size`, by an execute
  kTookOver,   // output `name` took over the memory of donor `other`
  kGaveBack,   // a launch that is retried or fails gave back `name` at `offset`, `size`: an output, or with
               // `other` 1 its program
  kFreeRange,  // query: a free range, in address order
  kReported,   // allocation report: `name` is live at `offset`, `size`
  kLost,       // donated buffer `name` at `offset`, `size` was freed by a failed launch (Donated::kLost)
  kFallback,   // BFC model: the request went through path `name` (bit number, see bfc_types.h)
};
inline constexpr int kNumEventKinds = 12;

// Why a retry was made.
enum class Cause : uint8_t { kNone, kWait, kDefragment, kEvict };

struct Event {
  EventKind kind;
  Cause cause = Cause::kNone;
  uint32_t name = 0;
  uint32_t other = 0;
  uint64_t offset = 0;
  uint64_t size = 0;  // bytes reserved
  uint64_t from = 0;
  bool operator==(const Event&) const = default;
};

// attempts = successes + failures + retries, in each.
struct Ledger {
  uint32_t attempts = 0, successes = 0, failures = 0, retries = 0;
  bool operator==(const Ledger&) const = default;
};

// Statistics after a step, under the names of tsl's AllocatorStats where it has them.
struct Stats {
  uint64_t bytes_in_use = 0;       // buffers, queued ones included; not programs
  uint64_t peak_bytes_in_use = 0;
  uint64_t bytes_reserved = 0;     // programs
  uint32_t num_live = 0;           // buffers (queued ones not) and loaded programs
  uint32_t num_evictions = 0;
  uint64_t num_allocs = 0;         // buffers placed, reallocations that moved included
  uint64_t largest_alloc_size = 0;
  uint64_t bytes_moved = 0;
  uint64_t bytes_given_back = 0;   // by launches that were retried or failed
  Ledger buffers;                  // allocate, reallocate, load
  Ledger launches;                 // execute
  bool operator==(const Stats&) const = default;
};
// Which fields of Stats a subject tells, one bit each in the order above.
namespace stat {
inline constexpr uint32_t kBytesInUse = 1 << 0, kPeakBytesInUse = 1 << 1, kBytesReserved = 1 << 2,
                          kNumLive = 1 << 3, kNumEvictions = 1 << 4, kNumAllocs = 1 << 5,
                          kLargestAllocSize = 1 << 6, kBytesMoved = 1 << 7, kBytesGivenBack = 1 << 8,
                          kBuffers = 1 << 9, kLaunches = 1 << 10, kAll = (1 << 11) - 1;
}  // namespace stat

struct Row {
  Result result = Result::kUnknown;
  uint32_t first_event = 0;  // into Outcome::events
  uint32_t num_events = 0;
  // kOk of allocate, reallocate, load, output: where it lies, and how many bytes belong to it.
  // kFailed of execute: which request failed (0: the program, i: the i-th output), and its bytes.
  uint64_t offset = 0;
  uint64_t reserved = 0;
  // kQuery and kFailed:
  uint64_t free_bytes = 0;
  uint64_t largest_free = 0;
  uint64_t reservable = 0;
  uint64_t state_hash = 0;   // of everything that later answers depend on; 0 = not told
  Stats stats;
  bool operator==(const Row&) const = default;
};

struct TraceOutcome {
  std::vector<Row> rows;  // one a step; fewer if the subject ended early
  std::vector<Event> events;
  uint32_t stats_known = 0;      // stat:: bits
  bool tells_free = false;       // free_bytes, largest_free, reservable of queries and failures are given
  bool lists_free = false;       // queries have kFreeRange events
  bool tells_hash = false;
  bool grows = false;            // memory comes in regions: offsets may lie above the capacity
  Damaged damaged = Damaged::kContents;  // of a last row that is kCorrupt
  std::string note;              // the subject's own words, if it ended early; not part of a signature
  bool operator==(const TraceOutcome&) const = default;
  void clear() {
    rows.clear();
    events.clear();
    stats_known = 0;
    tells_free = lists_free = tells_hash = grows = false;
    damaged = Damaged::kContents;
    note.clear();
  }
};

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_OUTCOME_H_
