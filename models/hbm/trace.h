// An HBM trace: the memory's policy and the steps that a program asks of the runtime allocator.
// A plain value. Not for: what the allocator answered (see outcome.h) or the text form (see text.h).
#ifndef OOMPH_MODELS_HBM_TRACE_H_
#define OOMPH_MODELS_HBM_TRACE_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/hbm/bfc_options.h"
#include "models/hbm/bfc_types.h"

namespace oomph::hbm {

// Which allocator the built-in models follow. Real subjects ignore it.
enum class Allocator : uint8_t { kTpu, kBfc };

// How a hole is chosen among those that fit. Ties: the one nearest to the end that is allocated from.
enum class Fit : uint8_t { kBest, kFirst, kWorst };

// Which end of memory buffers come from. kTwo: each request says which; one central gap.
enum class Ends : uint8_t { kHigh, kLow, kTwo };

// What is tried after a failed attempt, in this order, before the next attempt.
enum class Measure : uint8_t { kWait, kDefragment, kEvict };
enum class Order : uint8_t { kWaitDefragmentEvict, kWaitEvictDefragment, kDefragmentWaitEvict,
                             kDefragmentEvictWait, kEvictWaitDefragment, kEvictDefragmentWait };
constexpr std::array<Measure, 3> MeasuresOf(Order order) {
  using enum Measure;
  constexpr std::array<Measure, 3> kOrders[] = {
      {kWait, kDefragment, kEvict}, {kWait, kEvict, kDefragment}, {kDefragment, kWait, kEvict},
      {kDefragment, kEvict, kWait}, {kEvict, kWait, kDefragment}, {kEvict, kDefragment, kWait}};
  return kOrders[static_cast<int>(order)];
}

// Whether waiting makes queued frees land: those of the oldest fence, all of them, or never.
enum class Waiting : uint8_t { kOldest, kAll, kNever };

// Whether a request may defragment: when bytes suffice but no hole does, or never.
enum class Defragmentation : uint8_t { kAuto, kNever };

// For whose requests loaded programs are evicted.
enum class Eviction : uint8_t { kBuffers, kAll, kNever };
enum class Victims : uint8_t { kLeastRecentlyUsed, kOldest, kNewest, kLargest, kSmallest };

// Whether a program may be moved by a defragmentation.
enum class Programs : uint8_t { kFixed, kMovable };

// What becomes of programs evicted for a request that fails anyway.
enum class Undo : uint8_t { kNo, kYes };

// What becomes of a donated buffer when the launch fails for good.
enum class Donated : uint8_t { kKept, kLost };

// What a request for zero bytes gets: one granule, or a refusal.
enum class Zero : uint8_t { kGranule, kRefused };

// Settings of the BFC allocator (see bfc_options.h); used only with Allocator::kBfc.
struct BfcPolicy {
  bool growth = false;
  bool coalescing = false;
  bool garbage_collection = false;
  bfc::Timestamps timestamps = bfc::Timestamps::kOff;
  bfc::Ends ends = bfc::Ends::kOne;
  uint32_t waste_percent = 0;  // of the capacity that a block may waste; 0: 128 MiB
  uint64_t backing = 0;        // bytes that the sub-allocator has; 0: the capacity
  // Where the shipped allocator does what it should not; all off (bfc::kRight) is right.
  bfc::Deviations deviations = bfc::kAsShipped;
  bool operator==(const BfcPolicy&) const = default;
};

// Everything about the allocator that nobody has published, as parameters with a name each.
struct Policy {
  Allocator allocator = Allocator::kTpu;
  uint64_t capacity = uint64_t{1} << 20;  // bytes; rounded down to the granule
  uint64_t granule = 1;                   // bytes, a power of two; sizes round up to it, offsets are multiples
  Fit fit = Fit::kBest;
  Ends ends = Ends::kHigh;
  Order order = Order::kWaitDefragmentEvict;
  Waiting waiting = Waiting::kOldest;
  uint32_t retry_limit = 0;  // retries of one request; 0 = as many as measures apply
  Defragmentation defragmentation = Defragmentation::kAuto;
  Programs programs = Programs::kFixed;
  Eviction eviction = Eviction::kBuffers;
  Victims victims = Victims::kLeastRecentlyUsed;
  Undo undo = Undo::kNo;
  Donated donated = Donated::kKept;
  Zero zero = Zero::kGranule;
  bool report = false;  // write an allocation report at each final failure (tpu_log_allocations_on_oom)
  BfcPolicy bfc;
  bool operator==(const Policy&) const = default;
};

// Units of internal work that one call may take before it counts as endless. For BFC: calls of its
// sub-allocator, of which a request that ends takes a few dozen.
inline constexpr uint64_t kFuel = uint64_t{1} << 16;

enum class StepKind : uint8_t {
  kAllocate,    // name size [align] [end] [pinned]
  kReallocate,  // name size [align]: grows or shrinks in place, else moves
  kFree,        // name
  kFreeLater,   // name fence: queued until the fence passes
  kLoad,        // name size [pinned]: a program
  kUnload,      // name: forgets a program
  kExecute,     // name: launches a program with the outputs that follow
  kOutput,      // name size [align] [donating]: belongs to the execute before it
  kFence,       // fence: it and all with a lower number pass
  kDefragment,  // on demand
  kEvict,       // name: of a program, on demand
  kQuery,       // free, largest free, reservable; the free list where it can be enumerated
};
inline constexpr int kNumStepKinds = 12;

enum class End : uint8_t { kAny, kLow, kHigh };

// Buffers and programs are named by dense numbers. Fields that a kind does not use are zero.
inline constexpr uint32_t kNobody = UINT32_MAX;
struct Step {
  StepKind kind = StepKind::kQuery;
  End end = End::kAny;         // kAllocate, kOutput under Ends::kTwo; kAny means high
  bool pinned = false;         // kAllocate: may not be moved; kLoad: may not be moved or evicted
  uint32_t name = 0;
  uint64_t size = 0;           // bytes
  uint64_t alignment = 0;      // bytes; 0 = the granule
  uint32_t fence = 0;          // kFreeLater, kFence; numbers begin at 1
  uint32_t donor = kNobody;    // kOutput: the buffer whose memory it takes over
  bool operator==(const Step&) const = default;
};

struct Trace {
  Policy policy;
  std::vector<Step> steps;
  // names[i] is the text of name i; empty if all have their default text (b0, b1, or p2 for a program).
  std::vector<std::string> names;
  bool operator==(const Trace&) const = default;
};

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_TRACE_H_
