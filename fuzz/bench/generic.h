// Benchmarks of the frame on every family: no list of families, no numbers that only one has.
#ifndef OOMPH_FUZZ_BENCH_GENERIC_H_
#define OOMPH_FUZZ_BENCH_GENERIC_H_

#include <span>

#include "fuzz/bench/bench.h"

namespace oomph {

std::span<const BenchRow> GenericBenches();

}  // namespace oomph

#endif  // OOMPH_FUZZ_BENCH_GENERIC_H_
