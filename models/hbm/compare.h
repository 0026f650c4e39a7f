// Holds an outcome against that of its reference, step by step: the fast model against the
// specification, the shipped BFC allocator against its model. Not for: judging one outcome alone.
#ifndef OOMPH_MODELS_HBM_COMPARE_H_
#define OOMPH_MODELS_HBM_COMPARE_H_

#include <string_view>

#include "models/base/verdict.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

// Adds one reason at the first step where they differ, in what both tell.
void CompareOutcomes(const Trace& trace, const TraceOutcome& reference, const TraceOutcome& outcome,
                     Reasons& reasons);

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_COMPARE_H_
