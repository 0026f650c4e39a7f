// See words.h.
#include "fuzz/compare/words.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/report/show.h"

namespace oomph {

std::string_view WordOf(const SignatureChange& change) {
  if (!change.Counts()) return "unsteady";
  switch (change.change) {
    case Change::kNew:
      return "new";
    case Change::kFixed:
      return "fixed";
    case Change::kChanged:
      return "changed";
  }
  return "";
}

std::string_view WordOf(Trend trend) {
  switch (trend) {
    case Trend::kSame:
      return "same";
    case Trend::kBetter:
      return "better";
    case Trend::kWorse:
      return "worse";
    case Trend::kMixed:
      return "mixed";
  }
  return "";
}

std::string Significant(double value) {
  const double size = std::abs(value);
  if (size >= 1e12) return absl::StrFormat("%.4g", value);
  for (const auto& [unit, name] : {std::pair(1e9, " G"), std::pair(1e6, " M"), std::pair(1e4, " k")}) {
    if (size >= unit) return absl::StrFormat("%.4g%s", value / (unit == 1e4 ? 1e3 : unit), name);
  }
  return absl::StrFormat("%.4g", value);
}

std::string Percent(double part) {
  if (std::isinf(part)) return "from 0";
  return absl::StrFormat("%+.3g %%", part == 0 ? 0.0 : 100 * part);
}

std::string HowMany(const Comparison& c) {
  std::string line = absl::StrCat(Counted(c.generated, "case"), " of seed ", c.seed);
  if (c.from_files > 0) absl::StrAppend(&line, ", ", WithThousands(c.from_files), " from files");
  absl::StrAppend(&line, ", ", Counted(c.steps, "step"));
  if (c.unmeasured > 0) absl::StrAppend(&line, ", ", WithThousands(c.unmeasured), " end early (no metrics)");
  if (c.unsound > 0) absl::StrAppend(&line, ", ", WithThousands(c.unsound), " break an oracle (no metrics)");
  if (c.incomparable > 0) absl::StrAppend(&line, ", ", WithThousands(c.incomparable), " incomparable with a reference");
  return line;
}

std::string Counts(const SignatureChange& s) {
  switch (s.change) {
    case Change::kNew:
      return absl::StrCat("in ", Counted(s.head_cases, "case"), s.steady ? "" : ", not each time");
    case Change::kFixed:
      return absl::StrCat("was in ", Counted(s.base_cases, "case"));
    case Change::kChanged:
      return absl::StrCat("in ", Counted(s.head_cases, "case"), ", was in ", WithThousands(s.base_cases), "; ",
                          WithThousands(s.only_head), " only in head, ", WithThousands(s.only_base), " only in base");
  }
  return "";
}

std::string SpeedLine(const SpeedChange& s) {
  if (!s.measured) return absl::StrCat("speed: not measured, ", s.why_not);
  const std::string how = absl::StrFormat(
      "head takes %s time, between %s and %s (%.1f %% certain, %d rounds of %d cases%s)", Percent(s.change), Percent(s.low),
      Percent(s.high), 100 * s.confidence, s.rounds, s.cases, s.own_process ? ", in a process of its own" : "");
  const std::string rates = absl::StrCat(Significant(s.base), " and ", Significant(s.head), " steps/s");
  const std::string what = s.trend == Trend::kSame    ? absl::StrFormat("same within %.0f %%", 100 * s.margin)
                           : s.trend == Trend::kWorse ? std::string("slower")
                                                      : std::string("faster");
  return absl::StrCat("speed: ", what, ": ", rates, ", ", how);
}

std::string Summary(const Comparison& c) {
  if (c.Quiet()) return "nothing differs";
  const auto count = [&](Change change) {
    return std::count_if(c.signatures.begin(), c.signatures.end(),
                         [&](const SignatureChange& s) { return s.change == change && s.Counts(); });
  };
  const auto trends = [&](Trend trend) {
    return std::count_if(c.metrics.begin(), c.metrics.end(), [&](const MetricChange& m) { return m.trend == trend; }) +
           (c.speed.trend == trend ? 1 : 0);
  };
  return absl::StrCat(count(Change::kNew), " new, ", count(Change::kFixed), " fixed, ", count(Change::kChanged),
                      " changed signatures; metrics: ", trends(Trend::kWorse), " worse, ", trends(Trend::kBetter), " better, ",
                      trends(Trend::kMixed), " mixed");
}

std::vector<std::vector<std::string>> MetricRows(const Comparison& c) {
  std::vector<std::vector<std::string>> rows = {
      {"metric", "", "base", "head", "head is", "worse in", "better in", "of", "p"}};
  for (const MetricChange& m : c.metrics) {
    const std::string by = m.trend == Trend::kSame ? "same"
                                                   : absl::StrCat(std::string(WordOf(m.trend)), " ", Percent(m.Worsening()));
    const bool any = m.better + m.worse > 0 && m.trend != Trend::kSame;
    rows.push_back({m.name, m.unit, Significant(m.base.mean), Significant(m.head.mean), by, WithThousands(any ? m.worse : 0),
                    WithThousands(any ? m.better : 0), WithThousands(m.cases), any ? absl::StrFormat("%.2g", m.p) : ""});
  }
  return rows;
}

}  // namespace oomph
