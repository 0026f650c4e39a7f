// See hbm_allocators.h.
#include "fuzz/bench/hbm_allocators.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/compare/statistics.h"
#include "fuzz/faults/faults.h"
#include "fuzz/judge.h"
#include "fuzz/subject_table.h"
#include "models/hbm/family.h"
#include "models/hbm/promises.h"
#include "nlohmann/json.hpp"
#include "subjects/child/child.h"
#include "subjects/step_timer.h"

namespace oomph {
namespace {

using nlohmann::json;

constexpr uint64_t kCapacity = uint64_t{64} << 20;
constexpr std::array<uint64_t, 3> kLoads = {60, 80, 90};  // per cent
constexpr uint64_t kTimedLoad = 80;
constexpr size_t kSteps = 30'000;
constexpr int kLeastOctave = 6, kOctaves = 14;  // 64 B to 1 MiB
constexpr std::array<uint64_t, 4> kAlignments = {16, 64, 256, 4096};

// The figures of one subject, as cells: [column, value, unit].
class Measurement {
 public:
  Measurement(Subject& subject, double seconds) : subject_(subject), seconds_(seconds), outcome_(family_.NewOutcome()) {}

  json Run() {
    Time(*Workload(kTimedLoad));
    for (const uint64_t load : kLoads) {
      const auto c = Workload(load);
      subject_.Run(*c, *outcome_);
      TellMetrics(*c, load);
    }
    return cells_;
  }

 private:
  std::unique_ptr<Case> Workload(uint64_t load) const {
    auto c = std::make_unique<CaseOf<hbm::Trace>>();
    Choices choices = Choices::FromSeed(MixSeed(1, load), /*swarm=*/false);
    const bool aligned = (subject_.info().features >> hbm::feature::kAlign & 1) != 0;
    c->value = AllocatorWorkload(choices, load, kSteps, aligned);
    subject_.Prepare(*c);
    return c;
  }

  void Tell(const std::string& column, double value, const std::string& unit) { cells_.push_back({column, value, unit}); }

  void Time(const Case& c) {
    StepTimes times;
    auto* const timer = dynamic_cast<StepTimer*>(&subject_);
    if (timer != nullptr) timer->TimeSteps(&times);
    std::vector<double> all;
    double best = 0;  // ns of the fastest run: what others do on the machine slows the others down
    const Stopwatch watch;
    do {
      const Stopwatch run;
      subject_.Run(c, *outcome_);
      // Who cannot tell is taken as a whole, the way to his process and back included.
      double busy = times.nanoseconds.empty() ? run.seconds() * 1e9 : 0;
      for (const double took : times.nanoseconds) busy += took;
      if (best == 0 || busy < best) best = busy;
      all.insert(all.end(), times.nanoseconds.begin(), times.nanoseconds.end());
    } while (watch.seconds() < seconds_);
    if (timer != nullptr) timer->TimeSteps(nullptr);
    Tell("", static_cast<double>(family_.Size(c)) / std::max(best, 1.0) * 1e9, "ops/s");
    if (all.empty()) return;
    Tell("p50", Quantile(all, 0.5), "ns");
    Tell("p99", Quantile(all, 0.99), "ns");
    Tell("p99.9", Quantile(all, 0.999), "ns");
  }

  void TellMetrics(const Case& c, uint64_t load) {
    std::vector<double> values(family_.metrics().size());
    const bool complete = family_.Measure(c, *outcome_, values);
    for (size_t i = 0; i < values.size() && complete; ++i) {
      const MetricInfo& metric = family_.metrics()[i];
      const bool share = metric.unit == "share" && values[i] == values[i];
      const bool fragmentation = metric.name == "external" || metric.name == "internal";
      if (!share || (fragmentation && load != kTimedLoad)) continue;
      Tell(absl::StrCat(std::string(metric.name), "@", load), 100 * values[i], "%");
    }
  }

