// Benchmarks of HLO modules: reading and printing their text.
#ifndef OOMPH_FUZZ_BENCH_HLO_H_
#define OOMPH_FUZZ_BENCH_HLO_H_

#include <span>

#include "fuzz/bench/bench.h"

namespace oomph {

std::span<const BenchRow> HloBenches();

}  // namespace oomph

#endif  // OOMPH_FUZZ_BENCH_HLO_H_
