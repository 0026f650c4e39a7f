// The exact planners against trying every offset, and against one another. See planner_testing.h.
#include "models/placement/exact.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "models/placement/planner.h"
#include "models/placement/planner_testing.h"

namespace oomph::placement {
namespace {

bool IsPlaced(const Plan& plan) { return plan.status == Status::kOptimal || plan.status == Status::kFeasible; }

Plan Ask(const Problem& problem, Planner planner, uint64_t nodes) {
  Plan model, specification;
  RunModel(problem, {planner, nodes}, model);
  RunSpecification(problem, {planner, nodes}, specification);
  EXPECT_EQ(model, specification);
  return model;
}

void EqualsBruteForce(uint64_t seed, const TinyOptions& options, Planner planner) {
  const Problem problem = TinyProblem(seed, options);
  BruteForce brute_force(problem);
  const std::optional<uint64_t> least = brute_force.LeastPeak(kTinyCeiling);
  const Plan plan = Ask(problem, planner, 1'000'000);
  ASSERT_EQ(plan.status, least ? Status::kOptimal : Status::kInfeasible) << "seed " << seed;
  if (!least) return;
  ASSERT_EQ(*plan.peak, *least) << "seed " << seed;
  ASSERT_EQ(*plan.lower_bound, *least) << "seed " << seed;
  ASSERT_TRUE(brute_force.IsRight(plan.offsets)) << "seed " << seed;
}

TEST(Exact, EqualsTryingEveryOffset) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    ASSERT_NO_FATAL_FAILURE(EqualsBruteForce(seed, {}, Planner::kBranchAndBound));
    ASSERT_NO_FATAL_FAILURE(EqualsBruteForce(seed, {}, Planner::kExhaustive));
  }
}

// Windows with alignments of which none divides the other: the search by constraints.
TEST(Exact, EqualsTryingEveryOffsetWhereNothingStandsOnItsBottom) {
  TinyOptions options;
  options.times = 4;
  options.alignments = {1, 2, 3, 4, 6, 5};
  options.slices = false;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    ASSERT_NO_FATAL_FAILURE(EqualsBruteForce(seed, options, Planner::kBranchAndBound));
  }
}

TEST(SlowExact, EqualsTryingEveryOffsetManyTimes) {
  TinyOptions crowded;
  crowded.buffers = 6;
  crowded.times = 4;
  for (uint64_t seed = 10'000; seed < 60'000; ++seed) {
    ASSERT_NO_FATAL_FAILURE(EqualsBruteForce(seed, {}, Planner::kExhaustive));
    ASSERT_NO_FATAL_FAILURE(EqualsBruteForce(seed, crowded, Planner::kBranchAndBound));
  }
}

// Whatever the budget, what is claimed is true, and both planners stop at the same node.
TEST(Exact, ABudgetProvesNothing) {
  int timeouts = 0, stopped = 0;
  TinyOptions options;
  options.buffers = 6;
  options.times = 4;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Problem problem = TinyProblem(seed, options);
    const std::optional<uint64_t> found = BruteForce(problem).LeastPeak(kTinyCeiling);
    const uint64_t least = found.value_or(0);
    bool feasible = found.has_value();
    if (seed % 2 == 0 && feasible && least > 0) {  // one byte too few
      problem.capacity = least - 1;
      feasible = false;
    }
    for (const uint64_t nodes : {1, 4}) {
      const Plan plan = Ask(problem, Planner::kBranchAndBound, nodes);
      ASSERT_LE(plan.nodes.value_or(0), nodes) << "seed " << seed;
      ASSERT_EQ(plan.budget_spent, plan.status == Status::kTimeout || plan.status == Status::kFeasible);
      ASSERT_FALSE(plan.status == Status::kInfeasible && feasible) << "seed " << seed;
      ASSERT_FALSE(IsPlaced(plan) && !feasible) << "seed " << seed;
      ASSERT_FALSE(plan.status == Status::kOptimal && *plan.peak != least) << "seed " << seed;
      timeouts += plan.status == Status::kTimeout;
      stopped += plan.status == Status::kFeasible;
    }
  }
  EXPECT_GT(timeouts, 10);
  EXPECT_GT(stopped, 10);
}

// Up to 30 buffers: the model visits the specification's nodes, and a plan found is never below its bound.
TEST(Exact, LargerProblemsEqualTheSpecification) {
  TinyOptions options;
  options.buffers = 30;
  options.times = 12;
  options.size = 20;
  int optimal = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    options.windows = seed % 4 == 0;
    const Problem problem = TinyProblem(seed, options);
    const Plan plan = Ask(problem, Planner::kBranchAndBound, 200);
    optimal += plan.status == Status::kOptimal;
    EXPECT_FALSE(IsPlaced(plan) && *plan.lower_bound > *plan.peak) << "seed " << seed;
  }
  EXPECT_GT(optimal, 10);
}

// In memory and time of the buffers alone: spaces times buffers were gigabytes here.
TEST(Exact, ManySpacesAreOneSearchEach) {
  Problem problem;
  for (uint32_t i = 0; i < 100'000; ++i) {
    Buffer& buffer = problem.buffers.emplace_back();
    buffer.end = 10;
    buffer.size = 16;
    buffer.space = i;
  }
  Plan plan;
  RunModel(problem, {Planner::kBranchAndBound, 0}, plan);
  EXPECT_EQ(plan.status, Status::kOptimal);
  EXPECT_EQ(plan.peak, 16u);
}

TEST(Exact, MoreThan8BuffersAreNotForTheExhaustivePlanner) {
  Problem problem;
  problem.buffers.resize(9);
  EXPECT_EQ(Ask(problem, Planner::kExhaustive, 0).status, Status::kInvalid);
  problem.buffers.resize(8);
  EXPECT_EQ(Ask(problem, Planner::kExhaustive, 0).status, Status::kOptimal);
}

// A known one: best fit by decreasing size and every first fit leave a hole here, an optimal placement does not.
TEST(Exact, BeatsTheHeuristicsWhereTheyLeaveHoles) {
  int better = 0;
  TinyOptions options;
  options.buffers = 8;
  options.odd = options.groups = options.gaps = options.windows = options.slices = false;
  options.alignments = {1};
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Problem problem = TinyProblem(seed, options);
    Plan heuristic;
    RunModel(problem, {.planner = Planner::kBestOfAll}, heuristic);
    const Plan plan = Ask(problem, Planner::kExhaustive, 0);
    ASSERT_EQ(plan.status, Status::kOptimal);
    ASSERT_LE(*plan.peak, *heuristic.peak);
    better += *plan.peak < *heuristic.peak;
  }
  EXPECT_GT(better, 0);
}

}  // namespace
}  // namespace oomph::placement
