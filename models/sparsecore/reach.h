// What of the family sparsecore a case has reached: features, statuses, which memory is full, whether anything is shared or moved.
// Counts for people, novelty for the engines. Not for: judging.
#ifndef OOMPH_MODELS_SPARSECORE_REACH_H_
#define OOMPH_MODELS_SPARSECORE_REACH_H_

#include <span>
#include <string_view>

#include "models/base/family.h"
#include "models/sparsecore/answer.h"
#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

std::span<const std::string_view> ReachNames();
Reach ExpectedReach();
void Reached(const Program& program, const Answer& answer, Reach& reach);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_REACH_H_
