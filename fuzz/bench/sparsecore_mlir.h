// Benchmarks of SparseCore programs in MLIR: a large file, and a deep one. Not for: planning alone (sparsecore.h).
#ifndef OOMPH_FUZZ_BENCH_SPARSECORE_MLIR_H_
#define OOMPH_FUZZ_BENCH_SPARSECORE_MLIR_H_

#include <span>

#include "fuzz/bench/bench.h"

namespace oomph {

std::span<const BenchRow> SparseCoreMlirBenches();

}  // namespace oomph

#endif  // OOMPH_FUZZ_BENCH_SPARSECORE_MLIR_H_
