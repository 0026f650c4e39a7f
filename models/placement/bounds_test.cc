// Lower bounds: below every placement, with certificates that hold, and that no longer do when they are changed.
#include "models/placement/bounds.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "models/placement/planner_testing.h"
#include "models/placement/problem.h"
#include "models/placement/problem_testing.h"

namespace oomph::placement {
namespace {

constexpr uint64_t kMax = ~uint64_t{0};

bool Holds(const Problem& problem, const Certificate& certificate) {
  std::string why;
  const bool holds = Check(problem, certificate, &why);
  EXPECT_NE(holds, !why.empty()) << why;
  return holds;
}

TEST(Bounds, NothingNeedsNothing) {
  Problem problem;
  EXPECT_EQ(LowerBound(problem).peak, 0u);
  problem.buffers = {Live(0, 0, 5), Live(7, 3, 3), Live(7, 3, 1)};
  EXPECT_EQ(LowerBound(problem).rule, Certificate::Rule::kNothing);
  EXPECT_TRUE(Holds(problem, LowerBound(problem)));
}

TEST(Bounds, LiveBytesNameWhoIsInUse) {
  Problem problem;
  problem.buffers = {Live(4, 0, 2), Live(3, 1, 3), Live(5, 2, 4)};
  const Certificate bound = LiveBytesBound(problem);
  EXPECT_EQ(bound.peak, 8u);
  EXPECT_EQ(bound.time, 2);
  EXPECT_EQ(bound.buffers, (std::vector<size_t>{1, 2}));
  EXPECT_TRUE(Holds(problem, bound));
}

TEST(Bounds, TouchingEndsDoNotMeet) {
  Problem problem;
  problem.buffers = {Live(4, 0, 2), Live(4, 2, 4)};
  EXPECT_EQ(LowerBound(problem).peak, 4u);
}

TEST(Bounds, SpacesAreApartAndGroupsShare) {
  Problem problem;
  problem.buffers = {Live(4, 0, 2), Live(6, 0, 2), Live(7, 0, 2), Live(2, 0, 2)};
  problem.buffers[1].space = 1;
  problem.buffers[2].group = problem.buffers[3].group = 9;
  EXPECT_EQ(LowerBound(problem).peak, 11u);
  ASSERT_EQ(LowerBounds(problem).size(), 2u);
  EXPECT_EQ(LowerBounds(problem)[1].peak, 6u);
}

TEST(Bounds, AlignmentWastesWhateverTheOrder) {
  Problem problem;
  problem.buffers = {Live(5, 0, 2, 8), Live(6, 0, 2, 8), Live(7, 0, 2, 16), Live(1, 0, 2)};
  // Two of the three take 8 each, the last at least its size.
  EXPECT_EQ(LiveBytesBound(problem).peak, 19u);
  const Certificate bound = LowerBound(problem);
  EXPECT_EQ(bound.peak, 21u);
  EXPECT_EQ(bound.rule, Certificate::Rule::kAlignment);
  EXPECT_EQ(bound.buffers, (std::vector<size_t>{0, 1, 2}));
  EXPECT_TRUE(Holds(problem, bound));
}

TEST(Bounds, AWindowedBufferStillNeedsItsSize) {
  Problem problem;
  problem.buffers = {Live(10, 0, 4)};
  problem.buffers[0].gaps = {{0, 4, 0, 3}};
  EXPECT_EQ(LiveBytesBound(problem).peak, 3u);
  EXPECT_EQ(LowerBound(problem).peak, 10u);
  problem.buffers[0].gaps = {{0, 4, 0, 0}};
  EXPECT_EQ(LowerBound(problem).peak, 10u);
  EXPECT_TRUE(Holds(problem, LowerBound(problem)));
}

TEST(Bounds, FixedOffsetsReach) {
  Problem problem;
  problem.buffers = {Live(4, 0, 2), Live(9, 5, 6), Live(3, 5, 6)};
  problem.buffers[2].fixed = 100;
  problem.buffers[1].group = problem.buffers[2].group = 1;
  const Certificate bound = LowerBound(problem);
  EXPECT_EQ(bound.peak, 109u);
  EXPECT_EQ(bound.rule, Certificate::Rule::kFixed);
  EXPECT_EQ(bound.buffers, (std::vector<size_t>{1, 2}));
  EXPECT_TRUE(Holds(problem, bound));
}

TEST(Bounds, SumsSaturate) {
  Problem problem;
  problem.buffers = {Live(kMax, 0, 2), Live(kMax, INT64_MIN, INT64_MAX), Live(kMax, 1, 3, kMax)};
  EXPECT_EQ(LowerBound(problem).peak, kMax);
  EXPECT_TRUE(Holds(problem, LowerBound(problem)));
  problem.buffers[0].fixed = kMax;
  EXPECT_EQ(LowerBound(problem).peak, kMax);
}

TEST(Bounds, AChangedCertificateIsRefused) {
  Problem problem;
  problem.buffers = {Live(4, 0, 2), Live(3, 1, 3), Live(5, 2, 4), Live(2, 0, 9), Live(1, 0, 9)};
  problem.buffers[3].group = problem.buffers[4].group = 1;
  const Certificate right = LiveBytesBound(problem);
  ASSERT_TRUE(Holds(problem, right));
  const auto refused = [&](auto change) {
    Certificate wrong = right;
    change(wrong);
    return !Holds(problem, wrong);
  };
  EXPECT_TRUE(refused([](Certificate& c) { ++c.peak; }));
  EXPECT_TRUE(refused([](Certificate& c) { c.time = 3; }));
  EXPECT_TRUE(refused([](Certificate& c) { c.space = 1; }));
  EXPECT_TRUE(refused([](Certificate& c) { c.buffers.pop_back(); }));
  EXPECT_TRUE(refused([](Certificate& c) { c.buffers.push_back(c.buffers.back()); }));
  EXPECT_TRUE(refused([](Certificate& c) { c.buffers.push_back(5); }));
  EXPECT_TRUE(refused([](Certificate& c) { c.buffers.push_back(4); }));  // the second of a group
  EXPECT_TRUE(refused([](Certificate& c) { c.rule = Certificate::Rule::kNothing; }));
  EXPECT_TRUE(refused([](Certificate& c) { c.rule = Certificate::Rule::kFixed; }));
  EXPECT_TRUE(refused([](Certificate& c) { c.rule = static_cast<Certificate::Rule>(9); }));
  EXPECT_TRUE(refused([](Certificate& c) { c.rule = Certificate::Rule::kAlignment, c.buffers = {2}, c.peak = 6; }));
}

TEST(Bounds, NoPlacementOfATinyProblemIsBelow) {
  int tight = 0, feasible = 0, beyond_live_bytes = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const Problem problem = TinyProblem(seed);
    const Certificate bound = LowerBound(problem);
    ASSERT_TRUE(Holds(problem, bound)) << "seed " << seed;
    ASSERT_TRUE(Holds(problem, LiveBytesBound(problem))) << "seed " << seed;
    ASSERT_GE(bound.peak, LiveBytesBound(problem).peak) << "seed " << seed;
    for (const Certificate& each : LowerBounds(problem)) ASSERT_TRUE(Holds(problem, each)) << "seed " << seed;
    beyond_live_bytes += bound.peak > LiveBytesBound(problem).peak;
    const std::optional<uint64_t> least = BruteForce(problem).LeastPeak(kTinyCeiling);
    if (!least) continue;
    ++feasible;
    ASSERT_LE(bound.peak, *least) << "seed " << seed;
    tight += bound.peak == *least;
  }
  EXPECT_GT(feasible, 500);
  EXPECT_GT(tight, feasible / 2);
  EXPECT_GT(beyond_live_bytes, 50);
}

}  // namespace
}  // namespace oomph::placement
