// Makes and changes SparseCore programs from choices. Every tape gives a program. Sizes are such that about half of the programs
// do not fit, and many are held against the limit to the word.
// Not for: making a failing program smaller (reduce.h).
#ifndef OOMPH_MODELS_SPARSECORE_GENERATE_H_
#define OOMPH_MODELS_SPARSECORE_GENERATE_H_

#include "models/base/choices.h"
#include "models/base/family.h"
#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

// Replaces what is in `into`. Asks only for what `options.features` allows (promises.h). With options.steps given about that many
// buffers.
void GenerateProgram(Choices& choices, const GenerateOptions& options, Program& into);
// By a few edits. Takes blocks of statements from `other`.
void MutateProgram(Choices& choices, const GenerateOptions& options, Program& program, const Program& other);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_GENERATE_H_
