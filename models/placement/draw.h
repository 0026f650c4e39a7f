// A placement as one SVG: time from left to right, addresses from bottom to top, a rectangle for each piece of a
// buffer, the capacity, the peak and the lower bound as lines, colliding buffers marked.
// Not for: judging.
#ifndef OOMPH_MODELS_PLACEMENT_DRAW_H_
#define OOMPH_MODELS_PLACEMENT_DRAW_H_

#include <string>

#include "models/base/family.h"
#include "models/base/verdict.h"
#include "models/placement/plan.h"
#include "models/placement/problem.h"

namespace oomph::placement {

std::string DrawSvg(const Problem& problem, const Plan& plan, const Verdict& verdict, const DrawOptions& options = {});
// What pictures that are drawn `in_page` need once in their page.
std::string DrawSvgStyle();

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_DRAW_H_
