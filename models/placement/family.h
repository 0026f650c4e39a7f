// The placement family: see problem.h.
#ifndef OOMPH_MODELS_PLACEMENT_FAMILY_H_
#define OOMPH_MODELS_PLACEMENT_FAMILY_H_

#include "models/base/family.h"

namespace oomph {

const Family& PlacementFamily();

}  // namespace oomph

#endif  // OOMPH_MODELS_PLACEMENT_FAMILY_H_
