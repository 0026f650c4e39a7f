// See specification.h. Here: the units, the heuristics, the answer. The exact planners: specification_exact.cc.
#include "models/placement/specification.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "models/base/units.h"
#include "models/placement/bounds.h"
#include "models/placement/footprint.h"

namespace oomph::placement {
namespace {

// The least number that both divide; 2^64 - 1 where it is above that: of its multiples only 0 can be an offset.
uint64_t CommonMultiple(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) / std::gcd(a, b) * b;
  return product > kMaxBytes ? kMaxBytes : static_cast<uint64_t>(product);
}

// The longest time in which there is always one of the rectangles, which are in the order of their starts.
uint64_t LongestStretch(const std::vector<Rectangle>& used) {
  uint64_t longest = 0;
  int64_t start = 0, end = 0;
  for (const Rectangle& r : used) {
    if (longest == 0 || r.start > end) start = r.start, end = r.end;
    end = std::max(end, r.end);
    longest = std::max(longest, Length(start, end));
  }
  return longest;
}

// The planners that fit the least hole; the others take the lowest.
bool IsBestFit(Planner planner) {
  return planner == Planner::kDecreasingSize || planner == Planner::kTemporal || planner == Planner::kRepacker;
}

}  // namespace

Specification::Specification(const Problem& problem, const PlannerOptions& options)
    : problem_(problem), options_(options), planner_(options.planner), end_(problem.capacity.value_or(kMaxBytes)) {}

void Specification::Run(Plan& plan) {
  plan = {};
  if (planner_ == Planner::kExhaustive && problem_.buffers.size() > 8) {
    plan.status = Status::kInvalid;
    plan.note = "more than 8 buffers";
    return;
  }
  units_ = Units();
  const bool contradicted =
      std::any_of(units_.begin(), units_.end(), [&](const Unit& unit) { return Contradicts(unit); });
  if (contradicted || FixedCollide()) {
    plan.status = Status::kInfeasible;
    plan.note = "fixed offsets that no placement has";
    return;
  }
  switch (planner_) {
    case Planner::kExhaustive:
    case Planner::kBranchAndBound:
      RunExact(plan);
      break;
    case Planner::kBestOfAll:
      RunBestOfAll(plan);
      break;
    default:
      RunHeuristic(plan);
  }
}

// --- the units

std::vector<Specification::Unit> Specification::Units() const {
  std::vector<Unit> units;
  std::map<std::pair<uint32_t, uint32_t>, size_t> groups;
  for (size_t i = 0; i < problem_.buffers.size(); ++i) {
    const Buffer& buffer = problem_.buffers[i];
    size_t unit = units.size();
    if (buffer.group != 0) unit = groups.emplace(std::pair(buffer.space, buffer.group), unit).first->second;
    if (unit == units.size()) units.emplace_back();
    Join(units[unit], i);
  }
  for (Unit& unit : units) Claim(unit);
  return units;
}

void Specification::Join(Unit& unit, size_t index) const {
  const Buffer& buffer = problem_.buffers[index];
  unit.space = buffer.space;
  unit.alignment = CommonMultiple(unit.alignment, AlignmentOf(buffer));
  if (buffer.fixed && !unit.fixed) unit.fixed = buffer.fixed;
  unit.members.push_back(index);
  if (OccupiesNothing(buffer)) return;
  std::vector<Rectangle> used;
  Footprint(buffer, used);
  unit.used.insert(unit.used.end(), used.begin(), used.end());
  if (unit.height == 0) {
    unit.size = buffer.size;
    unit.stretch = LongestStretch(used);
    unit.start = unit.earliest = buffer.start;
    unit.latest = buffer.end;
  }
  unit.height = std::max(unit.height, buffer.size);
  unit.earliest = std::min(unit.earliest, buffer.start);
  unit.latest = std::max(unit.latest, buffer.end);
}

