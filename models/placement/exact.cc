// See exact.h. Here: the budget, the spaces, the answer. The two searches: search.h.
#include "models/placement/exact.h"

#include <algorithm>
#include <vector>

#include "models/placement/bounds.h"
#include "models/placement/heaps.h"
#include "models/placement/search.h"
#include "models/placement/units.h"

namespace oomph::placement {
namespace {

// Takes the heuristics' best of each space.
void AskHeuristics(const Units& units, uint64_t end, Heaps& heaps, std::vector<SpaceSearch>& spaces) {
  for (const Planner planner : kHeuristics) {
    heaps.Place(planner);
    for (uint32_t s = 0; s < spaces.size(); ++s) {
      SpaceSearch& space = spaces[s];
      if (space.placed && space.peak == space.bound) continue;
      const uint64_t peak = heaps.Peak(s);
      if (peak > end || (space.placed && peak >= space.peak)) continue;
      bool all = true;
      for (size_t i = 0; i < units.list.size(); ++i) all = all && (units.list[i].space != s || heaps.placed()[i]);
      if (!all) continue;
      space.placed = true;
      space.peak = peak;
      space.offsets = heaps.offsets();
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
  const uint64_t end = problem.capacity.value_or(kTop);
  Units units;
  MakeUnits(problem, end, units);
  Heaps heaps(problem, units);
  if (units.contradicts || heaps.FixedCollide()) {
    plan.status = Status::kInfeasible;
    plan.note = "fixed offsets that no placement has";
    return;
  }
  std::vector<SpaceSearch> spaces;
  bool infeasible = false, unknown = false;
  for (const Certificate& bound : LowerBounds(problem)) {
    spaces.emplace_back();
    spaces.back().bound = bound.peak;
    infeasible = infeasible || bound.peak > end;
  }
  AskHeuristics(units, end, heaps, spaces);
  Nodes nodes;
  nodes.budget = options.nodes != 0                             ? options.nodes
                 : options.planner == Planner::kExhaustive ? kOwnNodesExhaustive
                                                              : kOwnNodes;
  uint64_t bound = 0, peak = 0;
  for (uint32_t s = 0; s < spaces.size() && !infeasible && !unknown; ++s) {
    SpaceSearch& space = spaces[s];
    Search(units, s, end, nodes, space);
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
  std::vector<uint64_t> offsets(units.list.size());
  for (size_t i = 0; i < offsets.size(); ++i) offsets[i] = spaces[units.list[i].space].offsets[i];
  TellOffsets(units, offsets, plan);
}

}  // namespace oomph::placement
