// The words with which a kernel is refused: of its limit, of capacity, of its cores. Built from an answer, so that the
// model and its specification have the same. Not for: reading messages (models/message/compile_oom.h).
#ifndef OOMPH_MODELS_VMEM_REFUSAL_H_
#define OOMPH_MODELS_VMEM_REFUSAL_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "models/message/number.h"
#include "models/vmem/answer.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

PrintedBytes PrintedLimit(int64_t limit);

// Why no kernel has this core_parallel dimension, the `count`-th of its kind: Pallas wants one, which is known, the
// compiler as many steps as there are cores.
std::string DeclinedForCores(const GridDimension& dimension, size_t axis, size_t count, uint64_t cores);

// The message of an answer that is over its limit or over capacity; empty otherwise. Names of instructions are those of
// PrintHloOf (mosaic.h).
std::string PrintRefusal(const Kernel& kernel, const Answer& answer);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_REFUSAL_H_
