// See minimize.h. Results on modules of which the minimum is known, on long traces, and the engine's own time.
#include "fuzz/bench/minimize.h"

#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "fuzz/bench/load.h"
#include "fuzz/bench/minimize_modules.h"
#include "fuzz/bench/temporary_folder.h"
#include "fuzz/faults/faults.h"
#include "fuzz/judge.h"
#include "fuzz/minimize/by_command.h"
#include "fuzz/minimize/minimize.h"
#include "fuzz/report/show.h"
#include "models/families.h"
#include "models/hlo/family.h"

namespace oomph {
namespace {

// Of one reduction: what it came to, and the time that was not the test's.
struct Did {
  Minimized result;
  double all = 0, inside = 0;  // of these seconds of this thread on a core, so many in the test
  size_t asked = 0;
  double Overhead() const { return asked == 0 ? 0 : (all - inside) / static_cast<double>(asked); }
};

Did MinimizeWith(Judge& judge, const Case& start, const std::string& signature, size_t tests, double seconds) {
  Did did;
  const Shows shows = SameSignature(judge, signature);
  FunctionTest test([&](const Case& c) {
    const CpuStopwatch asking;
    const bool yes = shows(c);
    did.inside += asking.seconds();
    ++did.asked;
    return yes;
  });
  MinimizeOptions options;
  options.tests = tests;
  options.seconds = seconds;
  const CpuStopwatch all;
  did.result = Minimize(judge.family(), start, "", test, options);
  did.all = all.seconds();
  return did;
}

// --- HLO ---------------------------------------------------------------------------------------------------------

constexpr size_t kMostTests = 5000;
constexpr double kMostSeconds = 300;

void BenchMinimizeHlo(BenchReport& report) {
  const Family& family = HloFamily();
  const auto loaded = LoadOrSkip("model", family, report);
  if (!loaded) return;
  std::vector<double> excess, tests, seconds, overhead;
  size_t finished = 0;
  for (const OomModule& made : OomModules()) {
    Judge judge(family, *loaded->subject, nullptr);
    judge.SetLimit(made.limit);
    const CaseOf<hlo::Module> start(made.module);
    const std::string signature = judge.Run(start).signature;
    if (!signature.ends_with(kOomIdentity)) std::abort();  // no figure, a fault
    const Did did = MinimizeWith(judge, start, signature, kMostTests, kMostSeconds);
    const size_t lines = LinesOf(family.Print(*did.result.smallest));
    excess.push_back(static_cast<double>(lines) - static_cast<double>(made.MinimumLines()));
    tests.push_back(static_cast<double>(did.result.tests));
    seconds.push_back(did.result.seconds);
    overhead.push_back(did.Overhead() * 1e3);
    finished += did.result.finished;
    const std::string row = absl::StrCat("module ", excess.size());
    report.Cell(row, "lines", static_cast<double>(LinesOf(made.text)), "");
    report.Cell(row, "minimum", static_cast<double>(made.MinimumLines()), "");
    report.Cell(row, "result", static_cast<double>(lines), "");
    report.Cell(row, "tests", tests.back(), "");
    report.Cell(row, "seconds", seconds.back(), "");
  }
  const std::string of = absl::StrCat(" of ", excess.size(), " modules");
  report.AtMost("lines above the minimum, the most" + of, *std::max_element(excess.begin(), excess.end()), "lines", 3);
  report.AtMost("tests, the median" + of, Median(tests), "tests", 150);
  report.Add("tests, the most" + of, *std::max_element(tests.begin(), tests.end()), "tests");
  report.AtLeast("1-minimal" + of, static_cast<double>(finished), "modules", static_cast<double>(excess.size()));
  report.Add("seconds, the median" + of, Median(seconds), "s");
  report.Add("seconds, the most" + of, *std::max_element(seconds.begin(), seconds.end()), "s");
  report.AtMost("time beside the test, on the module of 5,000 lines", overhead.back(), "ms/test", 1);
}

// --- traces ------------------------------------------------------------------------------------------------------

constexpr size_t kTraceSteps = 10'000;
// So many traces are tried until one shows the fault.
constexpr uint64_t kTraces = 12;

// A long trace on which the subject is wrong, and its signature; empty: none was found.
std::string LongTrace(Judge& judge, Case& into) {
  for (uint64_t i = 0; i < kTraces; ++i) {
    GenerateOptions options;
    options.features = judge.subject().info().Drawn();
    options.steps = kTraceSteps;
    Choices choices = Choices::FromSeed(MixSeed(7, i), true);
    judge.family().Generate(choices, options, into);
    judge.subject().Prepare(into);
    const Verdict verdict = judge.Run(into);
    if (verdict.found()) return verdict.signature;
  }
  return "";
}

void BenchMinimizeTrace(BenchReport& report) {
  const Family& family = *FindFamily("hbm");
  std::vector<double> seconds, sizes, tests;
  size_t finished = 0, silent = 0;
  std::string slowest;
  for (const FaultRow& fault : Faults()) {
    if (fault.family != &family) continue;
    const auto loaded = LoadOrSkip(absl::StrCat("fault:", std::string(fault.name)), family, report);
    if (!loaded) continue;
    Judge judge(family, *loaded->subject, loaded->reference.get());
    const auto trace = family.NewCase();
    const std::string signature = LongTrace(judge, *trace);
    if (signature.empty()) {
      ++silent;
      continue;
    }
    const Did did = MinimizeWith(judge, *trace, signature, 100'000, 60);
    if (!did.result.reproduced) {
      report.Skip(absl::StrCat("fault ", std::string(fault.name), ": does not show up again in the same trace"));
      continue;
    }
    if (seconds.empty() || did.result.seconds > *std::max_element(seconds.begin(), seconds.end())) slowest = fault.name;
    seconds.push_back(did.result.seconds);
    sizes.push_back(static_cast<double>(family.Size(*did.result.smallest)));
    tests.push_back(static_cast<double>(did.result.tests));
    finished += did.result.finished;
    if (!did.result.finished) {
      report.Skip(absl::StrCat("fault ", std::string(fault.name), ", ", signature, ": not 1-minimal after ", did.result.tests,
                               " tests; ", did.result.flaky ? "flaky" : "the budget ended it"));
    }
  }
  if (seconds.empty()) return report.Skip("no planted fault shows up in a trace of 10,000 steps");
  const std::string of = absl::StrCat(" of ", seconds.size(), " faults");
  const double most = *std::max_element(seconds.begin(), seconds.end());
  report.AtMost(absl::StrCat("seconds, the most", of, " (", slowest, ")"), most, "s", 5);
  report.Add("seconds, the median" + of, Median(seconds), "s");
  report.AtLeast("1-minimal" + of, static_cast<double>(finished), "faults", static_cast<double>(seconds.size()));
  report.Add("steps left, the most" + of, *std::max_element(sizes.begin(), sizes.end()), "steps");
  report.Add("tests, the median" + of, Median(tests), "tests");
  report.Add(absl::StrCat("faults that do not show up in ", kTraces, " traces"), static_cast<double>(silent), "faults");
}

// --- commands ----------------------------------------------------------------------------------------------------

// Runs a shell's command and nothing else: what a command takes by itself.
bool RunBare(const std::string& command) {
  const char* const words[] = {"sh", "-c", command.c_str(), nullptr};
  char* const none[] = {nullptr};
  pid_t child = 0;
  int status = 0;
  const bool ran = posix_spawn(&child, "/bin/sh", nullptr, nullptr, const_cast<char* const*>(words), none) == 0;
  return ran && waitpid(child, &status, 0) == child && status == 0;
}

// A test that has been asked of the case once; null where it cannot be.
std::unique_ptr<CommandTest> AskedOnce(const std::string& command, const Case& c) {
  CommandTestOptions options;
  options.command = command;
  auto test = CommandTest::Make(HloFamily(), options);
  if (!test.ok() || !(*test)->First(c).ok()) return nullptr;
  const Case* one = &c;
  return (*test)->Ask(std::span(&one, 1))[0] ? *std::move(test) : nullptr;
}

void BenchMinimizeCommand(BenchReport& report) {
  const OomModule made = OomModules(1).front();
  const CaseOf<hlo::Module> start(made.module);
  const TemporaryFolder folder;
  if (!folder.ok()) return report.Skip("no temporary folder can be made");
  const std::string path = folder.path() + "/case.hlo";
  std::ofstream(path) << made.text;
  for (const std::string command : {"true {}", "grep -q OomphAlloc {}"}) {
    const std::string bare = absl::StrReplaceAll(command, {{"{}", path}});
    const std::unique_ptr<CommandTest> test = AskedOnce(command, start);
    if (test == nullptr || !RunBare(bare)) {
      report.Skip(absl::StrCat(command, ": cannot be run here"));
      continue;
    }
    // In turns, so that both meet the same machine; the median, so that what else it does counts little.
    std::vector<double> asked, alone;
    for (const Stopwatch all; all.seconds() < report.seconds() || asked.size() < 20;) {
      const Case* one = &start;
      const Stopwatch asking;
      if (!test->Ask(std::span(&one, 1))[0]) std::abort();  // no figure, a fault
      asked.push_back(asking.seconds());
      const Stopwatch running;
      if (!RunBare(bare)) std::abort();
      alone.push_back(running.seconds());
    }
    report.AtMost(absl::StrCat("time beside the command, a module of ", LinesOf(made.text), " lines: ", command),
                  (Median(asked) - Median(alone)) * 1e3, "ms/test", 5);
    report.Add("  the command alone", Median(alone) * 1e3, "ms");
  }
}

constexpr BenchRow kRows[] = {
    {"minimize-hlo", "modules that do not fit, to the smallest: lines above the known minimum, tests, seconds",
     BenchMinimizeHlo},
    {"minimize-trace", "failing traces of 10,000 steps to the smallest", BenchMinimizeTrace},
    {"minimize-command", "time beside a command that is the test", BenchMinimizeCommand},
    {"minimize-peers", "the modules of minimize-hlo beside cvise, creduce and shrinkray (takes hours)", BenchMinimizePeers,
     true},
};

}  // namespace

std::span<const BenchRow> MinimizeBenches() { return kRows; }

}  // namespace oomph
