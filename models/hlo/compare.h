// Two answers to one module: do both take it, and do they count the same memory?
// Not for: the words of a refusal, nor the printed texts: oracles.h judges those by themselves.
#ifndef OOMPH_MODELS_HLO_COMPARE_H_
#define OOMPH_MODELS_HLO_COMPARE_H_

#include "models/base/verdict.h"
#include "models/hlo/answer.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

// Oracle equals_reference. Detail: "refuses" what the reference accepts; "accepts_RULE", what the reference refuses for
// that rule; "rule", another one for both refuse it; "peak" and "space", other numbers where both tell them.
void CompareAnswers(const Module& module, const Answer& reference, const Answer& answer, Reasons& reasons);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_COMPARE_H_
