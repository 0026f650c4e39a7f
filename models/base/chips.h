// The one table of TPU chips: sizes and limits of their memories, each with how it is known.
// Not for the HBM sizes of data sheets: they are decimal and no allocator's capacity, so they are left out.
//
// Grades. Documented: jax/_src/tpu_info.py, openxla.org, the SparseCore guide of XLA. Measured: what the
// TPU compiler of libtpu 0.0.52 did with programs compiled ahead of time, without a TPU. Seen in messages:
// an error or statistics text that a user published. What nobody knows is std::nullopt, never a guess.

#ifndef OOMPH_MODELS_BASE_CHIPS_H_
#define OOMPH_MODELS_BASE_CHIPS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace oomph {

enum class Grade { kDocumented, kMeasured, kSeenInMessages };

// "documented", "measured", "seen in messages".
std::string_view GradeName(Grade grade);

struct Figure {
  uint64_t value = 0;
  Grade grade = Grade::kDocumented;

  bool operator==(const Figure&) const = default;
};

using MaybeFigure = std::optional<Figure>;

// Vector and scalar memory, and the limits of scoped VMEM (openxla.org error 1001), in bytes a TensorCore.
struct VmemFigures {
  Figure bytes = {};
  // What a program can have of it, where that is less: the capacity that capacity errors print.
  MaybeFigure usable_bytes = {};
  // The limit of an instruction that states none, without the option xla_tpu_scoped_vmem_limit_kib.
  MaybeFigure default_scoped_limit_bytes = {};
  // A larger vmem_limit_bytes is lowered to this without a word.
  MaybeFigure vmem_limit_clamp_bytes = {};
  Figure smem_bytes = {};
  // A tile of 32-bit elements is sublanes x lanes.
  Figure lanes = {};
  Figure sublanes = {};
};

// HBM of one device. A device is a TensorCore on v2, v3 and 7x, else the chip.
struct HbmFigures {
  MaybeFigure raw_bytes = {};
  // What the runtime keeps for itself, and bytes_limit, what its allocator hands out.
  MaybeFigure reserved_bytes = {};
  MaybeFigure capacity_bytes = {};
  // The compile-time check (openxla.org error 1000): what it keeps, what it calls available (exact, and as
  // printed: the printed form alone where the bytes are not known), and the largest arguments plus outputs
  // of a one-operation s8 program that passed it.
  MaybeFigure e1000_reserved_bytes = {};
  MaybeFigure e1000_capacity_bytes = {};
  std::string_view e1000_available = {};  // "15.75G"; empty where unknown.
  MaybeFigure e1000_largest_accepted_bytes = {};
};

// The memories of a SparseCore under the names that E3000 texts use. In this order in SparseCoreFigures.
enum class SparseCoreSpace { kSpmem, kTileSpmem, kSmemTile, kSflagTile, kSmemScs, kSflagScs, kHbm };
inline constexpr size_t kSparseCoreSpaces = 7;

// "spmem", "tile_spmem", "smem_tile", "sflag_tile", "smem_scs", "sflag_scs", "hbm".
std::string_view SparseCoreSpaceName(SparseCoreSpace space);

// The bytes of one word: 4, but 32 in HBM (measured).
uint64_t SparseCoreWordBytes(SparseCoreSpace space);

// The words a program may use in one memory: first_word .. last_word, both included, as E3000 prints them.
struct SparseCoreLimit {
  // Where the first allocation goes. Of tile_spmem it is no constant: it lies above what spmem uses.
  std::optional<uint64_t> first_word;
  uint64_t last_word = 0;

  bool operator==(const SparseCoreLimit&) const = default;
};

// SparseCores as jax/_src/tpu_info.py counts them; a subcore is a tile.
struct SparseCoreFigures {
  Figure cores;
  Figure tiles;
  Figure lanes;
  MaybeFigure tile_spmem_words = {};
  MaybeFigure dma_granule_bytes = {};
  // By SparseCoreSpace; measured, or absent.
  std::optional<std::array<SparseCoreLimit, kSparseCoreSpaces>> limits = {};

  std::optional<SparseCoreLimit> limit(SparseCoreSpace space) const {
    if (!limits.has_value()) return std::nullopt;
    return (*limits)[static_cast<size_t>(space)];
  }
};

struct Chip {
  std::string_view name = {};                      // "v5e"
  std::span<const std::string_view> aliases = {};  // Other names; FindChip makes more of them equal.
  Figure tensor_cores = {};
  VmemFigures vmem = {};
  HbmFigures hbm = {};
  // None where the chip has none, or nothing is known of it.
  std::optional<SparseCoreFigures> sparse_core = {};
};

// From the oldest to the newest.
std::span<const Chip> Chips();

// The chip that a name, device kind, accelerator type or topology means: "v5e", "TPU v5 lite",
// "v5litepod-4", "v5e:2x2", "tpu7x". Case, blanks, "TPU" and "v" in front, and what follows a colon do not
// count. nullptr where none is meant.
const Chip* FindChip(std::string_view name);

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_CHIPS_H_
