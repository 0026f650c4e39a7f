// The planted faults of the family sparsecore. Not for: its oracles (models/sparsecore/oracles.h).
#ifndef OOMPH_FUZZ_FAULTS_SPARSECORE_H_
#define OOMPH_FUZZ_FAULTS_SPARSECORE_H_

#include <span>

#include "fuzz/faults/faults.h"

namespace oomph {

std::span<const FaultRow> SparseCoreFaults();

}  // namespace oomph

#endif  // OOMPH_FUZZ_FAULTS_SPARSECORE_H_
