// What is worth a counter of a module and an answer to it: features, operations, types, rules, verdicts, sizes.
// Not for: judging.
#ifndef OOMPH_MODELS_HLO_REACH_H_
#define OOMPH_MODELS_HLO_REACH_H_

#include <span>
#include <string_view>

#include "models/base/family.h"
#include "models/hlo/answer.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

std::span<const std::string_view> ReachNames();
// The rows that must not be rare: every feature, every operation and type that the generator builds, both verdicts.
Reach ExpectedReach();
void Reached(const Module& module, const Answer& answer, Reach& reach);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_REACH_H_
