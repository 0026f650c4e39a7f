// Answers as text for people and as bytes for another process. Not for: the messages in them (models/message), nor pictures
// (draw.h).
#ifndef OOMPH_MODELS_SPARSECORE_ANSWER_TEXT_H_
#define OOMPH_MODELS_SPARSECORE_ANSWER_TEXT_H_

#include <string>
#include <string_view>

#include "models/sparsecore/answer.h"
#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

// "over_bound: 23440 words end at 140704, the last of tile_spmem is 131071", with what it says of itself.
std::string Summary(const Answer& answer);
// With the high-water marks and each place, one a line.
std::string PrintAnswer(const Program& program, const Answer& answer);
// Which buffer it is: "b3: tile_spmem f32[9,128]", "the semaphore of a copy".
std::string NameOf(const Program& program, uint32_t buffer);

std::string PackAnswer(const Answer& answer);
bool UnpackAnswer(std::string_view bytes, Answer& into);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_ANSWER_TEXT_H_
