// The oracles of the HLO family: sentences that an answer can break, each a pure function of the module and the answer.
// Not for: comparing two answers (compare.h) or two modules (relations.h). That a refused module is valid, or an accepted
// one is not, is no oracle either: two verifiers are compared.
#ifndef OOMPH_MODELS_HLO_ORACLES_H_
#define OOMPH_MODELS_HLO_ORACLES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "models/base/family.h"
#include "models/hlo/answer.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

struct OracleRow {
  OracleInfo info;
  void (*ask)(const Module& module, const Answer& answer, Reasons& reasons);
};

// In the order in which they are asked. All speak of the module as a whole: their step is its last instruction.
std::span<const OracleRow> Oracles();

// Asks each oracle that needs no promise, or one that is in `promises`.
void JudgeAnswer(const Module& module, const Answer& answer, Bits64 promises, Reasons& reasons);

// How many times each computation runs, a loop once: from the entry down, where loops, branches, calls and async
// operations call. UINT64_MAX: as many or more. None of a computation that calls itself or one that stands after it.
std::vector<uint64_t> RunsOf(const Module& module);
// The bytes of all results of all that runs, side by side: no memory is needed beyond that.
uint64_t BytesOfEverything(const Module& module);
// The bytes of the largest array that anything makes: there must be as many.
uint64_t BytesOfTheLargest(const Module& module);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_ORACLES_H_
