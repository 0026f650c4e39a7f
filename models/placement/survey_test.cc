// The judge at sight and the fast one agree: on random problems with right and wrong plans, and on dense ones. The
// index of live rectangles against a list of them.
#include "models/placement/survey.h"

#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/placement/fast_survey.h"
#include "models/placement/generate.h"
#include "models/placement/live_set.h"
#include "models/placement/oracles.h"
#include "models/placement/promises.h"
#include "models/placement/random_plan.h"

namespace oomph::placement {
namespace {

std::string Told(const std::vector<Reason>& reasons) {
  std::string text;
  for (const Reason& reason : reasons) text += std::string(reason.oracle) + "@" + std::to_string(reason.step) + ": " + reason.text + "\n";
  return text;
}

// What was found, so that a test that compares nothing fails.
struct Count {
  int clean = 0;
  std::vector<int> of = std::vector<int>(Oracles().size());
};

void ExpectEqualReasons(const Problem& problem, const Plan& plan, Count& count) {
  Reasons naive, fast;
  JudgePlanNaively(problem, plan, promise::kAll, naive);
  JudgePlan(problem, plan, promise::kAll, fast);
  ASSERT_EQ(naive.list(), fast.list()) << "naive:\n" << Told(naive.list()) << "fast:\n" << Told(fast.list());
  count.clean += naive.empty();
  for (const Reason& reason : naive.list()) {
    for (size_t i = 0; i < Oracles().size(); ++i) count.of[i] += Oracles()[i].info.name == reason.oracle;
  }
}

TEST(Survey, BothJudgesGiveEqualReasons) {
  Count count;
  Problem problem;
  Plan plan;
  for (uint64_t seed = 0; seed < 6'000; ++seed) {
    Choices choices = Choices::FromSeed(seed, seed % 2 == 0);
    GenerateProblem(choices, {}, problem);
    DrawPlan(choices, problem, plan);
    ExpectEqualReasons(problem, plan, count);
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
  }
  EXPECT_GT(count.clean, 500);
  for (size_t i = 0; i < Oracles().size(); ++i) EXPECT_GT(count.of[i], 5) << Oracles()[i].info.name;
}

// All in one place, all the time: every pair collides, but within groups.
TEST(Survey, DenseOverlapsAreNotQuadratic) {
  for (const bool grouped : {false, true}) {
    Problem problem;
    Plan plan;
    plan.status = Status::kFeasible;
    constexpr size_t kBuffers = 20'000;  // 2 * 10^8 pairs
    for (size_t i = 0; i < kBuffers; ++i) {
      problem.buffers.emplace_back();
      problem.buffers.back().size = 1 + i;
      problem.buffers.back().start = -static_cast<int64_t>(i);
      problem.buffers.back().end = 1;
      problem.buffers.back().group = grouped ? 7 : 0;
      plan.offsets.emplace_back(0);
    }
    EXPECT_EQ(FastSurvey(problem, plan).FirstClash(Clash::kWhole), grouped ? std::nullopt : std::optional(Pair{0, 1}));
    problem.buffers.emplace_back();
    problem.buffers.back().size = problem.buffers.back().end = 1;
    plan.offsets.emplace_back(kBuffers - 2);
    const size_t partner = grouped ? kBuffers - 2 : 0;
    EXPECT_EQ(FastSurvey(problem, plan).FirstClash(Clash::kWhole), std::optional(Pair{partner, grouped ? kBuffers : 1}));
  }
}

TEST(LiveSet, AnswersAsAListWould) {
  struct Rect {
    uint64_t lower, upper, owner;
    uint32_t id;
  };
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Choices choices = Choices::FromSeed(seed, false);
    LiveSet set;
    std::vector<Rect> list;
    for (uint32_t id = 0; id < 200; ++id) {
      if (!list.empty() && choices.Chance(2, 5)) {
        const size_t i = choices.Below(list.size());
        set.Erase(list[i].lower, list[i].id);
        list.erase(list.begin() + static_cast<ptrdiff_t>(i));
      } else {
        const uint64_t lower = choices.Below(40);
        list.push_back({lower, lower + 1 + choices.Below(6), choices.Below(4), id});
        set.Insert(list.back().lower, list.back().upper, list.back().owner, id);
      }
      const uint64_t lower = choices.Below(48), upper = lower + 1 + choices.Below(4), owner = choices.Below(5);
      std::set<uint32_t> expected, met;
      for (const Rect& r : list) {
        if (r.owner != owner && r.lower < upper && lower < r.upper) expected.insert(r.id);
      }
      EXPECT_TRUE(set.ForEachMet(lower, upper, owner, [&](uint32_t other) { return met.insert(other).second; }));
      ASSERT_EQ(met, expected) << "seed " << seed << ", step " << id;
      EXPECT_EQ(set.ForEachMet(lower, upper, owner, [](uint32_t) { return false; }), expected.empty());
    }
  }
}

}  // namespace
}  // namespace oomph::placement
