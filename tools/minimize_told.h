// What oomph minimize tells a person or a program: how far it is, and what it has come to.
// Not for: reducing (see fuzz/minimize).
#ifndef OOMPH_TOOLS_MINIMIZE_TOLD_H_
#define OOMPH_TOOLS_MINIMIZE_TOLD_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/minimize/minimize.h"

namespace oomph {

// On a terminal a line that is written over ten times a second, elsewhere a line every 10 s; on standard error.
class MinimizeProgress {
 public:
  explicit MinimizeProgress(std::string_view counted);
  void Tell(const MinimizeStep& step);
  void Clear();  // before other lines

 private:
  const std::string_view counted_;
  const bool terminal_;
  double told_ = 0;  // seconds
  bool shown_ = false;
};

struct MinimizeSummary {
  std::string file, out;
  std::string subject, test;    // one of them
  std::string expected;         // what was kept: a signature, or Expectation::Words
  std::string_view counted;     // what sizes are of: "step"
  size_t size_before = 0, size = 0;
  bool unchanged = false;
  const Minimized* result = nullptr;
  size_t known = 0;             // answers of an earlier run
  size_t timed_out = 0, crashed = 0, others = 0;
  std::vector<std::string> other_files;
  bool interrupted = false;
  std::string again;            // the command that goes on; empty: none does
  std::vector<std::string> next;
};

// Lines for standard error.
std::string SummaryText(const MinimizeSummary& summary);
// One object.
std::string SummaryJson(const MinimizeSummary& summary);

}  // namespace oomph

#endif  // OOMPH_TOOLS_MINIMIZE_TOLD_H_
