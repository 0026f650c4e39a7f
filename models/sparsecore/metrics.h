// What is measured of plans, and whether one needs more memory than a limit says. Not for: judging (oracles.h).
#ifndef OOMPH_MODELS_SPARSECORE_METRICS_H_
#define OOMPH_MODELS_SPARSECORE_METRICS_H_

#include <optional>
#include <span>

#include "models/base/family.h"
#include "models/sparsecore/answer.h"
#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

std::span<const MetricInfo> Metrics();
bool MeasureAnswer(const Program& program, const Answer& answer, std::span<double> values);
// `limit` in bytes of a tile's memory; kOwnLimit asks whether it was refused.
std::optional<OverLimit> ExceedsLimit(const Program& program, const Answer& answer, uint64_t limit);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_METRICS_H_
