// What a module needs memory for, in a person's words: the peak of each memory space, where in the schedule it is, and
// the buffers that make it, the largest first.
// Not for judging, nor for OOM texts (models/message).
#ifndef OOMPH_MODELS_HLO_EXPLAIN_H_
#define OOMPH_MODELS_HLO_EXPLAIN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/hlo/liveness.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

// With the padding of layouts where the module gives tiles; in that order where it has no schedule.
std::string Explain(const Module& module, Order order = Order::kText);
std::string Explain(const Module& module, const Liveness& liveness, size_t most_buffers = 12);

// The bytes that a layout's tiles make of an array; 2^64 - 1 where that does not fit. For LivenessOptions.
uint64_t PaddedArrayBytes(const ShapeTable& shapes, ShapeId shape);

// --- words for pictures too; none is longer than a few lines, whatever the module holds ---

// "temporary", "parameter", "output", "parameter and output", "constant".
std::string_view RoleOf(const LiveBuffer& buffer);
// "VMEM" and so on for the memory spaces that have a usual name: "memory space 1 (VMEM)".
std::string SpaceName(uint32_t space);
// "1.5K (1536 bytes)".
std::string BytesText(uint64_t bytes);
// "25 steps, not scheduled: the order of the text was chosen".
std::string OrderText(const Module& module, const Liveness& liveness);
// The operation's name as texts have it: "slice-start".
std::string OpcodeText(const Instruction& instruction);
// A shape's text, cut off behind about so many letters.
std::string BriefShape(const ShapeTable& shapes, ShapeId shape, size_t most);
// Without what is no plain text, and no longer.
std::string BriefName(std::string_view name, size_t most = 100);

// What a buffer would take without tiles, alignment and metadata, if that is less than it takes.
std::optional<uint64_t> UnpaddedBytesOf(const Module& module, const Liveness& liveness, const LiveBuffer& buffer);
// What of a peak is padding.
uint64_t PaddingOf(const Module& module, const Liveness& liveness, const Peak& peak);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_EXPLAIN_H_
