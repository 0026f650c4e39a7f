// See hlo.h. Here: what is asked of a module once it is read, and the generator.
#include "fuzz/bench/hlo.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/bench/hlo_compilers.h"
#include "fuzz/bench/hlo_modules.h"
#include "models/hlo/generate.h"
#include "models/hlo/liveness.h"
#include "models/hlo/mutate.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"

namespace oomph {
namespace {

using hlo::Module;

// The fastest of several rounds, in seconds of this thread.
template <typename Run>
double BestSeconds(BenchReport& report, const Run& run) {
  double best = 1e9;
  const Stopwatch total;
  do {
    const CpuStopwatch watch;
    run();
    best = std::min(best, watch.seconds());
  } while (total.seconds() < report.seconds());
  return best;
}

// No figure, a fault.
[[noreturn]] void Die(const Module& module, const std::string& why) {
  std::fprintf(stderr, "%s\n%s\n", InstructionCount(module) < 1000 ? hlo::Print(module).c_str() : "", why.c_str());
  std::abort();
}

void CheckValid(const Module& module) {
  const std::vector<hlo::Problem> problems = Verify(module);
  if (!problems.empty()) Die(module, Describe(module, problems[0]));
}

void BenchHloLiveness(BenchReport& report) {
  const absl::StatusOr<Module> module = hlo::Parse("bench", MadeHloText(100'000));
  if (!module.ok()) Die({}, module.status().ToString());
  CheckValid(*module);
  size_t buffers = 0, live = 0;
  for (const hlo::Order order : {hlo::Order::kText, hlo::Order::kBreadthFirst, hlo::Order::kLeastMemory}) {
    Module unscheduled = *module;
    if (order != hlo::Order::kText) unscheduled.attributes = {};
    hlo::LivenessOptions options;
    options.order = order;
    const double seconds = BestSeconds(report, [&] {
      const auto liveness = LivenessOf(unscheduled, options);
      if (!liveness.ok()) Die(*module, liveness.status().ToString());
      buffers = ProblemOf(unscheduled, *liveness, 0).buffers.size();
      live = liveness->peaks.empty() ? 0 : liveness->peaks[0].buffers.size();
    });
    const std::string what = order == hlo::Order::kText
                                 ? "with its schedule"
                                 : absl::StrCat("scheduled ", std::string(hlo::kOrderNames[static_cast<size_t>(order)]));
    report.AtMost(absl::StrCat("a module of ", InstructionCount(*module), " instructions, ", what), seconds, "s", 0.5);
  }
  report.Add("  its buffers", static_cast<double>(buffers), "");
  report.Add("  of these live at the peak", static_cast<double>(live), "");
  const std::vector<HloCase> cases = HloCases(report);
  size_t instructions = 0;
  for (const HloCase& each : cases) instructions += InstructionCount(each.module);
  const double seconds = BestSeconds(report, [&] {
    for (const HloCase& each : cases) (void)LivenessOf(each.module);
  });
  report.Add(absl::StrCat("liveness of ", cases.size(), " modules of 1 KiB and more"),
             static_cast<double>(instructions) / seconds, "instructions/s");
}

void BenchHloGenerate(BenchReport& report) {
  GenerateOptions options;
  options.steps = 10;
  Module module;
  uint64_t modules = 0, instructions = 0;
  const CpuStopwatch generating;
  for (const Stopwatch all; all.seconds() < report.seconds();) {
    for (int i = 0; i < 1000; ++i, ++modules) {
      Choices choices = Choices::FromSeed(MixSeed(10, modules), true);
      GenerateModule(choices, options, module);
      instructions += InstructionCount(module);
    }
  }
  report.AtLeast("generated, of 10 instructions", static_cast<double>(modules) / generating.seconds(), "modules/s", 100'000);
  report.Add("  their instructions, with those of what they call", static_cast<double>(instructions) / static_cast<double>(modules),
             "a module");
  double verifying = 0, mutating = 0, counting = 0;
  modules = 0;
  for (const Stopwatch all; all.seconds() < report.seconds(); ++modules) {
    Choices choices = Choices::FromSeed(MixSeed(11, modules), true);
    GenerateModule(choices, options, module);
    const CpuStopwatch verify;
    CheckValid(module);
    verifying += verify.seconds();
    const CpuStopwatch count;
    if (const auto liveness = LivenessOf(module); !liveness.ok()) Die(module, liveness.status().ToString());
    counting += count.seconds();
    const CpuStopwatch mutate;
    MutateModule(choices, options, module);
    mutating += mutate.seconds();
  }
  report.Add("  verified", static_cast<double>(modules) / verifying, "modules/s");
  report.Add("  their liveness", static_cast<double>(modules) / counting, "modules/s");
  report.Add("  mutated", static_cast<double>(modules) / mutating, "modules/s");
}

void BenchHloVerify(BenchReport& report) {
  const std::vector<HloCase> cases = HloCases(report);
  if (cases.empty()) return report.Skip("no module was read");
  size_t bytes = 0, instructions = 0, valid = 0;
  for (const HloCase& each : cases) {
    bytes += each.text.size();
    instructions += InstructionCount(each.module);
  }
  const double seconds = BestSeconds(report, [&] {
    valid = 0;
    for (const HloCase& each : cases) valid += Verify(each.module).empty();
  });
  report.Add(absl::StrCat("verified, ", cases.size(), " modules of 1 KiB and more"), static_cast<double>(bytes) * 1e-6 / seconds,
             "MB/s of text");
  report.Add("  in instructions", static_cast<double>(instructions) / seconds, "instructions/s");
  report.Add("  valid", static_cast<double>(valid), "modules");
}

std::span<const BenchRow> Own() {
  static constexpr BenchRow kRows[] = {
      {"hlo-verify", "the verifier on modules that were read", BenchHloVerify},
      {"hlo-liveness", "what memory a module of 100,000 instructions needs, as a placement problem", BenchHloLiveness},
      {"hlo-generate", "modules of 10 instructions from choices", BenchHloGenerate},
  };
  return kRows;
}

}  // namespace

std::span<const BenchRow> HloBenches() {
  static const std::vector<BenchRow> table = [] {
    std::vector<BenchRow> all;
    for (const auto& rows : {HloTextBenches(), HloMemoryBenches(), HloPlannerBenches(), HloCompilerBenches(), Own()}) {
      all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
  }();
  return table;
}

}  // namespace oomph
