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

TEST(Explain, ARuleThatIsBrokenIsNamedAndNothingIsPraised) {
  const Problem one = Parse("# oomph capacity 0\nid,lower,upper,size\na,0,1,1\n");
  EXPECT_EQ(Explain(one, At(Status::kOptimal, {0})),
            "optimal, it says: 1 buffer, capacity 0\n"
            "Broken: within_capacity: buffer 0 (a) of 1 bytes lies at 0 and ends above 0.\n"
            "The highest buffer, a, ends at 1.\n"
            "No placement has a peak below 1, since so many bytes are in use at time 0:\n"
            "  a: 1 byte, live in [0,1)\n"
            "Nothing fits: the capacity is 1 bytes short of the lower bound.\n"
            "At time 0 at least 1 bytes less must be in use, such as by a not being live then.\n");
  const Problem two = Parse("# oomph capacity 9\nid,lower,upper,size\na,0,2,2\nb,0,2,1\n");
  const std::string text = Explain(two, At(Status::kFeasible, {0, 1}));
  EXPECT_THAT(text, HasSubstr("Broken: no_live_overlap: buffer 1 (b) at 1 and buffer 0 (a) at 0"));
  EXPECT_THAT(text, Not(HasSubstr("are left above it")));
  EXPECT_THAT(text, HasSubstr("The highest buffer, a, ends at 2.\n"));
}

TEST(Explain, ANoteIsOneLineAsItWasWritten) {
  Plan plan = At(Status::kDied, {});
  plan.note = "it's \"gone\"\n\xc2\x9b";
  const std::string text = Explain(Parse("id,lower,upper,size\na,0,1,1\n"), plan);
  EXPECT_THAT(text, HasSubstr("died: 1 buffer\nBroken: ends: the planner died: it's \"gone\"\\x0a\\xc2\\x9b.\n"));
  plan.status = Status::kTimeout;
  EXPECT_THAT(Explain(Problem(), plan), HasSubstr("The planner says: it's \"gone\"\\x0a\\xc2\\x9b\n"));
}

TEST(Explain, WhatIsRarelyMeant) {
  const std::string rows = "id,lower,upper,size,gaps,slices\n";
  const auto explained = [&](const std::string& more) { return Explain(Parse(rows + more), Plan()); };
  EXPECT_THAT(explained("a,0,9,16,3-5,8@1 8@2\nb,0,9,1,,\n"), Not(HasSubstr("Note:")));
  EXPECT_THAT(explained("a,0,9,16,,\na,0,9,1,,\n"), HasSubstr("more than one buffer has the id a."));
  EXPECT_THAT(explained("a,0,9,16,5-3,\n"), HasSubstr("a gap of a has no time of its life in it"));
  EXPECT_THAT(explained("a,0,9,16,9-12,\n"), HasSubstr("a gap of a has no time of its life in it"));
  EXPECT_THAT(explained("a,0,9,16,,9@1 8@2\n"), HasSubstr("the slices of a are more than its size"));
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
  EXPECT_THAT(text, HasSubstr("for an exact planner to say (--subject model:branch_and_bound)."));
  const Problem tight = Parse(
      "# oomph capacity 4\nid,lower,upper,size\na,0,1,2\nb,0,3,2\nc,2,4,1\nd,2,5,1\ne,3,5,1\nf,4,7,2\ng,6,7,2\n");
  EXPECT_THAT(Explain(tight, At(Status::kInfeasible, {})),
              HasSubstr("The lower bound fits the capacity; the planner claims a proof that no placement does.\n"));
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
    EXPECT_THAT(Explain(problem, plan), HasSubstr("feasible"));
  }
}

}  // namespace
}  // namespace oomph::placement
