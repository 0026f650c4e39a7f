// The reader and verifier of HLO that users run: through the text, with the live ranges of liveness.h.
// Not for: naming what a person needs to know of the memory (explain.h).
#ifndef OOMPH_MODELS_HLO_MODEL_H_
#define OOMPH_MODELS_HLO_MODEL_H_

#include "models/hlo/answer.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

// Prints the module, reads that, and judges what was read. `order`: in which its memory is counted if it has no schedule.
void RunModel(const Module& module, Order order, Answer& answer);
inline void RunModel(const Module& module, Answer& answer) { RunModel(module, Order::kText, answer); }

// Makes a module that has no schedule a scheduled one: its instructions stand in that order. What has a schedule, and
// what has no order in which it could run, stays as it is.
void GiveSchedule(Order order, Module& module);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_MODEL_H_
