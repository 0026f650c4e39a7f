// Benchmarks of compilers of HLO in programs of their own: random modules of the generator, dumps and oracles. Each only
// where it is named. Not for: the speed of a compiler alone.
#ifndef OOMPH_FUZZ_BENCH_HLO_COMPILERS_H_
#define OOMPH_FUZZ_BENCH_HLO_COMPILERS_H_

#include <span>

#include "fuzz/bench/bench.h"

namespace oomph {

std::span<const BenchRow> HloCompilerBenches();

}  // namespace oomph

#endif  // OOMPH_FUZZ_BENCH_HLO_COMPILERS_H_
