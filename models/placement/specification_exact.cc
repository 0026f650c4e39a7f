// The exact planners of specification.h: one memory space after the other, each to its least peak. Why the searches are
// complete is said in exact.h.
#include <algorithm>
#include <tuple>
#include <utility>

#include "models/base/units.h"
#include "models/placement/bounds.h"
#include "models/placement/exact.h"
#include "models/placement/specification.h"

namespace oomph::placement {
namespace {


bool SameShape(const std::vector<Rectangle>& a, const std::vector<Rectangle>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Rectangle& r, const Rectangle& s) {
    return std::tie(r.start, r.end, r.lower, r.upper) == std::tie(s.start, s.end, s.lower, s.upper);
  });
}

}  // namespace

uint64_t Specification::OwnBudget() const {
  return planner_ == Planner::kExhaustive ? kOwnNodesExhaustive : kOwnNodes;
}

bool Specification::SpendNode() {
  const uint64_t budget = options_.nodes != 0 ? options_.nodes : OwnBudget();
  budget_spent_ = budget_spent_ || nodes_ >= budget;
  if (!budget_spent_) ++nodes_;
  return !budget_spent_;
}

void Specification::RunExact(Plan& plan) {
  std::vector<SpaceResult> spaces = AskHeuristics();
  uint64_t bound = 0, peak = 0;
  bool infeasible = false, unknown = false;
  for (const SpaceResult& space : spaces) infeasible = infeasible || space.bound > end_;
  for (SpaceResult& space : spaces) {
    if (infeasible || unknown) break;
    SearchSpace(space);
    infeasible = !space.placed && space.proved;
    unknown = !space.placed && !space.proved;
    bound = std::max(bound, space.proved ? space.peak : space.bound);
    peak = std::max(peak, space.peak);
  }
  for (const SpaceResult& space : spaces) {
    if (infeasible || unknown) bound = std::max(bound, space.bound);
    for (size_t i = 0; i < units_.size(); ++i) {
      if (units_[i].space == space.space && space.placed) units_[i].offset = space.offsets[i];
    }
  }
  Tell(infeasible      ? Status::kInfeasible
       : unknown       ? Status::kTimeout
       : bound == peak ? Status::kOptimal
                       : Status::kFeasible,
       bound, plan);
  if (infeasible) plan.lower_bound.reset();
  plan.nodes = nodes_;
  plan.budget_spent = plan.status == Status::kTimeout || plan.status == Status::kFeasible;
}

std::vector<Specification::SpaceResult> Specification::AskHeuristics() {
  std::vector<SpaceResult> spaces;
  for (const Certificate& bound : LowerBounds(problem_)) {
    spaces.emplace_back();
    spaces.back().space = bound.space;
    spaces.back().bound = bound.peak;
  }
  const Planner own = planner_;
  for (const Planner planner : kHeuristics) {
    planner_ = planner;
    for (Unit& unit : units_) Claim(unit);
    PlaceAll();
    for (SpaceResult& space : spaces) {
      const bool all = std::all_of(units_.begin(), units_.end(), [&](const Unit& unit) {
        return unit.space != space.space || unit.offset.has_value();
      });
      const uint64_t peak = PeakOf(space.space);
      if (all && peak <= end_ && (!space.placed || peak < space.peak)) Keep(space);
    }
  }
  planner_ = own;
  for (Unit& unit : units_) Claim(unit);
  return spaces;
}

uint64_t Specification::PeakOf(uint32_t space) const {
  uint64_t peak = 0;
  for (const Unit& unit : units_) {
    if (unit.space == space && unit.height > 0 && unit.offset) peak = std::max(peak, *unit.offset + unit.height);
  }
  return peak;
}

// What is placed is the best so far; what comes after it must be lower.
void Specification::Keep(SpaceResult& space) {
  space.placed = true;
  space.peak = PeakOf(space.space);
  space.offsets = Offsets();
  limit_ = space.peak == 0 ? 0 : space.peak - 1;
}

bool Specification::IsDone(const SpaceResult& space) const {
  return budget_spent_ || (space.placed && space.peak == space.bound);
}

