// See bfc_specification.h.
#include "models/hbm/bfc_specification.h"

#include <algorithm>

namespace oomph::bfc {
namespace {

// n / 256 rounded up, times 256, in 64 bits.
uint64_t RoundUpWrapping(uint64_t n) { return (n + 255) / 256 * 256; }

bool IsPowerOf2(uint64_t n) { return n != 0 && (n & (n - 1)) == 0; }

}  // namespace

Specification::Specification(const Options& options, const Deviations& deviations, uint64_t capacity,
                             uint64_t fuel)
    : options_(options),
      deviations_(deviations),
      capacity_(capacity),
      fuel_(fuel),
      backing_(options.backing, options.coalescing) {
  // [measured] With growth the first region has 2 MiB, or the capacity if that is less.
  const uint64_t first = options.growth ? std::min<uint64_t>(capacity, 2097152) : capacity;
  next_region_bytes_ = RoundUpWrapping(first);
}

// --- a request ---

// [measured] the order of the fallbacks.
Result Specification::Allocate(uint64_t size, uint64_t alignment, End end) {
  Result result;
  calls_ = 0;
  paths_ = 0;
  const auto answer = [&](Status status) {
    result.status = ended_ != Status::kOk ? ended_ : status;
    result.paths = paths_;
    return result;
  };
  const auto ended = [&] { return ended_ != Status::kOk; };

  if (ended()) return answer(ended_);
  if (alignment == 0) alignment = 64;
  if (!IsPowerOf2(alignment) || alignment > Backing::kMaxAlignment) return answer(Status::kInvalid);
  if (size == 0) return answer(Status::kInvalid);
  const std::optional<uint64_t> rounded = Round(size);
  if (!rounded.has_value()) return answer(Status::kNoMemory);
  if (*rounded == 0) paths_ |= path::kWrapped;
  const Request request{*rounded, alignment, end};

  if (!unmerged_.empty()) MergeFrees(0);
  if (ended()) return answer(ended_);
  if (Find(request, &result)) {
    paths_ |= path::kReused;
    return answer(Status::kOk);
  }
  if (Extend(request) && Find(request, &result)) return answer(Status::kOk);
  if (ended()) return answer(ended_);
  if (options_.timestamps == Timestamps::kLoose && !unmerged_.empty()) {
    if (MergeFrees(*rounded) && Find(request, &result)) return answer(Status::kOk);
    if (ended()) return answer(ended_);
  }
  if (Collect(*rounded) && Extend(request) && Find(request, &result)) return answer(Status::kOk);
  return answer(Status::kNoMemory);
}

std::optional<uint64_t> Specification::Round(uint64_t size) const {
  const uint64_t rounded = RoundUpWrapping(size);
  const bool wraps = deviations_.size_wraps && deviations_.alignment_ignored && options_.ends == Ends::kOne;
  if (rounded < size && !wraps) return std::nullopt;
  return rounded;
}

bool Specification::Find(const Request& request, Result* result) {
  const std::optional<size_t> picked = PickChunk(request);
  if (!picked.has_value()) return false;
  const size_t index = CutOut(*picked, request);
  Chunk& chunk = chunks_[index];
  chunk.used = true;
  Account(chunk);
  result->offset = chunk.offset;
  // [measured] The address of an empty block belongs to the chunk behind it.
  result->reserved = chunk.size != 0 ? chunk.size : chunks_[index + 1].size;
  return true;
}

std::optional<size_t> Specification::PickChunk(const Request& request) const {
  std::optional<size_t> best;
  for (size_t i = 0; i < chunks_.size(); ++i) {
    if (!MayUse(chunks_[i]) || !Place(chunks_[i], request).has_value()) continue;
    if (!best.has_value() || chunks_[i].size < chunks_[*best].size) best = i;
  }
  return best;
}

bool Specification::MayUse(const Chunk& chunk) const {
  if (chunk.used) return false;
  return options_.timestamps != Timestamps::kOn || chunk.freed_at <= landed_;
}

std::optional<uint64_t> Specification::Place(const Chunk& chunk, const Request& request) const {
  if (chunk.size < request.rounded) return std::nullopt;
  const bool two_ended = options_.ends == Ends::kTwo;
  if (deviations_.alignment_ignored && !two_ended) return chunk.offset;
  const uint64_t step = std::max<uint64_t>(request.alignment, 256);
  if (two_ended && request.end == End::kHigh) {
    const uint64_t offset = (chunk.end() - request.rounded) / step * step;
    if (offset < chunk.offset) return std::nullopt;
    return offset;
  }
  const uint64_t offset = (chunk.offset + step - 1) / step * step;
  if (offset + request.rounded > chunk.end()) return std::nullopt;
  return offset;
}

bool Specification::IsWorthSplitting(uint64_t size, const Request& request) const {
  if (options_.ends == Ends::kTwo && request.end == End::kHigh) return size > request.rounded;
  if (size >= 2 * request.rounded) return true;
  uint64_t limit = 134217728;
  if (options_.fragmentation > 0) {
    limit = static_cast<uint64_t>(options_.fragmentation * static_cast<double>(capacity_));
    if (limit == 0) limit = 1;  // a rest of nothing is none
  }
  return size - request.rounded >= limit;
}

// Front and back of the chunk stay free; the index of the block is given.
size_t Specification::CutOut(size_t index, const Request& request) {
  const uint64_t offset = *Place(chunks_[index], request);
  if (offset > chunks_[index].offset) {
    Split(index, offset - chunks_[index].offset);
    ++index;
  }
  if (IsWorthSplitting(chunks_[index].size, request)) Split(index, request.rounded);
  return index;
}

void Specification::Split(size_t index, uint64_t keep) {
  paths_ |= path::kSplit;
  Chunk rest = chunks_[index];
  rest.offset += keep;
  rest.size -= keep;
  rest.number = NewNumber(rest.offset);
  chunks_[index].size = keep;
  chunks_.insert(chunks_.begin() + index + 1, rest);
  if (rest.freed_at > 0 && !deviations_.forgets_remainder) unmerged_.push_back(rest.number);
}

void Specification::Account(const Chunk& chunk) {
  stats_.num_allocs += 1;
  stats_.bytes_in_use += chunk.size;
  stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  stats_.largest_alloc_size = std::max(stats_.largest_alloc_size, chunk.size);
}

void Specification::Unaccount(const Chunk& chunk) { stats_.bytes_in_use -= chunk.size; }

// --- a free ---

Status Specification::FreeAfter(uint64_t offset, uint64_t fence) {
  if (ended_ != Status::kOk) return ended_;
  if (fence > 0 && options_.timestamps != Timestamps::kOn) return Status::kUnsupported;
  size_t index = 0;
  while (index < chunks_.size() && !(chunks_[index].offset == offset && chunks_[index].size > 0)) ++index;
  // [measured] A failed CHECK.
  if (index == chunks_.size() || !chunks_[index].used) return ended_ = Status::kDied;

  Chunk& chunk = chunks_[index];
  chunk.used = false;
  Unaccount(chunk);
  if (options_.timestamps == Timestamps::kOff) {
    Coalesce(index, false);
    return Status::kOk;
  }
  chunk.freed_at = ++time_;
  unmerged_.push_back(chunk.number);
  if (options_.timestamps == Timestamps::kOn) {
    waiting_.push_back(fence);
    Land();
  }
  return Status::kOk;
}

Status Specification::Fence(uint64_t fence) {
  if (ended_ != Status::kOk) return ended_;
  if (options_.timestamps == Timestamps::kOff) return Status::kUnsupported;
  passed_ = std::max(passed_, fence);
  if (options_.timestamps == Timestamps::kOn) Land();
  if (options_.timestamps == Timestamps::kLoose) landed_ = time_;
  return Status::kOk;
}

void Specification::Land() {
  while (!waiting_.empty() && waiting_.front() <= passed_) {
    waiting_.erase(waiting_.begin());
    landed_ += 1;
  }
}

bool Specification::MergeFrees(uint64_t wanted) {
  std::vector<size_t> merging;
  std::vector<size_t> staying;
  for (const size_t number : unmerged_) {
    const std::optional<size_t> index = IndexOf(number);
    if (!index.has_value()) {
      // The chunk was merged, or its region was collected. [measured] In the second case the look-up of its
      // address ends the process, unless another region has the address by now.
      bool known = false;
      for (const auto& [begin, end] : Regions()) known |= begin <= where_[number] && where_[number] < end;
      if (!known && deviations_.collects_unlanded) {
        ended_ = Status::kDied;
        return false;
      }
      continue;
    }
    Chunk& chunk = chunks_[*index];
    if (chunk.used) continue;
    const bool safe = chunk.freed_at <= landed_;
    if (safe) chunk.freed_at = 0;
    (safe || wanted > 0 ? merging : staying).push_back(number);
  }
  unmerged_ = staying;

  if (!merging.empty()) paths_ |= wanted > 0 ? path::kForced : path::kLanded;
  bool satisfied = wanted == 0;
  for (const size_t number : merging) {
    const std::optional<size_t> index = IndexOf(number);
    if (!index.has_value()) continue;
    if (wanted == 0) {
      Coalesce(*index, false);
    } else if (satisfied) {
      unmerged_.push_back(number);
    } else {
      const Chunk& chunk = chunks_[Coalesce(*index, true)];
      if (chunk.number != number && chunk.freed_at > 0) unmerged_.push_back(chunk.number);
      satisfied = chunk.size >= wanted;
    }
  }
  return satisfied;
}

// With the chunk behind it, then with the one before it. Gives the index of what became of it.
size_t Specification::Coalesce(size_t index, bool unsafe_too) {
  if (chunks_[index].freed_at > 0 && !unsafe_too) return index;
  if (index + 1 < chunks_.size() && MayMerge(index, index + 1, unsafe_too)) Merge(index);
  if (index > 0 && MayMerge(index, index - 1, unsafe_too)) {
    Merge(index - 1);
    return index - 1;
  }
  return index;
}

bool Specification::MayMerge(size_t first, size_t second, bool unsafe_too) const {
  const Chunk& other = chunks_[second];
  if (other.used || other.region != chunks_[first].region) return false;
  return unsafe_too || other.freed_at == 0;
}

void Specification::Merge(size_t first) {
  Chunk& a = chunks_[first];
  const Chunk& b = chunks_[first + 1];
  a.size += b.size;
  a.freed_at = std::max(a.freed_at, b.freed_at);
  Drop(first + 1);
}

// --- regions ---

bool Specification::Extend(const Request& request) {
  const uint64_t available = (capacity_ - stats_.pool_bytes) / 256 * 256;
  if (request.rounded > available) return false;
  const uint64_t usual = next_region_bytes_;
  if (!GrowNextRegion(request.rounded)) return false;

  uint64_t bytes = std::min(next_region_bytes_, available);
  std::optional<uint64_t> offset;
  while (true) {
    calls_ += 1;
    if (calls_ > fuel_) {
      ended_ = Status::kOutOfFuel;
      return false;
    }
    offset = backing_.Take(request.alignment, bytes);
    if (offset.has_value()) break;
    paths_ |= path::kBackedOff;
    bytes = BackOff(bytes);
    if (bytes < request.rounded) return false;
    if (bytes == 0 && !deviations_.growth_without_end) return false;
  }
  paths_ |= path::kExtended;
  const bool fits = next_region_bytes_ < uint64_t{1} << 63;
  if (next_region_bytes_ == usual && (fits || deviations_.region_size_wraps)) next_region_bytes_ *= 2;
  stats_.pool_bytes += bytes;
  AddRegion(*offset, bytes);
  return true;
}

bool Specification::GrowNextRegion(uint64_t rounded) {
  while (next_region_bytes_ < rounded) {
    if (next_region_bytes_ == 0) {
      paths_ |= path::kEndless;
      ended_ = Status::kOutOfFuel;
      return false;
    }
    next_region_bytes_ *= 2;
  }
  return true;
}

uint64_t Specification::BackOff(uint64_t bytes) const {
  const float nine_tenths = 0.9f * static_cast<float>(bytes);
  const uint64_t less = RoundUpWrapping(static_cast<uint64_t>(nine_tenths));
  if (deviations_.growth_without_end || less < bytes) return less;
  return bytes < 256 ? 0 : bytes - 256;
}

void Specification::AddRegion(uint64_t offset, uint64_t bytes) {
  Chunk chunk{offset, bytes, offset, 0, NewNumber(offset), false};
  size_t index = 0;
  while (index < chunks_.size() && chunks_[index].offset < offset) ++index;
  const bool adjoins = index > 0 && chunks_[index - 1].end() == offset;
  if (options_.coalescing && adjoins) chunk.region = chunks_[index - 1].region;
  chunks_.insert(chunks_.begin() + index, chunk);
  Coalesce(index, false);
}

bool Specification::Collect(uint64_t rounded) {
  if (!options_.garbage_collection) return false;
  std::vector<std::pair<uint64_t, uint64_t>> collectable;
  uint64_t sum = 0;
  for (const auto& [begin, end] : Regions()) {
    if (!MayCollect(begin)) continue;
    collectable.push_back({begin, end});
    sum += end - begin;
  }
  if (sum == 0 || rounded > capacity_ - stats_.pool_bytes + sum) return false;
  paths_ |= path::kCollected;
  for (const auto& [begin, end] : collectable) {
    while (!ChunksOf(begin).empty()) Drop(ChunksOf(begin).front());
    // Empty chunks at its beginning are forgotten; their numbers are not used again.
    std::erase_if(chunks_, [begin = begin](const Chunk& chunk) { return chunk.region == begin; });
    backing_.GiveBack(begin, end - begin);
    stats_.pool_bytes -= end - begin;
  }
  return true;
}

bool Specification::MayCollect(uint64_t region) const {
  for (const size_t i : ChunksOf(region)) {
    if (chunks_[i].used) return false;
    if (chunks_[i].freed_at > landed_ && !deviations_.collects_unlanded) return false;
  }
  return true;
}

std::vector<std::pair<uint64_t, uint64_t>> Specification::Regions() const {
  std::vector<std::pair<uint64_t, uint64_t>> regions;
  for (const Chunk& chunk : chunks_) {
    if (regions.empty() || regions.back().first != chunk.region) regions.push_back({chunk.region, 0});
    regions.back().second = chunk.end();
  }
  return regions;
}

std::vector<size_t> Specification::ChunksOf(uint64_t region) const {
  std::vector<size_t> indices;
  for (size_t i = 0; i < chunks_.size(); ++i) {
    const bool empty_at_front = chunks_[i].size == 0 && chunks_[i].offset == region;
    if (chunks_[i].region == region && !empty_at_front) indices.push_back(i);
  }
  return indices;
}

// --- chunks ---

std::optional<size_t> Specification::IndexOf(size_t number) const {
  for (size_t i = 0; i < chunks_.size(); ++i) {
    if (chunks_[i].number == number) return i;
  }
  return std::nullopt;
}

size_t Specification::NewNumber(uint64_t offset) {
  size_t number = where_.size();
  if (spare_.empty()) {
    where_.push_back(offset);
  } else {
    number = spare_.back();
    spare_.pop_back();
    where_[number] = offset;
  }
  return number;
}

void Specification::Drop(size_t index) {
  spare_.push_back(chunks_[index].number);
  chunks_.erase(chunks_.begin() + index);
}

uint64_t Specification::largest_free() const {
  uint64_t largest = 0;
  ForEachFree([&](uint64_t, uint64_t size) { largest = std::max(largest, size); });
  return largest;
}

uint64_t Specification::free_bytes() const {
  uint64_t sum = 0;
  ForEachFree([&](uint64_t, uint64_t size) { sum += size; });
  return sum;
}

size_t Specification::num_free() const {
  size_t count = 0;
  ForEachFree([&](uint64_t, uint64_t) { ++count; });
  return count;
}

size_t Specification::num_live() const {
  return std::count_if(chunks_.begin(), chunks_.end(), [](const Chunk& c) { return c.used && c.size > 0; });
}

size_t Specification::num_regions() const { return Regions().size(); }

}  // namespace oomph::bfc
