// The planted faults of the HLO family.
#ifndef OOMPH_FUZZ_FAULTS_HLO_H_
#define OOMPH_FUZZ_FAULTS_HLO_H_

#include <span>

#include "fuzz/faults/faults.h"

namespace oomph {

std::span<const FaultRow> HloFaults();

}  // namespace oomph

#endif  // OOMPH_FUZZ_FAULTS_HLO_H_
