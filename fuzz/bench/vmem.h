// Benchmarks of the vmem family: the numbers that its issue asks for.
#ifndef OOMPH_FUZZ_BENCH_VMEM_H_
#define OOMPH_FUZZ_BENCH_VMEM_H_

#include <span>

#include "fuzz/bench/bench.h"

namespace oomph {

std::span<const BenchRow> VmemBenches();

}  // namespace oomph

#endif  // OOMPH_FUZZ_BENCH_VMEM_H_
