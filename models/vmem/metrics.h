// What is measured of answers, and when a kernel needs more than it may have. Not for: judging.
#ifndef OOMPH_MODELS_VMEM_METRICS_H_
#define OOMPH_MODELS_VMEM_METRICS_H_

#include <optional>
#include <span>

#include "models/base/family.h"
#include "models/vmem/answer.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

std::span<const MetricInfo> Metrics();
bool MeasureAnswer(const Kernel& kernel, const Answer& answer, std::span<double> values);
// kOwnLimit (models/base/limit.h): what the answer refuses for lack of memory.
std::optional<OverLimit> ExceedsLimit(const Kernel& kernel, const Answer& answer, uint64_t limit);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_METRICS_H_
