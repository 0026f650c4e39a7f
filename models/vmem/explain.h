// What a kernel needs scoped VMEM for, in a person's words: buffer by buffer, against which limit, and what would fit.
// Not for: judging, nor pictures (draw.h).
#ifndef OOMPH_MODELS_VMEM_EXPLAIN_H_
#define OOMPH_MODELS_VMEM_EXPLAIN_H_

#include <span>
#include <string>

#include "models/vmem/answer.h"
#include "models/vmem/from_module.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

// The buffers are those of the model; where the answer, of whoever was asked, says another size, that is told.
std::string Explain(const Kernel& kernel, const Answer& answer);
// The kernels of a module, with the compiler's own figures where it is compiled.
std::string ExplainKernels(std::span<const ModuleKernel> kernels);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_EXPLAIN_H_
