// Whether a module needs more memory than it may have, and at which operation it first does.
// Not for counting that memory (liveness.h, and whoever gave the answer).
#ifndef OOMPH_MODELS_HLO_LIMIT_H_
#define OOMPH_MODELS_HLO_LIMIT_H_

#include <cstdint>
#include <optional>

#include "models/base/family.h"
#include "models/hlo/answer.h"
#include "models/hlo/liveness.h"

namespace oomph::hlo {

// The first step at which more than `limit` bytes are live in all memory spaces together; none if there is no such.
std::optional<uint32_t> FirstStepOver(const Liveness& liveness, uint64_t limit);

// Whether the answer's peak is above the limit; with kOwnLimit, whether it is a refusal for lack of memory, which is then
// named by its error, memory, form and operation: "e1001:vmem:stack:custom_call:tpu_custom_call". An answer tells no step: which operation it is, by its opcode and the
// target of a custom call, our own count says, where it has the same peak.
std::optional<OverLimit> ExceedsLimit(const Module& module, const Answer& answer, uint64_t limit);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_LIMIT_H_
