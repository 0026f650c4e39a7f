// See hlo.h. Here: how fast other verifiers and planners of modules are judged, in long-lived children, one a core.
#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/bench/hlo.h"
#include "fuzz/judge.h"
#include "fuzz/subject_table.h"
#include "models/hlo/family.h"
#include "models/hlo/generate.h"

namespace oomph {
namespace {

constexpr int kSteps = 10;  // instructions that a module is asked for
constexpr int kCores = 2;

struct Judged {
  uint64_t modules = 0, instructions = 0;
  std::map<std::string, uint64_t> findings;  // by their signature
  std::string failed;
};

// What one core does: generate, ask, judge.
Judged JudgeFor(double seconds, const Pair& pair, uint64_t stream, std::atomic<int>& loading) {
  Judged judged;
  const auto loaded = SubjectTable::All().Load(pair);
  --loading;
  if (!loaded.ok()) return judged.failed = std::string(loaded.status().message()), judged;
  Judge judge(HloFamily(), *loaded->subject, loaded->reference.get(), /*relations=*/false);
  GenerateOptions options;
  options.steps = kSteps;
  CaseOf<hlo::Module> c;
  while (loading > 0) std::this_thread::yield();
  for (const Stopwatch all; all.seconds() < seconds; ++judged.modules) {
    Choices choices = Choices::FromSeed(MixSeed(stream, judged.modules), true);
    GenerateModule(choices, options, c.value);
    judged.instructions += InstructionCount(c.value);
    loaded->subject->Prepare(c);
    if (const Verdict verdict = judge.Run(c); verdict.found()) ++judged.findings[verdict.signature];
  }
  return judged;
}

void BenchPair(const Pair& pair, BenchReport& report) {
  const double seconds = 5 * report.seconds();
  std::vector<Judged> judged(kCores);
  std::atomic<int> loading = kCores;
  std::vector<std::thread> threads;
  for (int i = 0; i < kCores; ++i) {
    threads.emplace_back([&, i] { judged[i] = JudgeFor(seconds, pair, 20 + static_cast<uint64_t>(i), loading); });
  }
  for (std::thread& thread : threads) thread.join();
  Judged sum;
  for (const Judged& each : judged) {
    if (!each.failed.empty()) return report.Skip(absl::StrCat(pair.Spec(), ": ", each.failed));
    sum.modules += each.modules;
    sum.instructions += each.instructions;
    for (const auto& [signature, count] : each.findings) sum.findings[signature] += count;
  }
  const std::string name = absl::StrCat(pair.Spec(), ", ", kSteps, " instructions");
  report.AtLeast(absl::StrCat(name, ", ", kCores, " children"), static_cast<double>(sum.modules) / seconds, "modules/s", 500);
  report.Add("  their instructions, with those of what they call",
             static_cast<double>(sum.instructions) / static_cast<double>(sum.modules), "a module");
  for (const auto& [signature, count] : sum.findings) report.Add("  " + signature, static_cast<double>(count), "modules");
}

void BenchHloPlanners(BenchReport& report) {
  for (const char* spec : {"xla:msa=drawn", "xla"}) {
    const auto pairs = SubjectTable::All().Find(spec, &HloFamily());
    if (!pairs.ok()) {
      report.Skip(std::string(pairs.status().message()));
    } else {
      BenchPair(pairs->front(), report);
    }
  }
}

constexpr BenchRow kRows[] = {
    {"hlo-planners", "generated modules a second through XLA's verifier and memory planners with all oracles", BenchHloPlanners},
};

}  // namespace

std::span<const BenchRow> HloPlannerBenches() { return kRows; }

}  // namespace oomph
