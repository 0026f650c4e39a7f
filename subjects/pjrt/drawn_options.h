// Options of the TPU compiler that are drawn for a module, for a target such as v5e-options: by the set of operations that
// it has, so that the same module always gets the same ones, and most smaller forms of it do.
// Not for: options that a person names (target.h).
#ifndef OOMPH_SUBJECTS_PJRT_DRAWN_OPTIONS_H_
#define OOMPH_SUBJECTS_PJRT_DRAWN_OPTIONS_H_

#include <vector>

#include "models/hlo/module.h"
#include "subjects/pjrt/compile_options.h"

namespace oomph::pjrt {

std::vector<Override> DrawnOptions(const hlo::Module& module);

}  // namespace oomph::pjrt

#endif  // OOMPH_SUBJECTS_PJRT_DRAWN_OPTIONS_H_
