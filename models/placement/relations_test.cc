// The relations: what each changes, one pair of plans that it accepts and those that it rejects; and that the planners
// that promise them keep them, on random problems.
#include "models/placement/relations.h"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/placement/generate.h"
#include "models/placement/oracles.h"
#include "models/placement/planner.h"
#include "models/placement/problem_testing.h"
#include "models/placement/promises.h"
#include "models/placement/random_plan.h"

namespace oomph::placement {
namespace {

const RelationRow& Named(std::string_view name) {
  for (const RelationRow& row : Relations()) {
    if (row.info.name == name) return row;
  }
  ADD_FAILURE() << name;
  return Relations()[0];
}

// The optimum is 6.
Problem Stairs() {
  Problem problem;
  problem.capacity = 100;
  problem.buffers = {Live(2, 0, 4), Live(1, 0, 2), Live(3, 2, 4), Live(3, 0, 1)};
  return problem;
}

Plan Planned(const Problem& problem, Planner planner = Planner::kExhaustive) {
  Plan plan;
  RunSpecification(problem, {.planner = planner}, plan);
  return plan;
}

std::vector<Reason> Judged(const RelationRow& row, const Problem& problem, const Plan& plan, const Problem& related,
                           const Plan& related_plan) {
  Reasons reasons;
  row.judge(row.info.name, problem, plan, related, related_plan, reasons);
  return reasons.list();
}

std::string Detail(const std::vector<Reason>& reasons) {
  return reasons.size() == 1 ? std::string(reasons[0].detail) : std::to_string(reasons.size()) + " reasons";
}

TEST(Relations, AcceptWhatTheSpecificationPlansAndRejectAnotherPeakOrVerdict) {
  const Problem problem = Stairs();
  const Plan plan = Planned(problem);
  ASSERT_EQ(plan.status, Status::kOptimal);
  for (const RelationRow& row : Relations()) {
    Problem related;
    ASSERT_TRUE(row.relate(problem, related)) << row.info.name;
    EXPECT_NE(row.info.promise, 0u) << row.info.name;
    const Plan right = Planned(related);
    EXPECT_TRUE(Judged(row, problem, plan, related, right).empty()) << row.info.name;

    Plan lifted = right;
    for (auto& offset : lifted.offsets) offset = *offset + 4;
    lifted.peak = *lifted.peak + 4;
    const std::string detail = Detail(Judged(row, problem, plan, related, lifted));
    EXPECT_EQ(detail, (row.info.promise & (promise::kDeterminism | promise::kUnits)) != 0 ? "offset" : "peak")
        << row.info.name;
    Plan refused;
    refused.status = Status::kNotFound;
    EXPECT_EQ(Detail(Judged(row, problem, plan, related, refused)), "status") << row.info.name;
    // Where the first was refused, the second may be placed only if it is easier.
    const bool may_gain = row.info.promise == promise::kMonotony;
    EXPECT_EQ(Judged(row, problem, refused, related, right).empty(), may_gain) << row.info.name;
  }
}

TEST(Relations, SayNothingWhereTheBudgetWasSpent) {
  const Problem problem = Stairs();
  Plan plan = Planned(problem);
  for (const RelationRow& row : Relations()) {
    if ((row.info.promise & (promise::kDeterminism | promise::kUnits)) != 0) continue;
    Problem related;
    ASSERT_TRUE(row.relate(problem, related));
    Plan spent;
    spent.status = Status::kTimeout;
    spent.budget_spent = true;
    EXPECT_TRUE(Judged(row, problem, plan, related, spent).empty()) << row.info.name;
    spent = Planned(related);
    spent.status = Status::kFeasible, *spent.peak += 4, spent.budget_spent = true;
    EXPECT_TRUE(Judged(row, problem, plan, related, spent).empty()) << row.info.name;
  }
}

TEST(Relations, NumbersThatAreToldMustAgreeToo) {
  const Problem problem = Stairs();
  const Plan plan = Planned(problem);
  for (std::string_view name : {"the_same_twice", "names_mean_nothing", "scaling_scales", "time_has_no_origin"}) {
    Problem related;
    ASSERT_TRUE(Named(name).relate(problem, related));
    Plan other = Planned(related);
    other.nodes = other.nodes.value_or(0) + 1;
    EXPECT_EQ(Detail(Judged(Named(name), problem, plan, related, other)), "numbers") << name;
  }
}

TEST(Relations, ChangeWhatTheySay) {
  Problem problem = Stairs(), related;
  problem.buffers[0].gaps = {{1, 2, 0, 1}};
  problem.buffers[0].group = 3;
  ASSERT_TRUE(Named("scaling_scales").relate(problem, related));
  EXPECT_EQ(related.capacity, 200u);
  EXPECT_EQ(related.buffers[0].size, 4u);
  EXPECT_EQ(related.buffers[0].alignment, 2u);
  EXPECT_EQ(related.buffers[0].gaps, (std::vector<Gap>{{1, 2, 0, 2}}));
  ASSERT_TRUE(Named("time_has_no_direction").relate(problem, related));
  EXPECT_EQ(related.buffers[0].start, -4);
  EXPECT_EQ(related.buffers[0].end, 0);
  EXPECT_EQ(related.buffers[0].gaps, (std::vector<Gap>{{-2, -1, 0, 1}}));
  ASSERT_TRUE(Named("a_smaller_buffer_is_no_worse").relate(problem, related));
  EXPECT_EQ(related.buffers[2].size, 2u);
  ASSERT_TRUE(Named("what_follows_needs_no_more").relate(problem, related));
  EXPECT_EQ(related.buffers.size(), 8u);
  EXPECT_EQ(related.buffers[4].group, 6u);
  EXPECT_EQ(related.buffers[4].start, 4);
  EXPECT_EQ(related.buffers[4].gaps, (std::vector<Gap>{{5, 6, 0, 1}}));
}

TEST(Relations, LeaveAloneWhatTheyCannotChange) {
  Problem problem = Stairs(), related;
  problem.buffers[0].start = std::numeric_limits<int64_t>::min();
  problem.buffers[1].end = std::numeric_limits<int64_t>::max();
  problem.buffers[1].size = UINT64_MAX;
  for (std::string_view name : {"scaling_scales", "time_has_no_origin", "time_has_no_direction", "what_follows_needs_no_more"}) {
    EXPECT_FALSE(Named(name).relate(problem, related)) << name;
  }
  for (const RelationRow& row : Relations()) {
    EXPECT_TRUE(!row.relate({}, related) || related.buffers.empty()) << row.info.name;
  }
}

// No planner breaks what it promises; each relation is asked.
TEST(Relations, HoldOfThePlannersThatPromiseThem) {
  constexpr Bits64 kGreedy = promise::kAll & ~(promise::kCompleteness | promise::kOrder | promise::kMonotony);
  std::vector<int> asked(Relations().size());
  Problem problem, related;
  Plan plan, related_plan;
  for (uint64_t seed = 0; seed < 1'000; ++seed) {
    const bool exact = seed % 4 == 0;
    const PlannerOptions planner = {.planner = exact ? Planner::kBranchAndBound : Planner::kDecreasingSize, .nodes = 300};
    Choices choices = Choices::FromSeed(seed, seed % 8 < 4);
    GenerateOptions options;
    if (exact) options.features &= ~(Bits64{1} << feature::kMany);
    GenerateProblem(choices, options, problem);
    RunSpecification(problem, planner, plan);
    for (size_t i = 0; i < Relations().size(); ++i) {
      const RelationRow& row = Relations()[i];
      if (!exact && (row.info.promise & kGreedy) == 0) continue;
      if (!row.relate(problem, related)) continue;
      ++asked[i];
      RunSpecification(related, planner, related_plan);
      const std::vector<Reason> reasons = Judged(row, problem, plan, related, related_plan);
      ASSERT_TRUE(reasons.empty()) << row.info.name << " with seed " << seed << ": " << reasons[0].text;
    }
  }
  for (size_t i = 0; i < Relations().size(); ++i) EXPECT_GT(asked[i], 100) << Relations()[i].info.name;
}

// Garbage harms nobody.
TEST(Relations, SurviveAnyPlans) {
  Problem problem, related;
  Plan plan, other;
  size_t reasons = 0;
  for (uint64_t seed = 0; seed < 1'000; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    GenerateProblem(choices, {}, problem);
    for (const RelationRow& row : Relations()) {
      if (!row.relate(problem, related)) continue;
      DrawPlan(choices, problem, plan);
      DrawPlan(choices, related, other);
      reasons += Judged(row, problem, plan, related, other).size();
    }
  }
  EXPECT_GT(reasons, 500u);
}

}  // namespace
}  // namespace oomph::placement
