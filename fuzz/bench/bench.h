// The table of benchmarks behind `oomph bench`.
// Not for: tests; a figure is reported, never judged here.
#ifndef OOMPH_FUZZ_BENCH_BENCH_H_
#define OOMPH_FUZZ_BENCH_BENCH_H_

#include <time.h>

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oomph {

// What one benchmark measured.
class BenchReport {
 public:
  struct Figure {
    std::string name;
    double value = 0;
    std::string unit;   // "steps/s", "us/step", "runs"
    double target = 0;  // 0: none
    bool at_least = true;  // else the target is a ceiling
    std::string row, column;  // of a table, if it stands in one
  };

  explicit BenchReport(double seconds) : seconds_(seconds) {}
  // About how long each figure should be measured.
  double seconds() const { return seconds_; }

  void Add(std::string name, double value, std::string unit) { Add(std::move(name), value, std::move(unit), 0, true); }
  void AtLeast(std::string name, double value, std::string unit, double target) {
    Add(std::move(name), value, std::move(unit), target, true);
  }
  void AtMost(std::string name, double value, std::string unit, double target) {
    Add(std::move(name), value, std::move(unit), target, false);
  }
  // A figure in a table, whose rows and columns are those that were given, in that order.
  void Cell(const std::string& row, const std::string& column, double value, std::string unit) {
    figures_.push_back({row + ", " + column, value, std::move(unit), 0, true, row, column});
  }
  // What could not be measured here, and why.
  void Skip(std::string why) { skipped_.push_back(std::move(why)); }
  const std::vector<Figure>& figures() const { return figures_; }
  const std::vector<std::string>& skipped() const { return skipped_; }

 private:
  void Add(std::string name, double value, std::string unit, double target, bool at_least) {
    figures_.push_back({std::move(name), value, std::move(unit), target, at_least, "", ""});
  }
  const double seconds_;
  std::vector<Figure> figures_;
  std::vector<std::string> skipped_;
};

// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Seconds of this thread on a core since it was made: what others do on the machine does not count. A look at it
// costs some hundred nanoseconds.
class CpuStopwatch {
 public:
  double seconds() const { return Now() - start_; }

 private:
  static double Now() {
    timespec now = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  }
  const double start_ = Now();
};

// The upper one of two in the middle; 0 of nothing.
double Median(std::vector<double> values);

struct BenchRow {
  std::string_view name;
  std::string_view what;
  void (*run)(BenchReport&) = nullptr;
  bool only_named = false;  // takes so long that it runs only where its whole name is given
};

// All of them: those of every family, then those that need none.
std::span<const BenchRow> Benches();

}  // namespace oomph

#endif  // OOMPH_FUZZ_BENCH_BENCH_H_
