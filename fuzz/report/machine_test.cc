// Tests of the reports for machines: that their formats are kept, whatever the store holds.
#include "fuzz/report/junit.h"
#include "fuzz/report/report.h"
#include "fuzz/report/sarif.h"
#include "fuzz/testing/full_store.h"
#include "fuzz/testing/markup.h"
#include "gtest/gtest.h"

namespace oomph {
namespace {

using nlohmann::json;

constexpr char kEvil[] = "<script>alert(1)</script>\"'& \x01\xff]]>";

class MachineReports : public testing::Test {
 protected:
  MachineReports() {
    auto store = Store::OpenForWriting(folder_.path());
    const auto campaign = store->BeginOrResume(kEvil, 7);
    const std::string family(family_.name());
    Add(*store, campaign->id, "model", "new", false);
    Add(*store, campaign->id, "model", "known", true);
    Add(*store, campaign->id, "real", kEvil, true);
    for (const char* subject : {"model", "real", "good"}) {
      EXPECT_TRUE(store->Commit(campaign->id, ChunkOf({family, subject, ""}, family_, 10)).ok());
    }
    EXPECT_TRUE(store->SetSkipped(campaign->id, {{family, "gone", kEvil}}).ok());
    report_ = *ReportJson(*store, SubjectTable::All().families());
  }
  void Add(Store& store, int64_t campaign, const std::string& subject, const std::string& detail, bool known) {
    Finding f = FindingWith(family_, subject, detail, kEvil);
    f.known = known;
    f.reason = f.owner = f.upstream = kEvil;
    SaveIn(store, campaign, family_, f);
  }
  const Family& family_ = *SubjectTable::All().families().front();
  const ScratchFolder folder_;
  json report_;
};

// The value of an attribute of the first element of this name.
std::string Attribute(const std::string& xml, const std::string& element, const std::string& name) {
  const size_t begin = xml.find("<" + element + " ");
  const std::string tag = xml.substr(begin, xml.find('>', begin) - begin);
  const size_t at = tag.find(" " + name + "=\"");
  if (at == tag.npos) return "none";
  const size_t value = at + name.size() + 3;
  return tag.substr(value, tag.find('"', value) - value);
}

TEST_F(MachineReports, JunitHasACaseForEachPairAndCountsThem) {
  const std::string xml = ReportJunit(report_);
  EXPECT_EQ(BrokenMarkup(xml), "");
  EXPECT_TRUE(IsCleanText(xml));
  EXPECT_FALSE(Has(xml, "<script"));
  EXPECT_EQ(CountOf(xml, "<testcase "), 4u);
  EXPECT_EQ(CountOf(xml, "<failure "), 2u);  // at most one a case
  EXPECT_EQ(CountOf(xml, "<skipped "), 1u);
  EXPECT_EQ(Attribute(xml, "testsuite", "tests"), "4");
  EXPECT_EQ(Attribute(xml, "testsuite", "failures"), "2");
  EXPECT_EQ(Attribute(xml, "testsuite", "skipped"), "1");
  EXPECT_EQ(Attribute(xml, "testsuite", "errors"), "0");
  EXPECT_TRUE(Has(xml, " and 1 more: "));
  // The order that the schemas ask for.
  const size_t properties = xml.find("<properties>"), cases = xml.find("<testcase "), out = xml.find("<system-out"),
               err = xml.find("<system-err");
  EXPECT_TRUE(properties < cases && cases < out && out < err);
  for (const char* name : {"name", "timestamp", "hostname", "time", "id", "package"}) {
    EXPECT_NE(Attribute(xml, "testsuite", name), "none") << name;
  }
  for (const char* name : {"name", "classname", "time"}) EXPECT_NE(Attribute(xml, "testcase", name), "none") << name;
  EXPECT_NE(Attribute(xml, "failure", "type"), "none");
  EXPECT_EQ(Attribute(xml, "testsuite", "timestamp").size(), std::string("2026-01-01T00:00:00").size());
}

TEST_F(MachineReports, JunitOfNewFindingsOnly) {
  const std::string xml = ReportJunit(report_, /*new_only=*/true);
  EXPECT_EQ(Attribute(xml, "testsuite", "failures"), "1");
  EXPECT_EQ(CountOf(xml, "<failure "), 1u);
  EXPECT_FALSE(Has(xml, "more: "));
}

TEST_F(MachineReports, SarifHasWhatItsSchemaRequires) {
  const std::string text = DumpJson(ReportSarif(report_, SubjectTable::All().families()));
  const json sarif = json::parse(text);
  EXPECT_EQ(sarif["version"], "2.1.0");
  ASSERT_EQ(sarif["runs"].size(), 1u);
  const json& run = sarif["runs"][0];
  const json& rules = run["tool"]["driver"]["rules"];
  EXPECT_EQ(run["tool"]["driver"]["name"], "oomph");
  ASSERT_EQ(run["results"].size(), 3u);
  size_t suppressed = 0;
  for (const json& result : run["results"]) {
    ASSERT_LT(result["ruleIndex"].get<size_t>(), rules.size());
    EXPECT_EQ(rules[result["ruleIndex"].get<size_t>()]["id"], result["ruleId"]);
    EXPECT_FALSE(result["message"]["text"].get<std::string>().empty());
    EXPECT_GE(result["occurrenceCount"], 1);
    const json& location = result["locations"][0]["physicalLocation"];
    const std::string uri = location["artifactLocation"]["uri"];
    EXPECT_EQ(uri.find_first_of(" <>\"#?\\^`{|}"), uri.npos) << uri;
    EXPECT_TRUE(uri.starts_with("file:///")) << uri;
    EXPECT_GE(location["region"]["startLine"], 1);
    suppressed += result.contains("suppressions") ? 1 : 0;
  }
  EXPECT_EQ(suppressed, 2u);
  for (const json& rule : rules) EXPECT_FALSE(rule["shortDescription"]["text"].get<std::string>().empty());
}

TEST_F(MachineReports, JsonIsJson) {
  const json again = json::parse(DumpJson(report_));
  EXPECT_EQ(again["findings"].size(), 3u);
  EXPECT_EQ(again["history"].size(), 1u);
  EXPECT_EQ(again["history"][0]["findings"], 3);
  EXPECT_EQ(again["findings"][0]["first_campaign"], 1);
}

TEST(Report, TheTrendKnowsWhoSawASignatureFirst) {
  const ScratchFolder folder;
  ASSERT_NO_FATAL_FAILURE(FillStore(folder.path(), 30, 3));
  auto store = Store::OpenForReading(folder.path());
  const json report = *ReportJson(*store, SubjectTable::All().families());
  ASSERT_EQ(report["history"].size(), 3u);
  size_t first = 0;
  for (const json& each : report["history"]) first += each["first_seen"].get<size_t>();
  EXPECT_EQ(first, 30u);
  EXPECT_EQ(report["history"][0]["findings"], report["history"][0]["first_seen"]);
  EXPECT_LT(report["history"][2]["first_seen"], report["history"][2]["findings"]);
  EXPECT_EQ(report["history"][0]["cases"], report["history"][2]["cases"]);
}

}  // namespace
}  // namespace oomph
