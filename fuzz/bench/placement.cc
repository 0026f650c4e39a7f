// See placement.h.
#include "fuzz/bench/placement.h"

#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/bench/load.h"
#include "models/placement/bounds.h"
#include "models/placement/family.h"
#include "models/placement/generate.h"
#include "models/placement/oracles.h"
#include "models/placement/planner.h"
#include "models/placement/promises.h"
#include "models/placement/text.h"
#include "subjects/builtin/placement.h"

namespace oomph {
namespace {

using placement::Plan;
using placement::Planner;
using placement::Problem;

constexpr Bits64 Bit(int index) { return Bits64{1} << index; }

// A false alarm is no figure.
void JudgeOrDie(const Problem& problem, const Plan& plan, Bits64 promises) {
  Reasons reasons;
  placement::JudgePlan(problem, plan, promises, reasons);
  if (reasons.empty()) return;
  if (problem.buffers.size() < 1000) std::fprintf(stderr, "%s\n", placement::PrintProblem(problem).c_str());
  std::fprintf(stderr, "%s: %s\n", std::string(reasons.list().front().oracle).c_str(),
               reasons.list().front().text.c_str());
  std::abort();
}

Problem Traffic(size_t buffers, size_t live, uint64_t seed) {
  GenerateOptions options;
  options.features = Bit(placement::feature::kMinimize) | Bit(placement::feature::kAlign) | Bit(placement::feature::kMany);
  options.steps = buffers;
  options.live = live;
  Choices choices = Choices::FromSeed(seed, true);
  Problem problem;
  placement::GenerateProblem(choices, options, problem);
  return problem;
}

// A line of /proc/self/status in MB; 0 where there is none.
double StatusMb(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size() + 1, key + ":") != 0) continue;
    return std::strtod(line.c_str() + key.size() + 1, nullptr) / 1024;
  }
  return 0;
}

void BenchMillion(BenchReport& report) {
  const Stopwatch generating;
  const Problem problem = Traffic(1'000'000, 64, 1);
  report.Add("generating 1,000,000 buffers, about 64 live", generating.seconds(), "s");
  Plan plan;
  const CpuStopwatch placing;
  placement::RunModel(problem, {}, plan);
  report.AtMost("decreasing size best fit, with its bound", placing.seconds(), "s", 10);
  report.Add("its peak over the lower bound",
             static_cast<double>(*plan.peak) / static_cast<double>(std::max<uint64_t>(*plan.lower_bound, 1)), "x");
  // From here on the highest memory in use is that of judging, the problem and the plan included.
  const bool measured = static_cast<bool>(std::ofstream("/proc/self/clear_refs") << "5" << std::flush);
  const CpuStopwatch judging;
  JudgeOrDie(problem, plan, placement::promise::kOffsets | placement::promise::kPeak | placement::promise::kLowerBound);
  report.AtMost("judging it", judging.seconds(), "s", 2);
  if (measured) {
    report.AtMost("memory while judging, the problem and this program included", StatusMb("VmHWM"), "MB", 400);
  } else {
    report.Skip("memory while judging: this system does not reset the highest use");
  }
  const CpuStopwatch bounding;
  placement::LowerBound(problem);
  report.Add("its lower bound alone", bounding.seconds(), "s");
}

// Problems of 8 buffers as campaigns draw them, of some features.
void MeasureExact(const std::string& what, Bits64 features, double target, BenchReport& report) {
  GenerateOptions options;
  options.features = features;
  options.steps = 8;
  double generate = 0, solve = 0, judge = 0, nodes = 0;
  uint64_t problems = 0, proved = 0;
  Problem problem;
  Plan plan;
  const Stopwatch all;
  for (; all.seconds() < report.seconds(); ++problems) {
    const CpuStopwatch generating;
    Choices choices = Choices::FromSeed(MixSeed(8, problems), true);
    placement::GenerateProblem(choices, options, problem);
    generate += generating.seconds();
    const CpuStopwatch solving;
    placement::RunModel(problem, {.planner = Planner::kExhaustive}, plan);
    solve += solving.seconds();
    const CpuStopwatch judging;
    JudgeOrDie(problem, plan, placement::promise::kAll);
    judge += judging.seconds();
    nodes += static_cast<double>(plan.nodes.value_or(0));
    proved += plan.status == placement::Status::kOptimal || plan.status == placement::Status::kInfeasible;
  }
  const auto count = static_cast<double>(problems);
  if (target > 0) {
    report.AtLeast(what + ": solved and judged", count / (solve + judge), "problems/s", target);
  } else {
    report.Add(what + ": solved and judged", count / (solve + judge), "problems/s");
  }
  report.Add("  with a proof", static_cast<double>(proved) / count, "share");
  report.Add("  nodes", nodes / count, "a problem");
  report.Add("  of which solving", solve / count * 1e6, "us");
  report.Add("  of which judging", judge / count * 1e6, "us");
  report.Add("  generating them beside it", generate / count * 1e6, "us");
}

void BenchExact(BenchReport& report) {
  using placement::feature::kAlign;
  using placement::feature::kCapacity;
  using placement::feature::kMinimize;
  MeasureExact("8 buffers", Bit(kMinimize), 50'000, report);
  MeasureExact("8 buffers, aligned or with a capacity", Bit(kMinimize) | Bit(kAlign) | Bit(kCapacity), 0, report);
  MeasureExact("8 buffers of every feature", PlannerFeatures(Planner::kExhaustive), 0, report);
}

// The median of some runs, in milliseconds of this thread.
template <typename Run>
double MedianMs(Run run) {
  std::array<double, 9> times = {};
  for (double& time : times) {
    const CpuStopwatch watch;
    run();
    time = watch.seconds() * 1e3;
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void BenchXla(BenchReport& report) {
  const Family& family = PlacementFamily();
  const std::optional<Loaded> loaded = LoadOrSkip("xla:order=spatial", family, report);
  if (!loaded) return;
  for (const size_t buffers : {1'000, 5'000}) {
    CaseOf<Problem> c(Traffic(buffers, 16, 1));
    loaded->subject->Prepare(c);
    OutcomeOf<Plan> theirs;
    Plan ours;
    const double xla = MedianMs([&] { loaded->subject->Run(c, theirs); });
    const double own = MedianMs([&] { placement::RunModel(c.value, {}, ours); });
    if (theirs.value.offsets != ours.offsets) {
      std::fprintf(stderr, "XLA's heap places other than its model\n");
      std::abort();
    }
    const std::string what = absl::StrCat(buffers, " buffers, ");
    report.Add(what + "XLA's heap", xla, "ms");
    report.Add(what + "its model, with a lower bound", own, "ms");
    report.AtMost(what + "the model over XLA's heap", own / xla, "x", 1.5);
  }
}

constexpr std::array kBenches = {
    BenchRow{"placement", "1,000,000 buffers: best fit, judging, the bound", &BenchMillion},
    BenchRow{"placement-exact", "problems of 8 buffers solved with a proof and judged", &BenchExact},
    BenchRow{"placement-xla", "decreasing size best fit beside XLA's own heap", &BenchXla},
};

}  // namespace

std::span<const BenchRow> PlacementBenches() { return kBenches; }

}  // namespace oomph
