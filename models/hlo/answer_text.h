// An answer for a person, and as bytes for another process.
// Not for: judging it (oracles.h), nor what there is to say of the module's memory (explain.h).
#ifndef OOMPH_MODELS_HLO_ANSWER_TEXT_H_
#define OOMPH_MODELS_HLO_ANSWER_TEXT_H_

#include <string>
#include <string_view>

#include "models/hlo/answer.h"

namespace oomph::hlo {

// One word, as in reach names: "valid".
std::string_view StatusWord(Status status);

// "invalid: main/add.3: the operands have the types f32 and s32 (operand_type)"; one line, bounded.
std::string Summary(const Answer& answer);
// The summary, the peaks, a line each, and the text as the subject prints it.
std::string PrintAnswer(const Answer& answer);

// For another process of the same build. Unpack gives false for everything that Pack does not make; what it takes of
// memory is bounded by the length of `bytes`.
std::string PackAnswer(const Answer& answer);
bool UnpackAnswer(std::string_view bytes, Answer& into);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_ANSWER_TEXT_H_
