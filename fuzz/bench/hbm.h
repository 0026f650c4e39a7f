// Benchmarks of the HBM family: the numbers that its issue asks for.
#ifndef OOMPH_FUZZ_BENCH_HBM_H_
#define OOMPH_FUZZ_BENCH_HBM_H_

#include <span>

#include "fuzz/bench/bench.h"

namespace oomph {

std::span<const BenchRow> HbmBenches();

}  // namespace oomph

#endif  // OOMPH_FUZZ_BENCH_HBM_H_
