// Benchmarks of the placement family: the numbers that its issue asks for.
#ifndef OOMPH_FUZZ_BENCH_PLACEMENT_H_
#define OOMPH_FUZZ_BENCH_PLACEMENT_H_

#include <span>

#include "fuzz/bench/bench.h"

namespace oomph {

std::span<const BenchRow> PlacementBenches();

}  // namespace oomph

#endif  // OOMPH_FUZZ_BENCH_PLACEMENT_H_
