// Whether one of two subjects is faster, told from noise.
//
// Cases of 512 steps that both go through to the end are run base, head, head, base, ... . A round loads both anew
// (foreign code: fresh processes, so that where things happen to lie in memory is drawn again) and gives one number: the
// median over the cases of head's least time over base's. Of ten rounds the smallest and the largest number bound the
// true median with a confidence of 99.8 %, whatever the noise is like (statistics.h). A difference is told only if this
// whole interval lies beyond the margin of 5 %: with nothing but noise that happens in fewer than 1 of 500 comparisons, and
// as good as never where noise is below 5 %.
//
// What is built in is timed by the processor's clock of this thread, so others on the machine do not count; a foreign subject
// by the wall clock, the way to its process and back included.
// Not for: absolute figures (oomph bench).
#ifndef OOMPH_FUZZ_COMPARE_SPEED_H_
#define OOMPH_FUZZ_COMPARE_SPEED_H_

#include <functional>

#include "fuzz/compare/comparison.h"
#include "fuzz/subject_table.h"

namespace oomph {

inline constexpr double kSpeedMargin = 0.05;

SpeedChange MeasureSpeed(const SubjectTable& table, const Pair& base, const Pair& head, uint64_t seed, size_t rounds,
                         const std::function<bool()>& stop);

// What rounds say: fills median, interval, confidence and trend.
void JudgeRounds(SpeedChange& speed);

}  // namespace oomph

#endif  // OOMPH_FUZZ_COMPARE_SPEED_H_
