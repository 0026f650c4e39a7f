// See statistics.h.
#include "fuzz/compare/statistics.h"

#include <algorithm>
#include <cmath>

namespace oomph {

double SignTest(uint64_t a, uint64_t b) {
  const uint64_t n = a + b, low = std::min(a, b);
  if (n == 0) return 1;
  // The sum of C(n, i) / 2^n for i up to low, from its largest term down; what is left out is below 1e-16 of it.
  const double log_half = std::log(0.5);
  const auto x = [](uint64_t v) { return static_cast<double>(v); };
  const double log_term = std::lgamma(x(n) + 1) - std::lgamma(x(low) + 1) - std::lgamma(x(n - low) + 1) + x(n) * log_half;
  double term = 1, sum = 0;
  for (uint64_t i = low;; --i) {
    sum += term;
    if (i == 0 || term < 1e-17 * sum) break;
    term *= x(i) / x(n - i + 1);
  }
  return std::min(1.0, 2 * std::exp(log_term) * sum);
}

double Quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

double ConfidenceOfRange(size_t n) { return n == 0 ? 0 : 1 - std::exp2(1 - static_cast<double>(n)); }

}  // namespace oomph