void Specification::SearchSpace(SpaceResult& space) {
  limit_ = space.placed ? space.peak - (space.peak > 0) : end_;
  if (!space.placed || space.peak > space.bound) {
    free_.clear();
    for (size_t i = 0; i < units_.size(); ++i) {
      Unit& unit = units_[i];
      if (unit.space != space.space) continue;
      if (!unit.fixed && unit.height > 0) {
        free_.push_back(i);
        unit.offset.reset();
      } else {
        unit.offset = unit.fixed.value_or(0);
      }
    }
    planner_ = Planner::kDecreasingSize;
    std::sort(free_.begin(), free_.end(), [&](size_t a, size_t b) {
      if (Before(units_[a], units_[b])) return true;
      return !Before(units_[b], units_[a]) && a < b;
    });
    planner_ = options_.planner;
    last_placed_.reset();
    std::vector<Constraint> constraints;
    size_t rectangles = 0;
    for (const Unit& unit : units_) rectangles += unit.space == space.space ? unit.used.size() : 0;
    if (free_.size() > kMaxSearched || rectangles > kMaxSearchedRectangles) {
      budget_spent_ = true;
    } else if (std::all_of(free_.begin(), free_.end(), [&](size_t i) { return StandsOnItsBottom(units_[i]); })) {
      Descend(space);
    } else {
      Orient(space, constraints);
    }
  }
  space.proved = !budget_spent_ || (space.placed && space.peak == space.bound);
}

// --- units that stand on their bottoms, by rising offsets

bool Specification::StandsOnItsBottom(const Unit& unit) const {
  std::vector<int64_t> times;  // at which something of it changes
  for (const Rectangle& r : unit.used) times.insert(times.end(), {r.start, r.end});
  for (const int64_t time : times) {
    std::vector<std::pair<uint64_t, uint64_t>> column;
    for (const Rectangle& r : unit.used) {
      if (r.start <= time && time < r.end) column.emplace_back(r.lower, r.upper);
    }
    std::sort(column.begin(), column.end());
    uint64_t top = 0;
    for (const auto& [lower, upper] : column) {
      if (lower > top) return false;
      top = std::max(top, upper);
    }
  }
  return true;
}

std::vector<Specification::Choice> Specification::Choices() const {
  std::vector<Choice> lowest;  // of each unit that is not placed, by rank
  for (size_t rank = 0; rank < free_.size(); ++rank) {
    const Unit& unit = units_[free_[rank]];
    if (unit.offset) continue;
    const std::vector<Range> ranges = FreeRanges(unit, unit.used);
    if (!ranges.empty()) lowest.push_back({rank, ranges.front().first});
  }
  // A unit that could lie wholly below another, and is placed later, would never be in its lowest place.
  uint64_t roof = kMaxBytes;
  for (const Choice& c : lowest) roof = std::min(roof, c.offset + units_[free_[c.unit]].height);
  std::vector<Choice> choices;
  for (const Choice& c : lowest) {
    const Unit& unit = units_[free_[c.unit]];
    if (c.offset >= roof) continue;
    if (last_placed_ && std::tie(c.offset, c.unit) < std::tie(last_placed_->offset, last_placed_->unit)) continue;
    // Of units that are alike the first comes first.
    const bool has_twin = std::any_of(lowest.begin(), lowest.end(), [&](const Choice& other) {
      const Unit& twin = units_[free_[other.unit]];
      return other.unit < c.unit && twin.alignment == unit.alignment && twin.height == unit.height &&
             SameShape(twin.used, unit.used);
    });
    if (!has_twin) choices.push_back(c);
  }
  std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
    return std::tie(a.offset, a.unit) < std::tie(b.offset, b.unit);
  });
  return choices;
}

bool Specification::IsHopeless() const {
  const uint64_t level = last_placed_ ? last_placed_->offset : 0;
  if (level > limit_) return true;
  for (const size_t i : free_) {
    const Unit& unit = units_[i];
    if (unit.offset) continue;
    // It ends at or below the limit wherever it goes.
    const std::vector<Range> ranges = FreeRanges(unit, unit.used);
    const bool fits = std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
      const std::optional<uint64_t> offset = Align(std::max(range.first, level), unit.alignment);
      return offset && *offset <= range.last && unit.height <= limit_ && *offset <= limit_ - unit.height;
    });
    if (!fits) return true;
  }
  const uint32_t space = free_.empty() ? 0 : units_[free_.front()].space;
  for (const Unit& when : units_) {
    for (const Rectangle& r : when.used) {
      if (when.space == space && NeededAt(space, r.start, level) > limit_ - level) return true;
    }
  }
  return false;
}