  const Family& family_ = HbmFamily();
  Subject& subject_;
  const double seconds_;
  const std::unique_ptr<Outcome> outcome_;
  json cells_ = json::array();
};

absl::StatusOr<json> MeasureLoaded(const Pair& pair, bool in_child, double seconds) {
  const auto loaded = SubjectTable::All().Load(pair, in_child);
  if (!loaded.ok()) return loaded.status();
  return Measurement(*loaded->subject, seconds).Run();
}

// Foreign code is measured where it runs, in this process or rather in a copy of it that it may take along.
absl::StatusOr<json> MeasurePair(const Pair& pair, double seconds) {
  if (IsBuiltIn(*pair.row)) return MeasureLoaded(pair, false, seconds);
  ChildLimits limits;
  limits.start_time = std::chrono::milliseconds(60'000 + static_cast<int64_t>(10'000 * seconds));
  const auto answer = AskInChild(pair.Spec(), [&]() -> absl::StatusOr<std::string> {
    const auto cells = MeasureLoaded(pair, false, seconds);
    if (!cells.ok()) return cells.status();
    return cells->dump();
  }, limits);
  json cells = answer.ok() ? json::parse(*answer, nullptr, /*allow_exceptions=*/false) : json();
  if (cells.is_array()) return cells;
  return MeasureLoaded(pair, true, seconds);  // one that does not live in a process with others
}

void TellCells(const Pair& pair, const json& cells, BenchReport& report) {
  for (const json& cell : cells) {
    const bool sound = cell.is_array() && cell.size() == 3 && cell[0].is_string() && cell[1].is_number() && cell[2].is_string();
    if (sound) report.Cell(pair.Spec(), cell[0].get<std::string>(), cell[1].get<double>(), cell[2].get<std::string>());
  }
}

// Steps of generated cases until a judge says no, the bad one included.
double StepsUntilCaught(const FaultRow& fault, uint64_t seed) {
  constexpr uint64_t kMostCases = 20'000;
  const Family& family = *fault.family;
  const auto pairs = SubjectTable::All().Find(absl::StrCat("fault:", std::string(fault.name)), &family);
  if (!pairs.ok()) return 0;
  const auto loaded = SubjectTable::All().Load(pairs->front(), false);
  if (!loaded.ok()) return 0;
  Judge judge(family, *loaded->subject, loaded->reference.get());
  GenerateOptions options;
  options.features = loaded->subject->info().features;
  const auto c = family.NewCase();
  double steps = 0;
  for (uint64_t i = 0; i < kMostCases; ++i) {
    Choices choices = Choices::FromSeed(MixSeed(seed, i), /*swarm=*/i % 2 == 1);
    family.Generate(choices, options, *c);
    const Verdict verdict = judge.Run(*c);
    if (verdict.found()) return steps + static_cast<double>(verdict.step) + 1;
    steps += static_cast<double>(family.Size(*c));
  }
  return steps;
}

}  // namespace

hbm::Trace AllocatorWorkload(Choices& choices, uint64_t percent, size_t steps, bool aligned) {
  hbm::Trace trace;
  trace.policy.capacity = kCapacity;
  trace.policy.granule = 16;
  trace.policy.defragmentation = hbm::Defragmentation::kNever;  // who can move blocks would fail in nothing
  const uint64_t target = kCapacity / 100 * percent;
  std::vector<std::pair<uint32_t, uint64_t>> live;  // names and sizes
  uint64_t wanted = 0;
  uint32_t next = 0;
  while (trace.steps.size() < steps) {
    hbm::Step& step = trace.steps.emplace_back();
    if (wanted < target || live.empty()) {
      const uint64_t octave = uint64_t{1} << (kLeastOctave + choices.Below(kOctaves));
      step.kind = hbm::StepKind::kAllocate;
      step.name = next++;
      step.size = octave + choices.Below(octave);
      step.alignment = kAlignments[choices.Below(kAlignments.size())];
      if (!aligned) step.alignment = 0;
      wanted += step.size;
      live.emplace_back(step.name, step.size);
      continue;
    }
    std::swap(live[choices.Below(live.size())], live.back());
    step.kind = hbm::StepKind::kFree;
    step.name = live.back().first;
    wanted -= live.back().second;
    live.pop_back();
  }
  return trace;
}

void BenchHbmAllocators(BenchReport& report) {
  const std::array<const Family*, 1> only = {&HbmFamily()};
  const auto pairs = SubjectTable::All().Select({}, only);
  if (!pairs.ok()) return report.Skip(std::string(pairs.status().message()));
  for (const SubjectRow* row : SubjectTable::All().Absent(only)) report.Skip(absl::StrCat(row->name, ": ", row->absent));
  for (const Pair& pair : *pairs) {
    const auto cells = MeasurePair(pair, report.seconds());
    if (!cells.ok()) report.Skip(absl::StrCat(pair.Spec(), ": ", std::string(cells.status().message())));
    if (cells.ok()) TellCells(pair, *cells, report);
  }
  std::vector<double> medians;
  for (const FaultRow& fault : Faults()) {
    std::vector<double> steps;
    for (uint64_t seed = 1; seed <= 5; ++seed) steps.push_back(StepsUntilCaught(fault, seed));
    medians.push_back(Quantile(steps, 0.5));
    report.Add(absl::StrCat("fault:", std::string(fault.name), " is caught after"), medians.back(), "ops");
  }
  report.Add("planted faults, median", Quantile(medians, 0.5), "ops");
  report.Add("planted faults, the slowest", Quantile(medians, 1), "ops");
}

}  // namespace oomph
