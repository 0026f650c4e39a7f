// The family vmem: see kernel.h.
#ifndef OOMPH_MODELS_VMEM_FAMILY_H_
#define OOMPH_MODELS_VMEM_FAMILY_H_

#include "models/base/family.h"

namespace oomph {

const Family& VmemFamily();

}  // namespace oomph

#endif  // OOMPH_MODELS_VMEM_FAMILY_H_
