// See reduce.h. Each step that is taken makes a problem simpler in one measure (buffers, features, times, bytes) and in none
// before it less simple, so that it ends.
#include "models/placement/reduce.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "models/base/old_reduction.h"
#include "models/base/units.h"
#include "models/placement/decorate.h"
#include "models/placement/footprint.h"

namespace oomph::placement {
namespace {

// Calls `change` with every time in the problem.
template <typename Change>
void EachTime(Problem& problem, Change change) {
  for (Buffer& buffer : problem.buffers) {
    change(buffer.start);
    change(buffer.end);
    for (Gap& gap : buffer.gaps) {
      change(gap.lower);
      change(gap.upper);
    }
    for (Slice& slice : buffer.slices) change(slice.start);
  }
}

// And with every number of bytes but alignments.
template <typename Change>
void EachSize(Problem& problem, Change change) {
  if (problem.capacity) change(*problem.capacity);
  for (Buffer& buffer : problem.buffers) {
    change(buffer.size);
    if (buffer.fixed) change(*buffer.fixed);
    if (buffer.hint) change(*buffer.hint);
    for (Gap& gap : buffer.gaps) {
      change(gap.window_lower);
      change(gap.window_upper);
    }
    for (Slice& slice : buffer.slices) change(slice.size);
  }
}

class Reducer : Reduction<Problem> {
 public:
  using Reduction::Reduction;

  void Run() {
    DropBuffers();
    for (bool progress = true; progress && left_ > 0;) {
      progress = false;
      progress |= DropFeaturesOfAll();
      progress |= RankTimes();
      progress |= DivideSizes();
      progress |= MergeBuffers();
      progress |= SimplifyBuffers();
      progress |= LowerSizes();
      progress |= DropBuffers();
    }
  }

 private:
  // A change to a copy of everything.
  template <typename Change>
  bool TryChanged(Change change) {
    if (left_ == 0) return false;
    Problem candidate = failing_;
    change(candidate);
    return !(candidate == failing_) && Try(candidate);
  }

  bool DropRange(size_t begin, size_t count) {
    Problem candidate{failing_.capacity, {}, failing_.extra_columns};
    candidate.buffers.reserve(failing_.buffers.size());
    candidate.buffers.assign(failing_.buffers.begin(), failing_.buffers.begin() + begin);
    candidate.buffers.insert(candidate.buffers.end(), failing_.buffers.begin() + begin + count,
                             failing_.buffers.end());
    return Try(candidate);
  }

  // Drops stretches from the end backwards, half as long each time; ends with no single one that can be
  // dropped.
  bool DropBuffers() {
    bool any = false;
    for (size_t count = std::max<size_t>(failing_.buffers.size() / 2, 1); count > 0 && left_ > 0;) {
      bool dropped = false;
      for (size_t end = failing_.buffers.size(); end > 0 && left_ > 0;) {
        const size_t begin = end > count ? end - count : 0;
        dropped |= DropRange(begin, end - begin);
        end = std::min(begin, failing_.buffers.size());
      }
      any |= dropped;
      if (count > 1 || !dropped) count /= 2;  // at single ones once more: what stayed may go now
    }
    return any;
  }

  template <typename Change>
  bool ForAll(Change change) {
    return TryChanged([&](Problem& candidate) {
      for (Buffer& buffer : candidate.buffers) change(buffer);
    });
  }

  bool DropFeaturesOfAll() {
    bool any = false;
    any |= TryChanged([](Problem& candidate) {
      candidate.extra_columns.clear();
      for (Buffer& buffer : candidate.buffers) buffer.extra.clear();
    });
    any |= ForAll([](Buffer& b) { b.hint.reset(); });
    any |= ForAll([](Buffer& b) { b.fixed.reset(); });
    any |= ForAll([](Buffer& b) { b.gaps.clear(); });
    any |= ForAll([](Buffer& b) { b.slices.clear(); });
    any |= ForAll([](Buffer& b) { b.group = 0; });
    any |= ForAll([](Buffer& b) { b.space = 0; });
    any |= ForAll([](Buffer& b) { b.alignment = 1; });
    any |= TrySet(failing_.capacity, std::optional<uint64_t>());
    return any;
  }

  // Times in their order, from 0 on, without those at which nothing happens.
  bool RankTimes() {
    return TryChanged([](Problem& candidate) {
      std::vector<int64_t> times;
      EachTime(candidate, [&](int64_t& time) { times.push_back(time); });
      std::sort(times.begin(), times.end());
      times.erase(std::unique(times.begin(), times.end()), times.end());
      EachTime(candidate, [&](int64_t& time) {
        time = std::lower_bound(times.begin(), times.end(), time) - times.begin();
      });
    });
  }

  // All numbers of bytes together, so that what fits goes on fitting.
  bool DivideSizes() {
    uint64_t divisor = 0;
    EachSize(failing_, [&](uint64_t& size) { divisor = std::gcd(divisor, size); });
    bool any = false;
    if (divisor > 1) any |= DivideBy(divisor);
    for (uint64_t factor : {1024, 64, 8, 2}) {
      while (DivideBy(factor)) any = true;
    }
    return any;
  }
  bool DivideBy(uint64_t divisor) {
    return TryChanged([&](Problem& candidate) {
      EachSize(candidate,
               [&](uint64_t& size) { size = size == 0 ? 0 : std::max<uint64_t>(size / divisor, 1); });
      for (Buffer& b : candidate.buffers)
        b.alignment = b.alignment <= 1 ? b.alignment : CeilDiv(b.alignment, divisor);
    });
  }

