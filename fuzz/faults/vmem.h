// The planted faults of the family vmem.
#ifndef OOMPH_FUZZ_FAULTS_VMEM_H_
#define OOMPH_FUZZ_FAULTS_VMEM_H_

#include <span>

#include "fuzz/faults/faults.h"

namespace oomph {

std::span<const FaultRow> VmemFaults();

}  // namespace oomph

#endif  // OOMPH_FUZZ_FAULTS_VMEM_H_
