// Tests of inputs of other engines: what they show is found, shrunk and kept, and a crash costs one input.
#include "fuzz/campaign/inputs.h"

#include "fuzz/report/report.h"
#include "fuzz/tape.h"
#include "fuzz/testing/full_store.h"
#include "fuzz/testing/toy_family.h"
#include "gtest/gtest.h"

namespace oomph {
namespace {

const SubjectTable& Table() {
  static const SubjectTable table(toy::ToyRows());
  return table;
}

Pair PairOf(const std::string& spec) { return Table().Find(spec, nullptr)->front(); }

std::string TapeOf(uint64_t seed) {
  const auto value = toy::Toy().NewCase();
  return RecordTape(toy::Toy(), Choices::FromSeed(seed, false), {}, *value).bytes;
}

TEST(Inputs, AFaultIsFoundShrunkAndKept) {
  const Pair pair = PairOf("fault:adds_wrong");
  InputJudge judge(Table(), pair, InputKind::kTape);
  size_t found = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto finding = judge.Judge(TapeOf(seed));
    ASSERT_TRUE(finding.ok()) << finding.status();
    found += finding->has_value() ? 1 : 0;
  }
  ASSERT_GT(found, 0u);
  const auto findings = judge.Shrunk();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_TRUE(findings[0].minimized);
  EXPECT_LE(findings[0].steps, 4u);
  const ScratchFolder folder;
  for (int i = 0; i < 2; ++i) {
    auto store = Store::OpenForWriting(folder.path());
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE(judge.Keep(*store, findings, {{findings[0].signature, {"somebody", "nowhere"}}}).ok());
  }
  auto store = Store::OpenForReading(folder.path());
  const auto report = *ReportJson(*store, {&toy::Toy()});
  ASSERT_EQ(report["findings"].size(), 1u);
  EXPECT_EQ(report["findings"][0]["signature"], findings[0].signature);
  EXPECT_EQ(report["findings"][0]["count"], 2 * found);
  EXPECT_EQ(report["findings"][0]["known"], true);
  EXPECT_EQ(report["pairs"][0]["cases"], 20);
  EXPECT_EQ(report["history"].size(), 2u);
  EXPECT_EQ(report["campaign"]["state"], "finished");
}

TEST(Inputs, AnyBytesAreATape) {
  const Pair pair = PairOf("model");
  InputJudge judge(Table(), pair, InputKind::kTape);
  for (const std::string& bytes : {std::string(), std::string("\0\0\xff", 3), std::string(5000, '\xfe')}) {
    const auto finding = judge.Judge(bytes);
    ASSERT_TRUE(finding.ok()) << finding.status();
    EXPECT_FALSE(finding->has_value());
  }
  EXPECT_TRUE(judge.Shrunk().empty());
}

TEST(Inputs, ACrashIsAFindingOfItsOwn) {
  const Pair pair = PairOf("fault:dies");
  InputJudge judge(Table(), pair, InputKind::kTape);
  std::optional<Finding> died;
  for (uint64_t seed = 0; seed < 200 && !died; ++seed) {
    const auto finding = judge.Judge(TapeOf(seed));
    ASSERT_TRUE(finding.ok()) << finding.status();
    died = *finding;
  }
  ASSERT_TRUE(died);
  EXPECT_EQ(died->signature, "toy/harness_survives/fault:dies/died");
  EXPECT_NE(died->reason.find("signal"), std::string::npos) << died->reason;
  EXPECT_NE(died->case_text.find("push"), std::string::npos);
  EXPECT_EQ(judge.Shrunk().size(), 1u);
}

TEST(Inputs, ATextIsReadAndPrinted) {
  const Pair pair = PairOf("model");
  InputJudge judge(Table(), pair, InputKind::kText);
  for (const char* text : {"push 7\nadd\n", "]]]", ""}) {
    const auto finding = judge.Judge(text);
    ASSERT_TRUE(finding.ok()) << finding.status();
    EXPECT_FALSE(finding->has_value()) << text;
  }
}

}  // namespace
}  // namespace oomph
