// Tests of the minimizer on the toy family's planted faults and on flaky and expensive tests.
#include "fuzz/minimize/minimize.h"

#include <set>
#include <string>

#include "fuzz/tape.h"
#include "fuzz/testing/toy_family.h"
#include "gtest/gtest.h"
#include "models/families.h"

namespace oomph {
namespace {

const Family& family = toy::Toy();

struct Failing {
  CaseOf<toy::Program> c;
  Tape tape;
};

// The first generated case of 200 steps that shows the signature.
Failing Find(Judge& judge, const std::string& signature) {
  Failing failing;
  for (uint64_t seed = 0; seed < 10000; ++seed) {
    failing.tape = RecordTape(family, Choices::FromSeed(seed, false), {}, failing.c);
    if (judge.Run(failing.c).signature == signature) return failing;
  }
  ADD_FAILURE() << "no case shows " << signature;
  return failing;
}

struct Fault {
  const char* signature;
  toy::Faults faults;
  size_t steps;
};

class MinimizeFault : public testing::TestWithParam<Fault> {};

TEST_P(MinimizeFault, EndsAtTheSmallestCase) {
  toy::ToySubject model("model", "", {}), subject("fault", "", GetParam().faults);
  Judge judge(family, subject, &model);
  const Failing failing = Find(judge, GetParam().signature);
  for (const std::string& tape : {std::string(), failing.tape.bytes}) {
    FunctionTest test(SameSignature(judge, GetParam().signature));
    const Minimized result = Minimize(family, failing.c, tape, test, {});
    EXPECT_TRUE(result.reproduced && result.finished && !result.flaky);
    EXPECT_EQ(family.Size(*result.smallest), GetParam().steps) << family.Print(*result.smallest);
    EXPECT_EQ(judge.Run(*result.smallest).signature, GetParam().signature);
    EXPECT_GT(result.tests, 0u);
    EXPECT_LT(result.tests, 3000u);
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, MinimizeFault,
                         testing::Values(Fault{"toy/equals_reference/fault/step", {.adds_wrong = true}, 3},
                                         Fault{"toy/depth_is_bounded/fault/step", {.leaps = true}, 3},
                                         Fault{"toy/prefix_is_stable/fault/step", {.sees_future = true}, 6},
                                         Fault{"toy/top_is_even/fault/step", {.promises = 1}, 1}));

TEST(Minimize, NeverDriftsToAnotherSignature) {
  toy::ToySubject model("model", "", {});
  toy::ToySubject both("both", "", {.adds_wrong = true, .leaps = true});
  Judge judge(family, both, &model);
  const Failing failing = Find(judge, "toy/equals_reference/both/step");
  FunctionTest test(SameSignature(judge, "toy/equals_reference/both/step"));
  const Minimized result = Minimize(family, failing.c, "", test, {});
  EXPECT_EQ(judge.Run(*result.smallest).signature, "toy/equals_reference/both/step");
}

TEST(Minimize, AsksForEachContentOnce) {
  CaseOf<toy::Program> c;
  ASSERT_TRUE(family.Parse("t", "push 9\npop\nadd\npush 3\npop\n", c).ok());
  std::multiset<std::string> asked;
  size_t recheck = 0;
  FunctionTest test([&](const Case& each) {
    asked.insert(family.Print(each));
    return family.Size(each) > 1;
  });
  const Minimized result = Minimize(family, c, "", test, {});
  for (const std::string& text : asked) recheck = std::max(recheck, asked.count(text));
  EXPECT_EQ(recheck, 6u);  // the smallest: once, and five times to see that it is not flaky
  EXPECT_EQ(result.tests, asked.size());
}

TEST(Minimize, GivesUpOnAFlakyTestWhereItMayNotVote) {
  CaseOf<toy::Program> c;
  ASSERT_TRUE(family.Parse("t", "push 9\npop\nadd\n", c).ok());
  int calls = 0;
  FunctionTest test([&](const Case&) { return ++calls < 4; });
  MinimizeOptions options;
  options.vote = false;
  const Minimized result = Minimize(family, c, "", test, options);
  EXPECT_TRUE(result.flaky);
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(family.Size(*result.smallest), 3u);
}

// The truth is that it takes an add and a push; the test lies in one of five answers.
TEST(Minimize, VotesOnATestThatLiesNowAndThen) {
  size_t noticed = 0, large = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    CaseOf<toy::Program> c;
    std::string text;
    for (int i = 0; i < 40; ++i) absl::StrAppend(&text, "push ", i, "\npop\n", i % 10 == 0 ? "add\n" : "");
    ASSERT_TRUE(family.Parse("t", text, c).ok());
    const auto truth = [](const Case& each) {
      const std::string printed = family.Print(each);
      return printed.find("add") != printed.npos && printed.find("push") != printed.npos;
    };
    Choices dice = Choices::FromSeed(seed, false);
    FunctionTest test([&](const Case& each) { return truth(each) != dice.Chance(1, 5); });
    MinimizeOptions options;
    options.seconds = 1e9;
    const Minimized result = Minimize(family, c, "", test, options);
    if (!result.reproduced) continue;  // it lied at the first question
    EXPECT_TRUE(truth(*result.smallest)) << seed << "\n" << family.Print(*result.smallest);
    EXPECT_GT(result.rate, 0.5) << seed;
    noticed += result.flaky;
    large += family.Size(*result.smallest) > 4;
  }
  EXPECT_GE(noticed, 60u);  // five lucky answers at the end are no proof
  EXPECT_LE(large, 10u);
}

// A subject that outlives its cases: the second pop of its life is wrong.
TEST(Minimize, DoesNotCountOnWhatEarlierTriesLeftBehind) {
  CaseOf<toy::Program> c;
  ASSERT_TRUE(family.Parse("t", "push 9\npop\nadd\npush 1\npop\npop\n", c).ok());
  int pops = 0;
  FunctionTest second_pop(
      [&](const Case& each) {
        const std::string text = family.Print(each);
        for (size_t at = text.find("pop"); at != text.npos; at = text.find("pop", at + 1)) ++pops;
        return pops >= 2;
      },
      [&] { pops = 0; });
  const Minimized result = Minimize(family, c, "", second_pop, {});
  EXPECT_TRUE(result.reproduced);
  EXPECT_FALSE(result.flaky);
  EXPECT_EQ(family.Print(*result.smallest), "pop\npop\n");

  ASSERT_TRUE(family.Parse("t", "push 9\npop\n", c).ok());  // shows nothing alone
  pops = 7;
  const Minimized alone = Minimize(family, c, "", second_pop, {});
  EXPECT_TRUE(alone.reproduced);
  EXPECT_TRUE(alone.flaky);
  EXPECT_EQ(alone.rate, 0);
  EXPECT_EQ(family.Size(*alone.smallest), 2u);
}

TEST(Minimize, SaysWhenNothingFails) {
  CaseOf<toy::Program> c;
  FunctionTest test([](const Case&) { return false; });
  const Minimized result = Minimize(family, c, "abc", test, {});
  EXPECT_FALSE(result.reproduced);
  EXPECT_EQ(result.tests, 1u);
}

TEST(Minimize, KeepsToItsBudget) {
  CaseOf<toy::Program> c;
  c.value.resize(300);
  MinimizeOptions options;
  options.tests = 10;
  FunctionTest test([](const Case& each) { return family.Size(each) > 200; });
  const Minimized result = Minimize(family, c, "", test, options);
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(result.tests, 10u);
}

TEST(Tape, StretchesStandOneAfterTheOther) {
  for (const Family* each : Families()) {
    const auto c = each->NewCase();
    for (uint64_t seed = 0; seed < 300; ++seed) {
      const Tape tape = RecordTape(*each, Choices::FromSeed(seed, seed % 2 == 0), {}, *c);
      size_t end = 0;
      for (const TapeSpan& span : tape.spans) {
        ASSERT_LE(end, span.begin) << each->name() << " " << seed;
        ASSERT_LT(span.begin, span.end);
        ASSERT_LE(end = span.end, tape.bytes.size());
      }
    }
  }
}

TEST(Tape, MutantsAreShortEnoughAndDecode) {
  CaseOf<toy::Program> c;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Tape tape = RecordTape(family, Choices::FromSeed(seed, true), {}, c);
    const std::string bytes = seed % 3 == 0 ? tape.bytes : tape.bytes.substr(0, seed % 7);
    const std::string mutant = MutateTape(family, bytes, 64, seed);
    ASSERT_LE(mutant.size(), 64u);
    RecordTape(family, Choices::FromTape(mutant), {}, c);
  }
}

}  // namespace
}  // namespace oomph
