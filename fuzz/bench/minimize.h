// Benchmarks of the minimizer: what it comes to, in how many tests, beside the known minimum and beside other reducers.
#ifndef OOMPH_FUZZ_BENCH_MINIMIZE_H_
#define OOMPH_FUZZ_BENCH_MINIMIZE_H_

#include <span>

#include "fuzz/bench/bench.h"

namespace oomph {

// All of them.
std::span<const BenchRow> MinimizeBenches();

// That of minimize_peers.cc.
void BenchMinimizePeers(BenchReport& report);

}  // namespace oomph

#endif  // OOMPH_FUZZ_BENCH_MINIMIZE_H_
