// See hlo.h. Here: how fast other verifiers and planners of modules are judged, in long-lived children, one a core.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "fuzz/bench/hlo.h"
#include "fuzz/judge.h"
#include "fuzz/subject_table.h"
#include "models/hlo/family.h"
#include "models/hlo/generate.h"
#include "subjects/child/process.h"

namespace oomph {
namespace {

constexpr int kSteps = 10;  // instructions that a module is asked for
constexpr int kCores = 2;

// One core: generates, asks, judges. Its figures as lines "NUMBER NAME": modules, instructions, then findings by signature.
std::string JudgeFor(double seconds, const Pair& pair, uint64_t stream) {
  const auto loaded = SubjectTable::All().Load(pair);
  if (!loaded.ok()) return "";
  Judge judge(HloFamily(), *loaded->subject, loaded->reference.get(), /*relations=*/false);
  GenerateOptions options;
  options.steps = kSteps;
  CaseOf<hlo::Module> c;
  uint64_t modules = 0, instructions = 0;
  std::map<std::string, uint64_t> findings;
  for (const Stopwatch all; all.seconds() < seconds; ++modules) {
    Choices choices = Choices::FromSeed(MixSeed(stream, modules), true);
    GenerateModule(choices, options, c.value);
    instructions += InstructionCount(c.value);
    loaded->subject->Prepare(c);
    if (const Verdict verdict = judge.Run(c); verdict.found()) ++findings[verdict.signature];
  }
  std::string lines = absl::StrCat(modules, " modules\n", instructions, " instructions\n");
  for (const auto& [signature, count] : findings) absl::StrAppend(&lines, count, " ", signature, "\n");
  return lines;
}

void BenchPair(const Pair& pair, BenchReport& report) {
  const double seconds = 5 * report.seconds();
  // Children start children only from a process with one thread, so each core gets a process of its own.
  std::vector<std::unique_ptr<Process>> cores;
  for (int i = 0; i < kCores; ++i) {
    auto core = Process::Fork(
        [&, i](ChildSocket& socket) { socket.Send(0, JudgeFor(seconds, pair, 20 + static_cast<uint64_t>(i))); },
        uint64_t{16} << 30);
    if (!core.ok()) return report.Skip(std::string(core.status().message()));
    cores.push_back(*std::move(core));
  }
  std::map<std::string, double> figures;
  for (const auto& core : cores) {
    Frame lines;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(10);
    if (core->Receive(lines, uint64_t{1} << 20, deadline) != Process::Talk::kDone || lines.bytes.empty()) {
      return report.Skip(absl::StrCat(pair.Spec(), ": it was not loaded, or took too long"));
    }
    for (const std::string& text : std::vector<std::string>(absl::StrSplit(lines.bytes, '\n', absl::SkipEmpty()))) {
      figures[text.substr(text.find(' ') + 1)] += std::strtod(text.c_str(), nullptr);
    }
  }
  const double modules = figures["modules"];
  const std::string name = absl::StrCat(pair.Spec(), ", ", kSteps, " instructions");
  report.AtLeast(absl::StrCat(name, ", ", kCores, " children"), modules / seconds, "modules/s", 500);
  report.Add("  their instructions, with those of what they call", figures["instructions"] / modules, "a module");
  for (const auto& [signature, count] : figures) {
    if (signature.find('/') != signature.npos) report.Add("  " + signature, count, "modules");
  }
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
