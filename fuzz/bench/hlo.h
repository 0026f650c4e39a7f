// Benchmarks of HLO modules: reading and printing them, the memory that takes, the verifier, liveness, the generator.
#ifndef OOMPH_FUZZ_BENCH_HLO_H_
#define OOMPH_FUZZ_BENCH_HLO_H_

#include <span>

#include "fuzz/bench/bench.h"

namespace oomph {

// All of them.
std::span<const BenchRow> HloBenches();

// Those of hlo_text.cc, hlo_memory.cc and hlo_planners.cc.
std::span<const BenchRow> HloTextBenches();
std::span<const BenchRow> HloMemoryBenches();
std::span<const BenchRow> HloPlannerBenches();

}  // namespace oomph

#endif  // OOMPH_FUZZ_BENCH_HLO_H_
