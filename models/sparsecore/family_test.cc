// What engines ask of the family besides judging: figures, limits, capacities, ends that are no answers. Not for: oracles
// (oracles_test.cc), texts (text_test.cc).
#include "models/sparsecore/family.h"

#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "models/base/limit.h"
#include "models/sparsecore/answer.h"
#include "models/sparsecore/metrics.h"
#include "models/sparsecore/planner.h"
#include "models/sparsecore/program.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/reach.h"

namespace oomph::sparsecore {
namespace {

// Two scopes that share; the second is 1,000 words, below 2,000 that both see.
constexpr std::string_view kShares = "sparsecore v6e tiling linear scope allocate a tile_spmem f32[2000] use a scope allocate b tile_spmem f32[1000] use b end work end "
                                     "scope allocate c tile_spmem f32[2400] use c end work";
// The frame takes its own first: b starts above d, which is not live with it.
constexpr std::string_view kWastes = "sparsecore v6e tiling linear scope allocate b tile_spmem f32[1000] use b end if allocate d tile_spmem f32[1000] use d end work";

CaseOf<Program> Read(std::string_view text) {
  CaseOf<Program> c;
  const absl::Status status = SparseCoreFamily().Parse("p", text, c);
  EXPECT_TRUE(status.ok()) << status;
  return c;
}
OutcomeOf<Answer> ModelOf(const CaseOf<Program>& c) {
  OutcomeOf<Answer> outcome;
  RunModel(c.value, outcome.value);
  return outcome;
}

TEST(SparseCoreFamily, MeasuresWordsAndWaste) {
  std::array<double, 3> values;
  const CaseOf<Program> shares = Read(kShares), wastes = Read(kWastes), refused = Read("scratch a tile_spmem f32[70000] use a");
  ASSERT_EQ(values.size(), SparseCoreFamily().metrics().size());
  ASSERT_TRUE(SparseCoreFamily().Measure(shares, ModelOf(shares), values));
  EXPECT_EQ(values[0], 3000);
  EXPECT_EQ(values[1], 0);
  EXPECT_EQ(values[2], 0);
  ASSERT_TRUE(SparseCoreFamily().Measure(wastes, ModelOf(wastes), values));
  EXPECT_EQ(values[0], 2000);
  EXPECT_EQ(values[2], 1);  // 1,000 would do
  ASSERT_TRUE(SparseCoreFamily().Measure(refused, ModelOf(refused), values));
  EXPECT_EQ(values[1], 1);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_FALSE(SparseCoreFamily().Measure(refused, OutcomeOf<Answer>(), values));
}

TEST(SparseCoreFamily, ACapacityIsATilesBytes) {
  CaseOf<Program> c = Read(kShares);
  const Family& family = SparseCoreFamily();
  EXPECT_FALSE(family.ExceedsLimit(c, ModelOf(c), 12'000).has_value());
  EXPECT_TRUE(family.ExceedsLimit(c, ModelOf(c), 11'999).has_value());
  EXPECT_FALSE(family.ExceedsLimit(c, ModelOf(c), kOwnLimit).has_value());
  ASSERT_TRUE(family.SetCapacity(c, 12'000));
  EXPECT_EQ(ModelOf(c).value.status, Status::kPlanned);
  ASSERT_TRUE(family.SetCapacity(c, 11'996));
  ASSERT_EQ(c.value.limits.size(), 1u);
  EXPECT_EQ(ModelOf(c).value.status, Status::kOverBound);
  const auto over = family.ExceedsLimit(c, ModelOf(c), kOwnLimit);
  ASSERT_TRUE(over.has_value());
  EXPECT_EQ(over->identity, "e3000:tile_spmem");
}

TEST(SparseCoreFamily, EndsAreNoAnswers) {
  const CaseOf<Program> c = Read(kShares);
  OutcomeOf<Answer> outcome = ModelOf(c);
  SparseCoreFamily().MarkEnded(outcome, 0, Ending::kTimedOut, "2 s");
  EXPECT_EQ(outcome.value.status, Status::kHung);
  EXPECT_EQ(outcome.value.why, "2 s");
  EXPECT_TRUE(outcome.value.placed.empty());
  EXPECT_EQ(SparseCoreFamily().Size(c), 11u);  // ends are not counted
}

TEST(SparseCoreFamily, WhatWasReachedIsNamed) {
  const CaseOf<Program> c = Read(kShares);
  Reach reach;
  SparseCoreFamily().Reached(c, ModelOf(c), reach);
  std::string names;
  for (size_t i = 0; i < ReachNames().size(); ++i) {
    if (reach[i]) names += std::string(ReachNames()[i]) + " ";
  }
  for (const std::string_view name : {"feature:v6e", "feature:linear", "status:planned", "depth:2", "planned:shared"}) {
    EXPECT_NE(names.find(std::string(name)), std::string::npos) << name << " in " << names;
  }
  EXPECT_LT(ReachNames().size(), kMaxReach);
}

}  // namespace
}  // namespace oomph::sparsecore
