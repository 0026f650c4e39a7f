// Every subject of the HBM family under one workload, and how soon planted faults are caught.
// Not for: judging a change (oomph compare).
#ifndef OOMPH_FUZZ_BENCH_HBM_ALLOCATORS_H_
#define OOMPH_FUZZ_BENCH_HBM_ALLOCATORS_H_

#include "fuzz/bench/bench.h"
#include "models/base/choices.h"
#include "models/hbm/trace.h"

namespace oomph {

// Traffic at a level: 64 MiB, sizes from 64 B to 1 MiB of which each power of two is as frequent, aligned to 16, 64, 256 or
// 4096 (`aligned` false: to nothing), requests while less than `percent` of the capacity is wanted, frees of any buffer
// otherwise, and no defragmentation. What was refused counts as live until its free, which is then a no-op: the trace is the same for all.
hbm::Trace AllocatorWorkload(Choices& choices, uint64_t percent, size_t steps, bool aligned);

void BenchHbmAllocators(BenchReport& report);

}  // namespace oomph

#endif  // OOMPH_FUZZ_BENCH_HBM_ALLOCATORS_H_
