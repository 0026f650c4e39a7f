// What is measured of a plan: peak, peak over its lower bound, what was placed, nodes searched; whether its peak is above a limit.
// Not for judging: it believes what the plan says.
#ifndef OOMPH_MODELS_PLACEMENT_METRICS_H_
#define OOMPH_MODELS_PLACEMENT_METRICS_H_

#include <cstdint>
#include <optional>
#include <span>

#include "models/base/family.h"
#include "models/placement/plan.h"
#include "models/placement/problem.h"

namespace oomph::placement {

std::span<const MetricInfo> Metrics();
// See Family::Measure.
bool MeasurePlan(const Problem& problem, const Plan& plan, std::span<double> values);

// Whether the plan's peak is above the limit. A plan tells no step.
std::optional<OverLimit> ExceedsLimit(const Problem& problem, const Plan& plan, uint64_t limit);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_METRICS_H_
