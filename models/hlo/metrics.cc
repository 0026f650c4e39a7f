// See metrics.h.
#include "models/hlo/metrics.h"

#include <algorithm>
#include <array>
#include <limits>

namespace oomph::hlo {
namespace {

enum Metric : size_t { kPeak, kRefused, kNumMetrics };

// In the order of Metric.
constexpr std::array<MetricInfo, kNumMetrics> kMetrics = {{
    {"peak", "bytes", "bytes live at the peak of all memory spaces together, unpadded"},
    {"refused", "share", "modules that the reader or the verifier refuses"},
}};

}  // namespace

std::span<const MetricInfo> Metrics() { return kMetrics; }

bool MeasureAnswer(const Answer& answer, std::span<double> values) {
  std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
  const bool valid = answer.status == Status::kValid;
  if (!valid && answer.status != Status::kInvalid && answer.status != Status::kUnread) return false;
  values[kRefused] = valid ? 0 : 1;
  if (valid && answer.total_peak) values[kPeak] = static_cast<double>(*answer.total_peak);
  return true;
}

}  // namespace oomph::hlo
