// What a step costs in the fast HBM model: frees and allocations by turns, so that `live` buffers
// stay live.
// Not for: programs, retries and defragmentations, nor what generating and judging cost.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <vector>

#include "models/hbm/allocator.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {
namespace {

Trace Churn(Fit fit, Ends ends, bool aligned, uint32_t live, uint32_t rounds, uint64_t seed) {
  std::mt19937_64 random(seed);
  Trace trace;
  trace.policy.granule = 256;
  trace.policy.fit = fit;
  trace.policy.ends = ends;
  trace.policy.defragmentation = Defragmentation::kNever;
  uint64_t live_bytes = 0;
  const auto allocate = [&](uint32_t name) {
    const uint64_t size = 1 + random() % (64 * 256);
    const End end = random() % 2 == 0 ? End::kLow : End::kHigh;
    const uint64_t alignment = aligned && random() % 2 == 0 ? uint64_t{1024} << random() % 3 : 0;
    trace.steps.push_back({.kind = StepKind::kAllocate,
                           .end = end,
                           .name = name,
                           .size = size,
                           .alignment = alignment});
    return size;
  };
  for (uint32_t name = 0; name < live; ++name) live_bytes += allocate(name);
  trace.policy.capacity = live_bytes * 3 / 2;
  for (uint32_t i = 0; i < rounds; ++i) {
    const uint32_t name = random() % live;
    trace.steps.push_back({.kind = StepKind::kFree, .name = name});
    allocate(name);
  }
  return trace;
}

// Several traces by turns, so that no branch predictor learns one by heart.
void BM_HbmStep(benchmark::State& state) {
  const Fit fit = static_cast<Fit>(state.range(0));
  const Ends ends = static_cast<Ends>(state.range(1));
  const uint32_t live = state.range(3);
  const bool large = live > 10'000;
  std::vector<Trace> traces;
  for (int i = 0; i < (large ? 1 : 100); ++i) {
    traces.push_back(Churn(fit, ends, state.range(2) != 0, live, large ? 2 * live : 1'000, i));
  }
  FastAllocator allocator;
  TraceOutcome outcome;
  uint64_t steps = 0;
  size_t next = 0;
  for (auto _ : state) {
    const Trace& trace = traces[next++ % traces.size()];
    allocator.Run(trace, outcome);
    steps += trace.steps.size();
  }
  state.SetItemsProcessed(steps);
  state.counters["s/step"] =
      benchmark::Counter(steps, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_HbmStep)
    ->ArgNames({"fit", "ends", "aligned", "live"})
    ->ArgsProduct({{0, 1, 2}, {0, 1, 2}, {0, 1}, {64}})
    ->ArgsProduct({{0, 1, 2}, {0}, {0}, {1'000'000}});

}  // namespace
}  // namespace oomph::hbm
