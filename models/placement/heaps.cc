// See heaps.h.
#include "models/placement/heaps.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "models/base/units.h"
#include "models/placement/bounds.h"
#include "models/placement/footprint.h"

namespace oomph::placement {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

bool IsBestFit(Planner planner) {
  return planner == Planner::kDecreasingSize || planner == Planner::kTemporal || planner == Planner::kRepacker;
}

}  // namespace

void TimeIndex::Build(const Units& units, std::span<const Rectangle> taken) {
  std::vector<uint32_t> space_of(taken.size());
  for (const Unit& unit : units.list) {
    for (uint32_t r = unit.begin; r < unit.end; ++r) space_of[r] = unit.space;
  }
  std::vector<uint32_t> order(taken.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (space_of[a] != space_of[b]) return space_of[a] < space_of[b];
    return taken[a].start != taken[b].start ? taken[a].start < taken[b].start : a < b;
  });
  position_.resize(taken.size());
  starts_.resize(taken.size());
  addresses_.resize(taken.size());
  spaces_.assign(units.spaces.size() + 1, 0);
  for (uint32_t i = 0; i < order.size(); ++i) {
    position_[order[i]] = i;
    starts_[i] = taken[order[i]].start;
    ++spaces_[space_of[order[i]] + 1];
  }
  std::partial_sum(spaces_.begin(), spaces_.end(), spaces_.begin());
  levels_.assign(1, std::vector<int64_t>(taken.size(), kNever));
  while (levels_.back().size() > (size_t{1} << kShift)) {
    levels_.emplace_back((levels_.back().size() + (1 << kShift) - 1) >> kShift, kNever);
  }
}

void TimeIndex::Clear() {
  for (std::vector<int64_t>& level : levels_) std::fill(level.begin(), level.end(), kNever);
}

void TimeIndex::Place(const Unit& unit, std::span<const Rectangle> taken, uint64_t offset) {
  for (uint32_t r = unit.begin; r < unit.end; ++r) {
    size_t at = position_[r];
    addresses_[at] = {offset + taken[r].lower, offset + taken[r].upper};
    for (std::vector<int64_t>& level : levels_) {
      level[at] = std::max(level[at], taken[r].end);
      at >>= kShift;
    }
  }
}

bool Heaps::FixedCollide() {
  const bool any = std::any_of(units_.list.begin(), units_.list.end(), [](const Unit& unit) { return unit.is_fixed; });
  if (!any) return false;
  index_.Build(units_, units_.rectangles);
  claims_ = Claims::kOwn;
  bool collide = false;
  for (const Unit& unit : units_.list) {
    if (!unit.is_fixed) continue;
    for (const Rectangle& r : units_.RectanglesOf(unit)) {
      index_.ForEach(unit.space, r.start, r.end, [&](uint64_t lower, uint64_t upper) {
        collide = collide || (unit.fixed + r.lower < upper && lower < unit.fixed + r.upper);
      });
    }
    if (collide) return true;
    index_.Place(unit, units_.rectangles, unit.fixed);
  }
  return false;
}

// What the planner searches and takes, where that is not what the units occupy.
void Heaps::Claim(Planner planner) {
  const bool own = !IsBestFit(planner) ||
                   (!units_.has_groups && !(planner == Planner::kRepacker && units_.has_slices));
  const Claims claims = own                                ? Claims::kOwn
                        : planner == Planner::kRepacker ? Claims::kRepacker
                                                        : Claims::kHeap;
  if (claims != claims_) {
    claims_ = claims;
    searched_.clear();
    taken_.clear();
    if (claims != Claims::kOwn) searched_ = units_.rectangles;
    for (const Unit& unit : units_.list) {
      for (uint32_t r = unit.begin; r < unit.end && claims != Claims::kOwn; ++r) {
        const size_t index = units_.has_groups ? units_.owner[r] : static_cast<size_t>(&unit - units_.list.data());
        const Buffer& buffer = problem_.buffers[index];
        const bool first_of_buffer = r == unit.begin || (units_.has_groups && units_.owner[r - 1] != index);
        if (claims == Claims::kRepacker && !buffer.slices.empty()) {
          // One rectangle for the whole buffer once its last slice is there, and empty ones. Rectangles are by start.
          searched_[r].end = searched_[r].start;
          uint32_t last = r;
          while (last + 1 < unit.end && (!units_.has_groups || units_.owner[last + 1] == index)) ++last;
          if (first_of_buffer) searched_[r] = {units_.rectangles[last].start, buffer.end, 0, buffer.size};
        }
        if (searched_[r].lower == 0 && searched_[r].upper == buffer.size) searched_[r].upper = unit.height;
      }
    }
    if (claims == Claims::kHeap) taken_ = searched_;
    index_.Build(units_, claims == Claims::kHeap ? taken_ : units_.rectangles);
  }
  index_.Clear();
}

