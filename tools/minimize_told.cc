// See minimize_told.h.
#include "tools/minimize_told.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "fuzz/report/show.h"
#include "nlohmann/json.hpp"

namespace oomph {
namespace {

constexpr double kTerminalPause = 0.1, kLinePause = 10;  // seconds

std::string HowItEnded(const MinimizeSummary& s) {
  const Minimized& result = *s.result;
  if (s.interrupted) return "interrupted: the smallest so far";
  if (!result.finished) return "the budget ended first: a smaller one may exist";
  if (result.flaky) return "no single edit was elected";
  if (result.last_edits == 0) return "minimal: no edit is left";
  return absl::StrCat("minimal: ", result.last_edits == 1 ? "the one single edit does not show it"
                                                          : absl::StrCat("none of ", WithThousands(result.last_edits),
                                                                         " single edits shows it"));
}

std::string SumsTable(const MinimizeSummary& s) {
  std::vector<std::vector<std::string>> rows;
  for (const ReductionSum& sum : s.result->sums) {
    rows.push_back({std::string(sum.info.name), Counted(sum.edits, sum.info.takes), "in", Counted(sum.tests, "test")});
  }
  return rows.empty() ? "" : TextTable(rows, {true, false, true, false}, "  ");
}

std::string Trouble(const MinimizeSummary& s) {
  std::vector<std::string> parts;
  if (s.timed_out > 0) parts.push_back(absl::StrCat(Counted(s.timed_out, "test"), " timed out"));
  const std::string crashed = parts.empty() ? Counted(s.crashed, "test") : WithThousands(s.crashed);
  if (s.crashed > 0) parts.push_back(crashed + " crashed");
  return parts.empty() ? "" : absl::StrJoin(parts, ", ") + "\n";
}

std::string Others(const MinimizeSummary& s) {
  if (s.others == 0) return "";
  std::string text = absl::StrCat(Counted(s.others, "case"), " of interest for another reason");
  if (!s.other_files.empty()) absl::StrAppend(&text, ": ", Printable(s.other_files.front()));
  if (s.other_files.size() > 1) absl::StrAppend(&text, " ... ", Printable(s.other_files.back()));
  return text + "\n";
}

}  // namespace

MinimizeProgress::MinimizeProgress(std::string_view counted) : counted_(counted), terminal_(isatty(STDERR_FILENO) == 1) {}

void MinimizeProgress::Tell(const MinimizeStep& step) {
  if (step.seconds - told_ < (terminal_ ? kTerminalPause : kLinePause)) return;
  told_ = step.seconds;
  const double rate = static_cast<double>(step.tests) / std::max(step.seconds, 1e-3);
  const std::string line = absl::StrFormat("%.0f s: down to %s, %s (%s/s), %s", step.seconds, Counted(step.size, counted_),
                                           Counted(step.tests, "test"), Short(rate), std::string(step.reduction));
  std::fprintf(stderr, terminal_ ? "\r\x1b[K%s" : "%s\n", line.c_str());
  std::fflush(stderr);
  shown_ = terminal_;
}

void MinimizeProgress::Clear() {
  if (shown_) std::fprintf(stderr, "\r\x1b[K");
  shown_ = false;
}

std::string SummaryText(const MinimizeSummary& s) {
  const Minimized& result = *s.result;
  std::string text = absl::StrFormat("%s: %s -> %s (%s), %s, %.3g s\n", Printable(s.out), Counted(s.size_before, s.counted),
                                     WithThousands(s.size), HowItEnded(s),
                                     Counted(result.tests, s.known > 0 ? "more test" : "test"), result.seconds);
  absl::StrAppend(&text, SumsTable(s), Trouble(s), Others(s));
  if (result.flaky) {
    absl::StrAppendFormat(&text, "the test is flaky: the result shows the fault in %d of %d runs, the case at the beginning in %d\n",
                          std::lround(result.rate * kRateTries), kRateTries,
                          std::lround(result.first_rate * kRateTries));
  }
  if (!result.finished && !s.again.empty()) absl::StrAppend(&text, "goes on with: ", Printable(s.again), "\n");
  return text;
}

std::string SummaryJson(const MinimizeSummary& s) {
  const Minimized& result = *s.result;
  nlohmann::ordered_json sums = nlohmann::ordered_json::array();
  for (const ReductionSum& sum : result.sums) {
    sums.push_back({{"reduction", std::string(sum.info.name)},
                    {"takes", std::string(sum.info.takes)},
                    {"edits", sum.edits},
                    {"tests", sum.tests}});
  }
  const nlohmann::ordered_json json = {{"file", s.file},
                                       {"out", s.out},
                                       {s.test.empty() ? "subject" : "test", s.test.empty() ? s.subject : s.test},
                                       {"expected", s.expected},
                                       {"size_before", s.size_before},
                                       {"size", s.size},
                                       {"counted", std::string(s.counted)},
                                       {"unchanged", s.unchanged},
                                       {"minimal", result.finished},
                                       {"single_edits", result.last_edits},
                                       {"interrupted", s.interrupted},
                                       {"flaky", result.flaky},
                                       {"rate", result.rate},
                                       {"first_rate", result.first_rate},
                                       {"tests", result.tests},
                                       {"seconds", result.seconds},
                                       {"known_answers", s.known},
                                       {"timed_out", s.timed_out},
                                       {"crashed", s.crashed},
                                       {"others", s.others},
                                       {"other_files", s.other_files},
                                       {"reductions", sums},
                                       {"again", result.finished ? "" : s.again},
                                       {"next", s.next}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace oomph
