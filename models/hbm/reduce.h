// What can be made smaller in a trace: reductions of the HBM family, each a list of edits (see models/base/reduction.h).
// Not for: choosing among them (see fuzz/minimize), tapes.
//
// Every edit lowers the first of these figures that it changes, so that reducing ends:
//   1 steps
//   2 texts of names
//   3 settings of the policy that are not the default, but for the next two
//   4 what steps have beside names, fences and bytes: pinned, an end, a donor, a kind with a simpler one
//   5 the granule
//   6 the capacity
//   7 sizes in granules, begun ones counted whole; their sum
//   8 sizes that are not whole granules
//   9 bytes of sizes
//  10 bytes of alignments
//  11 numbers of fences; their sum
//  12 numbers of names, step by step
// 7 to 9 are in this order since a whole granule reads better than some byte inside it.
#ifndef OOMPH_MODELS_HBM_REDUCE_H_
#define OOMPH_MODELS_HBM_REDUCE_H_

#include <cstddef>
#include <memory>
#include <span>

#include "models/base/fingerprint.h"
#include "models/base/reduction.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

std::span<const ReductionInfo> TraceReductions();
// Edits of TraceReductions()[reduction]; they make cases of CaseOf<Trace>. Null: there are none.
std::unique_ptr<Edits> TraceEditsOf(size_t reduction, const Trace& base);

// Of all that makes two traces unequal.
Fingerprint FingerprintOfTrace(const Trace& trace);

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_REDUCE_H_
