// See hlo_compilers.h.
#include "fuzz/bench/hlo_compilers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/subject_table.h"
#include "models/base/choices.h"
#include "models/hlo/answer_text.h"
#include "models/hlo/family.h"
#include "models/hlo/generate.h"
#include "models/hlo/oracles.h"

namespace oomph {
namespace {

constexpr size_t kModules = 200;
constexpr size_t kCauses = 12;

// The words of a reason without the numbers of this case.
std::string CauseOf(const hlo::Answer& answer) {
  std::string cause(hlo::Summary(answer).substr(0, 150));
  std::replace_if(cause.begin(), cause.end(), [](unsigned char c) { return std::isdigit(c) != 0; }, '#');
  std::string once;
  for (const char c : cause) {
    if (c != '#' || !once.ends_with('#')) once.push_back(c);
  }
  return once;
}

// 200 random modules of what the subject offers, with the oracles; the median of a module and the share that compiles.
void Compile(const char* subject_words, double modules_a_second, BenchReport& report) {
  const auto pairs = SubjectTable::All().Find(subject_words, &HloFamily());
  if (!pairs.ok()) return report.Skip(std::string(pairs.status().message()));
  auto loaded = SubjectTable::All().Load(pairs->front(), /*in_child=*/true);
  if (!loaded.ok()) return report.Skip(std::string(loaded.status().message()));
  Subject& subject = *loaded->subject;
  GenerateOptions options;
  options.features = subject.info().Drawn();
  std::array<size_t, hlo::kStatuses> statuses = {};
  std::map<std::string, size_t> causes;
  std::vector<double> seconds;
  size_t findings = 0;
  const Stopwatch total;
  for (uint64_t seed = 1; seed <= kModules; ++seed) {
    CaseOf<hlo::Module> c;
    Choices choices = Choices::FromSeed(seed, false);
    hlo::GenerateModule(choices, options, c.value);
    subject.Prepare(c);
    OutcomeOf<hlo::Answer> outcome;
    const Stopwatch watch;
    subject.Run(c, outcome);
    Reasons reasons;
    hlo::JudgeAnswer(c.value, outcome.value, subject.info().promises, reasons);
    seconds.push_back(watch.seconds());
    findings += reasons.empty() ? 0 : 1;
    ++statuses[static_cast<size_t>(outcome.value.status)];
    if (outcome.value.status != hlo::Status::kValid) ++causes[CauseOf(outcome.value)];
  }
  report.AtLeast("modules", kModules / total.seconds(), "modules/s", modules_a_second);
  std::sort(seconds.begin(), seconds.end());
  report.Add("a module, median", Median(seconds) * 1e3, "ms");
  report.Add("a module, 95th percentile", seconds[kModules * 95 / 100] * 1e3, "ms");
  report.Add("a module, slowest", seconds.back() * 1e3, "ms");
  report.AtLeast("that compile",
                 100.0 * static_cast<double>(statuses[static_cast<size_t>(hlo::Status::kValid)]) / kModules, "%", 80);
  for (size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i] > 0)
      report.Add(std::string(hlo::StatusWord(static_cast<hlo::Status>(i))), static_cast<double>(statuses[i]),
                 "modules");
  }
  report.Add("with findings", static_cast<double>(findings), "modules");
  std::vector<std::pair<size_t, std::string>> most;
  for (const auto& [cause, count] : causes) most.emplace_back(count, cause);
  std::sort(most.rbegin(), most.rend());
  for (size_t i = 0; i < std::min(kCauses, most.size()); ++i) {
    report.Add(absl::StrCat("  ", most[i].second), static_cast<double>(most[i].first), "modules");
  }
}

void BenchLibtpu(BenchReport& report) { Compile("libtpu:v5e", 5, report); }
void BenchXlaCpu(BenchReport& report) { Compile("xla-cpu", 0, report); }

}  // namespace

std::span<const BenchRow> HloCompilerBenches() {
  static constexpr BenchRow kRows[] = {
      {"hlo-compile-libtpu", "200 random modules through the TPU compiler for v5e, with dumps and oracles", BenchLibtpu,
       true},
      {"hlo-compile-xla-cpu", "200 random modules through XLA's CPU compiler, with dumps and oracles", BenchXlaCpu,
       true},
  };
  return kRows;
}

}  // namespace oomph
