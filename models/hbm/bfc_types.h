// What a BFC allocator is asked and what it answers: the words that its two models share.
// Not for: settings and their text (see bfc_options.h).
#ifndef OOMPH_MODELS_HBM_BFC_TYPES_H_
#define OOMPH_MODELS_HBM_BFC_TYPES_H_

#include <cstdint>

namespace oomph::bfc {

inline constexpr uint64_t kGranule = 256;  // sizes round up to it, addresses are multiples of it

// Where the shipped allocator does what it should not. Each: on = as shipped, off = right.
struct Deviations {
  // An alignment above the granule counts only for the first block of a region.
  bool alignment_ignored = true;
  // A size within 254 bytes of 2^64 rounds to 0: a block of 0 bytes at an address that stays free. Only
  // together with the deviation above: where alignment is honoured such a size is refused.
  bool size_wraps = true;
  // Backing off from a region that the sub-allocator refuses stays at 2304 bytes for ever.
  bool growth_without_end = true;
  // The size of the next region doubles with each region and after 43 of them wraps to 0: an endless loop.
  bool region_size_wraps = true;
  // Garbage collection gives back memory whose frees have not landed, and dies of them later.
  bool collects_unlanded = true;
  // What is left of an unlanded chunk when it is split is never merged again.
  bool forgets_remainder = true;

  bool operator==(const Deviations&) const = default;
};
inline constexpr Deviations kAsShipped;
inline constexpr Deviations kRight{false, false, false, false, false, false};

enum class Status : uint8_t {
  kOk,
  kNoMemory,     // refused
  kInvalid,      // zero bytes, or an alignment that is no power of two or above Backing::kMaxAlignment
  kUnsupported,  // a fence without timestamps
  kOutOfFuel,    // the call would never end, or took more sub-allocator calls than there is fuel; nothing
                 // follows
  kDied,         // the shipped allocator fails a CHECK here or reads outside its tables; nothing follows
};
inline constexpr int kNumStatuses = 6;

// The end of memory that a block is taken from, with Ends::kTwo.
enum class End : uint8_t { kAny, kLow, kHigh };

// What a request went through before its answer, one bit each.
namespace path {
inline constexpr uint32_t kReused = 1 << 0;     // a chunk that was free at once
inline constexpr uint32_t kSplit = 1 << 1;      // the rest of a chunk stayed free
inline constexpr uint32_t kExtended = 1 << 2;   // a new region
inline constexpr uint32_t kBackedOff = 1 << 3;  // the sub-allocator refused at least once
inline constexpr uint32_t kLanded = 1 << 4;     // frees that had landed were merged
inline constexpr uint32_t kForced = 1 << 5;     // frees that had not landed were merged for want of room
inline constexpr uint32_t kCollected = 1 << 6;  // free regions went back to the sub-allocator
inline constexpr uint32_t kWrapped = 1 << 7;    // the size rounded to 0
inline constexpr uint32_t kEndless = 1 << 8;    // the loop that no fuel would end (region_size_wraps)
inline constexpr int kNumPaths = 9;
}  // namespace path

struct Result {
  Status status = Status::kInvalid;
  uint64_t offset = 0;
  uint64_t reserved = 0;  // bytes of the block, at least the size but after a wrap
  uint32_t paths = 0;     // path:: bits

  bool operator==(const Result&) const = default;
};

// Under the names of the shipped allocator's AllocatorStats.
struct Stats {
  uint64_t bytes_in_use = 0;
  uint64_t peak_bytes_in_use = 0;
  uint64_t num_allocs = 0;
  uint64_t largest_alloc_size = 0;
  uint64_t pool_bytes = 0;

  bool operator==(const Stats&) const = default;
};

}  // namespace oomph::bfc

#endif  // OOMPH_MODELS_HBM_BFC_TYPES_H_