unsigned __int128 Specification::NeededAt(uint32_t space, int64_t time, uint64_t level) const {
  unsigned __int128 needed = 0;
  for (const Unit& unit : units_) {
    if (unit.space != space) continue;
    uint64_t most = 0;  // of a unit's rectangles: a group's may overlap
    for (const Rectangle& r : unit.used) {
      if (r.start > time || time >= r.end) continue;
      // What is not placed will lie above the level; of a free unit all below its top is in use.
      const uint64_t bottom = !unit.offset ? 0 : std::max(level, *unit.offset + (unit.fixed ? r.lower : 0));
      const uint64_t top = unit.offset.value_or(0) + r.upper;
      most = std::max(most, SaturatingSub(top, bottom));
    }
    needed += most;
  }
  return needed;
}

void Specification::Descend(SpaceResult& space) {
  const bool all = std::all_of(free_.begin(), free_.end(), [&](size_t i) { return units_[i].offset.has_value(); });
  if (all) {
    Keep(space);
    return;
  }
  if (IsHopeless()) return;
  const std::optional<Choice> before = last_placed_;
  for (const Choice& choice : Choices()) {
    if (IsDone(space)) return;
    Unit& unit = units_[free_[choice.unit]];
    if (unit.height > limit_ || choice.offset > limit_ - unit.height) continue;
    if (!SpendNode()) return;
    unit.offset = choice.offset;
    last_placed_ = choice;
    Descend(space);
    last_placed_ = before;
    unit.offset.reset();
  }
}

// --- units of any shape: who lies above whom

// Whether some units would each have to lie above the next, all around: raising them never ends.
bool Specification::TurnsInCircles(const std::vector<Constraint>& constraints) const {
  std::vector<__int128> lowest(units_.size(), 0);
  bool changed = true;
  for (size_t round = 0; changed && round <= units_.size(); ++round) {
    changed = false;
    for (const Constraint& c : constraints) {
      if (lowest[c.above] >= lowest[c.below] + c.distance) continue;
      lowest[c.above] = lowest[c.below] + c.distance;
      changed = true;
    }
  }
  return changed;
}

// The lowest offsets that satisfy all constraints, if there are any within the limit.
bool Specification::LeastOffsets(uint32_t space, const std::vector<Constraint>& constraints) {
  if (TurnsInCircles(constraints)) return false;
  size_t count = 0;
  for (Unit& unit : units_) {
    if (unit.space != space) continue;
    unit.offset = unit.fixed.value_or(0);
    ++count;
    if (unit.height == 0) continue;
    if (unit.height > limit_ || *unit.offset > limit_ - unit.height) return false;
  }
  bool changed = true;
  for (size_t round = 0; changed; ++round) {
    // Different alignments can push one another up for long.
    if (round > count && !SpendNode()) return false;
    changed = false;
    for (const Constraint& c : constraints) {
      Unit& unit = units_[c.above];
      const __int128 least = *units_[c.below].offset + c.distance;
      if (*unit.offset >= least) continue;
      if (unit.fixed || least > limit_ - unit.height) return false;
      const std::optional<uint64_t> offset = Align(static_cast<uint64_t>(least), unit.alignment);
      if (!offset || *offset > limit_ - unit.height) return false;
      unit.offset = offset;
      changed = true;
    }
  }
  return true;
}

void Specification::Orient(SpaceResult& space, std::vector<Constraint>& constraints) {
  if (constraints.size() > kMaxConstraints) budget_spent_ = true;
  if (budget_spent_ || !LeastOffsets(space.space, constraints)) return;
  for (size_t a = 0; a < units_.size(); ++a) {
    for (size_t b = a + 1; b < units_.size(); ++b) {
      if (units_[a].space != space.space || units_[b].space != space.space) continue;
      for (const Rectangle& r : units_[a].used) {
        for (const Rectangle& s : units_[b].used) {
          if (!MayMeet(r, s)) continue;
          const __int128 oa = *units_[a].offset, ob = *units_[b].offset;
          if (oa + r.upper <= ob + s.lower || ob + s.upper <= oa + r.lower) continue;
          // They share a byte: one of them has to go above the other.
          for (const Constraint& c : {Constraint{b, a, __int128{r.upper} - s.lower},
                                      Constraint{a, b, __int128{s.upper} - r.lower}}) {
            if (IsDone(space) || !SpendNode()) return;
            constraints.push_back(c);
            Orient(space, constraints);
            constraints.pop_back();
          }
          return;
        }
      }
    }
  }
  Keep(space);
}

}  // namespace oomph::placement
