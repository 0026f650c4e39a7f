// The memory map of an HBM trace and its outcome as one SVG file: steps from left to right, addresses from
// bottom to top, a rectangle for each block, the bad step marked.
// Not for reports (they put it into a page of their own) nor for judging.

#ifndef OOMPH_MODELS_HBM_DRAW_H_
#define OOMPH_MODELS_HBM_DRAW_H_

#include <cstddef>
#include <string>

#include "models/base/verdict.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

// More blocks than this are not drawn: the picture is then a window around the bad step (without one, the
// first failure or the peak), and if the blocks of one step alone are too many, the largest of them. It says
// so.
inline constexpr size_t kMaxDrawnBlocks = 2000;

std::string DrawSvg(const Trace& trace, const TraceOutcome& outcome, const Verdict& verdict);

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_DRAW_H_
