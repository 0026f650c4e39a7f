// The exact planners, fast: every placement that matters, with proofs. The answers are those of specification.h, node
// by node. Not for: more than some dozens of buffers.
//
// One memory space after the other, each to its least peak; the heuristics' best placement is where it starts, and
// a bound that it meets ends it (bounds.h). Two searches:
//
// 1. By rising offsets, where each free unit stands on its bottom: what it has in use at any time are all bytes from its
//    offset up to some height. (Gaps, slices from the bottom up, windows that begin at 0; fixed units of any shape.)
//    Among the placements with the least peak take one whose offsets have the least sum. Then
//    a. of two units that are ever in use together, the one with the higher offset lies wholly above the other then;
//    b. so whatever lies higher is in nobody's way to a lower offset, and by the least sum each unit has the lowest
//       offset that fixed units and units of lower offset leave it. Placed by rising offset (of equal ones, by rank),
//       each goes to its lowest free offset: one choice a unit.
//    c. A unit v that is not placed and could lie wholly below the offset at which another is about to be placed
//       would be moved down later, as nothing that comes can be in its way: not the least sum. So none goes there.
//    d. Units that are alike can change places: the first comes first.
//    e. All that comes lies at or above the last offset: what is in use there at any time must find room below the
//       limit, and each unit must have a free offset at or above it that ends below the limit.
//
// 2. By constraints, for any shapes: two rectangles that are in use together lie one above the other, so
//    o(u) >= o(v) + d or o(v) >= o(u) + d'. The least offsets under the constraints so far (each 0 or fixed, raised until
//    all hold; raising only where a constraint demands it gives the least) are below those of every placement that
//    has these constraints: if they exceed the limit there is none; if no rectangles meet they are the best one;
//    else two that meet are taken and each of the two further constraints is tried. Alignments of any kind only make
//    the steps of the raising larger. A circle of constraints of positive length has no solution. Raising around a
//    circle of length 0 with different alignments can take long: each round beyond what else would do costs a node.
//
// Nodes: one for each unit put down (1), one for each constraint tried (2). A budget that is used up gives FEASIBLE or
// TIMEOUT and sets `budget_spent`; it proves nothing.
#ifndef OOMPH_MODELS_PLACEMENT_EXACT_H_
#define OOMPH_MODELS_PLACEMENT_EXACT_H_

#include <cstddef>
#include <cstdint>

#include "models/placement/plan.h"
#include "models/placement/planner.h"
#include "models/placement/problem.h"

namespace oomph::placement {

// The budget where the options give none; of the exhaustive planner so large that 8 buffers do not need it.
inline constexpr uint64_t kOwnNodes = 5'000;
inline constexpr uint64_t kOwnNodesExhaustive = 1'000'000;
// Spaces with more free units, or more rectangles, are not searched: as if the budget were used up.
inline constexpr size_t kMaxSearched = 32;
inline constexpr size_t kMaxSearchedRectangles = 256;
// As deep as the search by constraints goes.
inline constexpr size_t kMaxConstraints = 1'000;

void RunExactPlanner(const Problem& problem, const PlannerOptions& options, Plan& plan);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_EXACT_H_
