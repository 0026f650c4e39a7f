// The search for witnesses: it finds optima of small problems, keeps every rule, and never more than it may.
#include "models/placement/witness.h"

#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/base/units.h"
#include "models/placement/generate.h"
#include "models/placement/oracles.h"
#include "models/placement/planner.h"
#include "models/placement/problem_testing.h"
#include "models/placement/promises.h"

namespace oomph::placement {
namespace {

// The optimum is 6, with the last below the third.
TEST(Witness, FindsWhatAGreedyPlannerMisses) {
  Problem problem;
  problem.buffers = {Live(2, 0, 4), Live(2, 0, 2), Live(3, 2, 4), Live(2, 0, 1)};
  const auto witness = FindWitness(problem, 6);
  ASSERT_TRUE(witness);
  EXPECT_EQ(PeakOf(problem, *witness), 6u);
  EXPECT_FALSE(FindWitness(problem, 5));
}

TEST(Witness, GoesUpToTheEndOfMemory) {
  Problem problem;
  problem.buffers = {Live(kMaxBytes - 1, 0, 1), Live(1, 0, 1)};
  EXPECT_TRUE(FindWitness(problem, kMaxBytes));
  problem.buffers[1].size = 2;
  EXPECT_FALSE(FindWitness(problem, kMaxBytes));
  problem.buffers[1] = problem.buffers[0];
  EXPECT_FALSE(FindWitness(problem, kMaxBytes));
}

// What it finds keeps the rules and the peak; of easy problems it finds nearly all optima, which is what makes the
// oracles see.
TEST(Witness, FindsMostOptimaAndNothingBelow) {
  Problem problem;
  Plan exact;
  int proved = 0, found = 0;
  for (uint64_t seed = 0; seed < 1'500; ++seed) {
    Choices choices = Choices::FromSeed(seed, seed % 2 == 0);
    GenerateOptions options;
    options.features &= ~(Bits64{1} << feature::kMany);
    GenerateProblem(choices, options, problem);
    RunSpecification(problem, {.planner = Planner::kBranchAndBound, .nodes = 300}, exact);
    if (exact.status != Status::kOptimal) continue;
    ++proved;
    const auto witness = FindWitness(problem, *exact.peak);
    if (witness) {
      ++found;
      ASSERT_TRUE(KeepsTheRules(problem, *witness)) << "seed " << seed;
      ASSERT_EQ(PeakOf(problem, *witness), exact.peak) << "seed " << seed;
    }
    ASSERT_FALSE(*exact.peak > 0 && FindWitness(problem, *exact.peak - 1)) << "seed " << seed;
  }
  EXPECT_GT(proved, 700);
  EXPECT_GT(found * 100, proved * 95) << found << " of " << proved;
}

}  // namespace
}  // namespace oomph::placement
