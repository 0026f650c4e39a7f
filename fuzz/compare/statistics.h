// What can be said of paired differences: the sign test, quantiles, and an interval for a median that
// assumes no distribution.
// Not for: measuring (see duel.h, speed.h).
#ifndef OOMPH_FUZZ_COMPARE_STATISTICS_H_
#define OOMPH_FUZZ_COMPARE_STATISTICS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace oomph {

// How likely it is that of `a` + `b` fair coins at least max(a, b) fall on one side, whichever: the two-sided
// sign test. 1 for no coins.
double SignTest(uint64_t a, uint64_t b);

// The q-th quantile (0 to 1), between neighbours by proportion; 0 of nothing.
double Quantile(std::vector<double> values, double q);

// With n independent values, their median lies outside [smallest, largest] in 2^(1-n) of all cases, whatever
// they are drawn from: each value is below it or above it like a coin.
double ConfidenceOfRange(size_t n);

}  // namespace oomph

#endif  // OOMPH_FUZZ_COMPARE_STATISTICS_H_
