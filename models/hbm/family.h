// The HBM family: allocation traces, their generator, models and oracles, as one row for the engines.
#ifndef OOMPH_MODELS_HBM_FAMILY_H_
#define OOMPH_MODELS_HBM_FAMILY_H_

#include "models/base/family.h"

namespace oomph {

const Family& HbmFamily();

}  // namespace oomph

#endif  // OOMPH_MODELS_HBM_FAMILY_H_
