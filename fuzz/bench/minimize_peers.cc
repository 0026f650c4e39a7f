// Our engine beside cvise, creduce and shrinkray: the same modules, the same script as the test, the same time.
// Each works on one core: what others try ahead on many cores is no test fewer.
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "fuzz/bench/minimize.h"
#include "fuzz/bench/minimize_modules.h"
#include "fuzz/bench/temporary_folder.h"
#include "fuzz/report/show.h"
#include "fuzz/store/files.h"
#include "models/base/units.h"
#include "models/hlo/text.h"

namespace oomph {
namespace {

constexpr size_t kMostSeconds = 300;
constexpr double kTimesFewer = 20;

size_t Environment(const char* name, size_t otherwise) {
  const char* text = std::getenv(name);
  size_t number = 0;
  return text != nullptr && absl::SimpleAtoi(text, &number) && number > 0 ? number : otherwise;
}

// How a reducer is called on ./case.hlo with ./test in a folder of its own. Cores, colours and formatters are none of a
// comparison of reducers.
struct Tool {
  std::string name;
  std::string program;    // a word of the shell
  std::string arguments;
  bool ours = false;
};

bool IsThere(const Tool& tool) {
  return tool.ours || std::system(absl::StrCat("command -v ", tool.program, " >/dev/null 2>&1").c_str()) == 0;
}

std::string ThisProgram() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

std::vector<Tool> Tools(size_t seconds, BenchReport& report) {
  std::vector<Tool> tools = {
      {"oomph", ShellWord(ThisProgram()),
       absl::StrCat("minimize case.hlo --test \"$PWD/test {}\" -o small.hlo --seconds ", seconds), true},
      {"cvise", "cvise", "--not-c --n 1 --tidy ./test case.hlo", false},
      {"creduce", "creduce", "--not-c --n 1 --tidy ./test case.hlo", false}};
  if (const char* shrinkray = std::getenv("SHRINKRAY"); shrinkray != nullptr) {
    tools.push_back({"shrinkray", ShellWord(shrinkray),
                     "--timeout 0 --parallelism 1 --ui basic --formatter none --trivial-is-not-error --input-type basename "
                     "./test case.hlo", false});
  } else {
    report.Skip("shrinkray: SHRINKRAY does not name its command");
  }
  std::erase_if(tools, [&](const Tool& tool) {
    if (IsThere(tool)) return false;
    report.Skip(absl::StrCat(tool.name, ": not here (scripts/setup --peers installs cvise and creduce)"));
    return true;
  });
  return tools;
}

// --- one run -----------------------------------------------------------------------------------------------------

// What the tools call: counts, then asks this program. {} is case.hlo where a tool gives no name.
bool WriteTest(const std::string& folder, const OomModule& made) {
  const std::string path = folder + "/test";
  std::ofstream(path) << "#!/bin/sh\nprintf x >>" << ShellWord(folder + "/count") << "\n"
                      << ShellWord(ThisProgram()) << " check --limit " << ExactBytes(made.limit)
                      << " \"${1:-case.hlo}\" 2>/dev/null | grep -qF 'hlo/fits_the_limit/model/" << std::string(kOomIdentity) << ":'\n";
  std::ofstream(folder + "/case.hlo") << made.text;
  return chmod(path.c_str(), 0755) == 0;
}

// With names as short and plain as can be, so that no tool is smaller by its names. What cannot be read stays as it is.
std::string PlainlyNamed(const std::string& text) {
  absl::StatusOr<hlo::Module> module = hlo::Parse("result", text);
  if (!module.ok()) return text;
  module->name = module->strings.Add("m");
  size_t number = 0;
  for (hlo::Computation& computation : module->computations) {
    computation.name = module->strings.Add(absl::StrCat("c", number));
    for (hlo::Instruction& instruction : computation.instructions) {
      instruction.name = module->strings.Add(absl::StrCat("i", number++));
    }
  }
  return hlo::Print(*module);
}

struct PeerRun {
  size_t tests = 0, lines = 0, bytes = 0;
  double seconds = 0;
  bool SmallerThan(const PeerRun& other) const { return std::tie(lines, bytes) < std::tie(other.lines, other.bytes); }
};

std::optional<PeerRun> RunTool(const Tool& tool, const OomModule& made, size_t seconds) {
  const TemporaryFolder made_folder;
  if (!made_folder.ok()) return std::nullopt;
  const std::string& folder = made_folder.path();
  std::error_code error;
  std::filesystem::create_directory(folder + "/tmp", error);
  if (!WriteTest(folder, made)) return std::nullopt;
  // Ours ends by itself; the others keep the best so far in the file, and are told to end.
  const std::string within = tool.ours ? "" : absl::StrCat("timeout --signal=INT --kill-after=5 ", seconds, " ");
  const Stopwatch all;
  const int status = std::system(absl::StrCat("cd ", ShellWord(folder), " && TMPDIR=", ShellWord(folder + "/tmp"), " ", within,
                                              tool.program, " ", tool.arguments, " >log 2>&1 </dev/null").c_str());
  PeerRun run;
  run.seconds = all.seconds();
  if (status == -1) return std::nullopt;
  const auto count = std::filesystem::file_size(folder + "/count", error);
  run.tests = error ? 0 : count;
  const auto result = ReadTextFile(folder + (tool.ours ? "/small.hlo" : "/case.hlo"));
  if (!result.ok()) return std::nullopt;
  const std::string plain = PlainlyNamed(*result);
  run.lines = LinesOf(plain);
  run.bytes = plain.size();
  return run;
}

// --- all runs ----------------------------------------------------------------------------------------------------

struct Sums {
  size_t modules = 0;
  size_t never_larger = 0;       // ours than any other's
  size_t nobody_came_near = 0;   // no other ended below twice our size
  std::vector<double> times_fewer;
};

// runs[0] is ours.
void Compare(const std::vector<std::optional<PeerRun>>& runs, Sums& sums) {
  const PeerRun& ours = *runs[0];
  std::optional<size_t> best;
  bool larger = false;
  for (size_t i = 1; i < runs.size(); ++i) {
    if (!runs[i]) continue;
    larger = larger || runs[i]->SmallerThan(ours);
    if (runs[i]->bytes < 2 * ours.bytes) best = std::min(best.value_or(SIZE_MAX), runs[i]->tests);
  }
  ++sums.modules;
  sums.never_larger += !larger;
  sums.nobody_came_near += !best;
  if (best) sums.times_fewer.push_back(static_cast<double>(*best) / static_cast<double>(std::max<size_t>(ours.tests, 1)));
}

void Tell(const std::string& row, const Tool& tool, const PeerRun& run, BenchReport& report) {
  const std::string of = absl::StrCat(row, ", ", tool.name);
  report.Cell(of, "tests", static_cast<double>(run.tests), "");
  report.Cell(of, "lines", static_cast<double>(run.lines), "");
  report.Cell(of, "bytes", static_cast<double>(run.bytes), "");
  report.Cell(of, "seconds", run.seconds, "");
}

}  // namespace

void BenchMinimizePeers(BenchReport& report) {
  const size_t seconds = Environment("OOMPH_PEER_SECONDS", kMostSeconds);
  const std::vector<Tool> tools = Tools(seconds, report);
  if (tools.size() < 2) return;
  Sums sums;
  for (const OomModule& made : OomModules(Environment("OOMPH_PEER_MODULES", kOomModules))) {
    const std::string row = absl::StrCat(LinesOf(made.text), " lines to ", made.MinimumLines());
    std::vector<std::optional<PeerRun>> runs;
    for (const Tool& tool : tools) {
      runs.push_back(RunTool(tool, made, seconds));
      if (runs.back()) Tell(row, tool, *runs.back(), report);
    }
    if (runs[0]) Compare(runs, sums);
  }
  if (sums.modules == 0) return report.Skip("our own runs came to nothing");
  const std::string of = absl::StrCat(" of ", sums.modules, " modules");
  report.AtLeast("modules on which no other result is smaller," + of, static_cast<double>(sums.never_larger), "modules",
                 static_cast<double>(sums.modules));
  report.Add("modules on which no other came below twice our size," + of, static_cast<double>(sums.nobody_came_near), "modules");
  if (sums.times_fewer.empty()) return;
  const double least = *std::min_element(sums.times_fewer.begin(), sums.times_fewer.end());
  report.AtLeast("tests of the best other over ours, the least", least, "x", kTimesFewer);
  report.Add("tests of the best other over ours, the median", Median(sums.times_fewer), "x");
}

}  // namespace oomph
