// See metrics.h.
#include "models/vmem/metrics.h"

#include <algorithm>
#include <array>
#include <limits>

#include "absl/strings/str_cat.h"
#include "models/base/limit.h"
#include "models/message/number.h"
#include "models/vmem/answer_text.h"

namespace oomph::vmem {
namespace {

enum Metric : size_t { kUsed, kRefused, kOfLimit, kNumMetrics };

constexpr std::array<MetricInfo, kNumMetrics> kMetrics = {{
    {"used", "bytes", "scoped VMEM that the kernel needs"},
    {"refused", "share", "kernels that do not fit their limit or VMEM"},
    {"of_limit", "share", "used / limit of what fits; a limit of 0 counts as 0"},
}};

bool Refuses(const Answer& answer) {
  return answer.status == Status::kOverLimit || answer.status == Status::kOverCapacity;
}

}  // namespace

std::span<const MetricInfo> Metrics() { return kMetrics; }

bool MeasureAnswer(const Kernel&, const Answer& answer, std::span<double> values) {
  std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
  const bool accepted = answer.status == Status::kAccepted;
  if (!accepted && !Refuses(answer)) return false;
  values[kRefused] = accepted ? 0 : 1;
  if (answer.used) values[kUsed] = static_cast<double>(*answer.used);
  if (accepted && answer.used && answer.limit) {
    values[kOfLimit] = *answer.limit <= 0 ? 0 : static_cast<double>(*answer.used) / static_cast<double>(*answer.limit);
  }
  return true;
}

std::optional<OverLimit> ExceedsLimit(const Kernel&, const Answer& answer, uint64_t limit) {
  OverLimit over;
  if (limit == kOwnLimit) {
    if (!Refuses(answer)) return std::nullopt;
    over.identity = answer.status == Status::kOverLimit ? "e1001:vmem" : "e1000:vmem";
    over.text = Summary(answer);
    return over;
  }
  if (!answer.used || *answer.used <= limit) return std::nullopt;
  over.text = absl::StrCat("the kernel needs ", AmountOfBytes(*answer.used), ", ", AmountOfBytes(*answer.used - limit),
                           " more than the limit of ", AmountOfBytes(limit));
  return over;
}

}  // namespace oomph::vmem
