// See progress.h.
#include "fuzz/campaign/progress.h"

#include <algorithm>
#include <utility>

namespace oomph {
namespace {

constexpr uint64_t kFirstChunk = 32;
constexpr double kChunkSeconds = 0.5;
constexpr uint64_t kMaxChunk = 1 << 16;

}  // namespace

std::optional<CaseRange> PairProgress::Deal() {
  if (!returned_.empty()) {
    const auto lowest = std::min_element(returned_.begin(), returned_.end(), [](const auto& a, const auto& b) {
      return a.first < b.first;
    });
    const CaseRange range = *lowest;
    returned_.erase(lowest);
    return range;
  }
  uint64_t count = kFirstChunk;
  if (per_second_ > 0) {
    count = static_cast<uint64_t>(std::clamp(per_second_ * kChunkSeconds, 1.0, double{kMaxChunk}));
  }
  if (limit_ != 0) count = std::min(count, limit_ > dealt_ ? limit_ - dealt_ : 0);
  if (count == 0) return std::nullopt;
  const CaseRange range{dealt_, count};
  dealt_ += count;
  return range;
}

void PairProgress::Return(CaseRange range) {
  if (range.count > 0) returned_.push_back(range);
}

void PairProgress::Done(ChunkRecord chunk) {
  seconds_ += chunk.seconds;
  if (chunk.seconds > 0) per_second_ = static_cast<double>(chunk.count) / chunk.seconds;
  if (chunk.count > 0) waiting_.emplace(chunk.first, std::move(chunk));
}

std::optional<ChunkRecord> PairProgress::Next() {
  if (waiting_.empty() || waiting_.begin()->first != committed_) return std::nullopt;
  ChunkRecord chunk = std::move(waiting_.begin()->second);
  waiting_.erase(waiting_.begin());
  committed_ = chunk.first + chunk.count;
  return chunk;
}

std::vector<ChunkRecord> PairProgress::TakeRest() {
  std::vector<ChunkRecord> rest;
  for (auto& [first, chunk] : waiting_) rest.push_back(std::move(chunk));
  waiting_.clear();
  return rest;
}

}  // namespace oomph
