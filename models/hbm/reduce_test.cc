// The reducer of HBM traces by tests that are no allocator: what it keeps, what it simplifies, that it is
// thrifty, deterministic, and never believes that a smaller trace must fail. Not for: faults of allocators
// (see props/reducer.cc).
#include "models/hbm/reduce.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/hbm/generate.h"
#include "models/hbm/specification.h"
#include "models/hbm/text.h"

namespace oomph::hbm {
namespace {

using Fails = std::function<bool(const Trace&)>;

Trace Parse(std::string_view text) {
  Trace trace;
  EXPECT_TRUE(ParseTrace("test", text, trace).ok()) << text;
  return trace;
}

std::string Reduced(Trace trace, const Fails& fails, size_t budget = 100'000) {
  ReduceTrace(trace, fails, budget);
  EXPECT_TRUE(fails(trace));
  return PrintTrace(trace);
}

size_t CountOf(const Trace& trace, StepKind kind) {
  return std::count_if(trace.steps.begin(), trace.steps.end(),
                       [&](const Step& step) { return step.kind == kind; });
}

Trace Generated(uint64_t seed, size_t steps) {
  GenerateOptions options;
  options.steps = steps;
  Trace trace;
  Choices choices = Choices::FromSeed(seed, true);
  GenerateTrace(choices, options, trace);
  return trace;
}

TEST(ReduceTest, NamesStayWhereTheTestLooksForOne) {
  const Trace start = Parse("memory hbm capacity 64\nallocate small 8\nallocate big 32\nfree small\n");
  const Fails looks = [](const Trace& t) { return PrintTrace(t).find("allocate big") != std::string::npos; };
  const std::string kept = Reduced(start, looks);
  EXPECT_NE(kept.find("allocate big"), std::string::npos) << kept;
  EXPECT_EQ(kept.find("small"), std::string::npos) << kept;
  const Fails does_not = [](const Trace& t) { return CountOf(t, StepKind::kAllocate) > 0; };
  EXPECT_EQ(Reduced(start, does_not).find("big"), std::string::npos);
}

TEST(ReduceTest, WhatAlwaysFailsEndsEmptyAndPlain) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Trace trace = Generated(seed, 80);
    ReduceTrace(trace, [](const Trace&) { return true; }, 100'000);
    EXPECT_LE(trace.steps.size(), 1u) << PrintTrace(trace);
    EXPECT_EQ(trace.policy.fit, Policy().fit);
  }
}

TEST(ReduceTest, OnlyTheStepsThatMatterStay) {
  const Trace trace = Parse(
      "memory hbm capacity 4096 granule 64 fit worst undo yes\nallocate a 100\nload p 64\nquery\n"
      "free a\nallocate b 200 align 128 pinned\nexecute p\noutput c 64 donating b\nquery\nfence 3\n");
  EXPECT_EQ(Reduced(trace, [](const Trace& t) { return CountOf(t, StepKind::kQuery) >= 2; }).substr(0, 10),
            "memory hbm");
  const std::string text = Reduced(trace, [](const Trace& t) { return CountOf(t, StepKind::kQuery) >= 2; });
  EXPECT_EQ(text.substr(text.find('\n')), "\nquery\nquery\n");
  EXPECT_EQ(text.find("worst"), std::string::npos) << text;
}

TEST(ReduceTest, NumbersFallToTheLeastThatFails) {
  const Fails fails = [](const Trace& t) {
    return std::any_of(t.steps.begin(), t.steps.end(), [](const Step& s) {
      return s.kind == StepKind::kAllocate && s.size >= 37 && s.alignment >= 16;
    });
  };
  const std::string text =
      Reduced(Parse("memory hbm capacity 1MiB granule 1\nallocate a 70000 align 4096 pinned\n"), fails);
  EXPECT_EQ(text.substr(text.find('\n')), "\nallocate b0 37 align 16\n");
}

TEST(ReduceTest, APolicyStaysWhereItMatters) {
  const Fails fails = [](const Trace& t) { return t.policy.fit == Fit::kWorst && t.policy.retry_limit == 2; };
  const std::string text =
      Reduced(Parse("memory hbm capacity 640 fit worst ends low retry_limit 2 undo yes\nquery\n"), fails);
  EXPECT_NE(text.find(" fit worst retry_limit 2\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("undo"), std::string::npos) << text;
}

TEST(ReduceTest, NamesBecomeDense) {
  const Fails fails = [](const Trace& t) {
    return CountOf(t, StepKind::kAllocate) >= 2 && CountOf(t, StepKind::kFree) >= 1;
  };
  const std::string text = Reduced(Generated(4, 300), fails);
  EXPECT_NE(text.find("b0"), std::string::npos) << text;
  EXPECT_EQ(text.find("b3"), std::string::npos) << text;
}

// The three a, b, c fail only together, or all alone: dropping one step of three never fails.
TEST(ReduceTest, WhatOnlyFailsTogetherStaysTogether) {
  const Fails fails = [](const Trace& t) {
    const size_t fences = CountOf(t, StepKind::kFence);
    return fences == 3 || fences >= 6;
  };
  const std::string text = Reduced(
      Parse("memory hbm capacity 64\nfence 1\nfence 2\nquery\nfence 3\nfence 4\nfence 5\nfence 6\n"), fails);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
}

TEST(ReduceTest, NoSingleStepCanBeDroppedAndItIsTheSameEachTime) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    // Fails where the specification moves something after it has evicted something: nothing monotonous.
    const Fails fails = [](const Trace& t) {
      TraceOutcome outcome;
      RunSpecification(t, outcome);
      const auto is = [](EventKind kind) {
        return [kind](const Event& event) { return event.kind == kind; };
      };
      const auto evicted =
          std::find_if(outcome.events.begin(), outcome.events.end(), is(EventKind::kEvicted));
      return std::any_of(evicted, outcome.events.end(), is(EventKind::kMoved));
    };
    const Trace trace = Generated(seed, 200);
    if (!fails(trace)) continue;
    Trace once = trace, twice = trace;
    ReduceTrace(once, fails, 100'000);
    ReduceTrace(twice, fails, 100'000);
    ASSERT_EQ(PrintTrace(once), PrintTrace(twice));
    for (size_t i = 0; i < once.steps.size(); ++i) {
      Trace shorter = once;
      shorter.steps.erase(shorter.steps.begin() + i);
      ASSERT_FALSE(fails(shorter)) << "step " << i << " of\n" << PrintTrace(once);
    }
  }
}

TEST(ReduceTest, TheBudgetIsKeptAndWhatComesOutStillFails) {
  const Trace trace = Generated(3, 400);
  for (size_t budget : {0, 1, 2, 7, 50, 300}) {
    size_t asked = 0;
    Trace reduced = trace;
    const Fails fails = [&](const Trace& t) {
      ++asked;
      return CountOf(t, StepKind::kAllocate) >= 10;
    };
    ReduceTrace(reduced, fails, budget);
    EXPECT_LE(asked, budget + 1) << "the last question is about names";
    EXPECT_GE(CountOf(reduced, StepKind::kAllocate), 10u);
    EXPECT_LE(reduced.steps.size(), trace.steps.size());
  }
}

TEST(ReduceTest, EveryCandidateIsATrace) {
  Trace trace = Generated(11, 120);
  Choices choices = Choices::FromSeed(5, false);
  ReduceTrace(
      trace,
      [&](const Trace& t) {
        Trace read;
        EXPECT_TRUE(ParseTrace("candidate", PrintTrace(t), read).ok()) << PrintTrace(t);
        EXPECT_EQ(read.steps.size(), t.steps.size());
        TraceOutcome outcome;
        RunSpecification(t, outcome);
        return choices.Chance(1, 3);  // whatever the answers are
      },
      3'000);
}

TEST(ReduceTest, NothingToDoIsNothingDone) {
  Trace empty;
  ReduceTrace(empty, [](const Trace&) { return true; }, 1'000);
  EXPECT_TRUE(empty.steps.empty());
}

}  // namespace
}  // namespace oomph::hbm
