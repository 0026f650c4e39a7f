// The section of the HTML report that says what the cases of a campaign reached, by subject.
#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/report/html_parts.h"

namespace oomph::html {
namespace {

using nlohmann::json;

// Counts of one family, the variants of a subject together.
struct Coverage {
  std::vector<std::string> subjects, names;  // in the order of the report
  std::map<std::string, uint64_t> cases;     // by subject
  std::map<std::pair<std::string, std::string>, uint64_t> counts;  // by subject and name
  std::set<std::string> expected;

  double Share(const std::string& subject, const std::string& name) const {
    const auto all = cases.find(subject);
    const auto met = counts.find({subject, name});
    if (all == cases.end() || met == counts.end() || all->second == 0) return 0;
    return static_cast<double>(met->second) / static_cast<double>(all->second);
  }
  bool Reached(const std::string& name) const {
    return std::any_of(subjects.begin(), subjects.end(), [&](const auto& s) { return Share(s, name) > 0; });
  }
};

void AddOnce(std::vector<std::string>& list, const std::string& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

std::map<std::string, Coverage> CoverageByFamily(const json& report) {
  std::map<std::string, Coverage> families;
  for (const json& pair : report["pairs"]) {
    if (pair["cases"] == 0) continue;
    Coverage& coverage = families[pair["family"]];
    AddOnce(coverage.subjects, pair["subject"]);
    coverage.cases[pair["subject"]] += pair["cases"].get<uint64_t>();
  }
  for (const json& row : report["reach"]) {
    Coverage& coverage = families[row["family"]];
    AddOnce(coverage.names, row["name"]);
    coverage.counts[{row["subject"], row["name"]}] += row["count"].get<uint64_t>();
    if (row["expected"] == true) coverage.expected.insert(row["name"].get<std::string>());
  }
  return families;
}

std::string GroupOf(const std::string& name) { return name.substr(0, name.find(':')); }
std::string WordOf(const std::string& name) {
  const size_t colon = name.find(':');
  return colon == name.npos ? name : name.substr(colon + 1);
}

// "step 13/14": how many words of each group were reached by anyone.
std::string Chips(const Coverage& coverage) {
  std::vector<std::string> groups;
  std::map<std::string, std::pair<size_t, size_t>> reached;
  for (const std::string& name : coverage.names) {
    AddOnce(groups, GroupOf(name));
    auto& [met, all] = reached[GroupOf(name)];
    met += coverage.Reached(name) ? 1 : 0;
    ++all;
  }
  std::string out = "<div class=\"chips\">";
  for (const std::string& group : groups) {
    const auto& [met, all] = reached[group];
    absl::StrAppend(&out, "<span class=\"chip", met < all ? " part" : "", "\">", XmlText(group), " <b>", met, "/", all,
                    "</b></span>");
  }
  return out + "</div>\n";
}

std::string Cell(double share, bool rare) {
  const int heat = share <= 0 ? 0 : share < 0.01 ? 1 : share < 0.1 ? 2 : share < 0.5 ? 3 : 4;
  const std::string text = share <= 0 ? "·" : share < 0.01 ? "&lt;1" : absl::StrFormat("%.0f", share * 100);
  return absl::StrFormat("<td class=\"h%d%s\">%s</td>", heat, rare ? " rare" : "", text);
}

std::string Matrix(const Coverage& coverage) {
  std::string out = "<div class=\"scroll\"><table class=\"heat\"><thead><tr><th></th>";
  for (const std::string& subject : coverage.subjects) {
    absl::StrAppend(&out, "<th><span>", XmlText(subject), "</span></th>");
  }
  out += "</tr></thead><tbody>\n";
  std::string group;
  for (const std::string& name : coverage.names) {
    if (GroupOf(name) != group) {
      group = GroupOf(name);
      absl::StrAppend(&out, "<tr><th class=\"g\" colspan=\"", coverage.subjects.size() + 1, "\">", XmlText(group),
                      "</th></tr>\n");
    }
    absl::StrAppend(&out, "<tr><td class=\"l\">", XmlText(WordOf(name)), "</td>");
    for (const std::string& subject : coverage.subjects) {
      const double share = coverage.Share(subject, name);
      out += Cell(share, subject == "model" && share < 0.01 && coverage.expected.contains(name));
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string FamilyCoverage(const std::string& family, const Coverage& coverage) {
  std::string rare;
  for (const std::string& name : coverage.names) {
    if (coverage.expected.contains(name) && coverage.Share("model", name) < 0.01) {
      absl::StrAppend(&rare, rare.empty() ? "" : ", ", "<code>", XmlText(name), "</code>");
    }
  }
  std::string out = absl::StrCat("<h3>", XmlText(family), "</h3>\n", Chips(coverage));
  if (!rare.empty()) {
    absl::StrAppend(&out, "<p>In less than 1 % of the model's cases, though expected in more: ", rare, "</p>\n");
  }
  absl::StrAppend(&out, "<details class=\"more\"><summary>", coverage.names.size(), " rows, ",
                  coverage.subjects.size(), coverage.subjects.size() == 1 ? " subject" : " subjects",
                  "</summary>\n<p class=\"soft\">Per cent of a subject's cases, variants together.</p>\n",
                  Matrix(coverage), "</details>\n");
  return out;
}

}  // namespace

std::string CoverageSection(const json& report) {
  std::string out;
  for (const auto& [family, coverage] : CoverageByFamily(report)) {
    if (!coverage.names.empty() && !coverage.subjects.empty()) out += FamilyCoverage(family, coverage);
  }
  if (out.empty()) return "";
  return absl::StrCat("<h2>What was reached</h2>\n<p class=\"soft\">Kinds of steps, values of policies, fallbacks and "
                      "results that the cases of this campaign met; how many of each group.</p>\n",
                      out);
}

}  // namespace oomph::html
