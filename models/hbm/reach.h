// What of the HBM family a case has reached: kinds of steps, values of policies, results, events and
// fallbacks, and how full and fragmented memory became. Counts for people, novelty for the engines.
// Not for: judging.
#ifndef OOMPH_MODELS_HBM_REACH_H_
#define OOMPH_MODELS_HBM_REACH_H_

#include <span>
#include <string_view>

#include "models/base/family.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

std::span<const std::string_view> ReachNames();
// The rows that must not be rare: all but the domain buckets and what belongs to real subjects only.
Reach ExpectedReach();
void Reached(const Trace& trace, const TraceOutcome& outcome, Reach& reach);

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_REACH_H_
