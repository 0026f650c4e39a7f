// The reading half of the store. See store.h.
#include "absl/strings/str_cat.h"
#include "fuzz/store/store.h"

namespace oomph {
namespace {

constexpr std::string_view kFindingColumns =
    "SELECT signature, family, oracle, subject, detail, variant, version, first_seen, last_seen, count, known, "
    "owner, upstream, reason, case_text, steps, tape, file, minimized, runs, seconds, steady FROM findings ";

Finding FindingOf(const Statement& s) {
  Finding f;
  f.signature = s.Text(0);
  f.family = s.Text(1);
  f.oracle = s.Text(2);
  f.subject = s.Text(3);
  f.detail = s.Text(4);
  f.variant = s.Text(5);
  f.version = s.Text(6);
  f.first_seen = s.Int(7);
  f.last_seen = s.Int(8);
  f.count = static_cast<uint64_t>(s.Int(9));
  f.known = s.Int(10) != 0;
  f.owner = s.Text(11);
  f.upstream = s.Text(12);
  f.reason = s.Text(13);
  f.case_text = s.Text(14);
  f.steps = static_cast<uint64_t>(s.Int(15));
  f.tape = s.Text(16);
  f.file = s.Text(17);
  f.minimized = s.Int(18) != 0;
  f.runs = static_cast<uint64_t>(s.Int(19));
  f.seconds = s.Double(20);
  f.steady = s.Int(21) != 0;
  return f;
}

// All rows of a statement, each turned into a value.
template <typename Value, typename Read>
absl::StatusOr<std::vector<Value>> All(Statement& s, Read read) {
  std::vector<Value> values;
  while (s.Step()) values.push_back(read(s));
  if (!s.status().ok()) return s.status();
  return values;
}

}  // namespace

absl::StatusOr<std::optional<Finding>> Store::FindFinding(std::string_view signature) {
  Statement s(db_, absl::StrCat(std::string(kFindingColumns), "WHERE signature = ?"));
  std::optional<Finding> finding;
  if (s.Bind(signature).Step()) finding = FindingOf(s);
  if (!s.status().ok()) return s.status();
  return finding;
}

absl::StatusOr<std::vector<Finding>> Store::Findings() {
  Statement s(db_, absl::StrCat(std::string(kFindingColumns), "ORDER BY known, signature"));
  return All<Finding>(s, FindingOf);
}

absl::StatusOr<std::vector<CampaignRecord>> Store::Campaigns() {
  Statement s(db_, "SELECT id, arguments, seed, state, started, ended, seconds FROM campaigns ORDER BY id DESC");
  return All<CampaignRecord>(s, [](const Statement& row) {
    return CampaignRecord{row.Int(0),  row.Text(1), static_cast<uint64_t>(row.Int(2)), row.Text(3), row.Int(4),
                          row.Int(5), row.Double(6)};
  });
}

absl::StatusOr<std::map<std::string, int64_t>> Store::FirstCampaigns() {
  Statement s(db_, "SELECT name, MIN(campaign) FROM campaign_findings GROUP BY name");
  std::map<std::string, int64_t> first;
  while (s.Step()) first[s.Text(0)] = s.Int(1);
  if (!s.status().ok()) return s.status();
  return first;
}

absl::StatusOr<std::vector<CampaignTotals>> Store::History() {
  const auto campaigns = Campaigns();
  if (!campaigns.ok()) return campaigns.status();
  const auto first = FirstCampaigns();
  if (!first.ok()) return first.status();
  std::map<int64_t, CampaignTotals> totals;
  for (const CampaignRecord& each : *campaigns) totals[each.id].campaign = each;
  for (const auto& [signature, campaign] : *first) ++totals[campaign].first_seen;
  Statement ran(db_, "SELECT campaign, SUM(cases), SUM(steps) FROM pairs GROUP BY campaign");
  while (ran.Step()) {
    totals[ran.Int(0)].cases = static_cast<uint64_t>(ran.Int(1));
    totals[ran.Int(0)].steps = static_cast<uint64_t>(ran.Int(2));
  }
  if (!ran.status().ok()) return ran.status();
  Statement found(db_, "SELECT campaign, COUNT(DISTINCT name) FROM campaign_findings GROUP BY campaign");
  while (found.Step()) totals[found.Int(0)].findings = static_cast<uint64_t>(found.Int(1));
  if (!found.status().ok()) return found.status();
  std::vector<CampaignTotals> history;
  for (const auto& [id, each] : totals) {
    if (each.campaign.id == id) history.push_back(each);  // rows of no campaign: a damaged store
  }
  return history;
}

absl::StatusOr<std::vector<PairRecord>> Store::Pairs(int64_t campaign) {
  Statement s(db_,
              "SELECT family, subject, variant, version, next_case, cases, steps, seconds, found, incomparable, deaths "
              "FROM pairs WHERE campaign = ? ORDER BY rowid");
  s.Bind(campaign);
  return All<PairRecord>(s, [](const Statement& row) {
    const auto count = [&](int column) { return static_cast<uint64_t>(row.Int(column)); };
    return PairRecord{{row.Text(0), row.Text(1), row.Text(2)}, row.Text(3), count(4), count(5), count(6),
                      row.Double(7), count(8), count(9), count(10)};
  });
}

absl::StatusOr<std::vector<PropertyRecord>> Store::Properties(int64_t campaign) {
  Statement s(db_, "SELECT family, subject, variant, signature, count, reason, case_text FROM properties "
                   "WHERE campaign = ? ORDER BY signature, variant");
  s.Bind(campaign);
  return All<PropertyRecord>(s, [](const Statement& row) {
    return PropertyRecord{{row.Text(0), row.Text(1), row.Text(2)}, row.Text(3),
                          static_cast<uint64_t>(row.Int(4)), row.Text(5), row.Text(6)};
  });
}

absl::StatusOr<std::vector<NamedCount>> Store::Counts(std::string_view table, int64_t campaign) {
  Statement s(db_, absl::StrCat("SELECT family, subject, variant, name, count FROM ", std::string(table),
                                " WHERE campaign = ? ORDER BY family, subject, variant, name"));
  s.Bind(campaign);
  return All<NamedCount>(s, [](const Statement& row) {
    return NamedCount{{row.Text(0), row.Text(1), row.Text(2)}, row.Text(3), static_cast<uint64_t>(row.Int(4))};
  });
}

absl::StatusOr<std::vector<NamedCount>> Store::FindingsOf(int64_t campaign) {
  return Counts("campaign_findings", campaign);
}
absl::StatusOr<std::vector<NamedCount>> Store::Reached(int64_t campaign) { return Counts("reach", campaign); }
absl::StatusOr<std::vector<NamedCount>> Store::Incomparable(int64_t campaign) {
  return Counts("incomparable", campaign);
}

absl::StatusOr<std::vector<NamedCount>> Store::AnswersKept() {
  Statement s(db_, "SELECT family, subject, variant, version, COUNT(*) FROM answers GROUP BY family, subject, variant, version "
                   "ORDER BY family, subject, variant, version");
  return All<NamedCount>(s, [](const Statement& row) {
    return NamedCount{{row.Text(0), row.Text(1), row.Text(2)}, row.Text(3), static_cast<uint64_t>(row.Int(4))};
  });
}

absl::StatusOr<std::vector<AnswerRecord>> Store::Answers(const PairKey& key, std::string_view version) {
  Statement s(db_, "SELECT hash, text, answer FROM answers WHERE family = ? AND subject = ? AND variant = ? AND version = ? "
                   "ORDER BY hash");
  s.Bind(key.family, key.subject, key.variant, version);
  return All<AnswerRecord>(s, [](const Statement& row) { return AnswerRecord{row.Text(0), row.Text(1), row.Text(2)}; });
}

absl::StatusOr<std::vector<SkippedRecord>> Store::Skipped(int64_t campaign) {
  Statement s(db_, "SELECT family, subject, reason FROM skipped WHERE campaign = ? ORDER BY family, subject");
  s.Bind(campaign);
  return All<SkippedRecord>(
      s, [](const Statement& row) { return SkippedRecord{row.Text(0), row.Text(1), row.Text(2)}; });
}

absl::StatusOr<std::vector<CorpusEntry>> Store::Corpus(const PairKey& key) {
  Statement s(db_, "SELECT hash, text, reach FROM corpus WHERE family = ? AND subject = ? AND variant = ? ORDER BY hash");
  s.Bind(key.family, key.subject, key.variant);
  return All<CorpusEntry>(s, [](const Statement& row) { return CorpusEntry{row.Text(0), row.Text(1), row.Text(2)}; });
}

}  // namespace oomph
