// Tests of the judge on the toy family: who is asked, what comes first, what is counted.
#include "fuzz/judge.h"

#include <optional>
#include <string>

#include "fuzz/minimize/test.h"
#include "fuzz/testing/toy_family.h"
#include "gtest/gtest.h"
#include "models/base/limit.h"

namespace oomph {
namespace {

using toy::Faults;
using toy::ToySubject;

class JudgeTest : public testing::Test {
 protected:
  Verdict Run(Subject& subject, std::string_view text, bool relations = true) {
    CaseOf<toy::Program> c;
    EXPECT_TRUE(toy::Toy().Parse("test", text, c).ok());
    Judge judge(toy::Toy(), subject, &model_, relations);
    Verdict verdict = judge.Run(c);
    runs_ = judge.runs();
    incomparable_ = judge.incomparable();
    measured_ = judge.Measure(c);
    return verdict;
  }
  ToySubject model_{"model", "", {}};
  uint64_t runs_ = 0;
  std::map<std::string, uint64_t, std::less<>> incomparable_;
  Verdict measured_;
};

TEST_F(JudgeTest, AgreesAndRunsTheRelatedCase) {
  EXPECT_EQ(Run(model_, "push 2\npush 4\nadd\n").kind, VerdictKind::kAgree);
  EXPECT_EQ(runs_, 2u);
  EXPECT_EQ(Run(model_, "push 2\npush 4\nadd\n", false).kind, VerdictKind::kAgree);
  EXPECT_EQ(runs_, 1u);
}

TEST_F(JudgeTest, OracleComesBeforeComparisonOfTheSameStep) {
  ToySubject leaps("fault:leaps", "", Faults{.leaps = true});
  const Verdict verdict = Run(leaps, "push 0\npush 0\npush 0\n");
  EXPECT_EQ(verdict.signature, "toy/depth_is_bounded/fault:leaps/step");
  EXPECT_EQ(verdict.step, 2u);
  EXPECT_EQ(verdict.all.size(), 2u);
}

TEST_F(JudgeTest, EarlierComparisonComesBeforeALaterOracle) {
  ToySubject both("both", "", Faults{.adds_wrong = true, .leaps = true});
  const Verdict verdict = Run(both, "push 101\npush 101\nadd\npush 0\npush 0\npush 0\n");
  EXPECT_EQ(verdict.signature, "toy/equals_reference/both/step");
  EXPECT_EQ(verdict.step, 2u);
}

TEST_F(JudgeTest, RelationIsAskedOnlyWhenNothingElseIsWrong) {
  ToySubject sees("sees", "", Faults{.sees_future = true});
  CaseOf<toy::Program> c;
  ASSERT_TRUE(toy::Toy().Parse("test", "push 0\npop\npop\npop\npush 200\n", c).ok());
  Judge alone(toy::Toy(), sees, nullptr);
  EXPECT_EQ(alone.Run(c).signature, "toy/prefix_is_stable/sees/step");
  Judge without(toy::Toy(), sees, nullptr, false);
  EXPECT_EQ(without.Run(c).kind, VerdictKind::kAgree);
}

TEST_F(JudgeTest, IncomparableHasACauseAndIsCounted) {
  ToySubject odd("odd", "", Faults{.odd_77 = true});
  const Verdict verdict = Run(odd, "push 77\n");
  EXPECT_EQ(verdict.kind, VerdictKind::kIncomparable);
  EXPECT_EQ(verdict.text, "unpublished_77");
  EXPECT_TRUE(verdict.signature.empty());
  EXPECT_EQ(incomparable_.at("unpublished_77"), 1u);
}

TEST_F(JudgeTest, AnOracleIsNotSilencedByWhatCannotBeCompared) {
  ToySubject odd("odd", "", Faults{.leaps = true, .odd_77 = true});
  EXPECT_EQ(Run(odd, "push 77\npush 1\npush 1\n").signature, "toy/depth_is_bounded/odd/step");
}

TEST_F(JudgeTest, PromiseDecidesWhatIsAFaultAndWhatAProperty) {
  EXPECT_FALSE(Run(model_, "push 3\n").found());
  EXPECT_EQ(measured_.signature, "toy/top_is_even/model/step");
  ToySubject promises("promises", "", Faults{.promises = 1});
  EXPECT_EQ(Run(promises, "push 3\n").signature, "toy/top_is_even/promises/step");
  EXPECT_FALSE(measured_.found());
}

// A judge with a limit.
class LimitTest : public testing::Test {
 protected:
  Verdict Run(Subject& subject, std::string_view text, std::optional<uint64_t> limit) {
    CaseOf<toy::Program> c;
    EXPECT_TRUE(toy::Toy().Parse("test", text, c).ok());
    Judge judge(toy::Toy(), subject, &model_);
    judge.SetLimit(limit);
    Verdict verdict = judge.Run(c);
    runs_ = judge.runs();
    return verdict;
  }
  ToySubject model_{"model", "", {}};
  uint64_t runs_ = 0;
};

TEST_F(LimitTest, WhatNeedsMoreIsAFindingNamedAfterWhatDoesNotFit) {
  const std::string_view text = "push 1\npush 3\npush 4\npush 6\n";
  EXPECT_FALSE(Run(model_, text, std::nullopt).found());
  EXPECT_FALSE(Run(model_, text, 4).found());
  EXPECT_EQ(runs_, 2u) << "what fits is judged as ever, by relations too";
  const Verdict verdict = Run(model_, text, 2);
  EXPECT_EQ(verdict.kind, VerdictKind::kFinding);
  EXPECT_EQ(verdict.signature, "toy/fits_the_limit/model/" + SignatureWord("push / 4"));
  EXPECT_EQ(verdict.text, "3 numbers, the limit is 2");
  EXPECT_EQ(verdict.step, 2u);
  ASSERT_EQ(verdict.all.size(), 1u);
  EXPECT_EQ(verdict.all[0].oracle, kFitsTheLimit);
  EXPECT_EQ(runs_, 1u);
  EXPECT_EQ(Run(model_, text, 1).signature, "toy/fits_the_limit/model/peak");
  EXPECT_EQ(Run(model_, text, 0).signature, "toy/fits_the_limit/model/peak");
}

TEST_F(LimitTest, AnOracleAndTheComparisonComeFirst) {
  ToySubject both("both", "", Faults{.adds_wrong = true, .leaps = true});
  EXPECT_EQ(Run(both, "push 0\npush 0\npush 0\n", 1).signature, "toy/depth_is_bounded/both/step");
  EXPECT_EQ(Run(both, "push 101\npush 101\nadd\n", 1).signature, "toy/equals_reference/both/step");
  ToySubject odd("odd", "", Faults{.odd_77 = true});
  EXPECT_EQ(Run(odd, "push 77\npush 1\n", 2).kind, VerdictKind::kIncomparable);
  EXPECT_EQ(Run(odd, "push 77\npush 1\n", 1).signature, "toy/fits_the_limit/odd/peak");
}

// Limit own asks for a refusal, whatever else is wrong with what was left behind; a case that is none is judged as ever.
TEST_F(LimitTest, OfTheOwnLimitARefusalComesBeforeTheOracles) {
  ToySubject both("both", "", Faults{.leaps = true});
  const std::string_view text = "push 0\npush 0\npush 0\n";
  EXPECT_EQ(Run(both, text, 2).signature, "toy/depth_is_bounded/both/step");
  EXPECT_EQ(Run(both, text, kOwnLimit).signature, "toy/fits_the_limit/both/" + SignatureWord("push / 0"));
  ToySubject odd("odd", "", Faults{.odd_77 = true});
  EXPECT_EQ(Run(odd, "push 77\npush 1\n", kOwnLimit).kind, VerdictKind::kIncomparable);
}

TEST_F(LimitTest, TheSameSignatureIsAskedForWithoutRelationsThatSayNothingOfIt) {
  CaseOf<toy::Program> c;
  ASSERT_TRUE(toy::Toy().Parse("test", "push 0\npop\npop\npop\npush 200\n", c).ok());
  ToySubject sees("sees", "", Faults{.sees_future = true});
  Judge judge(toy::Toy(), sees, nullptr);
  EXPECT_TRUE(SameSignature(judge, "toy/prefix_is_stable/sees/step")(c));
  EXPECT_EQ(judge.runs(), 2u);
  EXPECT_FALSE(SameSignature(judge, "toy/depth_is_bounded/sees/step")(c));
  EXPECT_EQ(judge.runs(), 3u);
}

}  // namespace
}  // namespace oomph
