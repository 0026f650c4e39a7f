// The heuristics, fast: a million buffers in seconds. The answers are those of specification.h.
// Not for: proofs beyond a lower bound (see exact.h).
//
//   rectangles by start:  | a b c d e f g h i j k l m n o p | q r s ...
//   latest end of what is placed, of each block:    17      |   42
//   the same, of each block of blocks ...
//
// Who of the placed is in use in [start, end): of the rectangles that start before `end` those that end after
// `start`; blocks whose latest end is not after `start` are skipped. Their ranges of offsets are sorted, what is left
// between them are the holes.
#ifndef OOMPH_MODELS_PLACEMENT_HEAPS_H_
#define OOMPH_MODELS_PLACEMENT_HEAPS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "models/placement/footprint.h"
#include "models/placement/plan.h"
#include "models/placement/planner.h"
#include "models/placement/problem.h"
#include "models/placement/units.h"

namespace oomph::placement {

// Rectangles that are or will be placed, by time.
class TimeIndex {
 public:
  // Of each unit the rectangles that it takes, in the order of Units::rectangles. None is placed.
  void Build(const Units& units, std::span<const Rectangle> taken);
  void Clear();  // none is placed
  void Place(const Unit& unit, std::span<const Rectangle> taken, uint64_t offset);

  // visit(lower, upper) for the addresses of each that is placed in the space and in use in [start, end).
  template <typename Visit>
  void ForEach(uint32_t space, int64_t start, int64_t end, Visit&& visit) const {
    const size_t first = spaces_[space];
    const auto behind = std::lower_bound(starts_.begin() + static_cast<ptrdiff_t>(first),
                                         starts_.begin() + static_cast<ptrdiff_t>(spaces_[space + 1]), end);
    const auto last = static_cast<size_t>(behind - starts_.begin());
    if (first < last) Walk(levels_.size() - 1, 0, levels_.back().size(), first, last, start, visit);
  }

 private:
  static constexpr int kShift = 4;  // 16 to a block

  template <typename Visit>
  void Walk(size_t level, size_t begin, size_t end, size_t first, size_t last, int64_t start, Visit& visit) const {
    const std::vector<int64_t>& ends = levels_[level];
    const size_t shift = level * kShift;
    begin = std::max(begin, first >> shift);
    end = std::min(end, ((last - 1) >> shift) + 1);
    for (size_t i = begin; i < end; ++i) {
      if (ends[i] <= start) continue;
      if (level == 0) {
        visit(addresses_[i].first, addresses_[i].second);
      } else {
        Walk(level - 1, i << kShift, (i + 1) << kShift, first, last, start, visit);
      }
    }
  }

  std::vector<size_t> spaces_;                           // where each begins, and the end
  std::vector<int64_t> starts_;                          // by space and start
  std::vector<std::pair<uint64_t, uint64_t>> addresses_;  // in the same order
  std::vector<std::vector<int64_t>> levels_;             // the ends of what is placed, then their maxima
  std::vector<uint32_t> position_;                       // of each rectangle as it was given
};

// Places the units of a problem, planner after planner.
class Heaps {
 public:
  // `units` must outlive it.
  Heaps(const Problem& problem, const Units& units) : problem_(problem), units_(units) {}

  // Whether two fixed units collide.
  bool FixedCollide();
  // Places all units as the planner does. False: one has no place below 2^64; placed() tells which.
  bool Place(Planner planner);
  const std::vector<uint64_t>& offsets() const { return offsets_; }  // of each unit
  const std::vector<uint8_t>& placed() const { return placed_; }
  uint64_t Peak() const;

 private:
  // Offsets [from, to) at which a unit would collide.
  struct Blocked {
    uint64_t from = 0, to = 0;
    bool operator<(const Blocked& other) const { return from < other.from; }
  };
  struct Range {
    uint64_t first = 0, last = 0;  // both included
  };
  struct Key {
    uint64_t high = 0, low = 0;  // the largest comes first
    uint32_t unit = 0;
    bool operator<(const Key& o) const {
      if (high != o.high) return high > o.high;
      return low != o.low ? low > o.low : unit < o.unit;
    }
  };

  Key KeyOf(Planner planner, uint32_t unit) const;
  void Claim(Planner planner);
  void Gather(const Unit& unit, std::span<const Rectangle> rectangles);
  template <typename Visit>
  void ForEachRange(const Unit& unit, Visit&& visit);
  bool BestFit(const Unit& unit, std::span<const Rectangle> searched, uint64_t& offset);
  bool FirstFit(const Unit& unit, std::span<const Rectangle> searched, uint64_t& offset);
  bool Repack(const Unit& unit, uint64_t& offset);
  std::vector<Range> Ranges(const Unit& unit, std::span<const Rectangle> rectangles);

  const Problem& problem_;
  const Units& units_;
  TimeIndex index_;
  enum class Claims : uint8_t { kNone, kOwn, kHeap, kRepacker } claims_ = Claims::kNone;
  std::vector<Rectangle> searched_, taken_;  // where they are not the units' own
  std::vector<Key> order_;
  std::vector<Blocked> blocked_;
  std::vector<uint64_t> offsets_;
  std::vector<uint8_t> placed_;
};

void RunHeuristic(const Problem& problem, const PlannerOptions& options, Plan& plan);
// Whether fixed offsets already leave no placement; the plan then says so.
bool RefusesFixed(const Units& units, Heaps& heaps, Plan& plan);
// Writes the offsets of units as those of buffers.
void TellOffsets(const Units& units, const std::vector<uint64_t>& offsets, Plan& plan);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_HEAPS_H_
