// What a kernel must be so that a compiler takes it and the model is exact: arrays around blocks, maps that stay inside them.
// Not for: what is drawn (generate.h), nor what a kernel needs (allocator.h).
#ifndef OOMPH_MODELS_VMEM_COMPILABLE_H_
#define OOMPH_MODELS_VMEM_COMPILABLE_H_

#include <cstdint>
#include <vector>

#include "models/base/family.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

inline bool Can(const GenerateOptions& options, int feature) { return (options.features >> feature & 1) != 0; }

// Values of a place lie in [0, extent) over the whole grid; at least 1. Elements of prefetched arrays are taken to be below 4.
uint64_t ExtentOf(const std::vector<GridDimension>& grid, const Place& place);
// Bytes of an array, tightly packed; at most 2^64 - 1.
uint64_t PackedBytes(Type type, const std::vector<uint64_t>& array);
// Whether a compiler may move the array into VMEM, beside the kernel and its limit.
bool MayBeMoved(const Kernel& kernel, const Operand& operand);

enum class ArraySize : uint8_t { kSmall, kLarge };  // as small as the map allows; what no VMEM holds

// Makes the operand one that a compiler takes, with an array around its blocks.
void MakeCompilable(const std::vector<GridDimension>& grid, ArraySize size, Operand& operand);
// Whether it is already: what MakeCompilable would change but for the size of the array.
bool IsCompilable(const Kernel& kernel);

// The features (promises.h) that a subject needs to be asked this kernel: all that it has.
Bits64 FeaturesOf(const Kernel& kernel);
// Takes away what `options.features` does not allow.
void Restrict(const GenerateOptions& options, Kernel& kernel);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_COMPILABLE_H_
