// Benchmarks of the sparsecore family: the numbers that its issue asks for. Not for: MLIR (sparsecore_mlir.h).
#ifndef OOMPH_FUZZ_BENCH_SPARSECORE_H_
#define OOMPH_FUZZ_BENCH_SPARSECORE_H_

#include <span>

#include "fuzz/bench/bench.h"

namespace oomph {

std::span<const BenchRow> SparseCoreBenches();

}  // namespace oomph

#endif  // OOMPH_FUZZ_BENCH_SPARSECORE_H_
