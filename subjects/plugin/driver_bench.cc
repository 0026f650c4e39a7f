// What it costs to drive a plugin: a step in this process, a case through a child.
// Not for: the speed of any allocator; the plugin does next to nothing.
#include <benchmark/benchmark.h>

#include <memory>

#include "models/hbm/family.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"
#include "subjects/plugin/plugin_row.h"

namespace oomph {
namespace {

// Allocations and frees by turns, `live` blocks at a time.
CaseOf<hbm::Trace> Steps(uint32_t steps, uint32_t live) {
  CaseOf<hbm::Trace> c;
  c.value.policy.capacity = uint64_t{1} << 40;
  for (uint32_t i = 0; i < steps; ++i) {
    const uint32_t name = (i / 2) % live;
    const auto kind = i % 2 == 0 ? hbm::StepKind::kFree : hbm::StepKind::kAllocate;
    c.value.steps.push_back({.kind = kind, .name = name, .size = 8});
  }
  return c;
}

void Drive(benchmark::State& state, bool in_child) {
  PluginRowSpec spec;
  spec.family = &HbmFamily();
  spec.name = "bump";
  spec.path = PluginPath("bump");
  const auto subject = PluginRow(spec).make("", in_child);
  if (!subject.ok()) return state.SkipWithError(subject.status().ToString().c_str());
  const CaseOf<hbm::Trace> c = Steps(static_cast<uint32_t>(state.range(0)), 64);
  OutcomeOf<hbm::TraceOutcome> outcome;
  for (auto _ : state) (*subject)->Run(c, outcome);
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["cases"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void BM_PluginInProcess(benchmark::State& state) { Drive(state, false); }
void BM_PluginInChild(benchmark::State& state) { Drive(state, true); }
BENCHMARK(BM_PluginInProcess)->Arg(64)->Arg(100'000);
BENCHMARK(BM_PluginInChild)->Arg(64)->UseRealTime();

}  // namespace
}  // namespace oomph
