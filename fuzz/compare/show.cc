// See show.h.
#include "fuzz/compare/show.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "fuzz/compare/words.h"
#include "fuzz/report/show.h"

namespace oomph {
namespace {

constexpr size_t kMostLines = 40;  // of an example in text; files have all of it

std::string ExampleText(const Example& example) {
  if (example.case_text.empty()) return "    no case shows it each time\n";
  std::string text = absl::StrCat("    ", example.shrunk ? "smallest case" : "case", ", ", example.steps,
                                  example.steps == 1 ? " step" : " steps", " (", Printable(example.origin), ")");
  if (!example.base.empty()) {
    absl::StrAppend(&text, ": base ", Printable(example.base), ", head ", Printable(example.head));
  }
  absl::StrAppend(&text, "\n");
  size_t lines = 0;
  for (const absl::string_view line : absl::StrSplit(example.case_text, '\n', absl::SkipEmpty())) {
    if (++lines > kMostLines) {
      absl::StrAppend(&text, "      ...\n");
      break;
    }
    absl::StrAppend(&text, "      ", Printable(std::string(line)), "\n");
  }
  return text;
}

std::string Quantiles(const Distribution& d) {
  return absl::StrCat("p10 ", Significant(d.p10), ", p50 ", Significant(d.p50), ", p90 ", Significant(d.p90), ", max ",
                      Significant(d.max));
}

std::string Names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) absl::StrAppend(&text, text.empty() ? "" : ", ", name);
  return text;
}

nlohmann::json JsonOf(const Distribution& d) {
  return {{"mean", d.mean}, {"p10", d.p10}, {"p50", d.p50}, {"p90", d.p90}, {"max", d.max}};
}

nlohmann::json JsonOf(const Example& e) {
  if (e.case_text.empty()) return nullptr;
  return {{"origin", e.origin}, {"case", e.case_text}, {"steps", e.steps}, {"base", e.base}, {"head", e.head}, {"shrunk", e.shrunk}};
}

nlohmann::json JsonOf(const SpeedChange& s) {
  if (!s.measured) return {{"measured", false}, {"why", s.why_not}};
  return {{"measured", true}, {"trend", WordOf(s.trend)}, {"base", s.base}, {"head", s.head}, {"unit", "steps/s"},
          {"change", s.change}, {"low", s.low}, {"high", s.high}, {"confidence", s.confidence}, {"margin", s.margin},
          {"rounds", s.by_round}, {"cases", s.cases}, {"own_process", s.own_process}};
}

// As it is, in a block that nothing inside can end.
std::string Preformatted(std::string_view text) {
  std::string escaped;
  for (const absl::string_view line : absl::StrSplit(absl::string_view(text.data(), text.size()), '\n', absl::SkipEmpty())) {
    for (const char c : Printable(std::string(line))) {
      if (c == '&') escaped += "&amp;";
      else if (c == '<') escaped += "&lt;";
      else if (c == '>') escaped += "&gt;";
      else escaped += c;
    }
    escaped += '\n';
  }
  return "<pre>\n" + escaped + "</pre>\n";
}

std::string ExampleMarkdown(const std::string& title, const Example& example) {
  if (example.case_text.empty()) return "";
  std::string text = absl::StrCat("<details><summary>", title, ": ", example.steps, " steps</summary>\n\n");
  if (!example.base.empty()) {
    absl::StrAppend(&text, "base: ", EscapeMarkdown(example.base), "; head: ", EscapeMarkdown(example.head), "\n\n");
  }
  absl::StrAppend(&text, Preformatted(example.case_text), "\n</details>\n\n");
  return text;
}

std::string OneMarkdown(const Comparison& c) {
  std::string text = absl::StrCat("### ", EscapeMarkdown(c.base), " → ", EscapeMarkdown(c.head), "\n\n",
                                  EscapeMarkdown(Summary(c)), " (", EscapeMarkdown(HowMany(c)), ")\n\n");
  if (!c.promises_dropped.empty()) absl::StrAppend(&text, "No longer promised: ", EscapeMarkdown(Names(c.promises_dropped)), "\n\n");
  if (!c.promises_added.empty()) absl::StrAppend(&text, "Promised now: ", EscapeMarkdown(Names(c.promises_added)), "\n\n");
  for (const SignatureChange& s : c.signatures) {
    absl::StrAppend(&text, "* **", std::string(WordOf(s)), "** ", EscapeMarkdown(s.signature), " ", EscapeMarkdown(Counts(s)),
                    s.text.empty() ? "" : ": ", EscapeMarkdown(s.text), "\n");
  }
  absl::StrAppend(&text, c.signatures.empty() ? "" : "\n");
  if (c.answers_differ > 0) {
    absl::StrAppend(&text, "Other answers, same verdict: ", WithThousands(c.answers_differ), " cases\n\n");
  }
  const auto rows = MetricRows(c);
  for (size_t i = 0; i < rows.size(); ++i) {
    for (const std::string& cell : rows[i]) absl::StrAppend(&text, "| ", EscapeMarkdown(cell), " ");
    absl::StrAppend(&text, "|\n");
    if (i > 0) continue;
    for (size_t k = 0; k < rows[i].size(); ++k) absl::StrAppend(&text, k < 2 ? "|---" : "|--:");
    absl::StrAppend(&text, "|\n");
  }
  absl::StrAppend(&text, "\n", EscapeMarkdown(SpeedLine(c.speed)), "\n\n");
  for (const SignatureChange& s : c.signatures) text += ExampleMarkdown(EscapeMarkdown(s.signature), s.example);
  for (const MetricChange& m : c.metrics) text += ExampleMarkdown(EscapeMarkdown(m.name), m.example);
  return text + ExampleMarkdown("other answers", c.answers);
}

}  // namespace

