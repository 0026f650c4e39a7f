// Makes kernels smaller: the ways, and the edits that each offers. What is kept, a test decides (fuzz/minimize).
// Not for: changing kernels at random (generate.h).
#ifndef OOMPH_MODELS_VMEM_REDUCE_H_
#define OOMPH_MODELS_VMEM_REDUCE_H_

#include <cstddef>
#include <memory>
#include <span>

#include "models/base/fingerprint.h"
#include "models/base/reduction.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

std::span<const ReductionInfo> KernelReductions();
std::unique_ptr<Edits> KernelEditsOf(size_t reduction, const Kernel& base);
Fingerprint FingerprintOfKernel(const Kernel& kernel);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_REDUCE_H_
