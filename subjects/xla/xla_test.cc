// XLA's own heap where the wheel is: it answers, it refuses what it does not take, and it gives the offsets of the model
// that claims to be it. Not for: its unit tests' instances (see instances_test.cc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "models/base/choices.h"
#include "models/placement/compare.h"
#include "models/placement/family.h"
#include "models/placement/generate.h"
#include "models/placement/oracles.h"
#include "models/placement/planner.h"
#include "models/placement/text.h"
#include "subjects/xla/xla_row.h"

namespace oomph {
namespace {

using placement::Buffer;
using placement::Plan;
using placement::Problem;
using placement::Status;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class XlaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!row_.absent.empty()) GTEST_SKIP() << row_.absent;
  }
  std::unique_ptr<Subject> Start(const std::string& variant) {
    auto subject = row_.make(variant, true);
    EXPECT_TRUE(subject.ok()) << subject.status();
    return subject.ok() ? *std::move(subject) : nullptr;
  }
  static Plan Ask(Subject& subject, const Problem& problem) {
    OutcomeOf<Plan> outcome;
    subject.Run(CaseOf<Problem>(problem), outcome);
    return outcome.value;
  }
  const SubjectRow row_ = XlaRow(PlacementFamily());
};

Buffer Of(uint64_t size, int64_t start, int64_t end) {
  Buffer buffer;
  buffer.size = size;
  buffer.start = start;
  buffer.end = end;
  return buffer;
}

TEST(XlaRowTest, OneAlignmentForAll) {
  Problem problem;
  problem.buffers = {Of(1, 0, 1), Of(2, 0, 1)};
  problem.buffers[0].alignment = 0;
  PrepareForXla(problem);
  EXPECT_EQ(problem.buffers[0].alignment, 1u);
  problem.buffers[1].alignment = 12;
  PrepareForXla(problem);
  const Problem once = problem;
  PrepareForXla(problem);
  EXPECT_EQ(problem, once);
  EXPECT_EQ(problem.buffers[0].alignment, 12u);
  EXPECT_EQ(ModelOfXla("order=temporal"), "temporal");
  EXPECT_EQ(ModelOfXla("order=spatial,heap=constrained"), "decreasing_size");
}

TEST_F(XlaTest, ItAnswersAndRefuses) {
  const auto subject = Start("order=spatial");
  ASSERT_NE(subject, nullptr);
  EXPECT_THAT(subject->info().version, HasSubstr("tensorflow-cpu "));
  Problem problem;
  problem.buffers = {Of(10, 0, 4), Of(30, 2, 6), Of(20, 4, 8), Of(0, 0, 9), Of(7, 5, 5)};
  Plan plan = Ask(*subject, problem);
  EXPECT_EQ(plan.status, Status::kFeasible) << plan.note;
  EXPECT_THAT(plan.offsets, ElementsAre(30u, 0u, 30u, 0u, 0u));
  EXPECT_EQ(plan.peak, 50u);
  problem.capacity = 49;
  EXPECT_EQ(Ask(*subject, problem).status, Status::kNotFound);
  problem.buffers[1].gaps = {{3, 4, 0, 0}};
  plan = Ask(*subject, problem);
  EXPECT_EQ(plan.status, Status::kInvalid);
  EXPECT_THAT(plan.note, HasSubstr("does not take gaps"));
  problem = {};
  problem.buffers = {Of(uint64_t{1} << 62, 0, 1)};
  EXPECT_EQ(Ask(*subject, problem).status, Status::kInvalid);
  EXPECT_EQ(Ask(*subject, Problem()).status, Status::kFeasible);
  EXPECT_FALSE(row_.make("order=sideways", true).ok());
}

// Buffer by buffer, on what a campaign draws for it.
void ExpectModel(Subject& subject, const std::string& variant, uint64_t seeds) {
  const auto planner = placement::ParsePlanner(ModelOfXla(variant));
  ASSERT_TRUE(planner.ok());
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    CaseOf<Problem> c;
    OutcomeOf<Plan> outcome;
    Choices choices = Choices::FromSeed(seed, false);
    placement::GenerateProblem(choices, {.features = subject.info().features, .steps = 0, .live = 0}, c.value);
    subject.Prepare(c);
    subject.Run(c, outcome);
    Plan model;
    placement::RunModel(c.value, *planner, model);
    Reasons reasons;
    placement::JudgePlan(c.value, outcome.value, subject.info().promises, reasons);
    placement::ComparePlans(c.value, model, outcome.value, reasons);
    ASSERT_NE(outcome.value.status, Status::kInvalid) << outcome.value.note << placement::PrintProblem(c.value);
    ASSERT_TRUE(reasons.empty()) << seed << ": " << reasons.list().front().oracle << ": "
                                 << reasons.list().front().text << "\n" << placement::PrintProblem(c.value);
  }
}

TEST_F(XlaTest, IsItsModelInEveryVariant) {
  for (const std::string& variant : row_.variants) {
    SCOPED_TRACE(variant);
    const auto subject = Start(variant);
    ASSERT_NE(subject, nullptr);
    ExpectModel(*subject, variant, 700);
  }
}

}  // namespace
}  // namespace oomph
