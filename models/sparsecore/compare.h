// Two answers to one program: the same verdict, the same words? Not for: whether one answer makes sense by itself (oracles.h).
#ifndef OOMPH_MODELS_SPARSECORE_COMPARE_H_
#define OOMPH_MODELS_SPARSECORE_COMPARE_H_

#include "models/base/verdict.h"
#include "models/sparsecore/answer.h"
#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

// Whether it says that the program fits or does not.
bool Decides(const Answer& answer);

// Oracle equals_reference. Detail: "accepts" what the reference refuses, "refuses" what it accepts, "refuses_otherwise";
// "space", "limit", "words", "bound", "buffer" of the allocation that does not fit; "high_water", "placed" where both tell.
// With a buffer of 2^58 words or more "accepts_huge", and "differs_huge" in place of all others: that is a fault of its own.
// What is not compiled for another reason is incomparable, "not_compiled".
void CompareAnswers(const Program& program, const Answer& reference, const Answer& answer, Reasons& reasons);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_COMPARE_H_
