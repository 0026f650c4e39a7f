// For the tests of the planners: tiny problems of every feature, and their least peak by trying every offset, byte by
// byte and time by time; shares nothing with the planners, the bounds or footprint.h.
// Not for: anything but tests.
#ifndef OOMPH_MODELS_PLACEMENT_PLANNER_TESTING_H_
#define OOMPH_MODELS_PLACEMENT_PLANNER_TESTING_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/placement/plan.h"
#include "models/placement/problem.h"

namespace oomph::placement {

// No least peak of a tiny problem is above it.
inline constexpr uint64_t kTinyCeiling = 40;

// What a tiny problem may have.
struct TinyOptions {
  size_t buffers = 5;
  uint64_t size = 5;
  int64_t times = 6;
  bool odd = true;      // sizes 0, empty ranges, fixed offsets, spaces, capacities
  bool groups = true, gaps = true, windows = true, slices = true;
  std::vector<uint64_t> alignments = {1, 1, 1, 2, 3, 4, 0};
};

inline Problem TinyProblem(uint64_t seed, const TinyOptions& options = {}) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t n) { return random() % n; };
  const auto one_in = [&](uint64_t n) { return below(n) == 0; };
  Problem problem;
  const bool gaps = options.gaps && one_in(2), windows = options.windows && one_in(2);
  const bool slices = options.slices && one_in(3), fixed = options.odd && one_in(3);
  const bool groups = options.groups && one_in(3), spaces = options.odd && one_in(6), aligned = one_in(2);
  if (options.odd && one_in(2)) problem.capacity = below(3 * options.size);
  problem.buffers.resize(1 + below(options.buffers));
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    Buffer& b = problem.buffers[i];
    b.id = absl::StrCat("b", i);
    b.size = options.odd && one_in(16) ? 0 : 1 + below(options.size);
    b.start = static_cast<int64_t>(below(options.times));
    b.end = b.start + 1 + static_cast<int64_t>(below(options.times - b.start));
    if (options.odd && one_in(20)) b.end = b.start - static_cast<int64_t>(below(2));
    if (aligned) b.alignment = options.alignments[below(options.alignments.size())];
    if (fixed && one_in(3)) b.fixed = below(options.size + 2);
    if (spaces) b.space = static_cast<uint32_t>(below(2));
    if (groups && one_in(2)) b.group = static_cast<uint32_t>(1 + below(2));
    for (size_t g = 0; gaps && g < below(3); ++g) {
      const auto at = static_cast<int64_t>(below(options.times));
      Gap gap = {at, at + 1 + static_cast<int64_t>(below(3)), 0, 0};
      if (windows && !one_in(3)) gap.window_lower = below(b.size + 1), gap.window_upper = below(b.size + 2);
      b.gaps.push_back(gap);
    }
    for (size_t s = 0; slices && s < below(4); ++s) {
      b.slices.push_back({1 + below(3), static_cast<int64_t>(below(options.times))});
    }
  }
  return problem;
}

// Whether the byte of the buffer, counted from its offset, is in use at a time.
inline bool InUse(const Buffer& b, uint64_t byte, int64_t time) {
  if (byte >= b.size || time < b.start || time >= b.end) return false;
  for (const Gap& gap : b.gaps) {
    const bool applies = gap.lower <= time && time < gap.upper;
    if (applies && (byte < gap.window_lower || byte >= gap.window_upper)) return false;
  }
  uint64_t lower = 0;
  for (const Slice& slice : b.slices) {
    if (byte < lower + slice.size) return time >= slice.start;
    lower += slice.size;
  }
  return true;
}

class BruteForce {
 public:
  explicit BruteForce(const Problem& problem) : problem_(problem) {}

  // The least peak within the capacity; none: nothing fits. `ceiling` is a peak that is certainly reached.
  std::optional<uint64_t> LeastPeak(uint64_t ceiling) {
    offsets_.assign(problem_.buffers.size(), std::nullopt);
    best_ = problem_.capacity.value_or(ceiling) + 1;
    limit_ = best_ - 1;
    found_ = false;
    Try(0, 0);
    if (!found_) return std::nullopt;
    return best_;
  }

  // Whether offsets are a placement.
  bool IsRight(const std::vector<std::optional<uint64_t>>& offsets) {
    if (offsets.size() != problem_.buffers.size()) return false;
    offsets_.assign(offsets.size(), std::nullopt);
    for (size_t i = 0; i < offsets.size(); ++i) {
      if (!offsets[i] || !Suits(i, *offsets[i])) return false;
      offsets_[i] = offsets[i];
    }
    return true;
  }

 private:
  bool Nothing(const Buffer& b) const { return b.size == 0 || b.end <= b.start; }

  // Against everything before it.
  bool Suits(size_t i, uint64_t offset) const {
    const Buffer& b = problem_.buffers[i];
    if (offset % std::max<uint64_t>(b.alignment, 1) != 0 || (b.fixed && *b.fixed != offset)) return false;
    if (problem_.capacity && offset + (Nothing(b) ? 0 : b.size) > *problem_.capacity) return false;
    for (size_t j = 0; j < i; ++j) {
      const Buffer& other = problem_.buffers[j];
      if (other.space != b.space) continue;
      if (other.group != 0 && other.group == b.group) {
        if (offsets_[j] != offset) return false;
        continue;
      }
      for (int64_t t = b.start; t < b.end; ++t) {
        for (uint64_t byte = 0; byte < b.size; ++byte) {
          if (InUse(b, byte, t) && offset + byte >= *offsets_[j] && InUse(other, offset + byte - *offsets_[j], t)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  void Try(size_t i, uint64_t peak) {
    if (peak >= best_) return;
    if (i == problem_.buffers.size()) {
      best_ = peak;
      found_ = true;
      return;
    }
    const Buffer& b = problem_.buffers[i];
    for (uint64_t offset = b.fixed.value_or(0); offset <= b.fixed.value_or(limit_); ++offset) {
      if (!Nothing(b) && offset + b.size >= best_) break;
      if (!Suits(i, offset)) continue;
      offsets_[i] = offset;
      Try(i + 1, Nothing(b) ? peak : std::max(peak, offset + b.size));
    }
    offsets_[i].reset();
  }

  const Problem& problem_;
  std::vector<std::optional<uint64_t>> offsets_;
  uint64_t best_ = 0, limit_ = 0;
  bool found_ = false;
};

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_PLANNER_TESTING_H_
