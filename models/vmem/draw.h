// A kernel's buffers as one SVG: bytes from bottom to top, scratch, windows and the stack on one another, and the limit and
// VMEM as lines. Not for: judging.
#ifndef OOMPH_MODELS_VMEM_DRAW_H_
#define OOMPH_MODELS_VMEM_DRAW_H_

#include <string>

#include "models/base/family.h"
#include "models/base/verdict.h"
#include "models/vmem/answer.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

std::string DrawSvg(const Kernel& kernel, const Answer& answer, const Verdict& verdict, const DrawOptions& options = {});
// What pictures that are drawn `in_page` need once in their page.
std::string DrawSvgStyle();

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_DRAW_H_
