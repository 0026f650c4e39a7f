// Makes a failing trace smaller, step by step, as long as the caller says that it still fails.
// Not for: tapes (see fuzz/minimize).
#ifndef OOMPH_MODELS_HBM_REDUCE_H_
#define OOMPH_MODELS_HBM_REDUCE_H_

#include <cstddef>
#include <functional>

#include "models/hbm/trace.h"

namespace oomph::hbm {

// `trace` fails. On return it still does, and no single step can be dropped from it (unless the budget of
// runs is used up). Then it also has lower numbers, fewer options and a simpler policy. Deterministic.
void ReduceTrace(Trace& trace, const std::function<bool(const Trace&)>& still_fails, size_t budget);

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_REDUCE_H_
