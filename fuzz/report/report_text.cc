// The report as text. See report.h.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/report/report.h"
#include "fuzz/report/show.h"

namespace oomph {
namespace {

using nlohmann::json;
using Row = std::vector<std::string>;

std::string Str(const json& j) { return Printable(j.get<std::string>()); }

std::string PairName(const json& j) {
  const std::string variant = Str(j["variant"]);
  return absl::StrCat(Str(j["family"]), " ", Str(j["subject"]), variant.empty() ? "" : ":" + variant);
}

std::string PairsText(const json& report) {
  if (report["pairs"].empty()) return "";
  std::vector<Row> rows = {{"pair", "cases", "steps", "steps/s", "with findings", "incomparable", "died"}};
  for (const json& pair : report["pairs"]) {
    rows.push_back({PairName(pair), WithThousands(pair["cases"]), WithThousands(pair["steps"]),
                    Short(pair["steps_per_second"]), WithThousands(pair["found"]),
                    WithThousands(pair["incomparable"]), WithThousands(pair["deaths"])});
  }
  return "\n" + TextTable(rows, {true});
}

std::string FindingsText(const json& report, bool only_campaign) {
  std::vector<Row> rows = {{"finding", "count", "steps", "first seen", "", "file"}};
  for (const json& f : report["findings"]) {
    if (only_campaign && f["in_campaign"] == 0) continue;
    rows.push_back({Str(f["signature"]), WithThousands(f["count"]), WithThousands(f["steps"]),
                    LocalTime(f["first_seen"]), f["known"] == true ? "known" : "new", Str(f["file"])});
  }
  if (rows.size() == 1) return "\nno findings\n";
  return "\n" + TextTable(rows, {true, false, false, true, true, true});
}

std::string PropertiesText(const json& report) {
  if (report["properties"].empty()) return "";
  std::vector<Row> rows = {{"property (contradicts no promise)", "variant", "seen", "example"}};
  for (const json& p : report["properties"]) {
    rows.push_back({Str(p["signature"]), Str(p["variant"]), WithThousands(p["count"]), Str(p["reason"])});
  }
  return "\n" + TextTable(rows, {true, true, false, true});
}

std::string ReachText(const json& report, bool all) {
  std::vector<Row> rows = {{all ? "reached" : "reached in less than 1 % of the cases", "row", "cases", "share"}};
  for (const json& r : report["reach"]) {
    const double share = r["share"];
    if (!all && (r["expected"] == false || share >= 0.01)) continue;
    rows.push_back({PairName(r), Str(r["name"]), WithThousands(r["count"]), absl::StrFormat("%.2f %%", share * 100)});
  }
  return rows.size() == 1 ? "" : "\n" + TextTable(rows, {true, true});
}

std::string SkippedText(const json& report) {
  if (report["skipped"].empty()) return "";
  std::string out = absl::StrFormat("\nskipped: %d\n", report["skipped"].size());
  for (const json& s : report["skipped"]) {
    absl::StrAppend(&out, "  ", Str(s["family"]), " ", Str(s["subject"]), ": ", Str(s["reason"]), "\n");
  }
  return out;
}

std::string IncomparableText(const json& report) {
  if (report["incomparable"].empty()) return "";
  std::vector<Row> rows = {{"incomparable", "cause", "cases"}};
  for (const json& i : report["incomparable"]) {
    rows.push_back({PairName(i), Str(i["cause"]), WithThousands(i["count"])});
  }
  return "\n" + TextTable(rows, {true, true});
}

// Of all campaigns of the store.
std::string AnswersText(const json& report) {
  if (report["answers"].empty()) return "";
  std::vector<Row> rows = {{"answers kept", "version", "cases"}};
  for (const json& each : report["answers"]) {
    rows.push_back({PairName(each), Str(each["version"]), WithThousands(each["count"])});
  }
  return "\n" + TextTable(rows, {true, true});
}

}  // namespace

std::string ReportText(const json& report, const ReportTextOptions& options) {
  const json& campaign = report["campaign"];
  const json& totals = report["totals"];
  std::string out;
  if (campaign["id"] != 0) {
    absl::StrAppend(&out, absl::StrFormat("campaign %d, seed %d, %s, %.1f s\n", campaign["id"].get<int64_t>(),
                                          campaign["seed"].get<uint64_t>(), Str(campaign["state"]),
                                          campaign["seconds"].get<double>()));
  }
  absl::StrAppend(&out, PairsText(report), FindingsText(report, options.only_campaign), PropertiesText(report),
                  ReachText(report, options.reach), IncomparableText(report), AnswersText(report), SkippedText(report));
  absl::StrAppend(&out, absl::StrFormat("\n%s, %s, %s (%d new), %d skipped", Counted(totals["cases"], "case"),
                                        Counted(totals["steps"], "step"), Counted(totals["findings"], "finding"), totals["new_findings"].get<uint64_t>(),
                                        totals["skipped"].get<uint64_t>()));
  const double share = totals["incomparable_share"];
  if (share > 0.02) absl::StrAppend(&out, absl::StrFormat(", %.1f %% INCOMPARABLE (more than 2 %%)", share * 100));
  return out + "\n";
}

}  // namespace oomph
