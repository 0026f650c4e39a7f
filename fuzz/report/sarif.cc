// See sarif.h.
#include "fuzz/report/sarif.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/report/show.h"

namespace oomph {
namespace {

using nlohmann::json;

constexpr char kSchema[] = "https://json.schemastore.org/sarif-2.1.0.json";

// A path as a relative reference; of an absolute one, as a file URI. All but the unreserved is in per cent.
std::string PathAsUri(const std::string& path) {
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_' || c == '~';
    absl::StrAppend(&uri, plain ? std::string(1, c) : absl::StrFormat("%%%02X", static_cast<unsigned char>(c)));
  }
  return uri;
}

std::string RuleId(const json& finding) {
  return absl::StrCat(Printable(finding["family"].get<std::string>()), "/",
                      Printable(finding["oracle"].get<std::string>()));
}

// Why the oracle or the relation is right, in its family's words.
std::string Because(const json& finding, const std::vector<const Family*>& families) {
  const std::string family_name = finding["family"], oracle = finding["oracle"];
  for (const Family* family : families) {
    if (family->name() != family_name) continue;
    for (const OracleInfo& each : family->oracles()) {
      if (each.name == oracle) return std::string(each.because);
    }
    for (const RelationInfo& each : family->relations()) {
      if (each.name == oracle) return std::string(each.because);
    }
  }
  return oracle == kEqualsReference ? "the subject does what its reference does" : oracle;
}

size_t RuleIndex(json& rules, const json& finding, const std::vector<const Family*>& families) {
  const std::string id = RuleId(finding);
  for (size_t i = 0; i < rules.size(); ++i) {
    if (rules[i]["id"] == id) return i;
  }
  rules.push_back({{"id", id},
                   {"name", Printable(finding["oracle"].get<std::string>())},
                   {"shortDescription", {{"text", Printable(Because(finding, families))}}},
                   {"defaultConfiguration", {{"level", "error"}}}});
  return rules.size() - 1;
}

json Result(const json& f, size_t rule) {
  const std::string signature = Printable(f["signature"].get<std::string>());
  json region = {{"startLine", 1}};
  json result = {
      {"ruleId", RuleId(f)},
      {"ruleIndex", rule},
      {"kind", "fail"},
      {"level", "error"},
      {"message", {{"text", VerdictLine(f["signature"].get<std::string>(), f["reason"].get<std::string>())}}},
      {"locations",
       json::array({{{"physicalLocation",
                      {{"artifactLocation", {{"uri", PathAsUri(f["file"])}}}, {"region", std::move(region)}}},
                     {"logicalLocations", json::array({{{"fullyQualifiedName", signature}}})}}})},
      {"partialFingerprints", {{"signature/v1", signature}}},
      {"occurrenceCount", std::max<uint64_t>(1, f["count"].get<uint64_t>())},
      {"properties",
       {{"subject", Printable(f["subject"].get<std::string>())},
        {"variant", Printable(f["variant"].get<std::string>())},
        {"version", Printable(f["version"].get<std::string>())},
        {"steps", f["steps"]},
        {"inLastCampaign", f["in_campaign"] != 0}}}};
  if (f["known"] == true) {
    const std::string why = absl::StrCat(f["owner"].get<std::string>(), "; ", f["upstream"].get<std::string>());
    result["suppressions"] = json::array({{{"kind", "external"}, {"justification", Printable(why)}}});
  }
  return result;
}

}  // namespace

json ReportSarif(const json& report, const std::vector<const Family*>& families) {
  json rules = json::array(), results = json::array();
  for (const json& finding : report["findings"]) {
    const size_t rule = RuleIndex(rules, finding, families);
    results.push_back(Result(finding, rule));
  }
  const json driver = {{"name", "oomph"}, {"rules", std::move(rules)}};
  const json run = {{"tool", {{"driver", driver}}}, {"columnKind", "unicodeCodePoints"}, {"results", std::move(results)}};
  return {{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", json::array({run})}};
}

}  // namespace oomph
