// The texts in which a program is refused, as libtpu and the published page word them. Not for: reading them
// (models/message/sparsecore_oom.h), nor what is refused (planner.h).
#ifndef OOMPH_MODELS_SPARSECORE_REFUSAL_H_
#define OOMPH_MODELS_SPARSECORE_REFUSAL_H_

#include <cstdint>
#include <string>

#include "models/sparsecore/answer.h"
#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

// Of kOverBound and kNotHere: what is refused is a statement that allocates, or a copy; kNoStatement: a word that the
// compiler adds.
inline constexpr uint32_t kNoStatement = UINT32_MAX;
std::string PrintOverBound(const Program& program, const Overrun& overrun, uint32_t statement);
std::string PrintNotHere(const Program& program, uint32_t statement);
// Of kOverHighWater. `words`: used of the memory, from 0.
std::string PrintOverHighWater(const Program& program, Space space, uint64_t words, uint64_t limit);
// Of kDeclined: why.
std::string WhyDeclined(const Program& program, uint32_t buffer);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_REFUSAL_H_
