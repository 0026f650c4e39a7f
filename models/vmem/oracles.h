// What an answer to a kernel must be like, whoever gives it. Not for: whether two answers are equal (compare.h).
#ifndef OOMPH_MODELS_VMEM_ORACLES_H_
#define OOMPH_MODELS_VMEM_ORACLES_H_

#include <span>

#include "models/base/family.h"
#include "models/vmem/answer.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

struct OracleRow {
  OracleInfo info;
  void (*ask)(const Kernel& kernel, const Answer& answer, Reasons& reasons);
};
std::span<const OracleRow> Oracles();
// All whose promise is in `promises`.
void JudgeAnswer(const Kernel& kernel, const Answer& answer, Bits64 promises, Reasons& reasons);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_ORACLES_H_
