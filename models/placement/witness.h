// A cheap search for a placement that shows a claim to be wrong: "nothing fits", "none is lower". What it finds is
// checked by the rules of NaiveSurvey, so it needs no trust; that it finds nothing says nothing.
// Not for: planning (see planner.h); it shares no code with any planner.
#ifndef OOMPH_MODELS_PLACEMENT_WITNESS_H_
#define OOMPH_MODELS_PLACEMENT_WITNESS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "models/placement/plan.h"
#include "models/placement/problem.h"

namespace oomph::placement {

// The largest offset + size of all buffers that occupy memory; nothing where one of them has no offset, or wraps.
std::optional<uint64_t> PeakOf(const Problem& problem, const Plan& plan);

// At most this many places are tried: some tens of microseconds.
inline constexpr int kWitnessEffort = 400;

// A plan that keeps every rule and has a peak of at most `peak`.
std::optional<Plan> FindWitness(const Problem& problem, uint64_t peak, int effort = kWitnessEffort);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_WITNESS_H_
