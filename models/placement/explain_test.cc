// What is said of a placement: the peak, the bound and its witnesses, what would fit.
#include "models/placement/explain.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/placement/generate.h"
#include "models/placement/text.h"

namespace oomph::placement {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Problem Parse(std::string_view text) {
  Problem problem;
  EXPECT_TRUE(ParseProblem("p", text, problem).ok());
  return problem;
}

Plan At(Status status, std::vector<std::optional<uint64_t>> offsets) {
  Plan plan;
  plan.status = status;
  plan.offsets = std::move(offsets);
  return plan;
}

TEST(Explain, APlacementAboveItsBound) {
  const Problem problem =
      Parse("# oomph capacity 30\nid,lower,upper,size,alignment\na,0,3,8,1\nb,2,9,12,1\nc,5,9,4,4\n");
  EXPECT_EQ(Explain(problem, At(Status::kFeasible, {0, 13, 0})),
            "feasible: 3 buffers, capacity 30\n"
            "The highest buffer, b, ends at 25: 25.0 % above the lower bound.\n"
            "No placement has a peak below 20, since so many bytes are in use at time 2:\n"
            "  b: 12 bytes, live in [2,9)\n"
            "  a: 8 bytes, live in [0,3)\n"
            "5 bytes of the capacity are left above it.\n");
  EXPECT_THAT(Explain(problem, At(Status::kOptimal, {0, 8, 0})),
              HasSubstr("ends at 20, and no placement can be lower."));
}

TEST(Explain, AboveTheCapacity) {
  const Problem problem = Parse("# oomph capacity 22\nid,lower,upper,size\na,0,3,8\nb,2,9,12\n");
  EXPECT_THAT(Explain(problem, At(Status::kFeasible, {0, 13})),
              HasSubstr("It would fit a capacity of 25.\n"));
}

TEST(Explain, NothingFits) {
  const Problem problem = Parse("# oomph capacity 15\nid,lower,upper,size\na,0,3,8\nb,2,9,12\nc,2,3,2\n");
  const std::string text = Explain(problem, At(Status::kInfeasible, {}));
  EXPECT_THAT(text, HasSubstr("infeasible: 3 buffers, capacity 15\n"));
  EXPECT_THAT(text, HasSubstr("Nothing fits: the capacity is 7 bytes short of the lower bound.\n"));
  EXPECT_THAT(
      text, HasSubstr("At time 2 at least 7 bytes less must be in use, such as by a not being live then.\n"));
}

TEST(Explain, NotFoundThoughTheBoundFits) {
  const Problem problem =
      Parse("# oomph capacity 20\nid,lower,upper,size,alignment\na,0,3,8,\nb,2,9,10,16\n");
  const std::string text = Explain(problem, At(Status::kNotFound, {}));
  EXPECT_THAT(text, Not(HasSubstr("highest buffer")));
  EXPECT_THAT(Explain(Parse("# oomph capacity 20\nid,lower,upper,size\na,0,3,8\nb,2,9,10\n"),
                      At(Status::kNotFound, {})),
              HasSubstr("A capacity of 18 surely fits"));
}

TEST(Explain, ManyWitnessesAreSummedUp) {
  std::string text = "id,lower,upper,size\n";
  for (int i = 0; i < 20; ++i) text += "x" + std::to_string(i) + ",0,1," + std::to_string(1 + i) + "\n";
  const std::string said = Explain(Parse(text), Plan());
  EXPECT_THAT(said, HasSubstr("  x19: 20 bytes"));
  EXPECT_THAT(said, HasSubstr("  and 8 more of together 36 bytes\n"));
  EXPECT_THAT(said, Not(HasSubstr("  x7:")));
}

TEST(Explain, NothingNeedsNothing) {
  EXPECT_EQ(Explain(Problem(), Plan()),
            "not_run: 0 buffers\nNo placement can be shown to need any memory.\n");
}

TEST(Explain, AnythingIsExplained) {
  Problem problem;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    GenerateProblem(choices, {}, problem);
    Plan plan = At(Status::kFeasible, {});
    for (size_t i = 0; i < problem.buffers.size(); ++i) plan.offsets.push_back(choices.Bits());
    EXPECT_THAT(Explain(problem, plan), HasSubstr("feasible: "));
  }
}

}  // namespace
}  // namespace oomph::placement
