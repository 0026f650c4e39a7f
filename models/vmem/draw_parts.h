// Pieces of kernels, drawn: what generation and mutation share. Not for: whole kernels (generate.h).
#ifndef OOMPH_MODELS_VMEM_DRAW_PARTS_H_
#define OOMPH_MODELS_VMEM_DRAW_PARTS_H_

#include <cstdint>
#include <vector>

#include "models/base/choices.h"
#include "models/base/family.h"
#include "models/vmem/compilable.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

inline constexpr int64_t kAboveEveryClamp = int64_t{1} << 40;

Type DrawType(Choices& choices, const GenerateOptions& options);
// Of a block, scratch or scoped buffer: at the edges of tiles, and between. `tiny`: at most 64 KiB of 32 bits an element.
uint64_t DrawMinor(Choices& choices, bool tiny);
uint64_t DrawSecondMinor(Choices& choices, bool tiny);
uint64_t DrawLeading(Choices& choices, bool tiny);
Place DrawPlace(Choices& choices, const Kernel& kernel);
// A block with its map, buffering and memory; the array is not made.
Operand DrawOperand(Choices& choices, const GenerateOptions& options, const Kernel& kernel, bool tiny);
Buffer DrawBuffer(Choices& choices, const GenerateOptions& options, bool tiny);
void DrawScoped(Choices& choices, const GenerateOptions& options, bool tiny, std::vector<ScopedBuffer>& into);
// At, beside and far from what the kernel needs and the sums that are checked before.
void DrawLimits(Choices& choices, const GenerateOptions& options, Kernel& kernel);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_DRAW_PARTS_H_
