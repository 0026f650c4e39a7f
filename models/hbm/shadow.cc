// See shadow.h.
#include "models/hbm/shadow.h"

#include <algorithm>

#include "models/base/units.h"

namespace oomph::hbm {

void Shadow::Reset(const Trace& trace, bool follows_policy) {
  trace_ = &trace;
  follows_policy_ = follows_policy;
  slots_.clear();
  free_slots_.clear();
  by_name_.clear();
  evicted_.clear();
  by_address_.clear();
  fences_.clear();
  capacity = follows_policy ? RoundDown(trace.policy.capacity, trace.policy.granule)
                            : trace.policy.capacity;
  in_use = peak = reserved = num_allocs = largest_alloc = bytes_moved = bytes_given_back = 0;
  num_live = num_evictions = passed = 0;
  tentative = clock = 0;
  byteless = false;
  just_freed.reset();
}

Shadow::Neighbours Shadow::Around(uint64_t offset) const {
  Neighbours around;
  around.at = by_address_.LowerBound(offset);
  if (!by_address_.AtEnd(around.at)) around.above = by_address_.at(around.at).slot;
  if (!by_address_.AtBegin(around.at)) around.below = by_address_.at(by_address_.Previous(around.at)).slot;
  return around;
}

Shadow::Neighbours Shadow::AroundWithout(Slot slot, uint64_t offset) const {
  Neighbours around = Around(offset);
  if (around.above == slot) {
    const AddressIndex::Position next = by_address_.Next(around.at);
    around.above = by_address_.AtEnd(next) ? kNone : by_address_.at(next).slot;
  } else if (around.below == slot) {
    const AddressIndex::Position own = by_address_.Previous(around.at);
    around.below = by_address_.AtBegin(own) ? kNone : by_address_.at(by_address_.Previous(own)).slot;
  }
  return around;
}

Shadow::Slot Shadow::At(uint64_t offset) const {
  const AddressIndex::Position at = by_address_.LowerBound(offset);
  if (by_address_.AtEnd(at) || by_address_.at(at).offset != offset) return kNone;
  return by_address_.at(at).slot;
}

Shadow::Slot Shadow::Insert(const LiveBlock& block, bool define_name, const Neighbours& around) {
  Slot slot;
  if (free_slots_.empty()) {
    slot = slots_.size();
    slots_.push_back(block);
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
    slots_[slot] = block;
  }
  if (block.program) slots_[slot].loaded_at = slots_[slot].used_at = ++clock;
  by_address_.InsertAt(around.at, {block.offset, block.stop(), slot});
  (block.program ? reserved : in_use) += block.reserved;
  peak = std::max(peak, in_use);
  ++num_live;
  slots_[slot].named = define_name;
  if (define_name) {
    Forget(block.name);
    if (block.name >= by_name_.size()) by_name_.resize(block.name + 1, kNone);
    by_name_[block.name] = slot;
  }
  return slot;
}

void Shadow::Remove(Slot slot) {
  const LiveBlock& block = slots_[slot];
  by_address_.Erase(by_address_.LowerBound(block.offset));
  if (block.fence > 0) {
    const auto fence = fences_.find(block.fence);
    if (--fence->second == 0) fences_.erase(fence);
  }
  // Who knows nothing of the policy counts a queued block as free at once.
  if (block.fence == 0 || follows_policy_) (block.program ? reserved : in_use) -= block.reserved;
  if (block.fence == 0) --num_live;
  if (Named(block.name) == slot) by_name_[block.name] = kNone;
  free_slots_.push_back(slot);
}

void Shadow::Relocate(Slot slot, uint64_t offset) {
  LiveBlock& block = slots_[slot];
  const AddressIndex::Position at = by_address_.LowerBound(block.offset);
  block.offset = offset;
  const AddressIndex::Position next = by_address_.Next(at);
  const bool above_the_last = by_address_.AtBegin(at) || by_address_.at(by_address_.Previous(at)).offset < offset;
  const bool below_the_next = by_address_.AtEnd(next) || offset < by_address_.at(next).offset;
  if (above_the_last && below_the_next) return by_address_.Update(at, offset, block.stop());
  by_address_.Erase(at);
  by_address_.Insert({offset, block.stop(), slot});
}

void Shadow::Resize(Slot slot, uint64_t reserved_bytes, uint64_t size, uint64_t alignment) {
  LiveBlock& block = slots_[slot];
  in_use = in_use - block.reserved + reserved_bytes;
  peak = std::max(peak, in_use);
  block.reserved = reserved_bytes;
  block.size = size;
  block.alignment = alignment;
  by_address_.Update(by_address_.LowerBound(block.offset), block.offset, block.stop());
}

void Shadow::Queue(Slot slot, uint32_t fence) {
  LiveBlock& block = slots_[slot];
  block.fence = fence;
  by_name_[block.name] = kNone;
  block.named = false;
  --num_live;
  ++fences_[fence];
  if (!follows_policy_) in_use -= block.reserved;
}

void Shadow::Restore(const LiveBlock& block, const Neighbours& around) {
  const Slot slot = Insert(block, block.named, around);
  slots_[slot].loaded_at = block.loaded_at;
  slots_[slot].used_at = block.used_at;
}

void Shadow::Adopt(Slot slot) {
  slots_[slot].named = true;
  const uint32_t name = slots_[slot].name;
  if (name >= by_name_.size()) by_name_.resize(name + 1, kNone);
  by_name_[name] = slot;
}

void Shadow::Forget(uint32_t name) {
  if (name < evicted_.size()) evicted_[name] = {};
  if (Named(name) == kNone) return;
  slots_[by_name_[name]].named = false;
  by_name_[name] = kNone;
}

Shadow::Evicted& Shadow::EvictedProgram(uint32_t name) {
  if (name >= evicted_.size()) evicted_.resize(name + 1);
  return evicted_[name];
}

uint64_t Shadow::Top() const {
  if (!follows_policy_ || reserved == 0) return 0;
  // Programs are all below the buffers.
  uint64_t top = 0;
  for (auto at = by_address_.LowerBound(0); !by_address_.AtEnd(at); at = by_address_.Next(at)) {
    if (!slots_[by_address_.at(at).slot].program) break;
    top = by_address_.at(at).stop;
  }
  return top;
}

uint64_t Shadow::LowestBuffer() const {
  for (auto at = by_address_.LowerBound(0); !by_address_.AtEnd(at); at = by_address_.Next(at)) {
    if (!slots_[by_address_.at(at).slot].program) return by_address_.at(at).offset;
  }
  return capacity;
}

bool Shadow::FitsIn(const Range& hole, const Wanted& wanted) {
  const std::optional<uint64_t> begin = CheckedRoundUp(hole.begin, wanted.alignment);
  return begin && *begin <= hole.end && hole.end - *begin >= wanted.need;
}

Range Shadow::UsableBy(const Wanted& wanted) const {
  if (!follows_policy_) return {0, capacity};
  if (wanted.program) return {0, LowestBuffer()};
  Range usable = {Top(), capacity};
  if (trace_->policy.ends != Ends::kTwo) return usable;
  ForEachBlock([&](Slot, const LiveBlock& block) {
    if (block.program || block.end == wanted.end) return;
    if (wanted.end == End::kLow) usable.end = std::min(usable.end, block.offset);
    if (wanted.end != End::kLow) usable.begin = std::max(usable.begin, block.stop());
  });
  return usable;
}

bool Shadow::Fits(const Wanted& wanted) const {
  if (wanted.need > capacity) return false;
  const Range usable = UsableBy(wanted);
  bool fits = false;
  ForEachHole([&](const Range& hole) {
    fits = fits || (hole.size() >= wanted.need && Contains(usable, hole.begin) && FitsIn(hole, wanted));
  });
  return fits;
}

Shadow::Holes Shadow::LargestHoles() const {
  const uint64_t top = Top(), lowest = LowestBuffer();
  Holes holes;
  ForEachHole([&](const Range& hole) {
    if (hole.begin >= top) holes.largest = std::max(holes.largest, hole.size());
    if (hole.begin < lowest) holes.reservable = std::max(holes.reservable, hole.size());
  });
  return holes;
}

}  // namespace oomph::hbm
