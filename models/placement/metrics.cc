// See metrics.h.
#include "models/placement/metrics.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "models/message/number.h"
#include "models/placement/fast_survey.h"
#include "models/placement/witness.h"

namespace oomph::placement {
namespace {

enum Metric : size_t { kPeak, kOverBound, kFailed, kNodes, kNumMetrics };

// In the order of Metric.
constexpr std::array<MetricInfo, kNumMetrics> kMetrics = {{
    {"peak", "bytes", "highest end of a buffer"},
    {"over_bound", "share", "(peak - most bytes in use at one time) / peak; a peak of 0 counts as 0"},
    {"failed", "share", "problems for which no placement was found, whatever the reason"},
    {"nodes", "count", "nodes that the search visited"},
}};

// Of a plan that places everything, as it says or as it is.
std::optional<uint64_t> PeakTold(const Problem& problem, const Plan& plan) {
  if (plan.status != Status::kOptimal && plan.status != Status::kFeasible) return std::nullopt;
  return plan.peak ? plan.peak : PeakOf(problem, plan);
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::span<const MetricInfo> Metrics() { return kMetrics; }

bool MeasurePlan(const Problem& problem, const Plan& plan, std::span<double> values) {
  std::fill(values.begin(), values.end(), kUnknown);
  switch (plan.status) {
    case Status::kOptimal:
    case Status::kFeasible:
    case Status::kNotFound:
    case Status::kInfeasible:
    case Status::kTimeout: break;
    case Status::kNotRun:
    case Status::kInvalid:
    case Status::kDied:
    case Status::kHung:
    case Status::kRubbish: return false;
  }
  const bool placed = plan.status == Status::kOptimal || plan.status == Status::kFeasible;
  values[kFailed] = placed ? 0 : 1;
  if (plan.nodes) values[kNodes] = static_cast<double>(*plan.nodes);
  const std::optional<uint64_t> peak = PeakTold(problem, plan);
  if (!peak) return true;
  const uint64_t bound = std::min(FastSurvey(problem, plan).LiveBytes(), *peak);
  values[kPeak] = static_cast<double>(*peak);
  values[kOverBound] = *peak == 0 ? 0 : static_cast<double>(*peak - bound) / static_cast<double>(*peak);
  return true;
}

std::optional<OverLimit> ExceedsLimit(const Problem& problem, const Plan& plan, uint64_t limit) {
  const std::optional<uint64_t> peak = PeakTold(problem, plan);
  if (!peak || *peak <= limit) return std::nullopt;
  OverLimit over;
  over.text = absl::StrCat("the plan needs ", AmountOfBytes(*peak), ", ", AmountOfBytes(*peak - limit), " more than the limit of ",
                           AmountOfBytes(limit));
  return over;
}

}  // namespace oomph::placement