void Specification::Claim(Unit& unit) const {
  unit.searched = unit.taken = unit.used;
  if (!IsBestFit(planner_)) return;
  unit.searched.clear();
  for (const size_t member : unit.members) {
    const Buffer& buffer = problem_.buffers[member];
    std::vector<Rectangle> claimed;
    Footprint(buffer, claimed);
    if (planner_ == Planner::kRepacker && !buffer.slices.empty() && !claimed.empty()) {
      // It looks for a hole that is free once all slices are there.
      const auto later = [](const Rectangle& a, const Rectangle& b) { return a.start < b.start; };
      const int64_t all_there = std::max_element(claimed.begin(), claimed.end(), later)->start;
      claimed = {{all_there, buffer.end, 0, buffer.size}};
    }
    for (Rectangle& rectangle : claimed) {
      if (rectangle.lower == 0 && rectangle.upper == buffer.size) rectangle.upper = unit.height;
      unit.searched.push_back(rectangle);
    }
  }
  if (planner_ != Planner::kRepacker) unit.taken = unit.searched;
}

bool Specification::Contradicts(const Unit& unit) const {
  for (const size_t member : unit.members) {
    const Buffer& buffer = problem_.buffers[member];
    if (buffer.fixed && buffer.fixed != unit.fixed) return true;
    if (unit.fixed && *unit.fixed % AlignmentOf(buffer) != 0) return true;
  }
  return unit.fixed && (*unit.fixed > end_ || unit.height > end_ - *unit.fixed);
}

bool Specification::FixedCollide() const {
  const auto at = [](const Rectangle& r, const Unit& unit) {
    return std::pair(*unit.fixed + r.lower, *unit.fixed + r.upper);  // no overflow: it ends at end_ or below
  };
  for (const Unit& a : units_) {
    for (const Unit& b : units_) {
      if (&a >= &b || a.space != b.space || !a.fixed || !b.fixed) continue;
      for (const Rectangle& r : a.used) {
        for (const Rectangle& s : b.used) {
          if (MayMeet(r, s) && at(r, a).first < at(s, b).second && at(s, b).first < at(r, a).second) return true;
        }
      }
    }
  }
  return false;
}

// --- the steps of a heuristic

bool Specification::Before(const Unit& a, const Unit& b) const {
  switch (planner_) {
    case Planner::kTemporal:
    case Planner::kRepacker:
      // From the start of the first member to the end of the last.
      return std::tuple(Length(b.start, b.latest), b.size) < std::tuple(Length(a.start, a.latest), a.size);
    case Planner::kByStart:
      return a.earliest < b.earliest;
    case Planner::kByArea:
      return static_cast<unsigned __int128>(b.height) * Length(b.earliest, b.latest) <
             static_cast<unsigned __int128>(a.height) * Length(a.earliest, a.latest);
    case Planner::kByDuration:
      return Length(b.earliest, b.latest) < Length(a.earliest, a.latest);
    default:
      return std::tie(b.size, b.stretch) < std::tie(a.size, a.stretch);
  }
}

std::vector<size_t> Specification::Order() const {
  std::vector<size_t> order(units_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    // Fixed units first, in the order of the problem.
    if (units_[a].fixed.has_value() != units_[b].fixed.has_value()) return units_[a].fixed.has_value();
    if (!units_[a].fixed && Before(units_[a], units_[b])) return true;
    return (units_[a].fixed || !Before(units_[b], units_[a])) && a < b;
  });
  return order;
}

bool Specification::MayMeet(const Rectangle& a, const Rectangle& b) const { return a.start < b.end && b.start < a.end; }

std::optional<uint64_t> Specification::Align(uint64_t offset, uint64_t alignment) const {
  return CheckedRoundUp(offset, alignment);
}

std::vector<Specification::Range> Specification::FreeRanges(const Unit& unit,
                                                            const std::vector<Rectangle>& rectangles) const {
  // With the unit at an offset, its rectangle r and a placed one s share a byte where
  // offset + r.lower < s's upper end and s's lower end < offset + r.upper: all offsets in an open range.
  std::vector<std::pair<__int128, __int128>> taken;
  for (const Unit& other : units_) {
    if (&other == &unit || other.space != unit.space || !other.offset) continue;
    for (const Rectangle& s : other.taken) {
      for (const Rectangle& r : rectangles) {
        if (!MayMeet(r, s)) continue;
        const __int128 at = *other.offset;
        taken.emplace_back(at + s.lower - r.upper, at + s.upper - r.lower);
      }
    }
  }
  std::sort(taken.begin(), taken.end());
  const __int128 highest = kMaxBytes - unit.height;
  taken.emplace_back(highest, __int128{kMaxBytes} + 1);
  std::vector<Range> ranges;
  __int128 next = 0;
  for (const auto& [above, below] : taken) {
    const __int128 last = std::min(above, highest);
    if (next <= last) {
      const std::optional<uint64_t> first = Align(static_cast<uint64_t>(next), unit.alignment);
      if (first && *first <= last) ranges.push_back({*first, static_cast<uint64_t>(last)});
    }
    next = std::max(next, below);
  }
  return ranges;
}

