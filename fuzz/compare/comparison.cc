// See comparison.h.
#include "fuzz/compare/comparison.h"

#include <algorithm>
#include <limits>

namespace oomph {

double MetricChange::Worsening() const {
  const double by = (head_weight - base_weight) * (lower_is_better ? 1 : -1);
  if (by == 0) return 0;
  if (base_weight == 0) return by > 0 ? std::numeric_limits<double>::infinity() : -1;
  return by / base_weight;
}

bool Comparison::AnythingNew() const {
  return std::any_of(signatures.begin(), signatures.end(),
                     [](const SignatureChange& s) { return s.change == Change::kNew && s.Counts(); });
}

bool Comparison::Quiet() const {
  const bool metrics_same = std::all_of(metrics.begin(), metrics.end(),
                                        [](const MetricChange& m) { return m.trend == Trend::kSame; });
  const bool signatures_same = std::none_of(signatures.begin(), signatures.end(), [](const auto& s) { return s.Counts(); });
  return signatures_same && metrics_same && answers_differ == 0 && speed.trend == Trend::kSame &&
         promises_dropped.empty() && promises_added.empty();
}

}  // namespace oomph
