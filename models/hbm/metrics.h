// What is measured of an HBM outcome, under the names that the field uses: how much memory was touched, how
// fragmented it was, what failed, and what serving cost.
// Not for judging: it believes what the outcome says. Nor for speed, which is no part of an outcome.
#ifndef OOMPH_MODELS_HBM_METRICS_H_
#define OOMPH_MODELS_HBM_METRICS_H_

#include <span>

#include "models/base/family.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

std::span<const MetricInfo> Metrics();

// See Family::Measure. At most about 256 moments of a trace are looked at for what is a mean over steps, so
// that a long one costs little more than a short one.
bool MeasureOutcome(const Trace& trace, const TraceOutcome& outcome, std::span<double> values);

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_METRICS_H_
