// Makes and changes kernels from choices. Every tape gives a kernel. Most are such that the model is exact: arrays that VMEM
// cannot hold, or a limit that leaves no room beside the kernel; bodies that copy and add.
// Not for: making a failing kernel smaller (reduce.h).
#ifndef OOMPH_MODELS_VMEM_GENERATE_H_
#define OOMPH_MODELS_VMEM_GENERATE_H_

#include "models/base/choices.h"
#include "models/base/family.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

// Replaces what is in `into`. Asks only for what `options.features` allows (promises.h). With options.steps given that many
// inputs.
void GenerateKernel(Choices& choices, const GenerateOptions& options, Kernel& into);
// By a few edits. Takes operands from `other`.
void MutateKernel(Choices& choices, const GenerateOptions& options, Kernel& kernel, const Kernel& other);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_GENERATE_H_
