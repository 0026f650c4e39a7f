// The HLO family: see module.h.
#ifndef OOMPH_MODELS_HLO_FAMILY_H_
#define OOMPH_MODELS_HLO_FAMILY_H_

#include "models/base/family.h"

namespace oomph {

const Family& HloFamily();

}  // namespace oomph

#endif  // OOMPH_MODELS_HLO_FAMILY_H_
