// What shrinking promises, over the planted faults of every family: the result fails with the same signature,
// no edit of any reduction is left to make, and it is the same each time. Does not cover: how fast it is (see
// fuzz/minimize and oomph bench).
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/faults/faults.h"
#include "fuzz/judge.h"
#include "fuzz/minimize/minimize.h"
#include "models/hbm/family.h"
#include "props/engine.h"

namespace oomph {
namespace {

// A fault under its judge; one that is a legal choice is held against the specification.
struct Trial {
  explicit Trial(const FaultRow& fault)
      : family(*fault.family),
        subject(fault.make()),
        reference(fault.oracle == "equals_reference" ? SubjectNamed(family, "specification") : nullptr),
        judge(family, *subject, reference.get()) {}

  // The first of `cases` cases that fails, and its signature; null: none does.
  std::unique_ptr<Case> Find(uint64_t seed, size_t steps, uint64_t cases, std::string& signature) {
    GenerateOptions options;
    options.features = subject->info().features;
    options.steps = steps;
    auto c = family.NewCase();
    for (uint64_t i = 0; i < cases; ++i) {
      Choices choices = Choices::FromSeed(MixSeed(seed, i), i % 2 == 0);
      family.Generate(choices, options, *c);
      signature = judge.Run(*c).signature;
      if (!signature.empty()) return c;
    }
    return nullptr;
  }

  const Family& family;
  std::unique_ptr<Subject> subject, reference;
  Judge judge;
};

// The edits of every reduction, alone, all the way and as little as can be: none of them may still show the fault.
size_t CheckThatNoEditIsLeft(const Family& family, const Case& smallest, const Shows& same) {
  size_t edits = 0;
  const auto candidate = family.NewCase();
  for (size_t r = 0; r < family.reductions().size(); ++r) {
    const auto list = family.EditsOf(r, smallest);
    if (list == nullptr) continue;
    std::vector<uint64_t> amounts(list->most().size());
    for (size_t i = 0; i < amounts.size(); ++i, ++edits) {
      for (const uint64_t amount : {list->most()[i], uint64_t{1}}) {
        amounts[i] = amount;
        if (!list->Apply(amounts, *candidate)) continue;
        EXPECT_FALSE(same(*candidate)) << family.reductions()[r].name << " leaves\n" << family.Print(*candidate);
      }
      amounts[i] = 0;
    }
  }
  return edits;
}

struct Sum {
  size_t reduced = 0, not_found = 0, longest = 0;
};

void CheckReduction(const FaultRow& fault, uint64_t seed, size_t steps, uint64_t cases, Sum& sum) {
  Trial trial(fault);
  std::string signature;
  const auto start = trial.Find(seed, steps, cases, signature);
  if (start == nullptr) {
    ++sum.not_found;
    return;
  }
  const Shows same = SameSignature(trial.judge, signature);
  if (!same(*start) || !same(*start)) return;  // it fails now and then

  const auto reduced = [&](const Case& from) {
    MinimizeOptions options;
    options.tests = 100'000;
    options.seconds = 1e9;
    FunctionTest test(same);
    return Minimize(trial.family, from, "", test, options);
  };
  const Minimized first = reduced(*start), second = reduced(*start);
  const std::unique_ptr<Case>&once = first.smallest, &twice = second.smallest;
  const std::string text = trial.family.Print(*once);
  SCOPED_TRACE(std::string(fault.name) + ": " + signature + "\n" + text);
  EXPECT_TRUE(first.finished && !first.flaky);
  EXPECT_EQ(text, trial.family.Print(*twice));
  EXPECT_EQ(first.tests, second.tests);
  EXPECT_TRUE(same(*once));
  EXPECT_LE(trial.family.Size(*once), trial.family.Size(*start));
  ++sum.reduced;
  sum.longest = std::max(sum.longest, trial.family.Size(*once));
  EXPECT_EQ(CheckThatNoEditIsLeft(trial.family, *once, same), first.last_edits);
  // What is smallest does not grow. Several edits together may make it smaller yet.
  const Minimized again = reduced(*once);
  EXPECT_TRUE(again.finished && same(*again.smallest));
  EXPECT_LE(trial.family.Size(*again.smallest), trial.family.Size(*once));
}

TEST(Reducer, KeepsTheSignatureDropsAllStepsThatCanGoAndIsDeterministic) {
  Sum sum;
  size_t faults = 0;
  for (const FaultRow& fault : Faults()) {
    if (fault.family->reductions().empty()) continue;
    ++faults;
    CheckReduction(fault, /*seed=*/1, /*steps=*/0, /*cases=*/20'000, sum);
  }
  std::printf("%zu cases reduced, the longest to %zu steps\n", sum.reduced, sum.longest);
  EXPECT_EQ(sum.not_found, 0u);
  EXPECT_GE(sum.reduced + 1, faults);
  EXPECT_LE(sum.longest, 30u);
}

// Of HBM only: the specification of a planner takes the square of its buffers and more for each of thousands of runs.
TEST(SlowReducer, AlsoFromLongCases) {
  Sum sum;
  for (const FaultRow& fault : Faults()) {
    if (fault.family != &HbmFamily()) continue;
    for (uint64_t seed = 2; seed < 5; ++seed)
      CheckReduction(fault, seed, /*steps=*/1'000, /*cases=*/1'000, sum);
  }
  std::printf("%zu cases reduced, the longest to %zu steps; %zu not found\n", sum.reduced, sum.longest,
              sum.not_found);
  // Some relations speak only of short traces.
  EXPECT_LE(sum.not_found * 10, sum.reduced);
  EXPECT_LE(sum.longest, 30u);
}

}  // namespace
}  // namespace oomph
