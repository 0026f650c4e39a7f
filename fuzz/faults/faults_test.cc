// Measures the oracles by the planted faults, for every family: the matrix fault x oracle, the time to
// find each fault, no alarm on the model without one, and what a campaign on the model reaches.
// Not for: single oracles by hand-made examples (see models/*/oracles_test.cc).
#include "fuzz/faults/faults.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fuzz/judge.h"
#include "fuzz/subject_table.h"
#include "gtest/gtest.h"
#include "models/families.h"

namespace oomph {
namespace {


std::unique_ptr<Subject> BuiltIn(const Family& family, std::string_view name) {
  const auto pairs = SubjectTable::All().Find(name, &family);
  if (!pairs.ok()) return nullptr;
  auto loaded = SubjectTable::All().Load(pairs->front(), /*in_child=*/false);
  return loaded.ok() ? std::move(loaded->subject) : nullptr;
}

// A fault under its judge. The comparison would catch every fault, so only a fault that is a legal
// choice gets a reference.
struct Trial {
  explicit Trial(const FaultRow& fault)
      : subject(fault.make()),
        reference(fault.oracle == kEqualsReference ? BuiltIn(*fault.family, "specification") : nullptr),
        judge(*fault.family, *subject, reference.get()),
        scratch(fault.family->NewCase()) {
    options.features = subject->info().features;
  }
  Verdict Run(uint64_t seed, uint64_t index) {
    Choices choices = Choices::FromSeed(MixSeed(seed, index), /*swarm=*/index % 2 == 0);
    judge.family().Generate(choices, options, *scratch);
    return judge.Run(*scratch);
  }
  std::unique_ptr<Subject> subject, reference;
  Judge judge;
  std::unique_ptr<Case> scratch;
  GenerateOptions options;
};

// How often each oracle was among the reasons at the first bad step.
std::map<std::string, int> Row(const FaultRow& fault, uint64_t seed, int cases, int finds) {
  std::map<std::string, int> row;
  Trial trial(fault);
  for (int i = 0; i < cases && finds > 0; ++i) {
    const Verdict verdict = trial.Run(seed, i);
    if (!verdict.found()) continue;
    --finds;
    std::set<std::string> oracles;
    for (const Reason& reason : verdict.all) oracles.insert(std::string(reason.oracle));
    for (const std::string& oracle : oracles) ++row[oracle];
  }
  return row;
}

TEST(FaultMatrix, EveryFaultIsCaughtAndEveryOracleCatchesOneThatNoOtherDoes) {
  std::map<std::string, std::set<std::string>> alone;  // family/oracle -> faults that only it caught
  const auto key = [](const Family& family, std::string_view oracle) {
    return std::string(family.name()) + "/" + std::string(oracle);
  };
  for (const FaultRow& fault : Faults()) {
    const std::map<std::string, int> row = Row(fault, /*seed=*/1, /*cases=*/20'000, /*finds=*/60);
    std::string line;
    for (const auto& [oracle, count] : row) line += " " + oracle + ":" + std::to_string(count);
    std::printf("%-30s %s\n", std::string(fault.name).c_str(), line.empty() ? " -" : line.c_str());
    EXPECT_GT(row.count(std::string(fault.oracle)), 0u)
        << fault.name << " (" << fault.what << ") is not caught by " << fault.oracle;
    if (row.size() == 1) alone[key(*fault.family, row.begin()->first)].insert(std::string(fault.name));
  }
  for (const Family* family : Families()) {
    for (const OracleInfo& oracle : family->oracles()) {
      EXPECT_FALSE(alone[key(*family, oracle.name)].empty())
          << family->name() << "/" << oracle.name << ": no planted fault that it alone catches";
    }
    for (const RelationInfo& relation : family->relations()) {
      EXPECT_FALSE(alone[key(*family, relation.name)].empty())
          << family->name() << "/" << relation.name << ": no planted fault that it alone catches";
    }
    EXPECT_FALSE(alone[key(*family, kEqualsReference)].empty()) << family->name();
  }
}

TEST(FaultMatrix, EveryFaultNamesAnOracleOfItsFamily) {
  std::set<std::string_view> names;
  for (const FaultRow& fault : Faults()) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name << " twice";
    bool known = fault.oracle == kEqualsReference;
    for (const OracleInfo& oracle : fault.family->oracles()) known = known || oracle.name == fault.oracle;
    for (const RelationInfo& relation : fault.family->relations()) known = known || relation.name == fault.oracle;
    EXPECT_TRUE(known) << fault.name << " names " << fault.oracle;
  }
}

TEST(SlowFaults, EachIsFoundWithin20000CasesFor20Seeds) {
  for (const FaultRow& fault : Faults()) {
    std::vector<int> needed;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      Trial trial(fault);
      int i = 0;
      while (i < 20'000 && !trial.Run(seed, i).found()) ++i;
      EXPECT_LT(i, 20'000) << fault.name << " with seed " << seed;
      needed.push_back(i + 1);
    }
    std::sort(needed.begin(), needed.end());
    std::printf("%-30s cases to find it: median %6d, most %6d\n", std::string(fault.name).c_str(),
                needed[needed.size() / 2], needed.back());
  }
}

// One variant of the model: no alarm. How many of `cases` cases reached what.
void RunVariant(const Family& family, const Pair& pair, uint64_t seed, int cases, std::vector<int>& reached) {
  auto loaded = SubjectTable::All().Load(pair, /*in_child=*/false);
  ASSERT_TRUE(loaded.ok());
  Judge judge(family, *loaded->subject, loaded->reference.get());
  const auto c = family.NewCase();
  GenerateOptions options;
  options.features = loaded->subject->info().features;
  for (int i = 0; i < cases; ++i) {
    Choices choices = Choices::FromSeed(MixSeed(seed, i), i % 2 == 0);
    family.Generate(choices, options, *c);
    const Verdict verdict = judge.Run(*c);
    ASSERT_FALSE(verdict.found()) << pair.variant << " " << verdict.signature << ": " << verdict.text << "\n"
                                  << family.Print(*c);
    ASSERT_EQ(verdict.kind, VerdictKind::kAgree) << "incomparable: " << verdict.text;
    Reach reach;
    family.Reached(*c, judge.outcome(), reach);
    for (size_t k = 0; k < family.reach_names().size(); ++k) reached[k] += reach[k];
  }
}

// All variants, in turn: no alarm, and nothing of what is expected is rare in all of them. What takes long is asked
// with a small budget instead, which runs out as well.
void RunModel(const Family& family, uint64_t seed, int cases) {
  const auto pairs = SubjectTable::All().Find("model", &family);
  ASSERT_TRUE(pairs.ok());
  const int each = cases / static_cast<int>(pairs->size());
  std::vector<int> most(kMaxReach);
  for (Pair pair : *pairs) {
    if (pair.variant == "branch_and_bound") pair.variant += ",nodes=20";
    std::vector<int> reached(kMaxReach);
    RunVariant(family, pair, seed, each, reached);
    for (size_t k = 0; k < kMaxReach; ++k) most[k] = std::max(most[k], reached[k]);
    if (::testing::Test::HasFatalFailure()) return;
  }
  for (size_t k = 0; k < family.reach_names().size(); ++k) {
    if (!family.expected_reach()[k]) continue;
    EXPECT_GE(most[k] * 100, each) << family.reach_names()[k] << " in " << most[k] << " of " << each;
  }
}

TEST(Model, RaisesNoAlarmAndReachesEverything) {
  for (const Family* family : Families()) RunModel(*family, /*seed=*/7, /*cases=*/20'000);
}

TEST(SlowModel, RaisesNoAlarmIn200000Cases) {
  for (const Family* family : Families()) RunModel(*family, /*seed=*/8, /*cases=*/200'000);
}

}  // namespace
}  // namespace oomph
