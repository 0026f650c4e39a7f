// Relations 4 and 5 of the design, over random modules: the peak that the live ranges give is the peak of their placement
// problem, of an interpreter that knows no live ranges, and of an HBM trace that allocates where a buffer
// comes to life and frees after it was last needed. Each is asked of a planted fault too, which it sees. And what
// equivalent rewrites may do to the peak.
// Does not cover: XLA's own heap (subjects/xla), other orders than legal ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/base/choices.h"
#include "models/hbm/allocator.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"
#include "models/hlo/answer.h"
#include "models/hlo/generate.h"
#include "models/hlo/interpreter.h"
#include "models/hlo/liveness.h"
#include "models/hlo/mutate.h"
#include "models/hlo/rewrite.h"
#include "models/hlo/text.h"
#include "models/placement/problem.h"

namespace oomph::hlo {
namespace {

constexpr uint64_t kCases = 400;

Module Generated(uint64_t seed) {
  Choices choices = Choices::FromSeed(seed, true);
  Module module;
  GenerateModule(choices, {}, module);
  return module;
}

// ---- the problem as a trace ----

// When a buffer comes or goes.
struct Event {
  int64_t time = 0;
  bool comes = false;
  uint32_t buffer = 0;
};

// What goes at a time goes before what comes: live ranges are half-open. A buffer with gaps comes several times.
std::vector<Event> EventsOf(const placement::Problem& problem, uint32_t space) {
  std::vector<Event> events;
  for (uint32_t b = 0; b < problem.buffers.size(); ++b) {
    const placement::Buffer& buffer = problem.buffers[b];
    if (buffer.space != space) continue;
    events.push_back({buffer.start, true, b});
    for (const placement::Gap& gap : buffer.gaps) {
      events.push_back({gap.lower, false, b});
      events.push_back({gap.upper, true, b});
    }
    events.push_back({buffer.end, false, b});
  }
  std::sort(events.begin(), events.end(), [](const Event& x, const Event& y) {
    return std::tuple(x.time, x.comes, x.buffer) < std::tuple(y.time, y.comes, y.buffer);
  });
  return events;
}

// Nothing where the sizes are too large for a memory.
hbm::Trace TraceOf(const placement::Problem& problem, uint32_t space) {
  hbm::Trace trace;
  trace.policy.capacity = uint64_t{1} << 62;
  for (const Event& event : EventsOf(problem, space)) {
    hbm::Step step;
    step.kind = event.comes ? hbm::StepKind::kAllocate : hbm::StepKind::kFree;
    step.name = event.buffer;
    if (event.comes) step.size = problem.buffers[event.buffer].size;
    trace.steps.push_back(step);
  }
  return trace;
}

uint64_t PeakInUse(const hbm::Trace& trace) {
  hbm::TraceOutcome outcome;
  hbm::RunModel(trace, outcome);
  uint64_t most = 0;
  for (const auto& row : outcome.rows) most = std::max(most, row.stats.peak_bytes_in_use);
  return most;
}

bool SmallEnough(const Liveness& liveness) {
  uint64_t sum = 0;
  for (const LiveBuffer& buffer : liveness.buffers) sum = SaturatingAdd(sum, buffer.bytes);
  return sum < uint64_t{1} << 60;
}

// In how many of the cases some memory space has another peak as a trace; how many were asked.
std::pair<uint64_t, uint64_t> TracesThatDiffer(const std::function<void(placement::Problem&)>& plant) {
  uint64_t differ = 0, asked = 0;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    const Module module = Generated(seed);
    const absl::StatusOr<Liveness> liveness = LivenessOf(module);
    if (!liveness.ok() || !SmallEnough(*liveness)) continue;
    placement::Problem problem = ProblemOf(module, *liveness);
    plant(problem);
    ++asked;
    const auto differs = [&](const Peak& peak) { return PeakInUse(TraceOf(problem, peak.space)) != peak.bytes; };
    if (std::any_of(liveness->peaks.begin(), liveness->peaks.end(), differs)) ++differ;
  }
  return {differ, asked};
}

TEST(HloLivenessProps, AScheduleRunAsATraceHasThePeakInUse) {
  const auto [differ, asked] = TracesThatDiffer([](placement::Problem&) {});
  EXPECT_EQ(differ, 0u);
  EXPECT_GT(asked, kCases / 2);
}

// Buffers that go a step early, as if an operand made room for the result of the same step.
TEST(HloLivenessProps, ATraceSeesBuffersThatGoAStepEarly) {
  const auto [differ, asked] = TracesThatDiffer([](placement::Problem& problem) {
    for (placement::Buffer& buffer : problem.buffers) buffer.end = std::max(buffer.start + 1, buffer.end - 1);
  });
  EXPECT_GT(differ, asked / 20);
}

// ---- the interpreter ----

bool Agree(const Liveness& liveness, const InterpretedPeak& counted) {
  for (const Peak& peak : liveness.peaks) {
    const auto found = counted.by_space.find(peak.space);
    if ((found == counted.by_space.end() ? 0 : found->second) != peak.bytes) return false;
  }
  return liveness.total_peak == counted.total;
}

// The number that were asked. Each must agree.
uint64_t AskInterpreter(uint64_t first, uint64_t last, bool mutated) {
  uint64_t asked = 0;
  for (uint64_t seed = first; seed < last; ++seed) {
    Module module = Generated(seed);
    if (mutated) {
      Choices choices = Choices::FromSeed(seed, true);
      MutateModule(choices, {}, module);
    }
    const absl::StatusOr<Liveness> liveness = LivenessOf(module, CountedOptions());
    const absl::StatusOr<InterpretedPeak> counted = InterpretPeak(module);
    if (!liveness.ok() || !counted.ok()) continue;
    ++asked;
    EXPECT_TRUE(Agree(*liveness, *counted))
        << liveness->total_peak << " against " << counted->total << "\n" << Print(module);
    if (testing::Test::HasFailure()) break;
  }
  return asked;
}

TEST(HloLivenessProps, TheInterpreterCountsTheSamePeak) {
  EXPECT_EQ(AskInterpreter(0, kCases, false), kCases);
  EXPECT_EQ(AskInterpreter(0, kCases / 2, true), kCases / 2);
}

TEST(SlowHloLivenessProps, TheInterpreterCountsTheSamePeak) {
  EXPECT_EQ(AskInterpreter(kCases, 25000, false), 25000 - kCases);
  EXPECT_EQ(AskInterpreter(kCases, 25000, true), 25000 - kCases);
}

// What the interpreter would say if a loop's state were not carried in one buffer, or constants cost nothing.
TEST(HloLivenessProps, TheInterpreterSeesAnotherConvention) {
  const auto count = [](const LivenessOptions& options) {
    uint64_t differ = 0;
    for (uint64_t seed = 0; seed < kCases; ++seed) {
      const Module module = Generated(seed);
      const absl::StatusOr<Liveness> liveness = LivenessOf(module, options);
      const absl::StatusOr<InterpretedPeak> counted = InterpretPeak(module);
      if (liveness.ok() && counted.ok() && !Agree(*liveness, *counted)) ++differ;
    }
    return differ;
  };
  LivenessOptions other = CountedOptions();
  other.in_place = InPlace::kWhereDying;
  EXPECT_GT(count(other), 0u);
  other = CountedOptions();
  other.reuse_operands = true;
  EXPECT_GT(count(other), 0u);
  other = CountedOptions();
  other.constants = Constants::kLeftOut;
  EXPECT_GT(count(other), 0u);
}

// ---- rewrites ----

// How a rewritten module's peaks stand to those of the module, in every memory space and in all.
struct Changed {
  uint64_t asked = 0, lower = 0, higher = 0;
};

Changed AskRewrite(Rewrite rewrite, uint64_t first, uint64_t last) {
  const auto peak_of = [](const Liveness& liveness, uint32_t space) {
    const Peak* peak = PeakOf(liveness, space);
    return peak == nullptr ? 0 : peak->bytes;
  };
  Changed changed;
  for (uint64_t seed = first; seed < last; ++seed) {
    const Module module = Generated(seed);
    Module rewritten = module;
    Choices choices = Choices::FromSeed(~seed, true);
    if (!Apply(rewrite, choices, rewritten)) continue;
    const absl::StatusOr<Liveness> before = LivenessOf(module, CountedOptions());
    const absl::StatusOr<Liveness> after = LivenessOf(rewritten, CountedOptions());
    EXPECT_TRUE(before.ok() && after.ok()) << Print(rewritten);
    if (!before.ok() || !after.ok()) break;
    bool lower = after->total_peak < before->total_peak, higher = after->total_peak > before->total_peak;
    for (const Peak& peak : before->peaks) lower = lower || peak_of(*after, peak.space) < peak.bytes;
    for (const Peak& peak : after->peaks) higher = higher || peak_of(*before, peak.space) < peak.bytes;
    ++changed.asked;
    changed.lower += lower ? 1 : 0;
    changed.higher += higher ? 1 : 0;
  }
  return changed;
}

// That a rewrite does to the peak what it may and nothing else; that it may do it is seen as well.
void AskRewrites(uint64_t first, uint64_t last, bool all_seen) {
  for (size_t i = 0; i < kRewrites; ++i) {
    const RewriteRow& row = kRewriteRows[i];
    const Changed changed = AskRewrite(static_cast<Rewrite>(i), first, last);
    EXPECT_GT(changed.asked, 0u) << row.name;
    EXPECT_TRUE(row.may_lower || changed.lower == 0) << row.name;
    EXPECT_TRUE(row.may_raise || changed.higher == 0) << row.name;
    if (!all_seen) continue;
    EXPECT_EQ(changed.lower > 0, row.may_lower) << row.name;
    EXPECT_EQ(changed.higher > 0, row.may_raise) << row.name;
    std::cout << row.name << ": " << changed.asked << " asked, " << changed.lower << " lower, " << changed.higher
              << " higher\n";
  }
}

TEST(HloLivenessProps, RewritesChangeThePeakOnlyAsTheyMay) { AskRewrites(0, kCases, false); }
TEST(SlowHloLivenessProps, RewritesChangeThePeakOnlyAsTheyMay) { AskRewrites(kCases, 25000, true); }

// ---- orders ----

// Each order is legal, so each has all outputs and parameters of the entry at its peak or above.
TEST(HloLivenessProps, NoOrderNeedsLessThanWhatIsThereAllTheTime) {
  for (uint64_t seed = 0; seed < kCases / 4; ++seed) {
    const Module module = Generated(seed);
    for (const Order order : {Order::kText, Order::kBreadthFirst, Order::kLeastMemory}) {
      LivenessOptions options;
      options.order = order;
      const absl::StatusOr<Liveness> liveness = LivenessOf(module, options);
      ASSERT_TRUE(liveness.ok()) << liveness.status();
      uint64_t always = 0;
      for (const LiveBuffer& buffer : liveness->buffers) {
        if (buffer.parameter && buffer.ranges.size() == 1 && buffer.ranges[0].end > liveness->flat.steps.size()) {
          always = SaturatingAdd(always, buffer.bytes);
        }
      }
      EXPECT_GE(liveness->total_peak, always) << seed;
    }
  }
}

}  // namespace
}  // namespace oomph::hlo