std::string EscapeMarkdown(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       std::string_view(" ,.;:/%+()=").find(c) != std::string_view::npos || static_cast<unsigned char>(c) >= 0x80;
    if (plain) escaped += c;
    if (!plain) absl::StrAppend(&escaped, "&#", static_cast<int>(c), ";");
  }
  return escaped;
}

std::string ComparisonText(const Comparison& c) {
  std::string text = absl::StrCat("base  ", Printable(c.base), "  ", Printable(c.base_version), "\nhead  ", Printable(c.head),
                                  "  ", Printable(c.head_version), "\n", HowMany(c), "\n");
  if (!c.promises_dropped.empty()) absl::StrAppend(&text, "no longer promised: ", Names(c.promises_dropped), "\n");
  if (!c.promises_added.empty()) absl::StrAppend(&text, "promised now: ", Names(c.promises_added), "\n");
  for (const SignatureChange& s : c.signatures) {
    absl::StrAppend(&text, "\n", std::string(WordOf(s)), "  ", Printable(s.signature), "  ", Counts(s), "\n");
    if (!s.text.empty()) absl::StrAppend(&text, "    ", Printable(s.text), "\n");
    text += ExampleText(s.example);
  }
  if (c.answers_differ > 0) {
    absl::StrAppend(&text, "\nother answers, same verdict: ", WithThousands(c.answers_differ), " cases\n    ",
                    Printable(c.answers_text), "\n", ExampleText(c.answers));
  }
  if (!c.metrics.empty()) absl::StrAppend(&text, "\n", TextTable(MetricRows(c), {true}));
  for (const MetricChange& m : c.metrics) {
    if (m.trend == Trend::kSame) continue;
    absl::StrAppend(&text, "\n", m.name, " (", m.means, ")\n    base    ", Quantiles(m.base), "\n    head    ", Quantiles(m.head),
                    "\n    change  ", Quantiles(m.change), " where it differs\n", ExampleText(m.example));
  }
  absl::StrAppend(&text, "\n", SpeedLine(c.speed), "\n\n", c.interrupted ? "interrupted: " : "", Summary(c), "\n");
  return text;
}

nlohmann::json ComparisonJson(const Comparison& c) {
  nlohmann::json signatures = nlohmann::json::array(), metrics = nlohmann::json::array();
  for (const SignatureChange& s : c.signatures) {
    signatures.push_back({{"change", WordOf(s)}, {"signature", s.signature}, {"key", s.key}, {"text", s.text},
                          {"base_cases", s.base_cases}, {"head_cases", s.head_cases}, {"only_base", s.only_base},
                          {"only_head", s.only_head}, {"steady", s.steady}, {"example", JsonOf(s.example)}});
  }
  for (const MetricChange& m : c.metrics) {
    nlohmann::json worsening = m.Worsening();
    if (std::isinf(m.Worsening())) worsening = nullptr;
    metrics.push_back({{"name", m.name}, {"unit", m.unit}, {"means", m.means}, {"lower_is_better", m.lower_is_better},
                       {"trend", WordOf(m.trend)}, {"cases", m.cases}, {"better", m.better}, {"worse", m.worse}, {"p", m.p},
                       {"worsening", worsening}, {"base", JsonOf(m.base)}, {"head", JsonOf(m.head)},
                       {"change", JsonOf(m.change)}, {"example", JsonOf(m.example)}});
  }
  return {{"family", c.family->name()}, {"base", c.base}, {"head", c.head}, {"base_version", c.base_version},
          {"head_version", c.head_version}, {"seed", c.seed}, {"generated", c.generated}, {"from_files", c.from_files},
          {"steps", c.steps}, {"unmeasured", c.unmeasured}, {"unsound", c.unsound}, {"incomparable", c.incomparable},
          {"promises_dropped", c.promises_dropped}, {"promises_added", c.promises_added}, {"signatures", signatures},
          {"same_signatures", c.same_signatures}, {"answers_differ", c.answers_differ}, {"answers", JsonOf(c.answers)},
          {"metrics", metrics}, {"speed", JsonOf(c.speed)}, {"quiet", c.Quiet()}, {"interrupted", c.interrupted}};
}

std::string ComparisonMarkdown(const std::vector<Comparison>& comparisons) {
  std::string text = "## Comparison of allocators\n\n";
  for (const Comparison& c : comparisons) text += OneMarkdown(c);
  return text;
}

}  // namespace oomph
