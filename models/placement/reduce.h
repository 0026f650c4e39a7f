// Makes a failing problem smaller as long as the caller says that it still fails.
// Not for: tapes (see fuzz/minimize).
#ifndef OOMPH_MODELS_PLACEMENT_REDUCE_H_
#define OOMPH_MODELS_PLACEMENT_REDUCE_H_

#include <cstddef>
#include <functional>

#include "models/placement/problem.h"

namespace oomph::placement {

// `problem` fails. On return it still does, and no single buffer can be dropped from it (unless the budget of runs is
// used up). Then it also has merged and shorter ranges, fewer features, smaller sizes and a lower capacity.
// Deterministic.
void ReduceProblem(Problem& problem, const std::function<bool(const Problem&)>& still_fails, size_t budget);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_REDUCE_H_
