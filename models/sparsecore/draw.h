// A SparseCore program's memories as one SVG: for each memory statements from left to right, words from bottom to top, each buffer
// where it lies for as long as it lives, and the last word as a line. Not for: judging.
#ifndef OOMPH_MODELS_SPARSECORE_DRAW_H_
#define OOMPH_MODELS_SPARSECORE_DRAW_H_

#include <string>

#include "models/base/family.h"
#include "models/base/verdict.h"
#include "models/sparsecore/answer.h"
#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

std::string DrawSvg(const Program& program, const Answer& answer, const Verdict& verdict, const DrawOptions& options = {});
// What pictures that are drawn `in_page` need once in their page.
std::string DrawSvgStyle();

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_DRAW_H_