std::optional<uint64_t> Specification::ChooseOffset(const Unit& unit) const {
  const std::vector<Range> offsets = FreeRanges(unit, unit.taken);
  if (!IsBestFit(planner_)) {
    if (offsets.empty()) return std::nullopt;
    return offsets.front().first;
  }
  std::vector<Range> holes = FreeRanges(unit, unit.searched);
  std::sort(holes.begin(), holes.end(), [](const Range& a, const Range& b) {
    return std::pair(a.last - a.first, a.first) < std::pair(b.last - b.first, b.first);
  });
  for (const Range& hole : holes) {
    for (const Range& range : offsets) {
      const std::optional<uint64_t> lowest = Align(std::max(hole.first, range.first), unit.alignment);
      if (lowest && *lowest <= std::min(hole.last, range.last)) return lowest;
    }
  }
  return std::nullopt;
}

void Specification::Place(Unit& unit, uint64_t offset) { unit.offset = offset; }

bool Specification::PlaceAll() {
  for (Unit& unit : units_) unit.offset.reset();
  bool all = true;
  for (const size_t index : Order()) {
    Unit& unit = units_[index];
    const std::optional<uint64_t> offset = unit.fixed         ? unit.fixed
                                           : unit.height == 0 ? std::optional<uint64_t>(0)
                                                              : ChooseOffset(unit);
    if (offset) Place(unit, *offset);
    all = all && offset;
  }
  return all;
}

// --- the answer

uint64_t Specification::Peak() const {
  uint64_t peak = 0;
  for (const Unit& unit : units_) {
    if (unit.height > 0 && unit.offset) peak = std::max(peak, *unit.offset + unit.height);
  }
  return peak;
}

uint64_t Specification::LowestPeak() const { return LowerBound(problem_).peak; }

Status Specification::Judge(bool placed, uint64_t peak, uint64_t bound) const {
  if (!placed || peak > end_) return bound > end_ ? Status::kInfeasible : Status::kNotFound;
  return peak == bound ? Status::kOptimal : Status::kFeasible;
}

void Specification::Tell(Status status, uint64_t bound, Plan& plan) const {
  plan.status = status;
  plan.lower_bound = bound;
  if (status != Status::kOptimal && status != Status::kFeasible) return;
  plan.peak = Peak();
  plan.offsets.resize(problem_.buffers.size());
  for (const Unit& unit : units_) {
    for (const size_t member : unit.members) plan.offsets[member] = unit.offset;
  }
}

void Specification::RunHeuristic(Plan& plan) {
  const uint64_t bound = LowestPeak();
  const bool placed = PlaceAll();
  Tell(Judge(placed, Peak(), bound), bound, plan);
}

void Specification::RunBestOfAll(Plan& plan) {
  const uint64_t bound = LowestPeak();
  std::vector<std::optional<uint64_t>> best;
  std::optional<uint64_t> peak;
  for (const Planner planner : kHeuristics) {
    planner_ = planner;
    for (Unit& unit : units_) Claim(unit);
    if (!PlaceAll() || (peak && *peak <= Peak())) continue;
    peak = Peak();
    best = Offsets();
  }
  planner_ = options_.planner;
  if (peak) SetOffsets(best);
  Tell(Judge(peak.has_value(), peak.value_or(0), bound), bound, plan);
}

std::vector<std::optional<uint64_t>> Specification::Offsets() const {
  std::vector<std::optional<uint64_t>> offsets;
  for (const Unit& unit : units_) offsets.push_back(unit.offset);
  return offsets;
}

void Specification::SetOffsets(const std::vector<std::optional<uint64_t>>& offsets) {
  for (size_t i = 0; i < units_.size(); ++i) units_[i].offset = offsets[i];
}

void RunSpecification(const Problem& problem, const PlannerOptions& options, Plan& plan) {
  Specification(problem, options).Run(plan);
}

}  // namespace oomph::placement
