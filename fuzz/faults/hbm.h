// The planted faults of the HBM family.
#ifndef OOMPH_FUZZ_FAULTS_HBM_H_
#define OOMPH_FUZZ_FAULTS_HBM_H_

#include <span>

#include "fuzz/faults/faults.h"

namespace oomph {

std::span<const FaultRow> HbmFaults();

}  // namespace oomph

#endif  // OOMPH_FUZZ_FAULTS_HBM_H_
