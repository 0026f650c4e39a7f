// Holds a plan against that of its reference, buffer by buffer.
// Not for: judging one plan alone.
#ifndef OOMPH_MODELS_PLACEMENT_COMPARE_H_
#define OOMPH_MODELS_PLACEMENT_COMPARE_H_

#include <string_view>

#include "models/base/verdict.h"
#include "models/placement/plan.h"
#include "models/placement/problem.h"

namespace oomph::placement {

// Adds one reason at the first thing in which they differ, of what both tell.
void ComparePlans(const Problem& problem, const Plan& reference, const Plan& plan, Reasons& reasons);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_COMPARE_H_
