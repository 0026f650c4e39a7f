// A plan for a person, beside its buffers, and as bytes for another process.
// Not for: judging it (see oracles.h).
#ifndef OOMPH_MODELS_PLACEMENT_PLAN_TEXT_H_
#define OOMPH_MODELS_PLACEMENT_PLAN_TEXT_H_

#include <string>
#include <string_view>

#include "models/placement/plan.h"
#include "models/placement/problem.h"

namespace oomph::placement {

std::string PrintPlan(const Problem& problem, const Plan& plan);
// For another process of the same build. Unpack gives false for everything that Pack does not make; what it takes of
// memory is bounded by the length of `bytes`.
std::string PackPlan(const Plan& plan);
bool UnpackPlan(std::string_view bytes, Plan& into);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_PLAN_TEXT_H_
