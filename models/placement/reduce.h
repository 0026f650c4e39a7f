// What can be made smaller in a problem: reductions of the placement family, each a list of edits (see
// models/base/reduction.h). Not for: choosing among them (see fuzz/minimize), tapes.
//
// Every edit lowers the first of these figures that it changes, so that reducing ends:
//   1 buffers
//   2 features: a capacity; columns of others; of each buffer a fixed offset, a hint, a group, a space, an alignment
//     other than 1, cells of others, each gap, each window, each slice
//   3 lengths of live ranges; their sum
//   4 the distance from the first to the last time
//   5 the distance of the first time from 0
//   6 numbers of bytes: the capacity, sizes, offsets, hints, windows, slices, alignments; their sum
// Smaller must not be stranger: an edit that makes a case need a feature that the base does not is none, but that a
// feature may give way to its plainer one.
#ifndef OOMPH_MODELS_PLACEMENT_REDUCE_H_
#define OOMPH_MODELS_PLACEMENT_REDUCE_H_

#include <cstddef>
#include <memory>
#include <span>

#include "models/base/fingerprint.h"
#include "models/base/reduction.h"
#include "models/placement/problem.h"

namespace oomph::placement {

std::span<const ReductionInfo> ProblemReductions();
// Edits of ProblemReductions()[reduction]; they make cases of CaseOf<Problem>. Null: there are none.
std::unique_ptr<Edits> ProblemEditsOf(size_t reduction, const Problem& base);

// Of all that makes two problems unequal.
Fingerprint FingerprintOfProblem(const Problem& problem);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_REDUCE_H_
