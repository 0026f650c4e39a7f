// A SparseCore program: what the static planning of its memories depends on. A plain value.
// Not for: where the buffers go (planner.h), the text form (text.h), MLIR (mlir.h), the kernel that a compiler gets (mosaic.h).
//
// Statements are a list, not a tree: scopes, loops and branches are opened by one statement and closed by kEnd. Every value
// of these types is a program. What follows from odd ones:
//   - a kEnd that closes nothing, and a kElse that stands in no kIf or in one that has its kElse, mean nothing;
//   - what is open at the end is closed there;
//   - of two statements that allocate one buffer the first counts; a buffer that no statement allocates is none;
//   - a use, load or copy of a buffer that is not visible there (allocated before it, in a region that is still open, or
//     kernel-level scratch) is one of no buffer.
#ifndef OOMPH_MODELS_SPARSECORE_PROGRAM_H_
#define OOMPH_MODELS_SPARSECORE_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/chips.h"
#include "models/hlo/shape.h"
#include "models/sparsecore/target.h"

namespace oomph::sparsecore {

using hlo::Type;
using Space = SparseCoreSpace;  // under the names of E3000 texts: spmem, tile_spmem, smem_tile, ...

// Which core the kernel is written for.
enum class Core : uint8_t { kVector, kScalar };

// How shapes become words.
enum class Tiling : uint8_t {
  kCompact,  // TensorCore tiles: use_tc_tiling_on_sc is True or not given
  kLinear,   // use_tc_tiling_on_sc=False: the last dimension alone is padded
  kNone,     // shapes are physical: as read from MLIR without layouts
};

struct Buffer {
  std::string name;  // [a-z_][a-z0-9_]*; unique in its program
  Space space = Space::kTileSpmem;
  Type type = Type::kF32;
  std::vector<uint64_t> shape;  // elements
  // The first tile of its own layout (#xir.tiled<(8,128)...>), for its last dimensions; instead of the program's tiling.
  std::optional<std::vector<uint64_t>> tile;
  // Where a text that it was read from has it, and what it is called there: "result.1:279:1", "%232". Else empty.
  std::string place, value;
  bool operator==(const Buffer&) const = default;
};

inline constexpr uint32_t kNoBuffer = UINT32_MAX;

enum class Kind : uint8_t {
  kScratch,   // kernel-level scratch (scratch_types): planned first, wherever it stands
  kAllocate,  // memref.alloca, just here
  kUse,       // reads and writes it: without that it is taken away before planning
  kLoad,      // reads it only
  kCopy,      // sync_copy with it, or of HBM to HBM: a scope with one semaphore of its own
  kWork,      // an operation that stays and takes no memory
  kScope,     // memref.alloca_scope (run_scoped): a frame
  kFor,       // scf.for of `trips`: a frame; 1 trip: no loop at all; 0: nothing
  kWhile,     // scf.while: no frame
  kIf,        // scf.if, of a condition of its own: no frame
  kElse,
  kEnd,
};
inline constexpr int kKinds = 12;
constexpr bool Opens(Kind kind) { return kind >= Kind::kScope && kind <= Kind::kIf; }
constexpr bool Names(Kind kind) { return kind <= Kind::kCopy; }  // a buffer

struct Statement {
  Kind kind = Kind::kWork;
  uint32_t buffer = kNoBuffer;  // index; of kCopy also kNoBuffer: HBM to HBM
  uint64_t trips = 0;           // of kFor; kUnknownTrips: not known when it is compiled
  bool operator==(const Statement&) const = default;
};
inline constexpr uint64_t kUnknownTrips = UINT64_MAX;

// Words instead of the chip's own: what a text states that was written elsewhere, or a small memory to try.
struct SpaceLimit {
  Space space = Space::kTileSpmem;
  std::optional<uint64_t> first_word, last_word;  // inclusive
  bool operator==(const SpaceLimit&) const = default;
};

// How a refusal is worded.
enum class Wording : uint8_t {
  kNamed,     // libtpu 0.0.52: E3000, spaces by name
  kNumbered,  // as published: spaces by number
};

struct Program {
  Target target = Target::kV6e;
  Core core = Core::kVector;
  Tiling tiling = Tiling::kCompact;
  Wording wording = Wording::kNamed;
  std::vector<SpaceLimit> limits;  // the last of a space counts
  std::vector<Buffer> buffers;
  std::vector<Statement> statements;
  bool operator==(const Program&) const = default;
};

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_PROGRAM_H_
