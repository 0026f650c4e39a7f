// The layouts of a module's parameters and result in the words that PJRT takes them in. Through PJRT a program's
// entry_computation_layout is not heard: each layout becomes the compiler's choice, unless frontend attributes of the
// module say otherwise: arg_layout_modes="{0,1:T(8,128)};default", out_layout_modes="{1,0}". Not for: layouts inside of
// the module, which are kept.
#ifndef OOMPH_SUBJECTS_PJRT_LAYOUT_MODES_H_
#define OOMPH_SUBJECTS_PJRT_LAYOUT_MODES_H_

#include <optional>
#include <string>

#include "models/hlo/module.h"

namespace oomph::pjrt {

struct LayoutModes {
  std::string arguments, results;  // apart by semicolons
  bool operator==(const LayoutModes&) const = default;
};

// What a person gave: of entry_computation_layout, or else of the parameters and the root. Of a module without a
// schedule a layout that says nothing, row by row without tiles, is left to the compiler: XLA prints it everywhere. None:
// nothing was given, or there are parameters that are tuples or tuples in the result's tuple, of which PJRT takes none.
std::optional<LayoutModes> LayoutModesOf(const hlo::Module& module);

// The module with those modes among the frontend attributes of its header, if it has none there.
void AddLayoutModes(hlo::Module& module);

}  // namespace oomph::pjrt

#endif  // OOMPH_SUBJECTS_PJRT_LAYOUT_MODES_H_
