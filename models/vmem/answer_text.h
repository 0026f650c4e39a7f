// Answers as text for people and as bytes for another process. Not for: the messages in them (models/message), nor pictures
// (draw.h).
#ifndef OOMPH_MODELS_VMEM_ANSWER_TEXT_H_
#define OOMPH_MODELS_VMEM_ANSWER_TEXT_H_

#include <string>
#include <string_view>

#include "models/vmem/answer.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

std::string_view StatusWord(Status status);  // "accepted", "over_limit", "over_capacity", ...
std::string_view PartWord(Part part);        // "scratch", "in", "out", "stack"
// "over_limit: at least 1.02M of 1.00M", with what it says of itself.
std::string Summary(const Answer& answer);
// With the parts, one a line.
std::string PrintAnswer(const Kernel& kernel, const Answer& answer);
// What part it is: "in 0: f32[8,128]", "stack".
std::string NameOf(const Kernel& kernel, const PartBytes& part);

std::string PackAnswer(const Answer& answer);
bool UnpackAnswer(std::string_view bytes, Answer& into);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_ANSWER_TEXT_H_
