// A kernel: what the scoped VMEM of one Pallas TensorCore kernel (a tpu_custom_call) depends on. A plain value.
// Not for: what it needs (allocator.h), the text form (text.h), the program that a compiler gets (mosaic.h).
//
// Every value of these types is a kernel. What follows from odd ones:
//   - an operand whose block is empty is its whole array, in one buffer;
//   - a grid dimension, a block dimension or an array dimension of 0 holds nothing (a compiler refuses it);
//   - an index map with fewer places than the block has dimensions has constants 0 there; what is too much is not read;
//   - a term that names a grid dimension or a prefetched scalar that is not there is the constant 0.
#ifndef OOMPH_MODELS_VMEM_KERNEL_H_
#define OOMPH_MODELS_VMEM_KERNEL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "models/hlo/shape.h"
#include "models/vmem/target.h"

namespace oomph::vmem {

using hlo::Type;

// Says nothing of the order of its steps, or: in order; in any order, so on any core; split over the cores.
enum class Semantics : uint8_t { kNone, kArbitrary, kParallel, kCoreParallel };

struct GridDimension {
  uint64_t size = 1;
  bool dynamic = false;  // not known when it is compiled; `size` is what it would be
  Semantics semantics = Semantics::kNone;
  bool operator==(const GridDimension&) const = default;
};

// One summand of a place of an index map.
enum class TermKind : uint8_t {
  kConstant,  // amount
  kTimes,     // grid index * amount
  kModulo,    // grid index % amount
  kDivided,   // grid index / amount, rounded down
  kAtMost,    // min(grid index, amount)
  kPrefetched,  // of prefetched array `amount`, the element at the grid index
};
struct Term {
  TermKind kind = TermKind::kConstant;
  uint32_t axis = 0;    // of the grid
  uint64_t amount = 0;  // 0 where it would divide is 1
  bool operator==(const Term&) const = default;
};
using Place = std::vector<Term>;  // their sum; none: 0

enum class BlockKind : uint8_t {
  kBlocked,   // `size` elements at a time; its place in the map counts blocks
  kSqueezed,  // one element, and no dimension of the block (None, pl.squeezed)
  kElement,   // `size` elements; its place counts elements (pl.Element)
};
struct BlockDimension {
  BlockKind kind = BlockKind::kBlocked;
  uint64_t size = 1;
  bool operator==(const BlockDimension&) const = default;
};

enum class Space : uint8_t { kVmem, kAny, kHbm, kSmem };

struct Operand {
  Type type = Type::kF32;
  std::vector<uint64_t> array;
  std::vector<BlockDimension> block;  // as many as the array has dimensions; none: the whole array
  std::vector<Place> map;             // one a dimension of the block
  uint32_t buffers = 0;               // pl.Buffered(n); 0: as the compiler likes
  Space space = Space::kVmem;
  // Its array lives in VMEM already (S(1) of its layout; with_memory_space_constraint).
  bool in_vmem = false;
  bool fused = false;  // an input that its producer is fused into (allow_input_fusion)
  bool operator==(const Operand&) const = default;
};

struct Buffer {
  Type type = Type::kF32;
  std::vector<uint64_t> shape;
  bool operator==(const Buffer&) const = default;
};

// A buffer of pl.run_scoped: live while those inside it are. Siblings follow one another.
struct ScopedBuffer {
  Buffer buffer;
  uint32_t depth = 0;  // in the list of a kernel, what follows deeper is inside it
  bool operator==(const ScopedBuffer&) const = default;
};

// What the kernel does with its blocks. Of the first two the compiler needs no scratch of its own, as far as measured;
// of the others it may, and how much nobody knows.
enum class Body : uint8_t {
  kCopies,     // an output is what the first two like it add up to, once, or a constant; scratch and scoped are relayed
  kExp,        // exp of the first
  kSoftmax,    // along the last dimension
  kTranspose,  // of the last two
  kDot,        // of the first two inputs
  kChain,      // many values live at once: spills
};
inline constexpr int kBodies = 6;
constexpr bool IsHeavy(Body body) { return body > Body::kExp; }

struct Kernel {
  Target target = Target::kV5e;
  std::optional<int64_t> option_kib;   // xla_tpu_scoped_vmem_limit_kib, of the compiler; -1 is as if not given
  std::optional<int64_t> limit_bytes;  // vmem_limit_bytes, of the kernel: wins over the option
  std::vector<GridDimension> grid;     // none: the body runs once
  std::vector<Buffer> prefetched;      // scalars that index maps can read; s32 in SMEM
  std::vector<Operand> inputs, outputs;
  std::vector<Buffer> scratch;         // operands, in VMEM
  std::vector<ScopedBuffer> scoped;    // in pre-order
  Body body = Body::kCopies;
  // Bytes that the compiler is said to add for spills and values of its own.
  uint64_t internal_bytes = 0;
  bool operator==(const Kernel&) const = default;
};

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_KERNEL_H_
