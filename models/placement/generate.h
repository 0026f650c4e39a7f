// Makes and changes placement problems from choices. Every tape gives a valid problem.
// Not for: making a failing problem smaller (see reduce.h).
#ifndef OOMPH_MODELS_PLACEMENT_GENERATE_H_
#define OOMPH_MODELS_PLACEMENT_GENERATE_H_

#include "models/base/choices.h"
#include "models/base/family.h"
#include "models/placement/problem.h"

namespace oomph::placement {

// Replaces what is in `into`. Asks only for what `options.features` allows (see promises.h). With options.steps
// given that many buffers, with options.live about that many live at a time.
void GenerateProblem(Choices& choices, const GenerateOptions& options, Problem& into);
void MutateProblem(Choices& choices, const GenerateOptions& options, Problem& problem, const Problem& other);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_GENERATE_H_
