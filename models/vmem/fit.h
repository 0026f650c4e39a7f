// What would make a kernel fit its scoped VMEM: blocks, one buffer instead of two, an operand in VMEM, another limit. Each
// candidate is evaluated, none is guessed between two others: a smaller block can need more.
// Not for: words about it (explain.h), nor whether the kernel is still right: that is up to its author.
#ifndef OOMPH_MODELS_VMEM_FIT_H_
#define OOMPH_MODELS_VMEM_FIT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/vmem/allocator.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

enum class WayKind : uint8_t {
  kBlocks,     // smaller blocks along grid dimensions, more steps; they divide what the blocks cover now
  kRagged,     // the same, and the last blocks reach over the end of the arrays, where nobody knows what they hold
  kOneBuffer,  // pl.Buffered(1) for some operands
  kInVmem,     // an operand whose array is kept in VMEM by the program (with_memory_space_constraint)
  kLimit,      // a higher vmem_limit_bytes
};

struct Way {
  WayKind kind = WayKind::kBlocks;
  Kernel kernel;  // that fits
  Need need;      // its
  // What the rest of the program has less: of kInVmem the bytes of the array, as it lies there; of kLimit by how much the
  // limit is higher, since a limit is reserved whether it is used or not (measured).
  uint64_t taken = 0;
};

struct FitOptions {
  // Of the kind kBlocks: those with the fewest steps, none of which is another one but smaller; first so many that divide
  // what the blocks cover now, then so many with fewer steps of which the last ones reach over its end.
  size_t most_even = 2, most_ragged = 2;
  size_t most_candidates = 200'000;  // that are evaluated for them
};

// Whether a need is within the limit and the capacity that the kernel is held to.
bool IsWithin(const Kernel& kernel, const Need& need);

// In the order of the kinds; empty where it fits as it is, or nothing of these helps.
std::vector<Way> WaysToFit(const Kernel& kernel, const FitOptions& options = {});

// The grid dimensions along which blocks can be cut: each operand that uses one takes its blocks in that order, one by one,
// and nothing else depends on it. `step` is what a size must be a multiple of where it is less than the array's: 8 of the
// second minor dimension, 128 of the minor one, 1024 of the only one.
struct CutDimension {
  struct Place {
    bool is_output = false;
    uint32_t operand = 0, dimension = 0;
    uint64_t size = 0, step = 1;
  };
  uint32_t axis = 0;
  uint64_t steps = 1;  // of the grid
  std::vector<Place> places;
};
std::vector<CutDimension> CutDimensions(const Kernel& kernel);
// The kernel with blocks of size * part / of along it, and as many steps as cover the same. False: a size would be no whole
// number of steps.
bool Cut(const CutDimension& dimension, uint64_t part, uint64_t of, Kernel& kernel);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_FIT_H_
