// A module's memory map as one SVG: steps of the schedule from left to right, bytes from bottom to top, a rectangle for
// each live range of a buffer; the peak as a line, the buffers that make it in full colour and named in a list.
// Not for placements of a planner (models/placement/draw.h): the offsets here only keep what is live apart.
#ifndef OOMPH_MODELS_HLO_DRAW_H_
#define OOMPH_MODELS_HLO_DRAW_H_

#include <string>

#include "models/base/family.h"
#include "models/hlo/liveness.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

// Counts as Explain does. Where nothing can be counted, the picture says why.
std::string DrawSvg(const Module& module, const DrawOptions& options = {}, Order order = Order::kText);
std::string DrawSvg(const Module& module, const Liveness& liveness, const DrawOptions& options = {});
// What pictures that are drawn `in_page` need once in their page.
std::string DrawSvgStyle();

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_DRAW_H_
