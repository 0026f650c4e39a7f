// Tests of the comparison: planted faults are told from their specification, a subject is not told from itself, and what is
// shown is safe to show.
#include "fuzz/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "fuzz/compare/show.h"
#include "fuzz/compare/speed.h"
#include "fuzz/compare/tally.h"
#include "fuzz/faults/faults.h"
#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/families.h"
#include "models/hbm/family.h"

namespace oomph {
namespace {

CompareOptions Quick(uint64_t seed = 1, uint64_t cases = 300) {
  CompareOptions options;
  options.seed = seed;
  options.cases = cases;
  options.speed_rounds = 0;
  options.shrink_seconds = 1;
  return options;
}

Comparison Compared(const Family& family, const std::string& base, const std::string& head, const CompareOptions& options,
                    const std::vector<CaseFile>& files = {}) {
  const SubjectTable& table = SubjectTable::All();
  const auto b = table.Find(base, &family), h = table.Find(head, &family);
  EXPECT_TRUE(b.ok() && h.ok()) << base << " " << head;
  auto compared = Compare(table, b->front(), h->front(), files, options);
  EXPECT_TRUE(compared.ok()) << compared.status();
  return *std::move(compared);
}

// Whether `fault` shows with a signature of its own, at most so many cases in.
bool ToldApart(const FaultRow& fault, uint64_t cases, uint64_t most) {
  const std::string name = "fault:" + std::string(fault.name);
  CompareOptions options = Quick(1, cases);
  options.shrink_seconds = 0;
  const Comparison c = Compared(*fault.family, "specification", name, options);
  const bool named = std::any_of(c.signatures.begin(), c.signatures.end(), [&](const SignatureChange& s) {
    return s.change == Change::kNew && s.steady && s.signature.find("/" + name + "/") != std::string::npos;
  });
  if (c.AnythingNew() && named) return true;
  return cases < most && ToldApart(fault, std::min(5 * cases, most), most);
}

TEST(CompareTest, NoCasesAreNoCases) {
  const Comparison c = Compared(HbmFamily(), "specification", "fault:rounds_down", Quick(1, 0));
  EXPECT_EQ(c.generated, 0u);
  EXPECT_FALSE(c.AnythingNew());
}

TEST(CompareTest, AFaultIsNewAndItsSmallestCaseIsSmall) {
  const Comparison c = Compared(HbmFamily(), "specification", "fault:rounds_down", Quick());
  ASSERT_TRUE(c.AnythingNew());
  EXPECT_EQ(c.signatures.front().signature, "hbm/at_least_the_size/fault:rounds_down/allocate");
  EXPECT_EQ(c.signatures.front().base_cases, 0u);
  EXPECT_TRUE(c.signatures.front().example.shrunk);
  EXPECT_LE(c.signatures.front().example.steps, 3u);
  EXPECT_NE(c.signatures.front().example.case_text.find("oomph subject fault:rounds_down"), std::string::npos);
}

TEST(CompareTest, TurnedRoundItIsFixed) {
  const Comparison c = Compared(HbmFamily(), "fault:rounds_down", "specification", Quick());
  EXPECT_FALSE(c.AnythingNew());
  ASSERT_FALSE(c.signatures.empty());
  EXPECT_EQ(c.signatures.front().change, Change::kFixed);
  EXPECT_EQ(c.signatures.front().signature, "hbm/at_least_the_size/fault:rounds_down/allocate");
}

TEST(CompareTest, SomeFaultsOfEachKindAreToldApart) {
  for (size_t i = 0; i < Faults().size(); i += 23) EXPECT_TRUE(ToldApart(Faults()[i], 200, 5000)) << Faults()[i].name;
}

TEST(SlowCompare, AThirdOfThePlantedFaultsAreToldFromTheirSpecification) {
  for (size_t i = 0; i < Faults().size(); i += 3) {
    EXPECT_TRUE(ToldApart(Faults()[i], 400, 20'000)) << Faults()[i].name << ": " << Faults()[i].what;
  }
}

TEST(CompareTest, OneSubjectTwiceIsQuiet) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    for (const char* name : {"model", "specification", "fault:rounds_down", "fault:answers_by_the_hour"}) {
      const Comparison c = Compared(HbmFamily(), name, name, Quick(seed));
      EXPECT_TRUE(c.Quiet()) << ComparisonText(c);
    }
    const Comparison models = Compared(HbmFamily(), "specification", "model", Quick(seed));
    EXPECT_TRUE(models.Quiet()) << ComparisonText(models);
  }
}

// Worst fit for best fit is no fault: it answers otherwise and fragments more.
TEST(CompareTest, AnotherChoiceShowsInTheMetrics) {
  CompareOptions options = Quick(1, 1500);
  const Comparison c = Compared(HbmFamily(), "specification", "fault:fits_otherwise", options);
  const auto metric = std::find_if(c.metrics.begin(), c.metrics.end(), [](const auto& m) { return m.name == "peak"; });
  ASSERT_NE(metric, c.metrics.end());
  EXPECT_NE(metric->trend, Trend::kSame);
  EXPECT_FALSE(metric->example.case_text.empty());
  EXPECT_NE(metric->example.base, metric->example.head);
  EXPECT_TRUE(metric->example.shrunk);
  EXPECT_LT(metric->example.steps, 12u);
}

// Buffers on one address make a low peak, which is no improvement.
TEST(CompareTest, WhatBreaksAnOracleIsNotMeasured) {
  const Comparison c = Compared(*FindFamily("placement"), "specification", "fault:ends_a_step_early", Quick());
  EXPECT_TRUE(c.AnythingNew());
  EXPECT_GT(c.unsound, 0u);
  for (const MetricChange& metric : c.metrics) {
    EXPECT_NE(metric.trend, Trend::kBetter) << metric.name;
    EXPECT_LE(metric.cases + c.unsound, c.generated) << metric.name;
  }
}

TEST(CompareTest, FilesAreCasesToo) {
  std::vector<CaseFile> files;
  files.push_back(*ParseCaseFile("mine.trace", "memory hbm capacity 64 granule 8\nallocate a 9\n", &HbmFamily()));
  const Comparison c = Compared(HbmFamily(), "specification", "fault:rounds_down", Quick(1, 1), files);
  EXPECT_EQ(c.from_files, 1u);
  ASSERT_TRUE(c.AnythingNew());
  EXPECT_EQ(c.signatures.front().example.origin, "mine.trace");
}

TEST(CompareTest, VariantsAreMatchedByName) {
  SubjectRow row;
  row.family = &HbmFamily();
  row.name = "s";
  const auto pair = [&](const std::string& variant) { return Pair{std::make_shared<SubjectRow>(row), variant}; };
  EXPECT_EQ(MatchPairs({pair("a"), pair("b")}, {pair("b"), pair("a")})->size(), 2u);
  EXPECT_EQ(MatchPairs({pair("a")}, {pair("b"), pair("c")})->size(), 2u);
  EXPECT_FALSE(MatchPairs({pair("a"), pair("b")}, {pair("c"), pair("d")}).ok());
}

// What a metric's differences add up to.
Trend TrendOf(int worse, int better, int unsteady) {
  MetricTally tally(MetricInfo{"m", "bytes", "", true});
  for (int i = 0; i < worse; ++i) tally.Add(1, 2, true, {});
  for (int i = 0; i < better; ++i) tally.Add(2, 1, true, {});
  for (int i = 0; i < unsteady; ++i) tally.Add(1, 2, false, {});
  tally.Add(5, 5, true, {});
  return tally.Finish().trend;
}

TEST(MetricTally, ATrendNeedsMoreThanCoins) {
  EXPECT_EQ(TrendOf(0, 0, 0), Trend::kSame);
  EXPECT_EQ(TrendOf(1, 0, 0), Trend::kWorse);  // without noise what differs, differs
  EXPECT_EQ(TrendOf(0, 3, 0), Trend::kBetter);
  EXPECT_EQ(TrendOf(6, 4, 0), Trend::kMixed);
  EXPECT_EQ(TrendOf(60, 20, 0), Trend::kWorse);
  EXPECT_EQ(TrendOf(6, 2, 10), Trend::kSame);  // noise
  EXPECT_EQ(TrendOf(60, 2, 20), Trend::kWorse);
}

// Rounds of nothing but noise, each within some per cent: how often a difference would be told.
int FalseAlarms(uint64_t noise_per_mille, int comparisons) {
  int alarms = 0;
  Choices choices = Choices::FromSeed(3, false);
  for (int i = 0; i < comparisons; ++i) {
    SpeedChange speed;
    for (int round = 0; round < 10; ++round) {
      const double by = static_cast<double>(choices.Below(2 * noise_per_mille + 1)) / 1000 - static_cast<double>(noise_per_mille) / 1000;
      speed.by_round.push_back(1 + by);
    }
    JudgeRounds(speed);
    alarms += speed.trend != Trend::kSame;
  }
  return alarms;
}

// One huge case does not hide that all others are worse by a tenth; shares are no sizes and keep their mean.
TEST(MetricTally, OfBytesEachCaseWeighsTheSame) {
  for (const std::string_view unit : {"bytes", "share"}) {
    MetricTally tally(MetricInfo{"m", unit, "", true});
    for (int i = 0; i < 99; ++i) tally.Add(100, 110, true, {});
    tally.Add(9e18, 9e18, true, {});
    const MetricChange change = tally.Finish();
    EXPECT_EQ(change.trend, Trend::kWorse);
    if (unit == "bytes") {
      EXPECT_NEAR(change.Worsening(), 9.0 / 91, 1e-9);
    } else {
      EXPECT_LT(change.Worsening(), 1e-12);
    }
  }
  MetricTally from_nothing(MetricInfo{"m", "bytes", "", true});
  from_nothing.Add(0, 1, true, {});
  EXPECT_TRUE(std::isinf(from_nothing.Finish().Worsening()));
}

TEST(JudgeRounds, NoiseIsNoDifference) {
  EXPECT_EQ(FalseAlarms(50, 20'000), 0);
  EXPECT_LE(FalseAlarms(500, 20'000), 40);  // 2^-9 at most, were there no margin
}

TEST(JudgeRounds, ADifferenceOfAFifthIsToldInNoiseOfATenth) {
  SpeedChange slower, faster;
  Choices choices = Choices::FromSeed(4, false);
  for (int round = 0; round < 10; ++round) {
    const double by = static_cast<double>(choices.Below(201)) / 1000 - 0.1;
    slower.by_round.push_back(1.2 + by);
    faster.by_round.push_back(1 / (1.2 + by));
  }
  JudgeRounds(slower);
  JudgeRounds(faster);
  EXPECT_EQ(slower.trend, Trend::kWorse);
  EXPECT_EQ(faster.trend, Trend::kBetter);
}

TEST(ShowComparison, ForeignTextIsEscaped) {
  EXPECT_EQ(EscapeMarkdown("a|b<i>"), "a&#124;b&#60;i&#62;");
  Comparison c;
  c.family = &HbmFamily();
  c.head = "plugin:<script>alert(1)</script>|`x`";
  c.head_version = "\x1b[31mred";
  SignatureChange change;
  change.signature = change.key = "hbm/a/b";
  change.text = "[link](javascript:x)";
  change.example.case_text = "# </pre><script>\n\n```\nallocate a 1\n";
  c.signatures.push_back(change);
  const std::string markdown = ComparisonMarkdown({c});
  EXPECT_EQ(markdown.find("<script"), std::string::npos) << markdown;
  EXPECT_EQ(markdown.find("](javascript"), std::string::npos) << markdown;
  EXPECT_EQ(markdown.find("# </pre>"), std::string::npos) << markdown;
  EXPECT_EQ(ComparisonText(c).find('\x1b'), std::string::npos);
  EXPECT_EQ(ComparisonJson(c)["signatures"][0]["change"], "new");
}

}  // namespace
}  // namespace oomph
