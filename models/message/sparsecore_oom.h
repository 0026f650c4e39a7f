// The text in which the TPU compiler reports that a SparseCore allocation does not fit (E3000), both ways, and what it says
// of embedding tables (E3001). Not for: E1000 and E1001 (compile_oom.h).
//
// Sources: openxla.org errors 3000 and 3001, libtpu 0.0.52 (measured: docs/FACTS.md). Forms:
//
//   numbered  P: error: 'memref.alloca' op current allocation offset upper bound (N words) exceeds the legitimate user
//             allocatable offset upper bound (M words) in memory space 201 when allocating K words
//             P: note: see current operation: %232 = "memref.alloca"() <{...}> : () -> memref<23440xf32, 201>
//   named     the same with "E3000: CompileTimeSparseCoreAllocationFailure: " and a space by name
#ifndef OOMPH_MODELS_MESSAGE_SPARSECORE_OOM_H_
#define OOMPH_MODELS_MESSAGE_SPARSECORE_OOM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "models/base/chips.h"

namespace oomph {

// Words as printed: wrapped ones are negative.
struct SparseCoreOom {
  int64_t bound = 0, limit = 0, words = 0;
  std::string space;   // "tile_spmem", "201"
  std::optional<SparseCoreSpace> memory;  // which it is; of 0 and 204 the limit tells
  std::string place;   // "result.1:279:1"
  std::string value;   // "%232"
  std::string type;    // "memref<23440xf32, 201>"
  bool numbered = false;
  // The first word. Modulo 2^64, as the compiler reckons: with wrapped words it means nothing.
  int64_t base() const { return static_cast<int64_t>(static_cast<uint64_t>(bound) - static_cast<uint64_t>(words) + 1); }
  bool operator==(const SparseCoreOom&) const = default;
};

// The first of a text of any kind, a log too.
absl::StatusOr<SparseCoreOom> ReadSparseCoreOom(std::string_view text);
std::string PrintSparseCoreOom(const SparseCoreOom& oom);

// E3001: no split of an embedding table fits.
struct EmbeddingTable {
  uint64_t max_nz_per_row = 0, max_unique_nz_per_row = 0, feature_width = 0, sample_count = 0;
  uint64_t fixed_bytes = 0, row_dependent_bytes = 0, spmem_bytes = 0;
  bool operator==(const EmbeddingTable&) const = default;
};
absl::StatusOr<EmbeddingTable> ReadEmbeddingTable(std::string_view text);

}  // namespace oomph

#endif  // OOMPH_MODELS_MESSAGE_SPARSECORE_OOM_H_
