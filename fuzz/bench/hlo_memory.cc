// The memory that reading a module takes, as a multiple of its text, the text itself included.
// Measured from outside: a child reads, and the kernel says how high its resident memory rose. So what the reader
// asks of the allocator and never touches does not count, and what the allocator keeps does.
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "fuzz/bench/hlo.h"
#include "fuzz/bench/hlo_modules.h"
#include "models/hlo/text.h"

namespace oomph {
namespace {

// Below this the kernel's count of pages is too coarse.
constexpr size_t kLeastMeasured = 256 << 10;
constexpr double kTarget = 4;

// A line of /proc/self/status in bytes; 0 where there is none.
double StatusBytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size() + 1, key + ":") == 0) return std::strtod(line.c_str() + key.size() + 1, nullptr) * 1024;
  }
  return 0;
}

// By how many bytes `run` raises the resident memory of a process at most; none where the system does not say.
template <typename Run>
std::optional<double> BytesRaised(const Run& run) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    run();           // pages of the program become resident when they are first run
    malloc_trim(0);  // what is free and resident would be taken again unseen
    const bool reset = static_cast<bool>(std::ofstream("/proc/self/clear_refs") << "5" << std::flush);
    const double before = StatusBytes("VmRSS");
    run();
    const double raised = reset ? StatusBytes("VmHWM") - before : -1;
    const bool written = write(ends[1], &raised, sizeof raised) == sizeof raised;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  double raised = -1;
  const bool read_all = child > 0 && read(ends[0], &raised, sizeof raised) == sizeof raised;
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  if (!read_all || raised < 0) return std::nullopt;
  return raised;
}

std::optional<double> MultipleOfText(const std::string& text) {
  const auto raised = BytesRaised([&] {
    if (!hlo::Parse("bench", text).ok()) std::abort();  // no figure, a fault
  });
  if (!raised) return std::nullopt;
  return 1 + *raised / static_cast<double>(text.size());
}

void BenchHloMemory(BenchReport& report) {
  double worst = 0;
  size_t files = 0;
  for (const HloCase& each : HloCases(report)) {
    if (each.text.size() < kLeastMeasured) continue;
    const std::optional<double> multiple = MultipleOfText(each.text);
    if (!multiple) return report.Skip("this system does not tell the highest use of memory");
    worst = std::max(worst, *multiple);
    ++files;
  }
  report.AtMost(absl::StrCat("the most of ", files, " modules of 256 KiB and more, text included"), worst, "x its text",
                kTarget);
  const std::string text = MadeHloText(2'060'000);
  const std::optional<double> multiple = MultipleOfText(text);
  if (!multiple) return report.Skip("this system does not tell the highest use of memory");
  report.AtMost(absl::StrCat("a made module of ", text.size() / 1'000'000, " MB, text included"), *multiple, "x its text",
                kTarget);
}

constexpr BenchRow kRows[] = {
    {"hlo-memory", "memory while reading modules, as a multiple of their text", BenchHloMemory},
};

}  // namespace

std::span<const BenchRow> HloMemoryBenches() { return kRows; }

}  // namespace oomph
