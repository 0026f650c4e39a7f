// Two answers to one module: do both take it, do they count the same memory, and does it compute the same?
// Not for: the words of a refusal, nor the printed texts: oracles.h judges those by themselves.
#ifndef OOMPH_MODELS_HLO_COMPARE_H_
#define OOMPH_MODELS_HLO_COMPARE_H_

#include "models/base/verdict.h"
#include "models/hlo/answer.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

// Oracle equals_reference. Detail: "refuses" what the reference accepts; "accepts_RULE", what the reference refuses for
// that rule; "rule", another one for both refuse it; "peak" and "space", other numbers where both tell them. Oracle results_agree
// where both have run it: see results.h.
void CompareAnswers(const Module& module, const Answer& reference, const Answer& answer, Reasons& reasons);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_COMPARE_H_
