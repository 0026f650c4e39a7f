// Tests of the metrics by traces whose memory can be drawn by hand.
#include "models/hbm/metrics.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/hbm/generate.h"
#include "models/hbm/promises.h"
#include "models/hbm/specification.h"
#include "models/hbm/text.h"

namespace oomph::hbm {
namespace {

using Values = std::map<std::string, double>;

Values Measured(const Trace& trace, const TraceOutcome& outcome) {
  std::vector<double> values(Metrics().size());
  Values named;
  if (!MeasureOutcome(trace, outcome, values)) return named;
  for (size_t i = 0; i < values.size(); ++i) named[std::string(Metrics()[i].name)] = values[i];
  return named;
}

Values Measured(const std::string& text) {
  Trace trace;
  EXPECT_TRUE(ParseTrace("test", text, trace).ok()) << text;
  TraceOutcome outcome;
  RunSpecification(trace, outcome);
  return Measured(trace, outcome);
}

// From either end the peak is how far the blocks have reached.
TEST(Metrics, PeakIsWhatWasReached) {
  for (const char* end : {"low", "high"}) {
    const Values values = Measured(std::string("memory hbm capacity 100 granule 1 ends ") + end +
                                   "\nallocate a 10\nallocate b 20\nfree a\nallocate c 15\n");
    EXPECT_EQ(values.at("peak"), 45) << end;  // aaBBBBccc.: the hole of a does not serve c
  }
  // Programs from below, buffers from above.
  EXPECT_EQ(Measured("memory hbm capacity 100 granule 1\nload p 30\nallocate a 20\n").at("peak"), 50);
  EXPECT_EQ(Measured("memory hbm capacity 100 granule 1\n").at("peak"), 0);
}

TEST(Metrics, FragmentationIsMeanOverSteps) {
  const Values values = Measured("memory hbm capacity 96 granule 8 ends low\nallocate a 4\nallocate b 8\nfree a\n");
  // After each step, of free: 88 of 88, 80 of 80, 80 of 88 in one piece.
  EXPECT_NEAR(values.at("external"), (0 + 0 + 8.0 / 88) / 3, 1e-12);
  EXPECT_NEAR(values.at("internal"), (4.0 / 8 + 4.0 / 16 + 0) / 3, 1e-12);
}

TEST(Metrics, FailuresAreOfRequestsAndSomeNeedNotBe) {
  const Values full = Measured("memory hbm capacity 16 granule 1\nallocate a 10\nallocate b 10\nfree a\n");
  EXPECT_EQ(full.at("failed"), 0.5);
  EXPECT_EQ(full.at("feasible"), 0);
  // A program may not lie above a buffer: there is room, and it is refused.
  const Values policy = Measured("memory hbm capacity 16 granule 1 ends low defragmentation never\nallocate a 4\nload p 8\n");
  EXPECT_EQ(policy.at("failed"), 0.5);
  EXPECT_EQ(policy.at("feasible"), 0.5);
}

TEST(Metrics, RetriesEvictionsAndMovesAreCounted) {
  const Values waits = Measured("memory hbm capacity 64 granule 8\nallocate a 48\nfree a after fence 1\nallocate b 32\n");
  EXPECT_EQ(waits.at("retries"), 1);
  EXPECT_EQ(waits.at("evictions"), 0);
  const Values evicts = Measured("memory hbm capacity 64 granule 8\nload p 48\nallocate b 32\n");
  EXPECT_EQ(evicts.at("evictions"), 1);
  const Values moves = Measured("memory hbm capacity 32 granule 8\nallocate a 8\nallocate b 8\nfree a\ndefragment\n");
  EXPECT_EQ(moves.at("moved"), 8);
  const Values grows = Measured("memory hbm capacity 104 granule 8\nallocate a 16\nallocate b 16\nreallocate a 24\n");
  EXPECT_EQ(grows.at("moved"), 16);
}

TEST(Metrics, AnOutcomeThatEndsEarlySaysNothing) {
  Trace trace;
  ASSERT_TRUE(ParseTrace("test", "allocate a 10\nallocate b 10\n", trace).ok());
  TraceOutcome outcome;
  RunSpecification(trace, outcome);
  EXPECT_FALSE(Measured(trace, outcome).empty());
  outcome.rows.back().result = Result::kDied;
  EXPECT_TRUE(Measured(trace, outcome).empty());
  outcome.rows.pop_back();
  EXPECT_TRUE(Measured(trace, outcome).empty());
}

// Any outcome is survived; what the model gives lies where it must.
TEST(Metrics, ValuesAreInTheirRange) {
  Trace trace;
  TraceOutcome outcome;
  for (uint64_t i = 0; i < 2000; ++i) {
    Choices choices = Choices::FromSeed(MixSeed(11, i), i % 2 == 0);
    GenerateOptions options;
    options.features = (Bits64{1} << feature::kNumFeatures) - 1;
    GenerateTrace(choices, options, trace);
    RunSpecification(trace, outcome);
    for (const auto& [name, value] : Measured(trace, outcome)) {
      const bool share = name == "external" || name == "internal" || name == "failed" || name == "feasible";
      if (std::isnan(value)) continue;
      EXPECT_GE(value, 0) << name << "\n" << PrintTrace(trace);
      const bool peak = name == "peak" && !outcome.grows;
      EXPECT_LE(value, share ? 1 : peak ? static_cast<double>(trace.policy.capacity) : INFINITY)
          << name << "\n" << PrintTrace(trace);
    }
    for (Row& row : outcome.rows) {
      row.offset = choices.Bits();
      row.reserved = choices.Bits() >> choices.Below(64);
      row.first_event = static_cast<uint32_t>(choices.Below(2 * outcome.events.size() + 1));
    }
    Measured(trace, outcome);
  }
}

}  // namespace
}  // namespace oomph::hbm
