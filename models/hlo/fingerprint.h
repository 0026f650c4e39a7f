// The fingerprint of a module: equal for modules that say the same, whatever their tables hold.
// Not for telling whether two modules at hand are equal (module.h).
#ifndef OOMPH_MODELS_HLO_FINGERPRINT_H_
#define OOMPH_MODELS_HLO_FINGERPRINT_H_

#include "models/base/fingerprint.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

// All ids point into the tables.
Fingerprint FingerprintOf(const Module& module);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_FINGERPRINT_H_