  // Two as one: of one size, one beginning where the other ends; or live together all the time, one above the
  // other.
  bool MergeBuffers() {
    bool any = false;
    for (size_t i = failing_.buffers.size(); i-- > 0 && left_ > 0;) {
      for (size_t j = failing_.buffers.size(); j-- > 0 && i < failing_.buffers.size() && left_ > 0;) {
        if (i != j && j < failing_.buffers.size()) any |= MergeTwo(i, j);
      }
      if (i < failing_.buffers.size()) any |= DropWithCapacity(i);
    }
    return any;
  }
  bool MergeTwo(size_t i, size_t j) {
    const Buffer &a = failing_.buffers[i], &b = failing_.buffers[j];
    const bool follows = a.end == b.start && a.size == b.size && Length(a.start, b.end) > 0;
    const bool beside = a.start == b.start && a.end == b.end && CheckedAdd(a.size, b.size);
    if (a.space != b.space || !(follows || beside)) return false;
    return TryChanged([&](Problem& candidate) {
      Buffer& one = candidate.buffers[i];
      const Buffer& other = candidate.buffers[j];
      if (follows) {
        one.end = other.end;
      } else {
        one.size += other.size;
      }
      candidate.buffers.erase(candidate.buffers.begin() + j);
    });
  }
  // What was live together with all the others took its room with it.
  bool DropWithCapacity(size_t i) {
    const uint64_t size = failing_.buffers[i].size;
    if (!failing_.capacity || *failing_.capacity < size) return false;
    return TryChanged([&](Problem& candidate) {
      *candidate.capacity -= size;
      candidate.buffers.erase(candidate.buffers.begin() + i);
    });
  }

  template <typename Part>
  bool DropParts(std::vector<Part>& parts) {
    bool any = false;
    if (!parts.empty()) any |= TrySet(parts, std::vector<Part>());
    for (size_t i = parts.size(); i-- > 0;) {
      if (i >= parts.size()) continue;
      std::vector<Part> fewer = parts;
      fewer.erase(fewer.begin() + i);
      any |= TrySet(parts, fewer);
    }
    return any;
  }

  // In place: no candidate of these replaces failing_.buffers.
  bool SimplifyBuffers() {
    bool any = false;
    for (size_t i = failing_.buffers.size(); i-- > 0 && left_ > 0;) {
      Buffer& b = failing_.buffers[i];
      any |= TrySet(b.hint, std::optional<uint64_t>());
      any |= TrySet(b.fixed, std::optional<uint64_t>());
      any |= TrySet<uint32_t>(b.group, 0);
      any |= TrySet<uint32_t>(b.space, 0);
      any |= DropParts(b.gaps);
      any |= DropParts(b.slices);
      for (Gap& gap : b.gaps) {
        any |= TrySet(gap, Gap{gap.lower, gap.upper, 0, 0});
      }
      any |= b.alignment == 0 ? TrySet<uint64_t>(b.alignment, 1) : Lower(b.alignment, 1);
      any |= Shorten(b);
    }
    return any;
  }

  // A later start or an earlier end.
  bool Shorten(Buffer& b) {
    bool any = false;
    for (uint64_t by = Length(b.start, b.end) / 2; by > 0 && left_ > 0; by /= 2) {
      if (Length(b.start, b.end) > by) any |= TrySet(b.start, Later(b.start, by));
      if (Length(b.start, b.end) > by) any |= TrySet(b.end, Later(b.start, Length(b.start, b.end) - by));
    }
    return any;
  }

  bool LowerSizes() {
    bool any = false;
    for (size_t i = failing_.buffers.size(); i-- > 0 && left_ > 0;) {
      Buffer& b = failing_.buffers[i];
      any |= LowerWithCapacity(b);
      any |= Lower(b.size, 1);
      any |= TrySet<uint64_t>(b.size, 0);
      if (b.fixed) any |= Lower(*b.fixed, 0);
      if (b.hint) any |= Lower(*b.hint, 0);
      for (Slice& slice : b.slices) any |= Lower(slice.size, 1);
      for (Gap& gap : b.gaps) {
        any |= Lower(gap.window_lower, 0);
        any |= Lower(gap.window_upper, 1);
      }
    }
    if (failing_.capacity) any |= Lower(*failing_.capacity, 0);
    return any;
  }

  // By the same amount: a tight problem stays tight.
  bool LowerWithCapacity(Buffer& b) {
    bool any = false;
    for (uint64_t by = b.size / 2; by > 0 && failing_.capacity && left_ > 0; by /= 2) {
      if (b.size <= by || *failing_.capacity < by) continue;
      const uint64_t capacity = *failing_.capacity;
      failing_.capacity = capacity - by;
      if (TrySet(b.size, b.size - by)) {
        any = true;
      } else {
        failing_.capacity = capacity;
      }
    }
    return any;
  }
};

}  // namespace

void ReduceProblem(Problem& problem, const std::function<bool(const Problem&)>& still_fails, size_t budget) {
  Reducer(problem, still_fails, budget).Run();
}

}  // namespace oomph::placement
