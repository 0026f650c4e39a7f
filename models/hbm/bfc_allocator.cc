// See bfc_allocator.h.
#include "models/hbm/bfc_allocator.h"

#include <algorithm>

#include "models/base/units.h"

namespace oomph::bfc {
namespace {

constexpr uint64_t kFirstRegionBytes = 2 * kMiB;
constexpr uint64_t kDefaultWasteLimit = 128 * kMiB;
constexpr uint64_t kDefaultAlignment = 64;

uint64_t WrappingRoundUp(uint64_t n) { return (n + (kGranule - 1)) & ~(kGranule - 1); }

}  // namespace

Allocator::Allocator(const Options& options, const Deviations& deviations, uint64_t capacity, uint64_t fuel)
    : options_(options),
      deviations_(deviations),
      capacity_(capacity),
      fuel_(fuel),
      backing_(options.backing, options.coalescing) {
  waste_limit_ = kDefaultWasteLimit;
  if (options.fragmentation > 0) {
    const double limit = options.fragmentation * static_cast<double>(capacity);
    waste_limit_ = std::max<uint64_t>(1, static_cast<uint64_t>(limit));  // the plugin refuses 0
  }
  region_bytes_ = WrappingRoundUp(options.growth ? std::min(capacity, kFirstRegionBytes) : capacity);
}

std::optional<uint64_t> Allocator::Round(uint64_t size) const {
  if (deviations_.size_wraps && !honours_alignment()) return WrappingRoundUp(size);
  return CheckedRoundUp(size, kGranule);
}

Result Allocator::Allocate(uint64_t size, uint64_t alignment, End end) {
  Result result;
  paths_ = 0;
  calls_ = 0;
  const auto finish = [&](Status status) {
    result.status = ended_ == Status::kOk ? status : ended_;
    result.paths = paths_;
    return result;
  };
  if (ended_ != Status::kOk) return finish(ended_);
  if (alignment == 0) alignment = kDefaultAlignment;
  if (!IsPowerOfTwo(alignment) || alignment > Backing::kMaxAlignment || size == 0) {
    return finish(Status::kInvalid);
  }
  const std::optional<uint64_t> rounded = Round(size);
  if (!rounded.has_value()) return finish(Status::kNoMemory);
  if (*rounded == 0) paths_ |= path::kWrapped;

  if (!unmerged_.empty()) MergeFrees(0);
  if (ended_ != Status::kOk) return finish(ended_);
  if (TryFind(*rounded, alignment, end, &result)) {
    paths_ |= path::kReused;
    return finish(Status::kOk);
  }
  if (TryExtend(*rounded, alignment) && TryFind(*rounded, alignment, end, &result)) {
    return finish(Status::kOk);
  }
  if (ended_ != Status::kOk) return finish(ended_);
  if (options_.timestamps == Timestamps::kLoose && !unmerged_.empty() && MergeFrees(*rounded) &&
      TryFind(*rounded, alignment, end, &result)) {
    return finish(Status::kOk);
  }
  if (ended_ != Status::kOk) return finish(ended_);
  if (CollectRegions(*rounded) && TryExtend(*rounded, alignment) &&
      TryFind(*rounded, alignment, end, &result)) {
    return finish(Status::kOk);
  }
  return finish(Status::kNoMemory);
}

bool Allocator::TryFind(uint64_t rounded, uint64_t alignment, End end, Result* result) {
  const std::optional<Spot> spot = FindSpot(rounded, alignment, end);
  if (!spot.has_value()) return false;
  const uint32_t h = Carve(*spot, rounded, end);
  Chunk& chunk = chunks_[h];
  chunk.state = State::kUsed;
  ++stats_.num_allocs;
  stats_.bytes_in_use += chunk.size;
  stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  stats_.largest_alloc_size = std::max(stats_.largest_alloc_size, chunk.size);
  result->offset = chunk.offset;
  if (chunk.size != 0) {
    live_.emplace(chunk.offset, h);
    result->reserved = chunk.size;
  } else {
    // The address belongs to the chunk that was split off behind the empty one.
    result->reserved = chunks_[chunk.next].size;
  }
  return true;
}

std::optional<Allocator::Spot> Allocator::FindSpot(uint64_t rounded, uint64_t alignment, End end) const {
  const bool aligns = honours_alignment();
  const bool high = options_.ends == Ends::kTwo && end == End::kHigh;
  alignment = std::max(alignment, kGranule);
  for (auto it = free_.lower_bound(Hole{rounded, 0, 0}); it != free_.end(); ++it) {
    if (options_.timestamps == Timestamps::kOn && chunks_[it->chunk].freed_at > landed_) continue;
    if (!aligns) return Spot{it->chunk, it->offset};
    // Both sums stay below 2^46, the end of the sub-allocator's address space.
    uint64_t offset = (it->offset + alignment - 1) & ~(alignment - 1);
    if (high) offset = (it->offset + it->size - rounded) & ~(alignment - 1);
    if (offset >= it->offset && offset + rounded <= it->offset + it->size) {
      return Spot{it->chunk, offset};
    }
  }
  return std::nullopt;
}

uint32_t Allocator::Carve(const Spot& spot, uint64_t rounded, End end) {
  uint32_t h = spot.chunk;
  RemoveHole(h);
  if (spot.offset != chunks_[h].offset) {
    const uint32_t front = h;
    SplitOff(front, spot.offset - chunks_[front].offset);
    h = chunks_[front].next;
    RemoveHole(h);
    AddHole(front);
  }
  const uint64_t size = chunks_[h].size;
  const bool exact = options_.ends == Ends::kTwo && end == End::kHigh && size > rounded;
  if (exact || size >= 2 * rounded || size - rounded >= waste_limit_) SplitOff(h, rounded);
  return h;
}

void Allocator::SplitOff(uint32_t h, uint64_t keep) {
  paths_ |= path::kSplit;
  const uint32_t rest = NewChunk(chunks_[h].offset + keep, chunks_[h].size - keep);
  Chunk& chunk = chunks_[h];
  chunk.size = keep;
  chunks_[rest].freed_at = chunk.freed_at;
  chunks_[rest].prev = h;
  chunks_[rest].next = chunk.next;
  if (chunk.next != kNone) chunks_[chunk.next].prev = rest;
  chunk.next = rest;
  AddHole(rest);
  if (!deviations_.forgets_remainder && chunk.freed_at != 0) unmerged_.push_back(rest);
}

// --- regions ---

bool Allocator::TryExtend(uint64_t rounded, uint64_t alignment) {
  uint64_t bytes = 0;
  const uint64_t doubled_from = region_bytes_;
  const std::optional<uint64_t> offset = TakeRegion(alignment, rounded, &bytes);
  if (!offset.has_value()) return false;
  // The next region is twice as large, unless this request has made it larger already.
  if (region_bytes_ == doubled_from) {
    const bool may_double = deviations_.region_size_wraps || region_bytes_ <= kMaxBytes / 2;
    if (may_double) region_bytes_ *= 2;
  }
  paths_ |= path::kExtended;
  stats_.pool_bytes += bytes;
  AddRegion(*offset, bytes);
  return true;
}

std::optional<uint64_t> Allocator::TakeRegion(uint64_t alignment, uint64_t rounded, uint64_t* bytes) {
  const uint64_t available = RoundDown(capacity_ - stats_.pool_bytes, kGranule);
  if (rounded > available) return std::nullopt;
  while (rounded > region_bytes_) {
    if (region_bytes_ == 0) {
      paths_ |= path::kEndless;
      ended_ = Status::kOutOfFuel;
      return std::nullopt;
    }
    region_bytes_ *= 2;
  }
  *bytes = std::min(region_bytes_, available);
  while (true) {
    if (calls_++ >= fuel_) {
      ended_ = Status::kOutOfFuel;
      return std::nullopt;
    }
    const std::optional<uint64_t> offset = backing_.Take(alignment, *bytes);
    if (offset.has_value()) return offset;
    paths_ |= path::kBackedOff;
    *bytes = BackOff(*bytes);
    if (*bytes < rounded || (*bytes == 0 && !deviations_.growth_without_end)) return std::nullopt;
  }
}

uint64_t Allocator::BackOff(uint64_t bytes) const {
  // In single precision, as shipped: it shows above 2^24.
  const uint64_t less = WrappingRoundUp(static_cast<uint64_t>(static_cast<float>(bytes) * 0.9f));
  if (less >= bytes && !deviations_.growth_without_end) return SaturatingSub(bytes, kGranule);
  return less;
}

void Allocator::AddRegion(uint64_t offset, uint64_t bytes) {
  const uint32_t h = NewChunk(offset, bytes);
  const auto after = std::upper_bound(regions_.begin(), regions_.end(), offset,
                                      [](uint64_t o, const Region& r) { return o < r.offset; });
  if (options_.coalescing && after != regions_.begin() && (after - 1)->end() == offset) {
    Region& region = *(after - 1);
    uint32_t last = FirstChunk(region);
    while (chunks_[last].next != kNone) last = chunks_[last].next;
    chunks_[last].next = h;
    chunks_[h].prev = last;
    region.size += bytes;
  } else {
    regions_.insert(after, Region{offset, bytes, h});
  }
  AddHole(Coalesce(h, false));
}

bool Allocator::CollectRegions(uint64_t rounded) {
  if (!options_.garbage_collection) return false;
  uint64_t collectable = 0;
  for (const Region& region : regions_) {
    if (MayCollect(region)) collectable += region.size;
  }
  if (collectable == 0 || rounded > capacity_ - stats_.pool_bytes + collectable) return false;
  paths_ |= path::kCollected;
  std::erase_if(regions_, [&](const Region& region) {
    if (!MayCollect(region)) return false;
    DropChunks(region);
    backing_.GiveBack(region.offset, region.size);
    stats_.pool_bytes -= region.size;
    return true;
  });
  return true;
}

bool Allocator::MayCollect(const Region& region) const {
  for (uint32_t h = FirstChunk(region); h != kNone; h = chunks_[h].next) {
    if (chunks_[h].state == State::kUsed) return false;
    if (!deviations_.collects_unlanded && chunks_[h].freed_at > landed_) return false;
  }
  return true;
}

void Allocator::DropChunks(const Region& region) {
  for (uint32_t h = FirstChunk(region); h != kNone;) {
    const uint32_t next = chunks_[h].next;
    RemoveHole(h);
    DeleteChunk(h);
    h = next;
  }
}

uint32_t Allocator::FirstChunk(const Region& region) const {
  // An empty chunk has lost its address to the one behind it.
  uint32_t h = region.first;
  while (chunks_[h].size == 0) h = chunks_[h].next;
  return h;
}

// --- frees ---

Status Allocator::FreeAfter(uint64_t offset, uint64_t fence) {
  if (ended_ != Status::kOk) return ended_;
  if (fence != 0 && options_.timestamps != Timestamps::kOn) return Status::kUnsupported;
  const auto it = live_.find(offset);
  if (it == live_.end()) return ended_ = Status::kDied;
  const uint32_t h = it->second;
  live_.erase(it);
  Chunk& chunk = chunks_[h];
  chunk.state = State::kFree;
  stats_.bytes_in_use -= chunk.size;
  if (options_.timestamps == Timestamps::kOff) {
    AddHole(Coalesce(h, false));
    return Status::kOk;
  }
  chunk.freed_at = ++time_;
  AddHole(h);
  unmerged_.push_back(h);
  if (options_.timestamps == Timestamps::kOn) {
    waiting_.push_back(fence);
    Land();
  }
  return Status::kOk;
}

Status Allocator::Fence(uint64_t fence) {
  if (ended_ != Status::kOk) return ended_;
  if (options_.timestamps == Timestamps::kOff) return Status::kUnsupported;
  passed_ = std::max(passed_, fence);
  if (options_.timestamps == Timestamps::kOn) {
    Land();
  } else {
    landed_ = time_;
  }
  return Status::kOk;
}

void Allocator::Land() {
  while (!waiting_.empty() && waiting_.front() <= passed_) {
    waiting_.pop_front();
    ++landed_;
  }
}

bool Allocator::MergeFrees(uint64_t wanted) {
  merging_.clear();
  unmerged_next_.clear();
  for (const uint32_t h : unmerged_) {
    Chunk& chunk = chunks_[h];
    if (chunk.state == State::kGone && !InSomeRegion(chunk.offset)) {
      if (!deviations_.collects_unlanded) continue;
      ended_ = Status::kDied;
      return false;
    }
    if (chunk.state != State::kFree) continue;
    if (chunk.freed_at <= landed_) {
      chunk.freed_at = 0;
      merging_.push_back(h);
    } else if (wanted > 0) {
      merging_.push_back(h);
    } else {
      unmerged_next_.push_back(h);
    }
  }
  unmerged_.swap(unmerged_next_);
  if (!merging_.empty()) paths_ |= wanted == 0 ? path::kLanded : path::kForced;
  bool satisfied = wanted == 0;
  for (const uint32_t h : merging_) {
    if (chunks_[h].state != State::kFree) continue;  // merged into an earlier one
    if (wanted != 0 && satisfied) {
      unmerged_.push_back(h);
      continue;
    }
    RemoveHole(h);
    const uint32_t merged = Coalesce(h, wanted != 0);
    AddHole(merged);
    if (wanted == 0) continue;
    if (merged != h && chunks_[merged].freed_at > 0) unmerged_.push_back(merged);
    if (chunks_[merged].size >= wanted) satisfied = true;
  }
  return satisfied;
}

uint32_t Allocator::Coalesce(uint32_t h, bool unsafe_too) {
  if (!unsafe_too && chunks_[h].freed_at > 0) return h;
  const auto joins = [&](uint32_t other) {
    return other != kNone && chunks_[other].state == State::kFree &&
           (unsafe_too || chunks_[other].freed_at == 0);
  };
  if (const uint32_t next = chunks_[h].next; joins(next)) {
    RemoveHole(next);
    Absorb(h, next);
  }
  if (const uint32_t prev = chunks_[h].prev; joins(prev)) {
    RemoveHole(prev);
    Absorb(prev, h);
    return prev;
  }
  return h;
}

void Allocator::Absorb(uint32_t first, uint32_t second) {
  Chunk& a = chunks_[first];
  const Chunk& b = chunks_[second];
  a.size += b.size;
  a.freed_at = std::max(a.freed_at, b.freed_at);
  a.next = b.next;
  if (b.next != kNone) chunks_[b.next].prev = first;
  DeleteChunk(second);
}

// --- chunks ---

bool Allocator::InSomeRegion(uint64_t offset) const {
  return std::any_of(regions_.begin(), regions_.end(),
                     [&](const Region& region) { return region.offset <= offset && offset < region.end(); });
}

uint32_t Allocator::NewChunk(uint64_t offset, uint64_t size) {
  uint32_t h = gone_;
  if (h == kNone) {
    h = static_cast<uint32_t>(chunks_.size());
    chunks_.emplace_back();
  } else {
    gone_ = chunks_[h].next;
  }
  chunks_[h] = Chunk{offset, size, 0, kNone, kNone, State::kFree};
  return h;
}

void Allocator::DeleteChunk(uint32_t h) {
  chunks_[h].state = State::kGone;
  chunks_[h].next = gone_;
  gone_ = h;
}

}  // namespace oomph::bfc
