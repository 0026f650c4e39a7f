// Makes modules wrong, for the question whether two verifiers see it.
// Not for: changes that keep a module valid (mutate.h), nor for damaged texts: the result can be printed and read.
#ifndef OOMPH_MODELS_HLO_DAMAGE_H_
#define OOMPH_MODELS_HLO_DAMAGE_H_

#include "models/base/choices.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

// One change at a drawn place: another result shape, operand, operation, number or attribute, another root.
// The module may still be valid. False, and nothing changed, where the drawn place has nothing of the drawn kind.
bool Damage(Choices& choices, Module& module);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_DAMAGE_H_
