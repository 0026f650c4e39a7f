// The oracles of the placement family: sentences that a plan can break, each a pure function.
// Not for: comparing two plans (see compare.h) or two runs (see relations.h).
#ifndef OOMPH_MODELS_PLACEMENT_ORACLES_H_
#define OOMPH_MODELS_PLACEMENT_ORACLES_H_

#include <span>

#include "models/base/family.h"
#include "models/placement/plan.h"
#include "models/placement/problem.h"

namespace oomph::placement {

struct OracleRow {
  OracleInfo info;
  void (*ask)(const Problem& problem, const Plan& plan, Reasons& reasons);
};

// In the order in which they are asked. A sentence about one buffer names it as the step; of two the later one; of the
// whole plan the last buffer, so that what is wrong with a buffer comes first.
std::span<const OracleRow> Oracles();

// Asks each oracle that needs no promise, or one that is in `promises`. O(n log n) in the rectangles.
void JudgePlan(const Problem& problem, const Plan& plan, Bits64 promises, Reasons& reasons);
// The same, pair by pair and at sight: gives equal reasons. O(n^2).
void JudgePlanNaively(const Problem& problem, const Plan& plan, Bits64 promises, Reasons& reasons);

// Whether `plan` has an offset for every buffer and keeps every rule of the problem; what it says of itself is not
// looked at. O(n^2).
bool KeepsTheRules(const Problem& problem, const Plan& plan);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_ORACLES_H_
