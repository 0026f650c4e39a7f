// What of the family vmem a case has reached: features, statuses, how each buffer is taken, how close the limit is. Counts for
// people, novelty for the engines. Not for: judging.
#ifndef OOMPH_MODELS_VMEM_REACH_H_
#define OOMPH_MODELS_VMEM_REACH_H_

#include <span>
#include <string_view>

#include "models/base/family.h"
#include "models/vmem/answer.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

std::span<const std::string_view> ReachNames();
Reach ExpectedReach();
void Reached(const Kernel& kernel, const Answer& answer, Reach& reach);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_REACH_H_
