// The fast model of scoped VMEM: what a kernel needs, buffer by buffer, and whether it gets it. Written twice: naive
// and citing its rules in specification.h; both must give equal answers. Not for: the message texts
// (models/message/compile_oom.h), nor what would fit instead (fit.h).
#ifndef OOMPH_MODELS_VMEM_ALLOCATOR_H_
#define OOMPH_MODELS_VMEM_ALLOCATOR_H_

#include <cstdint>
#include <span>

#include "models/vmem/answer.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

// The sums alone: what a search over many kernels needs. Sizes that do not fit 64 bits are 2^64 - 1.
struct Need {
  uint64_t scratch = 0, windows = 0, stack = 0;  // bytes
  uint64_t largest = 0;                          // of the single buffers
  uint64_t total = 0;                            // their sum
  bool at_least = true, at_most = true;          // see Answer
  bool operator==(const Need&) const = default;
};
Need NeedOf(const Kernel& kernel);

// Bytes of a whole array as a kernel takes it: in tiles, a pred 32 bits wide. At least so much of VMEM takes one that is moved
// there.
uint64_t ArrayBytes(Type type, std::span<const uint64_t> array);

// The limit that the kernel is held to; negative where it says so.
int64_t LimitOf(const Kernel& kernel);

// With parts and message. Equal kernels get equal answers.
void RunModel(const Kernel& kernel, Answer& into);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_ALLOCATOR_H_
