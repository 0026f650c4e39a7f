// The family sparsecore: programs of a SparseCore, whose memories are planned when they are compiled (E3000). Not for: what is
// tested (subjects/).
#ifndef OOMPH_MODELS_SPARSECORE_FAMILY_H_
#define OOMPH_MODELS_SPARSECORE_FAMILY_H_

#include "models/base/family.h"

namespace oomph {

const Family& SparseCoreFamily();

}  // namespace oomph

#endif  // OOMPH_MODELS_SPARSECORE_FAMILY_H_
