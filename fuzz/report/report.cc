// The report as JSON. See report.h.
#include "fuzz/report/report.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "models/base/scanner.h"

namespace oomph {
namespace {

using nlohmann::json;

json KeyJson(const PairKey& key) {
  return {{"family", key.family}, {"subject", key.subject}, {"variant", key.variant}};
}

json PairJson(const PairRecord& pair, const std::vector<std::string>& signatures) {
  json j = KeyJson(pair.key);
  j.update({{"version", pair.version}, {"cases", pair.cases}, {"steps", pair.steps}, {"seconds", pair.seconds},
            {"steps_per_second", pair.seconds > 0 ? static_cast<double>(pair.steps) / pair.seconds : 0.0},
            {"found", pair.found}, {"signatures", signatures}, {"incomparable", pair.incomparable}, {"deaths", pair.deaths}});
  return j;
}

// Whom the case was found in, as --subject takes it: what its comment line says.
std::string SpecOf(const Finding& f, const std::vector<const Family*>& families) {
  for (const Family* family : families) {
    if (family->name() != f.family) continue;
    for (const Directive& directive : FindDirectives(f.case_text, {.comment = family->comment()})) {
      if (directive.key == "subject") return std::string(directive.value);
    }
  }
  return "";
}

json FindingJson(const Finding& f, const std::string& folder, uint64_t in_campaign, int64_t first_campaign,
                 const std::vector<const Family*>& families) {
  return {{"first_campaign", first_campaign},
          {"signature", f.signature}, {"family", f.family},
          {"oracle", f.oracle},       {"subject", f.subject},
          {"detail", f.detail},       {"variant", f.variant},
          {"version", f.version},     {"first_seen", f.first_seen},
          {"last_seen", f.last_seen}, {"count", f.count},
          {"in_campaign", in_campaign}, {"known", f.known},
          {"owner", f.owner},         {"upstream", f.upstream},
          {"reason", ReasonOf(f)},    {"steady", f.steady},
          {"steps", f.steps},
          {"file", absl::StrCat(folder, "/", f.file)}, {"minimized", f.minimized},
          {"runs", f.runs},           {"seconds", f.seconds},
          {"spec", SpecOf(f, families)}, {"case", f.case_text}};
}

// Every row of the family for every pair, those never met included.
json ReachJson(const std::vector<PairRecord>& pairs, const std::vector<NamedCount>& counts,
               const std::vector<const Family*>& families) {
  std::map<std::pair<PairKey, std::string>, uint64_t> met;
  for (const NamedCount& each : counts) met[{each.key, each.name}] = each.count;
  json rows = json::array();
  for (const PairRecord& pair : pairs) {
    for (const Family* family : families) {
      if (family->name() != pair.key.family || pair.cases == 0) continue;
      const Reach expected = family->expected_reach();
      for (size_t i = 0; i < family->reach_names().size() && i < kMaxReach; ++i) {
        const std::string name(family->reach_names()[i]);
        const auto found = met.find({pair.key, name});
        const uint64_t count = found == met.end() ? 0 : found->second;
        json row = KeyJson(pair.key);
        row.update({{"name", name}, {"count", count},
                    {"share", static_cast<double>(count) / static_cast<double>(pair.cases)},
                    {"expected", static_cast<bool>(expected[i]) && pair.key.subject == "model"}});
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

json HistoryJson(const std::vector<CampaignTotals>& history) {
  json rows = json::array();
  for (const CampaignTotals& each : history) {
    const CampaignRecord& c = each.campaign;
    rows.push_back({{"id", c.id}, {"arguments", c.arguments}, {"seed", c.seed}, {"state", c.state},
                    {"started", c.started}, {"seconds", c.seconds}, {"cases", each.cases}, {"steps", each.steps},
                    {"findings", each.findings}, {"first_seen", each.first_seen}});
  }
  return rows;
}

json Totals(const json& report) {
  uint64_t cases = 0, steps = 0, incomparable = 0, findings = 0, fresh = 0;
  for (const json& pair : report["pairs"]) {
    cases += pair["cases"].get<uint64_t>();
    steps += pair["steps"].get<uint64_t>();
    incomparable += pair["incomparable"].get<uint64_t>();
  }
  for (const json& finding : report["findings"]) {
    if (finding["in_campaign"] == 0) continue;
    ++findings;
    fresh += finding["known"] == false ? 1 : 0;
  }
  return {{"cases", cases}, {"steps", steps}, {"incomparable", incomparable},
          {"incomparable_share", cases == 0 ? 0.0 : static_cast<double>(incomparable) / static_cast<double>(cases)},
          {"findings", findings}, {"new_findings", fresh}, {"skipped", report["skipped"].size()}};
}

}  // namespace

absl::StatusOr<json> ReportJson(Store& store, const std::vector<const Family*>& families,
                                std::optional<int64_t> campaign) {
  const auto campaigns = store.Campaigns();
  if (!campaigns.ok()) return campaigns.status();
  json report = {{"store", store.folder()}, {"campaigns", campaigns->size()}};
  CampaignRecord shown;
  for (const CampaignRecord& each : *campaigns) {
    if (shown.id == 0 && (!campaign.has_value() || each.id == *campaign)) shown = each;
  }
  report["campaign"] = {{"id", shown.id}, {"arguments", shown.arguments}, {"seed", shown.seed},
                        {"state", shown.state}, {"started", shown.started}, {"ended", shown.ended},
                        {"seconds", shown.seconds}};
  const auto pairs = store.Pairs(shown.id);
  const auto findings = store.Findings();
  const auto seen = store.FindingsOf(shown.id);
  const auto properties = store.Properties(shown.id);
  const auto reached = store.Reached(shown.id);
  const auto incomparable = store.Incomparable(shown.id);
  const auto answers = store.AnswersKept();
  const auto skipped = store.Skipped(shown.id);
  const auto history = store.History();
  const auto first = store.FirstCampaigns();
  for (const absl::Status& status : {pairs.status(), findings.status(), seen.status(), properties.status(),
                                     reached.status(), incomparable.status(), answers.status(), skipped.status(), history.status(),
                                     first.status()}) {
    if (!status.ok()) return status;
  }
  std::map<std::string, uint64_t> counts;
  std::map<PairKey, std::vector<std::string>> signatures;
  for (const NamedCount& each : *seen) {
    counts[each.name] += std::max<uint64_t>(each.count, 1);
    signatures[each.key].push_back(each.name);
  }
  for (const char* name : {"pairs", "findings", "properties", "incomparable", "answers", "skipped"}) report[name] = json::array();
  for (const PairRecord& pair : *pairs) report["pairs"].push_back(PairJson(pair, signatures[pair.key]));
  for (const Finding& f : *findings) {
    const auto campaign_of = first->find(f.signature);
    report["findings"].push_back(FindingJson(f, store.folder(), counts[f.signature],
                                             campaign_of == first->end() ? 0 : campaign_of->second, families));
  }
  report["history"] = HistoryJson(*history);
  for (const PropertyRecord& p : *properties) {
    json j = KeyJson(p.key);
    j.update({{"signature", p.signature}, {"count", p.count}, {"reason", p.reason}, {"case", p.case_text}});
    report["properties"].push_back(std::move(j));
  }
  for (const NamedCount& each : *incomparable) {
    json j = KeyJson(each.key);
    j.update({{"cause", each.name}, {"count", each.count}});
    report["incomparable"].push_back(std::move(j));
  }
  for (const NamedCount& each : *answers) {
    json j = KeyJson(each.key);
    j.update({{"version", each.name}, {"count", each.count}});
    report["answers"].push_back(std::move(j));
  }
  for (const SkippedRecord& each : *skipped) {
    report["skipped"].push_back({{"family", each.family}, {"subject", each.subject}, {"reason", each.reason}});
  }
  report["reach"] = ReachJson(*pairs, *reached, families);
  report["totals"] = Totals(report);
  return report;
}

std::string DumpJson(const json& j) { return j.dump(1, ' ', false, json::error_handler_t::replace) + "\n"; }

}  // namespace oomph
