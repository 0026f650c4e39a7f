// See exact.h. Here: the budget, the spaces, the answer. The two searches: search.h.
#include "models/placement/exact.h"

#include <algorithm>
#include <vector>

#include "models/base/units.h"
#include "models/placement/bounds.h"
#include "models/placement/heaps.h"
#include "models/placement/search.h"
#include "models/placement/units.h"

namespace oomph::placement {
namespace {

// Takes the heuristics' best of each space.
using UnitsOfSpaces = std::vector<std::vector<uint32_t>>;

void AskHeuristics(const Units& units, const UnitsOfSpaces& of_space, uint64_t end, Heaps& heaps,
                   std::vector<SpaceSearch>& spaces, std::vector<uint64_t>& offsets) {
  for (const Planner planner : kHeuristics) {
    heaps.Place(planner);
    for (uint32_t s = 0; s < spaces.size(); ++s) {
      SpaceSearch& space = spaces[s];
      if (space.placed && space.peak == space.bound) continue;
      bool all = true;
      uint64_t peak = 0;
      for (const uint32_t i : of_space[s]) {
        all = all && heaps.placed()[i];
        if (units.list[i].height > 0) peak = std::max(peak, heaps.offsets()[i] + units.list[i].height);
      }
      if (!all || peak > end || (space.placed && peak >= space.peak)) continue;
      space.placed = true;
      space.peak = peak;
      for (const uint32_t i : of_space[s]) offsets[i] = heaps.offsets()[i];
    }
    const bool done = std::all_of(spaces.begin(), spaces.end(), [](const SpaceSearch& space) {
      return space.placed && space.peak == space.bound;
    });
    if (done) return;
  }
}

}  // namespace

void RunExactPlanner(const Problem& problem, const PlannerOptions& options, Plan& plan) {
  plan = {};
  if (options.planner == Planner::kExhaustive && problem.buffers.size() > 8) {
    plan.status = Status::kInvalid;
    plan.note = "more than 8 buffers";
    return;
  }
  const uint64_t end = problem.capacity.value_or(kMaxBytes);
  Units units;
  MakeUnits(problem, end, units);
  Heaps heaps(problem, units);
  if (RefusesFixed(units, heaps, plan)) return;
  std::vector<SpaceSearch> spaces;
  bool infeasible = false, unknown = false;
  for (const Certificate& bound : LowerBounds(problem)) {
    spaces.emplace_back();
    spaces.back().bound = bound.peak;
    infeasible = infeasible || bound.peak > end;
  }
  UnitsOfSpaces of_space(spaces.size());
  std::vector<uint64_t> offsets;  // the best known
  for (uint32_t i = 0; i < units.list.size(); ++i) {
    of_space[units.list[i].space].push_back(i);
    offsets.push_back(units.list[i].fixed);
  }
  AskHeuristics(units, of_space, end, heaps, spaces, offsets);
  Nodes nodes;
  nodes.budget = options.nodes != 0                             ? options.nodes
                 : options.planner == Planner::kExhaustive ? kOwnNodesExhaustive
                                                              : kOwnNodes;
  uint64_t bound = 0, peak = 0;
  for (uint32_t s = 0; s < spaces.size() && !infeasible && !unknown; ++s) {
    SpaceSearch& space = spaces[s];
    Search(units, of_space[s], end, nodes, space, offsets);
    infeasible = !space.placed && space.proved;
    unknown = !space.placed && !space.proved;
    bound = std::max(bound, space.proved ? space.peak : space.bound);
    peak = std::max(peak, space.peak);
  }
  if (unknown) {
    for (const SpaceSearch& space : spaces) bound = std::max(bound, space.bound);
  }
  plan.status = infeasible      ? Status::kInfeasible
                : unknown       ? Status::kTimeout
                : bound == peak ? Status::kOptimal
                                : Status::kFeasible;
  plan.nodes = nodes.used;
  plan.budget_spent = plan.status == Status::kTimeout || plan.status == Status::kFeasible;
  if (!infeasible) plan.lower_bound = bound;
  if (infeasible || unknown) return;
  plan.peak = peak;
  TellOffsets(units, offsets, plan);
}

}  // namespace oomph::placement
