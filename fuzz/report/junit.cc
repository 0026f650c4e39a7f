// See junit.h. The order of elements and the attributes are those that both common schemas of JUnit files allow:
// a suite has properties, cases, then the two outputs; a case has one failure or one mark of being skipped.
#include "fuzz/report/junit.h"

#include <ctime>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/report/show.h"

namespace oomph {
namespace {

using nlohmann::json;

constexpr size_t kMostCaseBytes = 4096;  // of one finding; the file that is named has all

std::string Text(const json& j) { return XmlText(j.get<std::string>()); }

std::string TimeStamp(int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts = {};
  gmtime_r(&time, &parts);
  char buffer[32];
  std::strftime(buffer, sizeof(buffer), "%Y-%m-%dT%H:%M:%S", &parts);
  return buffer;
}

// What one suite, a family, is made of.
struct Suite {
  std::string cases;
  size_t tests = 0, failures = 0, skipped = 0;
  double seconds = 0;
};

std::string CaseHead(const json& j, const std::string& variant, double seconds) {
  return absl::StrFormat("  <testcase classname=\"oomph.%s\" name=\"%s%s\" time=\"%.3f\"", Text(j["family"]),
                         Text(j["subject"]), variant.empty() ? "" : ":" + XmlText(variant), seconds);
}

std::string Failure(const std::vector<const json*>& findings) {
  std::string message = Text((*findings[0])["signature"]);
  if (findings.size() > 1) absl::StrAppend(&message, " and ", findings.size() - 1, " more");
  std::string out = absl::StrCat("    <failure type=\"", Text((*findings[0])["oracle"]), "\" message=\"", message,
                                 ": ", Text((*findings[0])["reason"]), "\">");
  for (const json* f : findings) {
    absl::StrAppend(&out, XmlText(VerdictLine((*f)["signature"].get<std::string>(), (*f)["reason"].get<std::string>())),
                    (*f)["known"] == true ? " (known)" : "", "\n", Text((*f)["file"]), "\n",
                    XmlLines((*f)["case"].get<std::string>().substr(0, kMostCaseBytes)), "\n");
  }
  return out + "</failure>\n";
}

void AddCase(Suite& suite, const json& j, double seconds, const std::vector<const json*>& findings) {
  absl::StrAppend(&suite.cases, CaseHead(j, j["variant"], seconds));
  ++suite.tests;
  suite.seconds += seconds;
  if (findings.empty()) return suite.cases.append("/>\n"), void();
  ++suite.failures;
  absl::StrAppend(&suite.cases, ">\n", Failure(findings), "  </testcase>\n");
}

std::string SuiteXml(const std::string& family, size_t id, const Suite& suite, const json& campaign) {
  const auto property = [](std::string_view name, const std::string& value) {
    return absl::StrFormat("   <property name=\"%s\" value=\"%s\"/>\n", name, XmlText(value));
  };
  return absl::StrCat(
      absl::StrFormat(" <testsuite id=\"%d\" package=\"oomph\" name=\"%s\" hostname=\"localhost\" timestamp=\"%s\" "
                      "tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\" time=\"%.3f\">\n",
                      id, XmlText(family), TimeStamp(campaign["started"]), suite.tests, suite.failures, suite.skipped,
                      suite.seconds),
      "  <properties>\n", property("campaign", std::to_string(campaign["id"].get<int64_t>())),
      property("seed", std::to_string(campaign["seed"].get<uint64_t>())),
      property("arguments", campaign["arguments"]), "  </properties>\n", suite.cases,
      "  <system-out/>\n  <system-err/>\n </testsuite>\n");
}

}  // namespace

std::string ReportJunit(const json& report, bool new_only) {
  std::map<std::string, const json*> findings;  // that count, by signature
  for (const json& f : report["findings"]) {
    if (!(new_only && f["known"] == true)) findings[f["signature"]] = &f;
  }
  std::map<std::string, Suite> suites;
  for (const json& pair : report["pairs"]) {
    std::vector<const json*> found;
    for (const json& signature : pair["signatures"]) {
      const auto finding = findings.find(signature);
      if (finding != findings.end()) found.push_back(finding->second);
    }
    AddCase(suites[pair["family"]], pair, pair["seconds"], found);
  }
  for (const json& skipped : report["skipped"]) {
    Suite& suite = suites[skipped["family"]];
    ++suite.tests;
    ++suite.skipped;
    absl::StrAppend(&suite.cases, CaseHead(skipped, "", 0), ">\n    <skipped message=\"", Text(skipped["reason"]),
                    "\"/>\n  </testcase>\n");
  }
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  size_t id = 0;
  for (const auto& [family, suite] : suites) absl::StrAppend(&out, SuiteXml(family, id++, suite, report["campaign"]));
  return out + "</testsuites>\n";
}

}  // namespace oomph
