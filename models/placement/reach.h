// What of the placement family a case has reached: features of the problem, statuses, how tight it was.
// Counts for people, novelty for the engines. Not for: judging.
#ifndef OOMPH_MODELS_PLACEMENT_REACH_H_
#define OOMPH_MODELS_PLACEMENT_REACH_H_

#include <span>
#include <string_view>

#include "models/base/family.h"
#include "models/placement/plan.h"
#include "models/placement/problem.h"

namespace oomph::placement {

// The features (promises.h) that a planner needs to be asked this problem: all that it has, but for hints, which bind
// nobody.
Bits64 FeaturesOf(const Problem& problem);

std::span<const std::string_view> ReachNames();
// The rows that must not be rare: every feature, and every status but those of real subjects only.
Reach ExpectedReach();
void Reached(const Problem& problem, const Plan& plan, Reach& reach);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_REACH_H_
