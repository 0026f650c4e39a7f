// See hbm.h. A judged step is: generate it, run it on the fast model, ask all oracles about it.
#include "fuzz/bench/hbm.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/bench/hbm_allocators.h"
#include "fuzz/bench/load.h"
#include "fuzz/bench/temporary_folder.h"
#include "fuzz/judge.h"
#include "fuzz/report/show.h"
#include "fuzz/subject_table.h"
#include "models/hbm/allocator.h"
#include "models/hbm/family.h"
#include "models/hbm/generate.h"
#include "models/hbm/oracles.h"
#include "models/hbm/promises.h"
#include "models/hbm/specification.h"
#include "models/hbm/text.h"
#include "models/hbm/trace.h"

namespace oomph {
namespace {

constexpr Bits64 kAllFeatures = (Bits64{1} << hbm::feature::kNumFeatures) - 1;
// BFC traces follow other rules and are measured as `bfc-in-process`.
constexpr Bits64 kTpuFeatures = kAllFeatures & ~(Bits64{1} << hbm::feature::kBfc);
// Buffers that come and go, under every policy: what an allocator does all day.
constexpr Bits64 Bit(hbm::StepKind kind) { return Bits64{1} << static_cast<int>(kind); }
constexpr Bits64 kTraffic = kTpuFeatures & ~(Bit(hbm::StepKind::kLoad) | Bit(hbm::StepKind::kUnload) |
                                             Bit(hbm::StepKind::kExecute) | Bit(hbm::StepKind::kOutput) |
                                             Bit(hbm::StepKind::kDefragment) | Bit(hbm::StepKind::kEvict) |
                                             Bit(hbm::StepKind::kQuery));

// A false alarm is no figure.
[[noreturn]] void Die(const hbm::Trace& trace, const Reasons& reasons) {
  std::fprintf(stderr, "%s\n%s: %s\n", hbm::PrintTrace(trace).c_str(),
               std::string(reasons.list().front().oracle).c_str(), reasons.list().front().text.c_str());
  std::abort();
}

// What one step costs, in its parts.
struct Cost {
  double generate = 0, model = 0, oracles = 0, specification = 0;  // seconds
  uint64_t steps = 0;
  double judged() const { return generate + model + oracles; }
};

Cost MeasureJudged(const GenerateOptions& options, double seconds, bool with_specification) {
  Cost cost;
  hbm::Trace trace;
  hbm::TraceOutcome outcome;
  Reasons reasons;
  const Stopwatch all;
  for (uint64_t i = 0; all.seconds() < seconds; ++i) {
    // Each part over the same traces; a look at the clock is small beside a trace.
    const CpuStopwatch generate;
    Choices choices = Choices::FromSeed(MixSeed(3, i), true);
    hbm::GenerateTrace(choices, options, trace);
    cost.generate += generate.seconds();
    const CpuStopwatch model;
    hbm::RunModel(trace, outcome);
    cost.model += model.seconds();
    const CpuStopwatch oracles;
    hbm::JudgeTrace(trace, outcome, hbm::promise::kAll, reasons);
    cost.oracles += oracles.seconds();
    if (!reasons.empty()) Die(trace, reasons);
    if (with_specification) {
      const CpuStopwatch specification;
      hbm::RunSpecification(trace, outcome);
      cost.specification += specification.seconds();
    }
    cost.steps += trace.steps.size();
  }
  return cost;
}

void TellParts(const Cost& cost, BenchReport& report) {
  const double steps = static_cast<double>(cost.steps);
  report.Add("  of which generating", cost.generate / steps * 1e9, "ns/step");
  report.Add("  of which the fast model", cost.model / steps * 1e9, "ns/step");
  report.Add("  of which all oracles", cost.oracles / steps * 1e9, "ns/step");
  if (cost.specification == 0) return;
  report.Add("  the specification beside it", cost.specification / steps * 1e9, "ns/step");
  report.Add("  the specification over the fast model", cost.specification / cost.model, "x");
}

void BenchHbmJudged(BenchReport& report) {
  GenerateOptions options;
  options.features = kTraffic;
  options.steps = 1000;
  options.live = 64;
  const Cost traffic = MeasureJudged(options, report.seconds(), true);
  report.AtLeast("judged steps, about 64 live buffers", static_cast<double>(traffic.steps) / traffic.judged(),
                 "steps/s", 5e6);
  TellParts(traffic, report);
  options.features = kTpuFeatures;
  const Cost all = MeasureJudged(options, report.seconds(), true);
  report.Add("the same with programs, launches, defragmentation, queries",
             static_cast<double>(all.steps) / all.judged(), "steps/s");
  TellParts(all, report);
  options = {.features = kTpuFeatures, .steps = 64};
  const Cost campaign = MeasureJudged(options, report.seconds(), true);
  report.Add("campaign cases of 64 steps", static_cast<double>(campaign.steps) / campaign.judged(), "steps/s");
  TellParts(campaign, report);
}

void BenchHbmMillion(BenchReport& report) {
  GenerateOptions options;
  options.features = kTraffic;
  options.steps = 3'000'000;
  options.live = 1'000'000;
  const Cost cost = MeasureJudged(options, 2 * report.seconds(), false);
  report.AtMost("judged step, 1,000,000 live buffers", cost.judged() / static_cast<double>(cost.steps) * 1e6, "us/step",
                3);
  TellParts(cost, report);
}

// The shipped BFC allocator in this process, driven and judged; and its model on the same traces.
void BenchBfcInProcess(BenchReport& report) {
  const std::optional<Loaded> loaded = LoadOrSkip("bfc:growth=off", HbmFamily(), report);
  if (!loaded) return;
  const Family& family = HbmFamily();
  Subject& subject = *loaded->subject;
  GenerateOptions options;
  options.steps = 1000;
  options.live = 64;
  // Without alignments, which it does not honour: judging would stop there.
  options.features = subject.info().features & ~(Bits64{1} << hbm::feature::kAlign);
  const auto c = family.NewCase();
  const auto outcome = family.NewOutcome();
  Reasons reasons;
  double judged = 0, model = 0;
  uint64_t steps = 0;
  const Stopwatch all;
  for (uint64_t i = 0; all.seconds() < report.seconds(); ++i) {
    const CpuStopwatch watch;
    Choices choices = Choices::FromSeed(MixSeed(4, i), true);
    family.Generate(choices, options, *c);
    subject.Prepare(*c);
    subject.Run(*c, *outcome);
    family.Judge(*c, *outcome, subject.info().promises, reasons);
    judged += watch.seconds();
    if (!reasons.empty()) Die(static_cast<const CaseOf<hbm::Trace>&>(*c).value, reasons);
    steps += family.Size(*c);
    const CpuStopwatch other;
    loaded->reference->Run(*c, *outcome);
    model += other.seconds();
  }
  report.AtLeast("judged steps on the shipped BFC allocator", static_cast<double>(steps) / judged, "steps/s", 1e6);
  report.Add("its model alone on the same traces", static_cast<double>(steps) / model, "steps/s");
}

// Tapes long enough for 64 steps each.
void WriteTapes(const std::filesystem::path& folder) {
  constexpr int kTapes = 64, kBytes = 1024;
  std::filesystem::create_directories(folder);
  for (int i = 0; i < kTapes; ++i) {
    Choices choices = Choices::FromSeed(MixSeed(5, static_cast<uint64_t>(i)), false);
    std::string tape(kBytes, '\0');
    for (char& byte : tape) byte = static_cast<char>(choices.Below(256));
    std::ofstream(folder / absl::StrCat(i), std::ios::binary) << tape;
  }
}

// Seconds that the children of this process were on a core.
double CpuOfChildren() {
  rusage usage = {};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct LibFuzzerBuild {
  const char* preset;
  const char* what;
  double target;  // executions a second
};
constexpr std::array<LibFuzzerBuild, 2> kLibFuzzerBuilds = {{
    {"fuzz", "executions of hbm_fuzz, 64 steps each, ASan", 12'000},
    {"fuzz-plain", "executions of hbm_fuzz, 64 steps each, no sanitizer", 30'000},
}};

// The libFuzzer target of each such preset that has been built.
void BenchLibFuzzer(BenchReport& report) {
  constexpr int kRuns = 100'000;
  std::error_code error;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const TemporaryFolder scratch;
  if (!scratch.ok()) return report.Skip("no temporary folder");
  for (const LibFuzzerBuild& build : kLibFuzzerBuilds) {
    const std::filesystem::path target = here.parent_path() / absl::StrCat("build-", build.preset) / "hbm_fuzz";
    if (!std::filesystem::exists(target, error)) {
      report.Skip(absl::StrCat(build.what, ": scripts/build ", build.preset, " builds it"));
      continue;
    }
    const std::filesystem::path tapes = std::filesystem::path(scratch.path()) / build.preset;
    WriteTapes(tapes);
    const std::string command = absl::StrCat("OOMPH_FUZZ_STEPS=64 ", ShellWord(target.string()), " -seed=1 -runs=", kRuns,
                                             " -max_len=1024 -len_control=0 -entropic=0 -use_counters=0 ",
                                             ShellWord(tapes.string()), " 2>&1");
    const double before = CpuOfChildren();
    FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) continue;
    char line[512];
    double runs = 0;
    while (fgets(line, sizeof line, pipe) != nullptr) sscanf(line, "Done %lf runs", &runs);
    pclose(pipe);
    const double seconds = CpuOfChildren() - before;
    if (runs == 0) report.Skip(absl::StrCat(build.what, ": it did not come to its end; again: ", command));
    if (runs > 0) report.AtLeast(build.what, runs / seconds, "runs/s", build.target);
  }
}

constexpr std::array<BenchRow, 5> kRows = {{
    {"hbm-judged", "judged steps a second at about 64 live blocks, and what they are made of", BenchHbmJudged},
    {"hbm-million", "the same at 1,000,000 live blocks", BenchHbmMillion},
    {"allocators", "every subject under one workload: speed, tails, failures, fragmentation; faults and when they are caught",
     BenchHbmAllocators},
    {"bfc-in-process", "the shipped BFC allocator, driven and judged in this process", BenchBfcInProcess},
    {"libfuzzer", "executions a second of the libFuzzer target, 64 steps each", BenchLibFuzzer},
}};

}  // namespace

std::span<const BenchRow> HbmBenches() { return kRows; }

}  // namespace oomph
