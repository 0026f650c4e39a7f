// The page and its findings. See html.h.
#include "fuzz/report/html.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/report/html_parts.h"
#include "subjects/registry.h"

namespace oomph {
namespace html {

std::string Text(const nlohmann::json& j, size_t most) {
  const std::string text = j.get<std::string>();
  return text.size() <= most ? XmlText(text) : XmlText(text.substr(0, most)) + " …";
}

std::string SubjectName(const nlohmann::json& j) {
  const std::string variant = j["variant"];
  return absl::StrCat(Text(j["subject"]), variant.empty() ? "" : ":" + XmlText(variant));
}

std::string Table(const std::vector<std::string>& head, const std::vector<bool>& left,
                  const std::vector<std::vector<std::string>>& rows) {
  std::string out = "<div class=\"scroll\"><table><thead><tr>";
  for (size_t i = 0; i < head.size(); ++i) {
    absl::StrAppend(&out, left[i] ? "<th class=\"l\">" : "<th>", head[i], "</th>");
  }
  out += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (size_t i = 0; i < row.size(); ++i) {
      // What may wrap is the last column of texts.
      const bool wraps = left[i] && i + 1 == row.size() && i > 0;
      absl::StrAppend(&out, wraps ? "<td class=\"l w\">" : left[i] ? "<td class=\"l\">" : "<td>", row[i], "</td>");
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace html

namespace {

using html::Text;
using nlohmann::json;

constexpr size_t kFewestCaseBytes = 2000;
constexpr size_t kAllOpen = 12;   // so many findings or fewer are shown open
constexpr size_t kSomeOpen = 3;   // of more, so many

std::string Plural(uint64_t n, std::string_view what) {
  return absl::StrCat(WithThousands(n), " ", std::string(what), n == 1 ? "" : "s");
}

// The lines of a case, without its middle if it is long: the fault is mostly at the end.
std::string CaseLines(const std::string& text, size_t most) {
  if (text.size() <= most) return XmlLines(text);
  size_t head = text.rfind('\n', most / 4);
  size_t tail = text.find('\n', text.size() - most / 2);
  head = head == text.npos ? most / 4 : head + 1;
  tail = tail == text.npos ? text.size() - most / 2 : tail + 1;
  const auto left_out = std::count(text.begin() + static_cast<ptrdiff_t>(head),
                                   text.begin() + static_cast<ptrdiff_t>(tail), '\n');
  return absl::StrCat(XmlLines(text.substr(0, head)), "… ", WithThousands(static_cast<uint64_t>(left_out)),
                      " lines are left out here; the file has them …\n", XmlLines(text.substr(tail)));
}

class Page {
 public:
  Page(const json& report, const std::map<std::string, Picture>& pictures,
       const std::vector<const Family*>& families, const ReportHtmlOptions& options)
      : report_(report), pictures_(pictures), families_(families), options_(options) {}

  std::string Write() && {
    Head();
    Summary();
    Findings();
    absl::StrAppend(&out_, html::TrendSection(report_), html::PairsSection(report_), html::CoverageSection(report_),
                    html::PropertiesSection(report_), html::IncomparableSection(report_),
                    html::SkippedSection(report_));
    Foot();
    return std::move(out_);
  }

 private:
  // No script and no other file: the browser is told so too.
  void Head() {
    absl::StrAppend(&out_,
                    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                    "style-src 'unsafe-inline'; img-src data:\"/>\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>oomph: ",
                    Headline(), "</title>\n<link rel=\"icon\" href=\"data:,\"/>\n<style>", html::kStyle,
                    "</style></head>\n<body>\n");
    out_ += "<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\">";
    for (const Family* family : families_) out_ += family->DrawStyle();
    out_ += "</svg>\n<main>\n";
  }

  std::string Headline() const {
    const uint64_t all = report_["findings"].size();
    if (all == 0) return "nothing found";
    return absl::StrCat(Plural(all, "finding"), ", ", WithThousands(Count(false)), " new");
  }

  uint64_t Count(bool known) const {
    const json& findings = report_["findings"];
    return static_cast<uint64_t>(
        std::count_if(findings.begin(), findings.end(), [&](const json& f) { return f["known"] == known; }));
  }

  void Summary() {
    const json& campaign = report_["campaign"];
    const json& totals = report_["totals"];
    absl::StrAppend(&out_, "<h1>", Headline(), "</h1>\n<p class=\"soft\">store <code>", Text(report_["store"]),
                    "</code>");
    if (campaign["id"] != 0) {
      absl::StrAppend(&out_, absl::StrFormat(", campaign %d of %d, seed %d, %s, %.0f s, begun %s",
                                             campaign["id"].get<int64_t>(), report_["campaigns"].get<size_t>(),
                                             campaign["seed"].get<uint64_t>(), Text(campaign["state"]),
                                             campaign["seconds"].get<double>(), LocalTime(campaign["started"])));
    }
    const double share = totals["incomparable_share"];
    const uint64_t fresh = Count(false);
    absl::StrAppend(&out_, "</p>\n<div class=\"tiles\">", Tile(fresh > 0 ? "bad" : "good", WithThousands(fresh), "new"),
                    Tile("", WithThousands(Count(true)), "known"),
                    Tile("", Short(totals["cases"].get<double>()), "cases"),
                    Tile("", Short(totals["steps"].get<double>()), "steps"),
                    Tile("", WithThousands(report_["pairs"].size()), "pairs tested"),
                    Tile("", WithThousands(totals["skipped"]), "skipped"),
                    Tile(share > 0.02 ? "bad" : "", absl::StrFormat("%.2f %%", share * 100), "incomparable"),
                    "</div>\n");
    if (share > 0.02) out_ += "<p>More than 2 % of the cases could not be compared: see below.</p>\n";
  }

  static std::string Tile(std::string_view css, std::string_view number, std::string_view what) {
    return absl::StrFormat("<div class=\"tile %s\"><b>%s</b><span>%s</span></div>", css, number, what);
  }

  // --- findings ---

  void Findings() {
    for (const bool known : {false, true}) {
      if (Count(known) == 0) continue;
      absl::StrAppend(&out_, "<h2>", known ? "Known findings" : "New findings", "</h2>\n");
      if (known) out_ += "<p class=\"soft\">Faults of real systems that corpus/trophies holds already.</p>\n";
      for (const json& finding : report_["findings"]) {
        if (finding["known"] != known) continue;
        shown_ < options_.most_shown ? OneFinding(finding) : OneLine(finding);
        ++shown_;
      }
    }
    if (shown_ == 0) out_ += "<h2>Findings</h2>\n<p>None.</p>\n";
  }

  void OneLine(const json& f) {
    absl::StrAppend(&out_, "<div class=\"line\"><code>", Text(f["signature"]), "</code> <span class=\"soft\">",
                    Plural(f["steps"], "step"), ", seen ", WithThousands(f["count"]), " times, ", Text(f["file"]),
                    "</span></div>\n");
  }

  void OneFinding(const json& f) {
    const bool open = shown_ < (report_["findings"].size() <= kAllOpen ? kAllOpen : kSomeOpen);
    const bool known = f["known"];
    absl::StrAppend(&out_, "<details class=\"finding\"", open ? " open" : "", "><summary><span class=\"badge ",
                    known ? "known\">known" : "new\">new", "</span><code>", Text(f["signature"]),
                    "</code><span class=\"soft\">", Plural(f["steps"], "step"), " · seen ", WithThousands(f["count"]),
                    "×", f["in_campaign"] == 0 ? " · not in this campaign" : "", "</span></summary>\n");
    absl::StrAppend(&out_, "<div class=\"body\"><p class=\"reason\">", Text(f["reason"]), "</p>\n");
    if (known) {
      absl::StrAppend(&out_, "<p class=\"note\">", Text(f["owner"]), "; ", Text(f["upstream"]), "</p>\n");
    }
    PictureOf(f);
    absl::StrAppend(&out_, "<div class=\"pair\"><div><div class=\"label\">smallest case",
                    f["minimized"] == true ? "" : ", not shrunk yet", "</div><pre>",
                    CaseLines(f["case"], std::max(kFewestCaseBytes, options_.case_bytes / report_["findings"].size())),
                    "</pre></div>\n<div><div class=\"label\">what next</div><pre class=\"commands\">", Commands(f),
                    "</pre><div class=\"label\">where from</div><p class=\"soft\">", Origin(f), "</p></div></div>\n");
    out_ += "</div></details>\n";
  }

  void PictureOf(const json& f) {
    const auto found = pictures_.find(f["signature"]);
    if (found == pictures_.end()) return;
    if (!found->second.note.empty()) {
      absl::StrAppend(&out_, "<p class=\"note\">", XmlText(found->second.note), "</p>\n");
    }
    if (!found->second.svg.empty()) {
      absl::StrAppend(&out_, "<div class=\"picture\">", found->second.svg, "</div>\n");
    }
  }

  std::string Commands(const json& f) const {
    std::string lines;
    std::string file = ShellWord(f["file"].get<std::string>());
    const std::string spec = f["spec"];  // a case file alone starts no foreign code
    if (NamesForeignCode(spec)) absl::StrAppend(&file, " --subject ", ShellWord(spec));
    for (const char* verb : {"check", "explain", "draw", "minimize"}) {
      if (verb == std::string_view("minimize") && f["minimized"] == true) continue;
      absl::StrAppend(&lines, XmlText(absl::StrCat(options_.program, " ", verb, " ", file)), "\n");
    }
    return lines;
  }

  static std::string Origin(const json& f) {
    std::string out = absl::StrCat(html::SubjectName(f));
    if (const std::string version = f["version"]; !version.empty()) absl::StrAppend(&out, ", ", Text(f["version"]));
    absl::StrAppend(&out, "; first seen ", LocalTime(f["first_seen"]));
    if (f["first_campaign"] != 0) {
      absl::StrAppend(&out, " in campaign ", std::to_string(f["first_campaign"].get<int64_t>()));
    }
    absl::StrAppend(&out, ", last ", LocalTime(f["last_seen"]));
    if (f["runs"] != 0) {
      absl::StrAppend(&out, absl::StrFormat("; shrunk in %s runs, %.1f s", WithThousands(f["runs"]),
                                            f["seconds"].get<double>()));
    }
    return out;
  }

  void Foot() {
    absl::StrAppend(&out_, "<footer>Again: <code>", XmlText(options_.program), " report ",
                    XmlText(ShellWord(report_["store"].get<std::string>())),
                    "</code>. Steps count from 0. Point at a block of a picture to see what it is.</footer>\n"
                    "</main></body></html>\n");
  }

  const json& report_;
  const std::map<std::string, Picture>& pictures_;
  const std::vector<const Family*>& families_;
  const ReportHtmlOptions& options_;
  std::string out_;
  size_t shown_ = 0;
};

}  // namespace

std::string ReportHtml(const json& report, const std::map<std::string, Picture>& pictures,
                       const std::vector<const Family*>& families, const ReportHtmlOptions& options) {
  return Page(report, pictures, families, options).Write();
}

}  // namespace oomph
