// Makes SparseCore programs smaller: the ways, and the edits that each offers. What is kept, a test decides (fuzz/minimize).
// Not for: changing programs at random (generate.h).
#ifndef OOMPH_MODELS_SPARSECORE_REDUCE_H_
#define OOMPH_MODELS_SPARSECORE_REDUCE_H_

#include <cstddef>
#include <memory>
#include <span>

#include "models/base/fingerprint.h"
#include "models/base/reduction.h"
#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

std::span<const ReductionInfo> ProgramReductions();
std::unique_ptr<Edits> ProgramEditsOf(size_t reduction, const Program& base);
Fingerprint FingerprintOfProgram(const Program& program);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_REDUCE_H_
