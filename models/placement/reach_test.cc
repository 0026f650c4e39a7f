// What is reached and what is measured of problems by hand.
#include "models/placement/reach.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "models/placement/metrics.h"
#include "models/placement/problem_testing.h"
#include "models/placement/promises.h"

namespace oomph::placement {
namespace {

std::set<std::string> Reach(const Problem& problem, const Plan& plan) {
  oomph::Reach reach;
  Reached(problem, plan, reach);
  std::set<std::string> names;
  for (size_t i = 0; i < ReachNames().size(); ++i) {
    if (reach[i]) names.insert(std::string(ReachNames()[i]));
  }
  return names;
}

TEST(Reach, NamesAreFewAndEachOnce) {
  EXPECT_LE(ReachNames().size(), kMaxReach);
  EXPECT_EQ(std::set<std::string_view>(ReachNames().begin(), ReachNames().end()).size(), ReachNames().size());
  for (std::string_view feature : kFeatures) {
    const auto name = std::find(ReachNames().begin(), ReachNames().end(), "feature:" + std::string(feature));
    ASSERT_NE(name, ReachNames().end());
    EXPECT_TRUE(ExpectedReach()[static_cast<size_t>(name - ReachNames().begin())]) << feature;
  }
}

TEST(Reach, TellsFeaturesStatusAndHowTightItWas) {
  Problem problem;
  problem.capacity = 8;
  problem.buffers = {Live(4, 0, 2), Live(4, 0, 1), Live(4, 1, 2)};
  Plan plan;
  plan.status = Status::kOptimal;
  plan.offsets = {0, 4, 4};
  EXPECT_EQ(Reach(problem, plan), (std::set<std::string>{"buffers_log2:2", "feature:capacity", "needed_eighths:4",
                                                         "over_bound_eighths:0", "status:optimal"}));
  problem.capacity.reset();
  problem.buffers[0].slices = {{1, 1}};
  problem.buffers[1].gaps = {{0, 1, 0, 0}, {0, 1, 0, 2}};
  problem.buffers[1].alignment = 6;
  problem.buffers[2] = Live(0, 2, 2);
  problem.buffers[2].space = 1;
  plan = {};
  plan.status = Status::kTimeout;
  plan.budget_spent = true;
  plan.nodes = 3;
  EXPECT_EQ(Reach(problem, plan),
            (std::set<std::string>{"buffers_log2:2", "budget:spent", "feature:empty_range", "feature:gaps", "feature:minimize",
                                   "feature:odd_align", "feature:size_zero", "feature:slices", "feature:spaces",
                                   "feature:windows", "nodes_log2:2", "status:timeout"}));
}

double Measured(const Problem& problem, const Plan& plan, std::string_view name) {
  std::array<double, 8> values;
  EXPECT_TRUE(MeasurePlan(problem, plan, std::span(values).first(Metrics().size())));
  for (size_t i = 0; i < Metrics().size(); ++i) {
    if (Metrics()[i].name == name) return values[i];
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(Metrics, OfAPlacementByHand) {
  Problem problem;
  problem.buffers = {Live(4, 0, 2), Live(4, 0, 1), Live(4, 1, 2)};
  Plan plan;
  plan.status = Status::kFeasible;
  plan.offsets = {0, 4, 12};
  EXPECT_EQ(Measured(problem, plan, "peak"), 16);
  EXPECT_EQ(Measured(problem, plan, "over_bound"), 0.5);
  EXPECT_EQ(Measured(problem, plan, "failed"), 0);
  EXPECT_TRUE(std::isnan(Measured(problem, plan, "nodes")));
  plan = {};
  plan.status = Status::kNotFound;
  plan.nodes = 7;
  EXPECT_EQ(Measured(problem, plan, "failed"), 1);
  EXPECT_EQ(Measured(problem, plan, "nodes"), 7);
  EXPECT_TRUE(std::isnan(Measured(problem, plan, "peak")));
}

TEST(Metrics, APlanThatEndsAboveALimitIsTold) {
  Problem problem;
  problem.buffers = {Live(4, 0, 2), Live(4, 0, 1)};
  Plan plan;
  plan.status = Status::kFeasible;
  plan.offsets = {0, 4};
  EXPECT_FALSE(ExceedsLimit(problem, plan, 8).has_value());
  ASSERT_TRUE(ExceedsLimit(problem, plan, 7).has_value());
  EXPECT_EQ(ExceedsLimit(problem, plan, 7)->text, "the plan needs 8 bytes, 1 byte more than the limit of 7 bytes");
  EXPECT_EQ(ExceedsLimit(problem, plan, 7)->identity, "");
  plan.status = Status::kNotFound;
  EXPECT_FALSE(ExceedsLimit(problem, plan, 7).has_value());
}

TEST(Metrics, SayNothingOfWhatDidNotEnd) {
  std::array<double, 8> values;
  for (const Status status : {Status::kNotRun, Status::kInvalid, Status::kDied, Status::kHung, Status::kRubbish}) {
    Plan plan;
    plan.status = status;
    EXPECT_FALSE(MeasurePlan({}, plan, std::span(values).first(Metrics().size())));
  }
}

}  // namespace
}  // namespace oomph::placement
