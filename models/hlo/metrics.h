// What is measured of an answer: the peak, and whether the module was taken.
// Not for judging: it believes what the answer says.
#ifndef OOMPH_MODELS_HLO_METRICS_H_
#define OOMPH_MODELS_HLO_METRICS_H_

#include <span>

#include "models/base/family.h"
#include "models/hlo/answer.h"

namespace oomph::hlo {

std::span<const MetricInfo> Metrics();
// See Family::Measure.
bool MeasureAnswer(const Answer& answer, std::span<double> values);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_METRICS_H_
