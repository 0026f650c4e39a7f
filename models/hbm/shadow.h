// The shadow map: what must be live where, replayed from a trace and the rows of its outcome. All
// oracles of the family share one. It believes the outcome only as far as the oracles have checked it.
// Not for: predicting what an allocator does (see specification.h).
#ifndef OOMPH_MODELS_HBM_SHADOW_H_
#define OOMPH_MODELS_HBM_SHADOW_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/btree_map.h"
#include "models/base/address_index.h"
#include "models/base/range.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

struct LiveBlock {
  uint32_t name = 0;
  uint64_t offset = 0;
  uint64_t reserved = 0;
  uint64_t size = 0;
  uint64_t alignment = 1;  // that it must keep
  End end = End::kHigh;
  bool program = false;
  bool pinned = false;
  bool named = true;       // its name still stands for it
  uint32_t fence = 0;      // > 0: queued
  uint64_t loaded_at = 0, used_at = 0;
  uint64_t stop() const { return offset + reserved; }
};

// What is asked for, as an oracle sees it.
struct Wanted {
  uint64_t need = 0;  // bytes, rounded if the policy is known
  uint64_t alignment = 1;
  End end = End::kHigh;
  bool program = false;
};

class Shadow {
 public:
  using Slot = uint32_t;
  static constexpr Slot kNone = AddressIndex::kNone;

  // `follows_policy`: programs lie below buffers and each end keeps to itself, as the policy says.
  void Reset(const Trace& trace, bool follows_policy);

  const LiveBlock& at(Slot slot) const { return slots_[slot]; }
  // The live block that a name stands for; kNone.
  Slot Named(uint32_t name) const { return name < by_name_.size() ? by_name_[name] : kNone; }
  // The block that begins at or above `offset`, and the one below it; kNone.
  struct Neighbours {
    Slot below = kNone, above = kNone;
    AddressIndex::Position at;  // where a block at the offset would stand
  };
  Neighbours Around(uint64_t offset) const;
  Slot At(uint64_t offset) const;
  // As Around, without the block in `slot` itself.
  Neighbours AroundWithout(Slot slot, uint64_t offset) const;

  // The caller has checked that the block overlaps nothing; `around` is Around its offset, just asked.
  Slot Insert(const LiveBlock& block, bool define_name, const Neighbours& around);
  void Remove(Slot slot);
  void Relocate(Slot slot, uint64_t offset);
  void Resize(Slot slot, uint64_t reserved, uint64_t size, uint64_t alignment);
  void Queue(Slot slot, uint32_t fence);
  // A launch of a program: it is the most recently used now.
  void TouchNamed(uint32_t name) {
    if (Named(name) != kNone) slots_[Named(name)].used_at = ++clock;
  }
  // An evicted program is back where it was, as old as it was.
  void Restore(const LiveBlock& block, const Neighbours& around);
  // The name of the block in `slot` stands for it from now on.
  void Adopt(Slot slot);
  // The name stands for nothing any more; its block, if any, stays.
  void Forget(uint32_t name);

  // Programs that are known but not loaded.
  struct Evicted {
    uint64_t size = 0;
    bool pinned = false;
    bool known = false;
  };
  Evicted& EvictedProgram(uint32_t name);

  // The lowest fence that something is queued for; UINT32_MAX: nothing is.
  uint32_t OldestFence() const { return fences_.empty() ? UINT32_MAX : fences_.begin()->first; }

  uint64_t Free() const { return capacity - in_use - reserved; }
  uint64_t Top() const;
  uint64_t LowestBuffer() const;
  // Calls f(range) for each free range in address order.
  template <typename F>
  void ForEachHole(F f) const {
    uint64_t begin = 0;
    by_address_.ForEach([&](const AddressIndex::Entry& entry) {
      if (entry.offset > begin) f(Range{begin, entry.offset});
      begin = entry.stop;
    });
    if (capacity > begin) f(Range{begin, capacity});
  }
  template <typename F>
  void ForEachBlock(F f) const {
    by_address_.ForEach([&](const AddressIndex::Entry& entry) { f(entry.slot, slots_[entry.slot]); });
  }
  size_t num_blocks() const { return by_address_.size(); }
  // Where in a hole the wanted bytes would fit, if anywhere.
  static bool FitsIn(const Range& hole, const Wanted& wanted);
  // Where the holes begin that the policy lets a request use.
  Range UsableBy(const Wanted& wanted) const;
  bool Fits(const Wanted& wanted) const;
  // The largest hole that a buffer may use, and that a program may use.
  struct Holes {
    uint64_t largest = 0;
    uint64_t reservable = 0;
  };
  Holes LargestHoles() const;

  uint64_t capacity = 0;
  uint64_t in_use = 0, peak = 0, reserved = 0;
  uint32_t num_live = 0, num_evictions = 0;
  uint64_t num_allocs = 0, largest_alloc = 0, bytes_moved = 0, bytes_given_back = 0;
  uint64_t tentative = 0;  // bytes of buffers that the launch attempt at hand has given back
  uint32_t passed = 0;     // highest fence
  uint64_t clock = 0;
  bool byteless = false;   // a block of no bytes was given: whether it counts as one is the subject's affair
  // What the step before freed.
  struct Freed {
    uint64_t offset = 0, reserved = 0;
    bool program = false;
  };
  std::optional<Freed> just_freed;

 private:
  const Trace* trace_ = nullptr;
  bool follows_policy_ = false;
  std::vector<LiveBlock> slots_;
  std::vector<Slot> free_slots_;
  std::vector<Slot> by_name_;
  std::vector<Evicted> evicted_;
  AddressIndex by_address_;
  absl::btree_map<uint32_t, uint32_t> fences_;  // how much is queued for each
};

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_SHADOW_H_
