// Results that take the buffer of an operand that dies, all through a module.
// Not for the rules of single operations (alias_rules.h).
#ifndef OOMPH_MODELS_HLO_ALIAS_REUSE_H_
#define OOMPH_MODELS_HLO_ALIAS_REUSE_H_

#include "models/hlo/alias.h"

namespace oomph::hlo {

// In the order of the steps, a result takes the buffer of the first operand that dies with this step and may be
// overwritten. Only between buffers of one value: a buffer that several share is not looked at, as in XLA. Changes
// the values' buffers; the number of buffers stays, and some hold nothing.
void ReuseDyingOperands(const Module& module, const Flat& flat, const ShapeNodes& nodes, Aliases& aliases);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_ALIAS_REUSE_H_
