// Problems as bytes: exact there and back, and nothing else is taken for one.
#include "subjects/planner/problem_pack.h"

#include <gtest/gtest.h>

#include <string>

#include "models/base/choices.h"
#include "models/placement/generate.h"

namespace oomph::placement {
namespace {

// One with everything in it.
Problem Full() {
  Problem problem;
  problem.capacity = 0;
  problem.extra_columns = "color,note";
  Buffer buffer;
  buffer.id = "a\n,\"";
  buffer.size = UINT64_MAX;
  buffer.alignment = 0;
  buffer.start = INT64_MIN;
  buffer.end = INT64_MAX;
  buffer.fixed = UINT64_MAX;
  buffer.hint = 0;
  buffer.space = UINT32_MAX;
  buffer.group = 1;
  buffer.gaps = {{-1, 1, 2, 3}, {4, 3, 9, 8}};
  buffer.slices = {{7, -7}, {0, 0}};
  buffer.extra = "red,";
  problem.buffers = {buffer, Buffer()};
  return problem;
}

TEST(ProblemPackTest, ComesBackEqual) {
  std::string bytes;
  Problem back;
  for (const Problem& problem : {Full(), Problem()}) {
    PackProblem(problem, bytes);
    ASSERT_TRUE(UnpackProblem(bytes, back));
    EXPECT_EQ(back, problem);
  }
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Choices choices = Choices::FromSeed(seed, false);
    Problem problem;
    GenerateProblem(choices, {}, problem);
    PackProblem(problem, bytes);
    ASSERT_TRUE(UnpackProblem(bytes, back)) << seed;
    ASSERT_EQ(back, problem) << seed;
  }
}

TEST(ProblemPackTest, WhatIsShorterOrLongerIsRefused) {
  std::string bytes;
  Problem back;
  PackProblem(Full(), bytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(UnpackProblem(std::string_view(bytes).substr(0, size), back)) << size;
  }
  EXPECT_FALSE(UnpackProblem(bytes + '\0', back));
}

// A count, a length or a number out of its range at any place: refused or read as something else, never trusted.
TEST(ProblemPackTest, DamageIsSurvived) {
  std::string bytes;
  PackProblem(Full(), bytes);
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    Problem back;
    std::string again;
    if (!UnpackProblem(damaged, back)) continue;
    PackProblem(back, again);
    EXPECT_EQ(again, damaged) << at;
  }
}

}  // namespace
}  // namespace oomph::placement
