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
  capacity = follows_policy ? RoundDown(trace.policy.capacity, trace.policy.granule)
                            : trace.policy.capacity;
  in_use = peak = reserved = num_allocs = largest_alloc = bytes_moved = bytes_given_back = 0;
  num_live = num_evictions = num_queued = passed = 0;
  tentative = clock = 0;
  just_freed.reset();
}

Shadow::Neighbours Shadow::Around(uint64_t offset) const {
  Neighbours around;
  auto it = by_address_.lower_bound(offset);
  if (it != by_address_.end()) around.above = it->second;
  if (it != by_address_.begin()) around.below = (--it)->second;
  return around;
}

Shadow::Slot Shadow::At(uint64_t offset) const {
  const auto it = by_address_.find(offset);
  return it == by_address_.end() ? kNone : it->second;
}

Shadow::Slot Shadow::Insert(const LiveBlock& block, bool define_name) {
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
  by_address_.emplace(block.offset, slot);
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
  by_address_.erase(block.offset);
  if (block.fence > 0) --num_queued;
  // Who knows nothing of the policy counts a queued block as free at once.
  if (block.fence == 0 || follows_policy_) (block.program ? reserved : in_use) -= block.reserved;
  if (block.fence == 0) --num_live;
  if (Named(block.name) == slot) by_name_[block.name] = kNone;
  free_slots_.push_back(slot);
}

void Shadow::Relocate(Slot slot, uint64_t offset) {
  by_address_.erase(slots_[slot].offset);
  slots_[slot].offset = offset;
  by_address_.emplace(offset, slot);
}

void Shadow::Resize(Slot slot, uint64_t reserved_bytes, uint64_t size, uint64_t alignment) {
  LiveBlock& block = slots_[slot];
  in_use = in_use - block.reserved + reserved_bytes;
  peak = std::max(peak, in_use);
  block.reserved = reserved_bytes;
  block.size = size;
  block.alignment = alignment;
}

void Shadow::Queue(Slot slot, uint32_t fence) {
  LiveBlock& block = slots_[slot];
  block.fence = fence;
  by_name_[block.name] = kNone;
  block.named = false;
  --num_live;
  ++num_queued;
  if (!follows_policy_) in_use -= block.reserved;
}

void Shadow::Restore(const LiveBlock& block) {
  const Slot slot = Insert(block, block.named);
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
  for (const auto& [offset, slot] : by_address_) {
    if (!slots_[slot].program) break;
    top = slots_[slot].stop();
  }
  return top;
}

uint64_t Shadow::LowestBuffer() const {
  for (const auto& [offset, slot] : by_address_) {
    if (!slots_[slot].program) return offset;
  }
  return capacity;
}

bool Shadow::FitsIn(const Range& hole, const Wanted& wanted) {
  const std::optional<uint64_t> begin = CheckedRoundUp(hole.begin, wanted.alignment);
  return begin && *begin <= hole.end && hole.end - *begin >= wanted.need;
}

bool Shadow::MayUse(const Range& hole, const Wanted& wanted) const {
  if (!follows_policy_) return true;
  if (wanted.program) return hole.begin < LowestBuffer();
  if (hole.begin < Top()) return false;
  if (trace_->policy.ends != Ends::kTwo) return true;
  for (const auto& [offset, slot] : by_address_) {
    const LiveBlock& block = slots_[slot];
    if (block.program || block.end == wanted.end) continue;
    if (wanted.end == End::kLow ? block.offset < hole.begin : block.offset > hole.begin) return false;
  }
  return true;
}

bool Shadow::Fits(const Wanted& wanted) const {
  bool fits = false;
  ForEachHole([&](const Range& hole) {
    fits = fits || (FitsIn(hole, wanted) && MayUse(hole, wanted));
  });
  return fits;
}

uint64_t Shadow::LargestFree() const {
  const uint64_t top = Top();
  uint64_t largest = 0;
  ForEachHole([&](const Range& hole) {
    if (hole.begin >= top) largest = std::max(largest, hole.size());
  });
  return largest;
}

uint64_t Shadow::Reservable() const {
  const uint64_t lowest = LowestBuffer();
  uint64_t largest = 0;
  ForEachHole([&](const Range& hole) {
    if (hole.begin < lowest) largest = std::max(largest, hole.size());
  });
  return largest;
}

}  // namespace oomph::hbm