Heaps::Key Heaps::KeyOf(Planner planner, uint32_t number) const {
  const Unit& unit = units_.list[number];
  if (unit.height == 0) return {0, 0, number};  // it lies at 0, whenever it comes
  const uint64_t length = Length(unit.earliest, unit.latest);
  switch (planner) {
    case Planner::kTemporal:
    case Planner::kRepacker:
      return {Length(unit.start, unit.latest), unit.size, number};
    case Planner::kByStart:
      return {~Length(kNever, unit.earliest), 0, number};
    case Planner::kByArea: {
      const auto area = static_cast<unsigned __int128>(unit.height) * length;
      return {static_cast<uint64_t>(area >> 64), static_cast<uint64_t>(area), number};
    }
    case Planner::kByDuration:
      return {length, 0, number};
    default:
      return {unit.size, unit.stretch, number};
  }
}

// The offsets at which some rectangle would meet a placed one, by where they begin.
void Heaps::Gather(const Unit& unit, std::span<const Rectangle> rectangles) {
  blocked_.clear();
  for (const Rectangle& r : rectangles) {
    if (r.start >= r.end) continue;
    index_.ForEach(unit.space, r.start, r.end, [&](uint64_t lower, uint64_t upper) {
      if (upper <= r.lower) return;  // it is below even from offset 0
      blocked_.push_back({lower < r.upper ? 0 : lower - r.upper + 1, upper - r.lower});
    });
  }
  std::sort(blocked_.begin(), blocked_.end());
}

// visit(first, last) for each range of free offsets, ascending, until it says true.
template <typename Visit>
void Heaps::ForEachRange(const Unit& unit, Visit&& visit) {
  const uint64_t highest = kMaxBytes - unit.height;
  uint64_t next = 0, first = 0;
  for (const Blocked& blocked : blocked_) {
    if (blocked.from > next) {
      const uint64_t last = std::min(blocked.from - 1, highest);
      if (AlignUp(next, unit.alignment, first) && first <= last && visit(first, last)) return;
    }
    next = std::max(next, blocked.to);
  }
  if (next <= highest && AlignUp(next, unit.alignment, first) && first <= highest) visit(first, highest);
}

bool Heaps::BestFit(const Unit& unit, std::span<const Rectangle> searched, uint64_t& offset) {
  Gather(unit, searched);
  bool found = false;
  uint64_t slack = 0;
  ForEachRange(unit, [&](uint64_t first, uint64_t last) {
    if (!found || last - first < slack) {
      found = true;
      slack = last - first;
      offset = first;
    }
    return false;
  });
  return found;
}

bool Heaps::FirstFit(const Unit& unit, std::span<const Rectangle> searched, uint64_t& offset) {
  Gather(unit, searched);
  bool found = false;
  ForEachRange(unit, [&](uint64_t first, uint64_t) {
    offset = first;
    return found = true;
  });
  return found;
}

std::vector<Heaps::Range> Heaps::Ranges(const Unit& unit, std::span<const Rectangle> rectangles) {
  Gather(unit, rectangles);
  std::vector<Range> ranges;
  ForEachRange(unit, [&](uint64_t first, uint64_t last) {
    ranges.push_back({first, last});
    return false;
  });
  return ranges;
}

