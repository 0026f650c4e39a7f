// Plans for people and for another process.
#include "models/placement/plan_text.h"

#include <string>

#include "gtest/gtest.h"

namespace oomph::placement {
namespace {

Problem TwoBuffers() {
  Problem problem;
  problem.buffers.resize(2);
  problem.buffers[0].id = "a";
  problem.buffers[0].size = 1024;
  problem.buffers[0].end = 9;
  problem.buffers[1].id = "long\nname";
  problem.buffers[1].size = 8;
  problem.buffers[1].start = -3;
  return problem;
}

Plan FullPlan() {
  Plan plan;
  plan.status = Status::kOptimal;
  plan.offsets = {0, std::nullopt, UINT64_MAX};
  plan.peak = 1032;
  plan.lower_bound = 0;
  plan.nodes = 77;
  plan.budget_spent = true;
  plan.note = "a note";
  return plan;
}

TEST(PrintPlan, OneLineABuffer) {
  Plan plan = FullPlan();
  plan.offsets = {0, std::nullopt};
  EXPECT_EQ(PrintPlan(TwoBuffers(), plan),
            "optimal, peak 1032, lower bound 0, nodes 77, budget spent\n"
            "note: a note\n"
            "buffer          live  size  offset\n"
            "a              [0,9)  1024       0\n"
            "long\\x0aname  [-3,0)     8       -\n");
}

TEST(PrintPlan, WithoutOffsetsTheStatusAlone) {
  Plan plan;
  plan.status = Status::kInfeasible;
  EXPECT_EQ(PrintPlan(TwoBuffers(), plan), "infeasible, no offsets\n");
}

TEST(PackPlan, ComesBack) {
  for (int status = 0; status < kNumStatuses; ++status) {
    Plan plan = FullPlan(), again;
    plan.status = static_cast<Status>(status);
    ASSERT_TRUE(UnpackPlan(PackPlan(plan), again));
    EXPECT_EQ(again, plan);
    ASSERT_TRUE(UnpackPlan(PackPlan(Plan()), again));
    EXPECT_EQ(again, Plan());
  }
}

// What is unpacked is what was packed, or nothing is.
TEST(UnpackPlan, RefusesEveryDamageThatItCanSee) {
  const std::string bytes = PackPlan(FullPlan());
  Plan plan;
  const size_t note = FullPlan().note.size();
  for (size_t length = 0; length < bytes.size() - note; ++length) {
    EXPECT_FALSE(UnpackPlan(std::string_view(bytes).substr(0, length), plan)) << length;
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int flip : {1, 2, 128, 255}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      if (UnpackPlan(damaged, plan)) {
        EXPECT_EQ(PackPlan(plan), damaged) << i;
      }
    }
  }
}

TEST(UnpackPlan, ManyOffsetsThatAreNotThereTakeNoMemory) {
  std::string bytes = PackPlan(Plan());
  for (size_t i = bytes.size() - 8; i < bytes.size(); ++i) bytes[i] = '\x7f';
  Plan plan;
  EXPECT_FALSE(UnpackPlan(bytes, plan));
  EXPECT_EQ(plan.offsets.capacity(), 0u);
}

}  // namespace
}  // namespace oomph::placement
