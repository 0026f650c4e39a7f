// The shapes that a text leaves out: an instruction without one gets that which follows from its operands.
// Not for judging the shapes that are written (verify.h).
//
//   n = negate(p)                       f32[3], as p is
//   a = f32[1000] after-all(t)          token[]: what is written there says nothing, XLA's reader replaces it
//
// An inferred shape has no layout but where it is that of an operand: nothing says which one the compiler chose.
#ifndef OOMPH_MODELS_HLO_FILL_SHAPES_H_
#define OOMPH_MODELS_HLO_FILL_SHAPES_H_

#include <memory>

#include "absl/status/status.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

// Whether a shape is missing, or one is written where that says nothing. Quick: looks at opcodes and types only.
bool MayLackShapes(const Module& module);

// Fills in what can be inferred. A written shape stays, with its layout, where it is the inferred one. An error names
// the first instruction that is still without a shape, and says why; the others are filled in all the same.
// Nothing is changed where the structure is wrong.
absl::Status FillShapes(Module& module);
// The same in a copy, which is made only where there is something to fill in.
absl::Status FillShapes(const Module& module, std::shared_ptr<const Module>& filled);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_FILL_SHAPES_H_
