// Why a placement needs what it needs, in a person's words: the peak, the bound and its witnesses, what would fit.
// Not for: judging.
#ifndef OOMPH_MODELS_PLACEMENT_EXPLAIN_H_
#define OOMPH_MODELS_PLACEMENT_EXPLAIN_H_

#include <string>

#include "models/placement/plan.h"
#include "models/placement/problem.h"

namespace oomph::placement {

std::string Explain(const Problem& problem, const Plan& plan);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_EXPLAIN_H_
