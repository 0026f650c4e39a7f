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

std::span<const OracleRow> Oracles();

// Asks each oracle that needs no promise, or one that is in `promises`. O(n log n) in the rectangles.
void JudgePlan(const Problem& problem, const Plan& plan, Bits64 promises, Reasons& reasons);
// The same, pair by pair and at sight: gives equal reasons. O(n^2).
void JudgePlanNaively(const Problem& problem, const Plan& plan, Bits64 promises, Reasons& reasons);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_ORACLES_H_
