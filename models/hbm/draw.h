// The memory map of an HBM trace and its outcome as one SVG file: steps from left to right, addresses from
// bottom to top, a rectangle for each block, the bad step marked.
// Not for reports (they put it into a page of their own) nor for judging.

#ifndef OOMPH_MODELS_HBM_DRAW_H_
#define OOMPH_MODELS_HBM_DRAW_H_

#include <cstddef>
#include <string>

#include "models/base/family.h"
#include "models/base/verdict.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

// If there are more blocks than `max_blocks`, the picture is a window around the bad step (without one, the
// first failure or the peak), and if the blocks of one step alone are too many, the largest of them. It says
// so.
std::string DrawSvg(const Trace& trace, const TraceOutcome& outcome, const Verdict& verdict,
                    const DrawOptions& options = {});

// What pictures that are drawn `in_page` need once in their page.
std::string DrawSvgStyle();

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_DRAW_H_
