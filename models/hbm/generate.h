// Makes and changes HBM traces from choices. Every tape gives a valid trace.
// Not for: making a failing trace smaller (see reduce.h).
#ifndef OOMPH_MODELS_HBM_GENERATE_H_
#define OOMPH_MODELS_HBM_GENERATE_H_

#include "models/base/choices.h"
#include "models/base/family.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

// Replaces what is in `into`, whose memory it uses again. Asks only for what `options.features` allows
// (see promises.h). With options.steps or options.live given, those hold instead of a draw.
void GenerateTrace(Choices& choices, const GenerateOptions& options, Trace& into);

// A few edits: drop, repeat, swap or insert steps, change a size, an alignment or a policy, splice with
// steps of `other`.
void MutateTrace(Choices& choices, const GenerateOptions& options, Trace& trace, const Trace& other);

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_GENERATE_H_
