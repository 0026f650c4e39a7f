// Tests of the workload that allocators are measured by: what it says of itself holds.
#include "fuzz/bench/hbm_allocators.h"

#include <set>

#include "gtest/gtest.h"
#include "models/hbm/metrics.h"
#include "models/hbm/specification.h"

namespace oomph {
namespace {

TEST(AllocatorWorkload, IsTrafficAtALevel) {
  Choices choices = Choices::FromSeed(1, false);
  const hbm::Trace trace = AllocatorWorkload(choices, 60, 5000, true);
  ASSERT_EQ(trace.steps.size(), 5000u);
  std::vector<uint64_t> sizes;
  std::set<uint64_t> alignments;
  uint64_t live = 0, most = 0, small = 0;
  for (const hbm::Step& step : trace.steps) {
    if (step.kind == hbm::StepKind::kAllocate) {
      ASSERT_EQ(step.name, sizes.size());
      ASSERT_GE(step.size, 64u);
      ASSERT_LE(step.size, uint64_t{1} << 20);
      sizes.push_back(step.size);
      alignments.insert(step.alignment);
      live += step.size;
      small += step.size < 8192;  // half of the octaves
    } else {
      live -= sizes.at(step.name);
    }
    most = std::max(most, live);
  }
  EXPECT_EQ(alignments, (std::set<uint64_t>{16, 64, 256, 4096}));
  EXPECT_NEAR(static_cast<double>(small) / static_cast<double>(sizes.size()), 0.5, 0.05);
  const double capacity = static_cast<double>(trace.policy.capacity);
  EXPECT_NEAR(static_cast<double>(most) / capacity, 0.6, 0.02);
  // So lightly loaded that all is served.
  hbm::TraceOutcome outcome;
  hbm::RunSpecification(trace, outcome);
  std::vector<double> values(hbm::Metrics().size());
  ASSERT_TRUE(hbm::MeasureOutcome(trace, outcome, values));
  EXPECT_LT(values[3], 0.01) << "failed";
}

}  // namespace
}  // namespace oomph
