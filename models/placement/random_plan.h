// Plans for tests of the judge, right and wrong, from choices: any offsets, a first fit, and one disturbed.
// Not for: planning (see planner.h).
#ifndef OOMPH_MODELS_PLACEMENT_RANDOM_PLAN_H_
#define OOMPH_MODELS_PLACEMENT_RANDOM_PLAN_H_

#include "models/base/choices.h"
#include "models/placement/plan.h"
#include "models/placement/problem.h"

namespace oomph::placement {

void DrawPlan(Choices& choices, const Problem& problem, Plan& into);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_RANDOM_PLAN_H_
