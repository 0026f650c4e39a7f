// What a module needs memory for, in a person's words: the peak of each memory space, where in the schedule it is, and
// the buffers that make it, the largest first.
// Not for judging, nor for OOM texts (models/message).
#ifndef OOMPH_MODELS_HLO_EXPLAIN_H_
#define OOMPH_MODELS_HLO_EXPLAIN_H_

#include <cstddef>
#include <string>

#include "models/hlo/liveness.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

// With the padding of layouts where the module gives tiles; with the order of the text where it has no schedule.
std::string Explain(const Module& module);
std::string Explain(const Module& module, const Liveness& liveness, size_t most_buffers = 12);

// The bytes that a layout's tiles make of an array; 2^64 - 1 where that does not fit. For LivenessOptions.
uint64_t PaddedArrayBytes(const ShapeTable& shapes, ShapeId shape);

// "temporary", "parameter", "output", "parameter and output", "constant".
std::string RoleOf(const LiveBuffer& buffer);
// "VMEM" and so on for the memory spaces that have a usual name: "memory space 1 (VMEM)".
std::string SpaceName(uint32_t space);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_EXPLAIN_H_
