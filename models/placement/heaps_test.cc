// The fast heuristics answer what the specification answers. What is right: specification_test.cc.
#include "models/placement/heaps.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "models/placement/planner.h"
#include "models/placement/planner_testing.h"

namespace oomph::placement {
namespace {

void EqualsSpecification(const Problem& problem, uint64_t seed) {
  for (int planner = 0; planner < kNumPlanners; ++planner) {
    const PlannerOptions options = {static_cast<Planner>(planner), 100};
    Plan model, specification;
    RunModel(problem, options, model);
    RunSpecification(problem, options, specification);
    ASSERT_EQ(model, specification) << PlannerWord(options) << ", seed " << seed;
  }
}

TEST(Heaps, EqualTheSpecification) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    ASSERT_NO_FATAL_FAILURE(EqualsSpecification(TinyProblem(seed), seed));
  }
}

TEST(Heaps, EqualTheSpecificationOnLargerProblems) {
  TinyOptions options;
  options.buffers = 150;
  options.size = 60;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    options.times = seed % 2 == 0 ? 20 : 200;
    ASSERT_NO_FATAL_FAILURE(EqualsSpecification(TinyProblem(seed, options), seed));
  }
}

TEST(Heaps, EqualTheSpecificationAtTheEndOfMemory) {
  TinyOptions options;
  options.size = uint64_t{1} << 63;
  options.alignments = {1, 64, 3, ~uint64_t{0}, (uint64_t{1} << 63) + 1};
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Problem problem = TinyProblem(seed, options);
    if (seed % 3 == 0) problem.buffers.front().fixed = ~uint64_t{0} - seed % 5;
    if (seed % 7 == 0) problem.buffers.back().size = ~uint64_t{0};
    if (seed % 11 == 0) problem.buffers.back().start = INT64_MIN, problem.buffers.back().end = INT64_MAX;
    ASSERT_NO_FATAL_FAILURE(EqualsSpecification(problem, seed));
  }
}

TEST(SlowHeaps, EqualTheSpecificationManyTimes) {
  for (uint64_t seed = 10'000; seed < 110'000; ++seed) {
    TinyOptions options;
    if (seed % 50 == 0) options.buffers = 60, options.times = 40, options.size = 30;
    ASSERT_NO_FATAL_FAILURE(EqualsSpecification(TinyProblem(seed, options), seed));
  }
}

}  // namespace
}  // namespace oomph::placement
