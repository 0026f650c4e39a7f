// Makes a failing module smaller as long as the caller says that it still fails.
// Not for tapes (see fuzz/minimize), nor for reductions that need to know why it fails.
#ifndef OOMPH_MODELS_HLO_REDUCE_H_
#define OOMPH_MODELS_HLO_REDUCE_H_

#include <cstddef>
#include <functional>

#include "models/hlo/module.h"

namespace oomph::hlo {

// `module` fails. On return it still does, and each single reduction that is known makes it pass (unless
// `still_fails` has been asked `budget` times): an instruction gives way to an operand, another value or a
// constant; a computation is opened; an element of the result or a parameter goes; a size becomes 1; an
// attribute or a layout goes. It never has more problems (verify.h) than it had. Deterministic.
// `ended` is asked before each try; true ends it. Empty: never.
void ReduceModule(Module& module, const std::function<bool(const Module&)>& still_fails, size_t budget,
                  const std::function<bool()>& ended = {});

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_REDUCE_H_