// The least hole of those that are free once all slices are there; in it the lowest offset that is free all along.
bool Heaps::Repack(const Unit& unit, uint64_t& offset) {
  std::vector<Range> holes = Ranges(unit, {searched_.data() + unit.begin, unit.end - unit.begin});
  const std::vector<Range> offsets = Ranges(unit, units_.RectanglesOf(unit));
  std::sort(holes.begin(), holes.end(), [](const Range& a, const Range& b) {
    return std::pair(a.last - a.first, a.first) < std::pair(b.last - b.first, b.first);
  });
  for (const Range& hole : holes) {
    const auto from = std::lower_bound(offsets.begin(), offsets.end(), hole.first,
                                       [](const Range& range, uint64_t first) { return range.last < first; });
    for (auto range = from; range != offsets.end() && range->first <= hole.last; ++range) {
      if (AlignUp(std::max(hole.first, range->first), unit.alignment, offset) &&
          offset <= std::min(hole.last, range->last)) {
        return true;
      }
    }
  }
  return false;
}

bool Heaps::Place(Planner planner) {
  Claim(planner);
  const std::span<const Rectangle> taken = claims_ == Claims::kHeap ? taken_ : units_.rectangles;
  const std::span<const Rectangle> searched = claims_ == Claims::kOwn ? units_.rectangles : searched_;
  offsets_.assign(units_.list.size(), 0);
  placed_.assign(units_.list.size(), 1);
  order_.clear();
  for (uint32_t i = 0; i < units_.list.size(); ++i) {
    const Unit& unit = units_.list[i];
    if (!unit.is_fixed) {
      if (unit.height > 0) order_.push_back(KeyOf(planner, i));
      continue;
    }
    offsets_[i] = unit.fixed;
    index_.Place(unit, taken, unit.fixed);
  }
  std::sort(order_.begin(), order_.end());
  bool all = true;
  for (const Key& key : order_) {
    const Unit& unit = units_.list[key.unit];
    uint64_t& offset = offsets_[key.unit];
    const std::span<const Rectangle> own = searched.subspan(unit.begin, unit.end - unit.begin);
    const bool found = !IsBestFit(planner)              ? FirstFit(unit, own, offset)
                       : claims_ == Claims::kRepacker ? Repack(unit, offset)
                                                      : BestFit(unit, own, offset);
    placed_[key.unit] = found;
    if (found) index_.Place(unit, taken, offset);
    all = all && found;
  }
  return all;
}

uint64_t Heaps::Peak() const {
  uint64_t peak = 0;
  for (size_t i = 0; i < units_.list.size(); ++i) {
    if (units_.list[i].height > 0 && placed_[i]) peak = std::max(peak, offsets_[i] + units_.list[i].height);
  }
  return peak;
}

bool RefusesFixed(const Units& units, Heaps& heaps, Plan& plan) {
  if (!units.contradicts && !heaps.FixedCollide()) return false;
  plan.status = Status::kInfeasible;
  plan.note = "fixed offsets that no placement has";
  return true;
}

void TellOffsets(const Units& units, const std::vector<uint64_t>& offsets, Plan& plan) {
  plan.offsets.resize(units.of_buffer.size());
  for (size_t i = 0; i < plan.offsets.size(); ++i) plan.offsets[i] = offsets[units.of_buffer[i]];
}

void RunHeuristic(const Problem& problem, const PlannerOptions& options, Plan& plan) {
  plan = {};
  const uint64_t end = problem.capacity.value_or(kMaxBytes);
  Units units;
  MakeUnits(problem, end, units);
  Heaps heaps(problem, units);
  if (RefusesFixed(units, heaps, plan)) return;
  std::vector<Planner> planners = {options.planner};
  if (options.planner == Planner::kBestOfAll) planners.assign(kHeuristics.begin(), kHeuristics.end());
  std::optional<uint64_t> peak;
  std::vector<uint64_t> best;
  for (const Planner planner : planners) {
    if (!heaps.Place(planner) || (peak && *peak <= heaps.Peak())) continue;
    peak = heaps.Peak();
    best = heaps.offsets();
  }
  const uint64_t bound = LowerBound(problem).peak;
  plan.lower_bound = bound;
  if (!peak || *peak > end) {
    plan.status = bound > end ? Status::kInfeasible : Status::kNotFound;
    return;
  }
  plan.status = *peak == bound ? Status::kOptimal : Status::kFeasible;
  plan.peak = peak;
  TellOffsets(units, best, plan);
}

}  // namespace oomph::placement
