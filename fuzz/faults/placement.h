// The planted faults of the placement family.
#ifndef OOMPH_FUZZ_FAULTS_PLACEMENT_H_
#define OOMPH_FUZZ_FAULTS_PLACEMENT_H_

#include <span>

#include "fuzz/faults/faults.h"

namespace oomph {

std::span<const FaultRow> PlacementFaults();

}  // namespace oomph

#endif  // OOMPH_FUZZ_FAULTS_PLACEMENT_H_
