// The sections of the HTML report that are tables: campaigns, pairs, properties, what was not compared or skipped.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/report/html_parts.h"

namespace oomph::html {
namespace {

using nlohmann::json;
using Rows = std::vector<std::vector<std::string>>;

constexpr size_t kMostBars = 60, kMostCampaigns = 200;
constexpr double kChartHeight = 96, kChartTop = 14, kLeft = 34, kChartWidth = 720;
constexpr double kMinBarStep = 12, kMaxBarStep = 40;  // from bar to bar, in pixels

std::string Code(const json& j) { return absl::StrCat("<code>", Text(j), "</code>"); }

struct Place {
  double x, width;
};

std::string Bar(std::string_view css, Place place, double y, double height, std::string_view title) {
  return absl::StrFormat(
      "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s</title></rect>\n", css,
      place.x, y, place.width, height, title);
}

// One campaign: what it was the first to see, on what it saw again.
std::string BarsOf(const json& c, Place place, double scale) {
  const double first = c["first_seen"].get<double>() * scale;
  const double again = std::max(0.0, (c["findings"].get<double>() - c["first_seen"].get<double>()) * scale);
  const std::string title =
      absl::StrFormat("campaign %d, %s: %s, %d for the first time, in %s", c["id"].get<int64_t>(),
                      LocalTime(c["started"]), Counted(c["findings"], "finding"), c["first_seen"].get<uint64_t>(),
                      Counted(c["cases"], "case"));
  const double bottom = kChartTop + kChartHeight;
  if (first + again <= 0) return Bar("none", place, bottom - 2, 2, title);
  return Bar("again", place, bottom - again, again, title) + Bar("first", place, bottom - again - first, first, title);
}

std::string Chart(const json& history) {
  const size_t begin = history.size() - std::min(history.size(), kMostBars);
  double most = 1;
  for (size_t i = begin; i < history.size(); ++i) most = std::max(most, history[i]["findings"].get<double>());
  const auto bars = static_cast<double>(history.size() - begin);
  const double step = std::clamp(kChartWidth / bars, kMinBarStep, kMaxBarStep);
  const double width = kLeft + step * bars + 8;
  const double bottom = kChartTop + kChartHeight;
  std::string out = absl::StrFormat(
      "<svg class=\"chart\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" role=\"img\" "
      "aria-label=\"findings by campaign\">\n"
      "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%.0f</text><text x=\"%.0f\" y=\"%.0f\" "
      "text-anchor=\"end\">0</text>\n<line x1=\"%.0f\" y1=\"%.1f\" x2=\"%.0f\" y2=\"%.1f\"/>\n",
      width, bottom + 18, width, bottom + 18, kLeft - 6, kChartTop + 4, most, kLeft - 6, bottom, kLeft, bottom + 0.5,
      width, bottom + 0.5);
  for (size_t i = begin; i < history.size(); ++i) {
    const Place place = {kLeft + 4 + step * static_cast<double>(i - begin), step * 0.75};
    out += BarsOf(history[i], place, kChartHeight / most);
    if ((history.size() - 1 - i) % 5 != 0 && bars > 20) continue;
    absl::StrAppend(&out, absl::StrFormat("<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%d</text>\n",
                                          place.x + place.width / 2, bottom + 14, history[i]["id"].get<int64_t>()));
  }
  return out + "</svg>\n";
}

}  // namespace

std::string TrendSection(const json& report) {
  const json& history = report["history"];
  if (history.empty()) return "";
  if (history.size() == 1) return "<h2>Trend</h2>\n<p>This is the first campaign in this store.</p>\n";
  std::string out = absl::StrCat("<h2>Trend</h2>\n<p class=\"soft\">Findings of each campaign:<span class=\"key first\">"
                                 "</span>seen for the first time<span class=\"key again\"></span>seen before</p>\n"
                                 "<div class=\"trend scroll\">", Chart(history), "</div>\n");
  Rows rows;
  for (size_t i = history.size(); i-- > 0 && rows.size() < kMostCampaigns;) {
    const json& c = history[i];
    const double seconds = c["seconds"];
    rows.push_back({std::to_string(c["id"].get<int64_t>()), LocalTime(c["started"]), WithThousands(c["findings"]),
                    WithThousands(c["first_seen"]), WithThousands(c["cases"]),
                    Short(seconds > 0 ? c["steps"].get<double>() / seconds : 0), absl::StrFormat("%.0f s", seconds),
                    std::to_string(c["seed"].get<uint64_t>()), Text(c["state"]), Text(c["arguments"], 300)});
  }
  absl::StrAppend(&out, "<details class=\"more\"><summary>", rows.size() < history.size() ? "the newest " : "all ",
                  rows.size(), " campaigns</summary>\n",
                  Table({"campaign", "begun", "findings", "first seen", "cases", "steps/s", "took", "seed", "state",
                         "arguments"},
                        {false, true, false, false, false, false, false, false, true, true}, rows),
                  "</details>\n");
  return out;
}

std::string PairsSection(const json& report) {
  if (report["pairs"].empty()) return "";
  Rows rows;
  for (const json& pair : report["pairs"]) {
    rows.push_back({Text(pair["family"]), SubjectName(pair), WithThousands(pair["cases"]), WithThousands(pair["steps"]),
                    Short(pair["steps_per_second"]), WithThousands(pair["found"]), WithThousands(pair["incomparable"]),
                    WithThousands(pair["deaths"]), Text(pair["version"], 200)});
  }
  return absl::StrCat("<h2>What was tested</h2>\n",
                      Table({"family", "subject", "cases", "steps", "steps/s", "with findings", "incomparable",
                             "workers died", "version"},
                            {true, true, false, false, false, false, false, false, true}, rows));
}

std::string PropertiesSection(const json& report) {
  if (report["properties"].empty()) return "";
  Rows rows;
  for (const json& p : report["properties"]) {
    rows.push_back({Code(p["signature"]), Text(p["variant"]), WithThousands(p["count"]), Text(p["reason"], 300)});
  }
  return absl::StrCat("<h2>Properties</h2>\n<p class=\"soft\">What an oracle would say if the subject had promised it. "
                      "No faults.</p>\n",
                      Table({"property", "variant", "seen", "example"}, {true, true, false, true}, rows));
}

std::string IncomparableSection(const json& report) {
  if (report["incomparable"].empty()) return "";
  Rows rows;
  for (const json& i : report["incomparable"]) {
    rows.push_back({Text(i["family"]), SubjectName(i), WithThousands(i["count"]), Text(i["cause"], 300)});
  }
  return absl::StrCat("<h2>Not comparable</h2>\n<p class=\"soft\">Cases in which a subject and its reference could not "
                      "be compared from some step on.</p>\n",
                      Table({"family", "subject", "cases", "cause"}, {true, true, false, true}, rows));
}

std::string SkippedSection(const json& report) {
  if (report["skipped"].empty()) return "<h2>Skipped</h2>\n<p>Nothing.</p>\n";
  Rows rows;
  for (const json& s : report["skipped"]) rows.push_back({Text(s["family"]), Text(s["subject"]), Text(s["reason"])});
  return absl::StrCat("<h2>Skipped</h2>\n", Table({"family", "subject", "why"}, {true, true, true}, rows));
}

}  // namespace oomph::html
