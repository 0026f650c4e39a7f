// What is generated and mutated stays within the features asked for, reaches each of them, and is the same
// for the same choices.
#include "models/placement/footprint.h"
#include "models/placement/generate.h"

#include <algorithm>
#include <array>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/placement/decorate.h"
#include "models/placement/planner.h"
#include "models/placement/promises.h"

namespace oomph::placement {
namespace {

constexpr Bits64 kEverything = (Bits64{1} << feature::kNumFeatures) - 1;

Problem Drawn(uint64_t seed, const GenerateOptions& options = {}) {
  Choices choices = Choices::FromSeed(seed, seed % 2 == 1);
  Problem problem;
  GenerateProblem(choices, options, problem);
  return problem;
}

Buffer Plain(std::string id, uint64_t size, int64_t start, int64_t end) {
  Buffer buffer;
  buffer.id = id;
  buffer.size = size;
  buffer.start = start;
  buffer.end = end;
  return buffer;
}

template <typename Has>
bool Any(const Problem& problem, Has has) {
  return std::any_of(problem.buffers.begin(), problem.buffers.end(), has);
}

bool IsLarge(const Buffer& b) {
  return b.size >= uint64_t{1} << 62 || b.end > INT64_MAX / 2 || b.start < INT64_MIN / 2;
}
bool HasWindow(const Buffer& b) {
  return std::any_of(b.gaps.begin(), b.gaps.end(),
                     [](const Gap& g) { return g.window_lower < g.window_upper; });
}

// The features that a problem uses, by another reading of promises.h than that of Restrict().
Bits64 Uses(const Problem& p) {
  std::array<bool, feature::kNumFeatures> uses{};
  uses[feature::kCapacity] = p.capacity.has_value();
  uses[feature::kMinimize] = !p.capacity.has_value();
  uses[feature::kCapacityZero] = p.capacity == 0;
  uses[feature::kMany] = p.buffers.size() > 8;
  uses[feature::kAlign] =
      Any(p, [](const Buffer& b) { return b.alignment > 1 && (b.alignment & (b.alignment - 1)) == 0; });
  uses[feature::kOddAlign] =
      Any(p, [](const Buffer& b) { return b.alignment == 0 || (b.alignment & (b.alignment - 1)) != 0; });
  uses[feature::kFixed] = Any(p, [](const Buffer& b) { return b.fixed.has_value(); });
  uses[feature::kHint] = Any(p, [](const Buffer& b) { return b.hint.has_value(); });
  uses[feature::kSpaces] = Any(p, [](const Buffer& b) { return b.space != 0; });
  uses[feature::kGroups] = Any(p, [](const Buffer& b) { return b.group != 0; });
  uses[feature::kGaps] = Any(p, [](const Buffer& b) { return !b.gaps.empty(); });
  uses[feature::kWindows] = Any(p, HasWindow);
  uses[feature::kSlices] = Any(p, [](const Buffer& b) { return !b.slices.empty(); });
  uses[feature::kSizeZero] = Any(p, [](const Buffer& b) { return b.size == 0; });
  uses[feature::kEmptyRange] = Any(p, [](const Buffer& b) { return b.end <= b.start; });
  uses[feature::kLarge] = Any(p, IsLarge);
  Bits64 bits = 0;
  for (size_t i = 0; i < uses.size(); ++i) bits |= Bits64{uses[i]} << i;
  return bits;
}

TEST(GenerateProblem, TheSimplestTapeIsOneByte) {
  Choices choices = Choices::FromTape("");
  Problem problem;
  GenerateProblem(choices, {}, problem);
  Problem expected;
  expected.buffers.push_back(Plain("b0", 1, 0, 1));
  EXPECT_EQ(problem, expected);
}

TEST(GenerateProblem, EqualChoicesGiveEqualProblemsWhateverWasThere) {
  Problem again;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Problem problem = Drawn(seed);
    Choices choices = Choices::FromSeed(seed, seed % 2 == 1);
    GenerateProblem(choices, {}, again);  // over the problem before
    ASSERT_EQ(problem, again) << seed;
  }
}

TEST(GenerateProblem, ARecordedTapeGivesTheProblemAgain) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    std::string tape;
    std::vector<TapeSpan> spans;
    Choices recorded = Choices::FromSeed(seed, true);
    recorded.Record(&tape, &spans);
    Problem problem, replayed;
    GenerateProblem(recorded, {}, problem);
    Choices choices = Choices::FromTape(tape);
    GenerateProblem(choices, {}, replayed);
    ASSERT_EQ(problem, replayed) << seed;
  }
}

TEST(GenerateProblem, EveryFeatureInTwoOfAHundred) {
  std::array<int, feature::kNumFeatures> count{};
  constexpr int kCases = 4000;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    const Bits64 uses = Uses(Drawn(seed));
    for (int i = 0; i < feature::kNumFeatures; ++i) count[i] += uses >> i & 1;
  }
  for (int i = 0; i < feature::kNumFeatures; ++i) EXPECT_GE(count[i], kCases / 50) << kFeatures[i];
}

