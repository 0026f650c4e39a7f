// One feature of a buffer at a time, drawn: alignment, gaps, slices and the like; and taking away again what
// a subject cannot do. What generation and mutation share. Not for: the shapes of problems (see generate.h).
#ifndef OOMPH_MODELS_PLACEMENT_DECORATE_H_
#define OOMPH_MODELS_PLACEMENT_DECORATE_H_

#include <cstdint>

#include "models/base/choices.h"
#include "models/base/family.h"
#include "models/placement/problem.h"

namespace oomph::placement {

inline bool Can(const GenerateOptions& options, int feature) {
  return (options.features >> feature & 1) != 0;
}

// time + by, at most the last time there is.
inline int64_t Later(int64_t time, uint64_t by) {
  const uint64_t room = static_cast<uint64_t>(INT64_MAX) - static_cast<uint64_t>(time);
  return by >= room ? INT64_MAX : static_cast<int64_t>(static_cast<uint64_t>(time) + by);
}

uint64_t DrawPowerOfTwo(Choices& choices, const GenerateOptions& options);
uint64_t DrawOddAlignment(Choices& choices);
// A gap within the live range, with a window within the size where windows are allowed. Nothing where the
// range is empty.
void DrawGap(Choices& choices, const GenerateOptions& options, Buffer& buffer);
void DrawSlices(Choices& choices, Buffer& buffer);
// A size or a time near the ends of their types.
uint64_t DrawEdgeSize(Choices& choices);
int64_t DrawEdgeTime(Choices& choices);

// The largest sum of bytes live at one time in one space, gaps not looked at; saturated.
uint64_t LivePeak(const Problem& problem);
uint64_t SumOfSizes(const Problem& problem);  // saturated

// Takes away what `options.features` does not allow.
void Restrict(const GenerateOptions& options, Problem& problem);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_DECORATE_H_
