// Two answers to one kernel: the same verdict, the same bytes? Where the reference knows only a bound, that bound.
// Not for: whether one answer makes sense by itself (oracles.h).
#ifndef OOMPH_MODELS_VMEM_COMPARE_H_
#define OOMPH_MODELS_VMEM_COMPARE_H_

#include <string_view>

#include "models/base/verdict.h"
#include "models/vmem/answer.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

// Oracle equals_reference. Detail: "accepts" what the reference refuses, "refuses" what it accepts, "refuses_otherwise";
// "used", "limit", "printed_size", "printed_limit", "parts", "message": other ones where both tell; "bound": another kind of
// it; "below_bound", "above_bound". Where the reference is not exact and the answer is, what keeps the bound is incomparable,
// its cause one of InexactCause or "not_compiled".
void CompareAnswers(const Kernel& kernel, const Answer& reference, const Answer& answer, Reasons& reasons);

// Why no model is exact of it: "heavy_body", "small_arrays", "in_vmem", "fused", "one_element", "unknown_rule".
std::string_view InexactCause(const Kernel& kernel);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_COMPARE_H_