TEST(GenerateProblem, AsksOnlyForTheFeaturesGiven) {
  for (int forbidden = 0; forbidden < feature::kNumFeatures; ++forbidden) {
    const Bits64 features = kEverything & ~(Bits64{1} << forbidden);
    for (uint64_t seed = 0; seed < 400; ++seed) {
      const GenerateOptions options{.features = features};
      Problem problem = Drawn(seed, options);
      ASSERT_EQ(Uses(problem) & ~features, 0u) << kFeatures[forbidden] << " seed " << seed;
      const Problem before = problem;
      Restrict(options, problem);
      ASSERT_EQ(problem, before) << kFeatures[forbidden] << " seed " << seed;
    }
  }
}

TEST(GenerateProblem, PackingsAreFull) {
  int full = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Problem problem = Drawn(seed, {.features = 1 << feature::kMinimize | 1 << feature::kMany});
    if (problem.buffers.size() < 5) continue;
    unsigned __int128 area = 0;
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (const Buffer& b : problem.buffers) {
      area += static_cast<unsigned __int128>(b.size) * Length(b.start, b.end);
      first = std::min(first, b.start);
      last = std::max(last, b.end);
    }
    full += area == static_cast<unsigned __int128>(LivePeak(problem)) * Length(first, last);
  }
  EXPECT_GE(full, 50);
}

TEST(GenerateProblem, SomeCannotMeetTheirBound) {
  int knots = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Problem problem = Drawn(seed, {.features = 1 << feature::kMinimize});
    Plan plan;
    RunSpecification(problem, {.planner = Planner::kBranchAndBound, .nodes = 2000}, plan);
    knots += plan.status == Status::kOptimal && plan.peak > LivePeak(problem);
  }
  EXPECT_GE(knots, 20);
}

TEST(GenerateProblem, MakesAsManyAsAskedFor) {
  for (size_t steps : {1, 7, 8, 100, 1000}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const size_t made = Drawn(seed, {.steps = steps}).buffers.size();
      // A rectangle of few units may not have that many pieces.
      EXPECT_LE(made, steps);
      EXPECT_GE(made, std::max<size_t>(steps / 8, 1)) << steps << " seed " << seed;
    }
    EXPECT_EQ(Drawn(1, {.steps = steps, .live = 64}).buffers.size(), steps);
  }
}

TEST(GenerateProblem, TrafficKeepsItsLevel) {
  const Problem problem = Drawn(1, {.steps = 20000, .live = 64});
  uint64_t lifetime = 0;
  for (const Buffer& b : problem.buffers) lifetime += Length(b.start, b.end);
  EXPECT_NEAR(static_cast<double>(lifetime) / 20000, 64, 3);
  EXPECT_EQ(Uses(problem), Bits64{1} << feature::kMinimize | Bits64{1} << feature::kMany);
}

TEST(MutateProblem, StaysWithinTheFeatures) {
  for (int forbidden = 0; forbidden < feature::kNumFeatures; ++forbidden) {
    const GenerateOptions options{.features = kEverything & ~(Bits64{1} << forbidden)};
    Problem problem = Drawn(3, options);
    for (uint64_t seed = 0; seed < 400; ++seed) {
      Choices choices = Choices::FromSeed(seed, false);
      MutateProblem(choices, options, problem, Drawn(seed));  // the other may have all features
      ASSERT_EQ(Uses(problem) & ~options.features, 0u) << kFeatures[forbidden] << " seed " << seed;
    }
  }
}

TEST(MutateProblem, ChangesNearlyAlwaysAndTakesFromTheOther) {
  int changed = 0, taken = 0;
  Problem other = Drawn(77);
  for (Buffer& b : other.buffers) b.id = "other";
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const Problem before = Drawn(seed);
    Problem after = before;
    Choices choices = Choices::FromSeed(seed, false);
    MutateProblem(choices, {}, after, other);
    changed += !(after == before);
    taken += Any(after, [](const Buffer& b) { return b.id == "other"; });
  }
  EXPECT_GE(changed, 400);
  EXPECT_GE(taken, 25);
}

TEST(MutateProblem, SurvivesNothingAndItself) {
  Problem problem;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Choices choices = Choices::FromSeed(seed, false);
    if (seed % 50 == 0) problem = {};
    MutateProblem(choices, {}, problem, problem);
  }
  EXPECT_LE(problem.buffers.size(), 8192u);
}

TEST(LivePeak, AtTheEndsOfTheTypes) {
  Problem problem;
  EXPECT_EQ(LivePeak(problem), 0u);
  problem.buffers.push_back(Plain("a", UINT64_MAX, INT64_MIN, INT64_MAX));
  EXPECT_EQ(LivePeak(problem), UINT64_MAX);
  problem.buffers.push_back(Plain("b", 5, 0, 3));
  EXPECT_EQ(LivePeak(problem), UINT64_MAX);
  problem.buffers[0].size = 7;
  problem.buffers.push_back(Plain("c", 5, 3, 4));  // touches b
  EXPECT_EQ(LivePeak(problem), 12u);
  problem.buffers[1].space = 1;
  problem.buffers[2].end = 3;
  EXPECT_EQ(LivePeak(problem), 7u);
}

}  // namespace
}  // namespace oomph::placement
