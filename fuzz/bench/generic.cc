// See generic.h.
#include "fuzz/bench/generic.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/faults/faults.h"
#include "fuzz/judge.h"
#include "fuzz/minimize/minimize.h"
#include "fuzz/subject_table.h"
#include "models/families.h"

namespace oomph {
namespace {

// Generate, run the subject in this process, ask the oracles; with or without reference and relations.
void MeasureJudged(const Family& family, const Pair& pair, bool everything, BenchReport& report) {
  const auto loaded = SubjectTable::All().Load(pair, /*in_child=*/false);
  if (!loaded.ok()) return;
  Judge judge(family, *loaded->subject, everything ? loaded->reference.get() : nullptr, everything);
  GenerateOptions options;
  options.features = loaded->subject->info().features;
  const auto c = family.NewCase();
  uint64_t steps = 0, cases = 0;
  const Stopwatch watch;
  while (watch.seconds() < report.seconds()) {
    for (int i = 0; i < 32; ++i, ++cases) {
      Choices choices = Choices::FromSeed(MixSeed(1, cases), true);
      family.Generate(choices, options, *c);
      loaded->subject->Prepare(*c);
      (void)judge.Run(*c);
      steps += family.Size(*c);
    }
  }
  const std::string how = everything ? " with reference and relations" : "";
  report.Add(absl::StrCat(std::string(family.name()), " ", pair.Spec(), how), static_cast<double>(steps) / watch.seconds(),
             "steps/s");
}

void BenchJudged(BenchReport& report) {
  for (const Family* family : Families()) {
    const std::array<const Family*, 1> only = {family};
    const auto pairs = SubjectTable::All().Select({}, only);
    if (!pairs.ok()) continue;
    for (const Pair& pair : *pairs) {
      if (!IsBuiltIn(*pair.row)) continue;  // foreign code could take this process along
      MeasureJudged(*family, pair, false, report);
      MeasureJudged(*family, pair, true, report);
    }
  }
}

// Up to five failing cases of 1000 steps for each planted fault, shrunk.
void BenchShrinking(BenchReport& report) {
  constexpr int kCasesEach = 5, kTries = 400;
  std::vector<double> seconds, runs, steps;
  for (const FaultRow& fault : Faults()) {
    const Family& family = *fault.family;
    const auto pairs = SubjectTable::All().Find(absl::StrCat("fault:", std::string(fault.name)), &family);
    if (!pairs.ok()) continue;
    const auto loaded = SubjectTable::All().Load(pairs->front(), false);
    if (!loaded.ok()) continue;
    Judge judge(family, *loaded->subject, loaded->reference.get());
    const auto c = family.NewCase();
    GenerateOptions options;
    options.steps = 1000;
    int found = 0;
    for (int i = 0; i < kTries && found < kCasesEach; ++i) {
      Choices choices = Choices::FromSeed(MixSeed(2, static_cast<uint64_t>(i)), true);
      family.Generate(choices, options, *c);
      const Verdict verdict = judge.Run(*c);
      if (!verdict.found()) continue;
      ++found;
      FunctionTest test(SameSignature(judge, verdict.signature));
      const Minimized result = Minimize(family, *c, "", test, {});
      const auto small = static_cast<double>(family.Size(*result.smallest));
      steps.push_back(small);
      if (small > 30) continue;
      seconds.push_back(result.seconds);
      runs.push_back(static_cast<double>(result.tests));
    }
  }
  report.AtMost("median time where the result has at most 30 steps", Median(seconds), "s", 1);
  report.AtMost("median runs where the result has at most 30 steps", Median(runs), "runs", 2000);
  report.Add("median steps of the result", Median(steps), "steps");
  report.Add("results over 30 steps", static_cast<double>(steps.size() - seconds.size()), "cases");
  report.Add("shrunk", static_cast<double>(steps.size()), "cases");
}

constexpr std::array<BenchRow, 2> kRows = {{
    {"judged", "judged steps a second, generation included, of the built-in subjects", BenchJudged},
    {"shrinking", "1000-step failing cases of every planted fault", BenchShrinking},
}};

}  // namespace

std::span<const BenchRow> GenericBenches() { return kRows; }

}  // namespace oomph
