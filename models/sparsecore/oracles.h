// Oracles of the family sparsecore: each a sentence about a program and an answer that can be false. No oracle asserts: an answer
// may hold anything. Not for: comparing two answers (compare.h), two programs (relations.h).
#ifndef OOMPH_MODELS_SPARSECORE_ORACLES_H_
#define OOMPH_MODELS_SPARSECORE_ORACLES_H_

#include <span>

#include "models/base/family.h"
#include "models/base/verdict.h"
#include "models/sparsecore/answer.h"
#include "models/sparsecore/program.h"
#include "models/sparsecore/structure.h"

namespace oomph::sparsecore {

// What an oracle looks at.
struct Question {
  const Program& program;
  const Structure& structure;
  const std::vector<bool>& written;  // by buffer: it must be somewhere
  const Answer& answer;
};

struct OracleRow {
  OracleInfo info;
  void (*ask)(const Question& question, Reasons& reasons);
};

std::span<const OracleRow> Oracles();
void JudgeAnswer(const Program& program, const Answer& answer, Bits64 promises, Reasons& reasons);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_ORACLES_H_
