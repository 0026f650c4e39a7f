// Choices: each feed, recordings that replay, tapes of any bytes, and the walk through all combinations.
// Not for: what generators make of them (see models/hbm/generate_test.cc).
#include "models/base/choices.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace oomph {
namespace {

constexpr uint64_t kBounds[] = {
    2, 3, 200, 256, 257, 1000, 65536, 65537, uint64_t{1} << 32, (uint64_t{1} << 32) + 1, UINT64_MAX};

// A bit of everything that a generator draws.
std::vector<uint64_t> DrawSome(Choices& choices) {
  std::array<uint32_t, 5> weights = {4, 0, 1, 7, 2};
  SwarmWeights(choices, weights);
  std::vector<uint64_t> drawn(weights.begin(), weights.end());
  for (uint64_t bound : kBounds) {
    choices.BeginSpan();
    drawn.push_back(choices.Below(bound));
    drawn.push_back(choices.Between(7, 7 + (bound - 1) / 2));
    drawn.push_back(choices.Weighted(weights));
    drawn.push_back(choices.Chance(1, 3));
    choices.EndSpan();
  }
  drawn.push_back(choices.Bits());
  drawn.push_back(choices.Between(0, UINT64_MAX));
  return drawn;
}

TEST(ChoicesTest, TheSameSeedDrawsTheSameAndAnotherDoesNot) {
  for (bool swarm : {false, true}) {
    Choices one = Choices::FromSeed(5, swarm), two = Choices::FromSeed(5, swarm),
            other = Choices::FromSeed(6, swarm);
    const std::vector<uint64_t> drawn = DrawSome(one);
    EXPECT_EQ(drawn, DrawSome(two));
    EXPECT_NE(drawn, DrawSome(other));
  }
}

// Stored seeds must mean the same on every machine and for ever.
TEST(ChoicesTest, SeedsHaveFixedDraws) {
  Choices choices = Choices::FromSeed(1, false);
  std::vector<uint64_t> drawn;
  for (int i = 0; i < 6; ++i) drawn.push_back(choices.Below(1000));
  EXPECT_EQ(drawn, (std::vector<uint64_t>{811, 747, 100, 746, 184, 590}));
  EXPECT_EQ(MixSeed(1, 2), 14199616709479013707u);
}

TEST(ChoicesTest, DrawsStayBelowTheirBound) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Choices choices = Choices::FromSeed(seed, false);
    for (uint64_t bound : kBounds) ASSERT_LT(choices.Below(bound), bound);
    ASSERT_EQ(choices.Below(0), 0u);
    ASSERT_EQ(choices.Below(1), 0u);
    const uint64_t between = choices.Between(10, 12);
    ASSERT_TRUE(between >= 10 && between <= 12);
    ASSERT_EQ(choices.Between(12, 10), 12u);
  }
}

TEST(ChoicesTest, ChanceAndWeightsAreAboutRight) {
  Choices choices = Choices::FromSeed(3, false);
  int hits = 0;
  std::map<size_t, int> indices;
  const std::array<uint32_t, 4> weights = {1, 0, 3, 0};
  for (int i = 0; i < 4000; ++i) {
    hits += choices.Chance(1, 4);
    ++indices[choices.Weighted(weights)];
  }
  EXPECT_NEAR(hits, 1000, 150);
  EXPECT_NEAR(indices[0], 1000, 150);
  EXPECT_NEAR(indices[2], 3000, 150);
  EXPECT_EQ(indices.size(), 2u);
  const std::array<uint32_t, 3> none = {0, 0, 0};
  EXPECT_EQ(choices.Weighted(none), 0u);
  EXPECT_EQ(choices.Weighted(std::span<const uint32_t>()), 0u);
  EXPECT_EQ(choices.Weighted(Weights(none)), 0u);
  EXPECT_EQ(choices.Weighted(Weights()), 0u);
}

TEST(ChoicesTest, WeightsSummedOnceDrawTheSame) {
  const std::array<uint32_t, 16> weights = {0, 3, 1, 0, 7, 2, 9, 1, 4, 4, 0, 8, 1, 1, 5, 0};
  for (size_t count = 0; count <= weights.size(); ++count) {
    const auto some = std::span(weights).first(count);
    const Weights sums(some);
    Choices a = Choices::FromSeed(count, false), b = Choices::FromSeed(count, false);
    for (int i = 0; i < 200; ++i) ASSERT_EQ(a.Weighted(some), b.Weighted(sums)) << count;
  }
}

TEST(ChoicesTest, ARecordingReplaysSwarmIncluded) {
  int swarms = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    for (bool swarm : {false, true}) {
      std::string tape;
      std::vector<TapeSpan> spans;
      Choices random = Choices::FromSeed(seed, swarm);
      random.Record(&tape, &spans);
      const std::vector<uint64_t> drawn = DrawSome(random);
      swarms += tape[0] != 0;

      Choices replay = Choices::FromTape(tape);
      std::string again;
      std::vector<TapeSpan> spans_again;
      replay.Record(&again, &spans_again);
      ASSERT_EQ(DrawSome(replay), drawn);
      ASSERT_TRUE(replay.exhausted());
      ASSERT_EQ(again, tape);
      ASSERT_EQ(spans_again, spans);
      ASSERT_EQ(spans.size(), std::size(kBounds));
    }
  }
  EXPECT_GT(swarms, 20);
  EXPECT_LT(swarms, 80);
}

TEST(ChoicesTest, RecordingDoesNotChangeTheDraws) {
  std::string tape;
  std::vector<TapeSpan> spans;
  Choices recorded = Choices::FromSeed(9, true), plain = Choices::FromSeed(9, true);
  recorded.Record(&tape, &spans);
  EXPECT_EQ(DrawSome(recorded), DrawSome(plain));
}

TEST(ChoicesTest, AnExhaustedTapeGivesZeros) {
  Choices choices = Choices::FromTape("\x05");
  EXPECT_FALSE(choices.exhausted());
  EXPECT_EQ(choices.bytes_left(), 1u);
  EXPECT_EQ(choices.Below(4), 1u);  // 5 modulo 4
  EXPECT_TRUE(choices.exhausted());
  for (uint64_t bound : kBounds) EXPECT_EQ(choices.Below(bound), 0u);
  EXPECT_EQ(choices.Bits(), 0u);
  EXPECT_FALSE(choices.Chance(1, 2));
  EXPECT_FALSE(choices.SwarmCase());
  EXPECT_FALSE(Choices::FromSeed(1, true).exhausted());
}

TEST(ChoicesTest, TheRecordingOfAnExhaustedTapeIsExhaustedAtTheSameDraw) {
  std::string tape;
  std::vector<TapeSpan> spans;
  Choices choices = Choices::FromTape("\x05\x01");
  choices.Record(&tape, &spans);
  EXPECT_EQ(choices.Below(4), 1u);
  EXPECT_EQ(choices.Below(1 << 20), 1u);  // three bytes, of which one is there
  EXPECT_EQ(choices.Below(8) + choices.Bits() + choices.SwarmCase(), 0u);
  Choices again = Choices::FromTape(tape);
  EXPECT_EQ(again.Below(4), 1u);
  EXPECT_FALSE(again.exhausted());
  EXPECT_EQ(again.Below(1 << 20), 1u);
  EXPECT_TRUE(again.exhausted());
}

TEST(ChoicesTest, ATapeIsReadLittleEndianInJustTheBytesThatABoundNeeds) {
  const std::string tape("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f", 15);
  Choices choices = Choices::FromTape(tape);
  EXPECT_EQ(choices.Below(256), 0x01u);
  EXPECT_EQ(choices.Below(65536), 0x0302u);
  EXPECT_EQ(choices.Below(uint64_t{1} << 32), 0x07060504u);
  EXPECT_EQ(choices.Below(UINT64_MAX), 0x0f0e0d0c0b0a0908u);
  EXPECT_TRUE(choices.exhausted());
  EXPECT_EQ(Choices::FromTape("\x07").Below(1), 0u);  // draws nothing
}

TEST(ChoicesTest, AnyBytesAreATape) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Choices random = Choices::FromSeed(seed, false);
    std::string bytes(random.Below(120), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.Below(256));
    Choices one = Choices::FromTape(bytes), two = Choices::FromTape(bytes);
    ASSERT_EQ(DrawSome(one), DrawSome(two));
  }
}

TEST(ChoicesTest, SwarmKeepsAtLeastOneWeight) {
  bool dropped = false, raised = false, kept = false;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    std::array<uint32_t, 3> weights = {5, 5, 5};
    SwarmWeights(choices, weights);
    ASSERT_GT(weights[0] + weights[1] + weights[2], 0u) << seed;
    for (uint32_t weight : weights) {
      ASSERT_TRUE(weight == 0 || weight == 5 || weight == 40) << weight;
      dropped = dropped || weight == 0;
      kept = kept || weight == 5;
      raised = raised || weight == 40;
    }
  }
  EXPECT_TRUE(dropped && raised && kept);
  std::array<uint32_t, 3> weights = {5, 5, 5};
  Choices plain = Choices::FromSeed(1, false);
  SwarmWeights(plain, weights);
  EXPECT_EQ(weights, (std::array<uint32_t, 3>{5, 5, 5}));
}

TEST(ExhaustiveChoicesTest, WalksThroughEveryCombinationOnceInOrder) {
  ExhaustiveChoices all;
  std::vector<std::vector<uint64_t>> seen;
  do {
    Choices choices = all.Start();
    const uint64_t a = choices.Below(3), b = choices.Between(5, 6), c = choices.Chance(1, 2);
    seen.push_back({a, b, c});
  } while (all.Next());
  EXPECT_EQ(seen.size(), 3u * 2 * 2);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), seen.size());
}

// Words of up to three letters of an alphabet of two: 1 + 2 + 4 + 8.
TEST(ExhaustiveChoicesTest, LaterDrawsMayDependOnEarlierOnes) {
  ExhaustiveChoices all;
  std::set<std::string> words;
  int walks = 0;
  do {
    Choices choices = all.Start();
    std::string word;
    while (word.size() < 3 && choices.Chance(1, 2)) word += choices.Below(2) == 0 ? 'a' : 'b';
    words.insert(word);
    ++walks;
  } while (all.Next());
  EXPECT_EQ(words.size(), 15u);
  EXPECT_EQ(walks, 15);
}

TEST(ExhaustiveChoicesTest, NothingToDrawIsOneCombinationAndHugeBoundsGiveZero) {
  ExhaustiveChoices none;
  (void)none.Start();
  EXPECT_FALSE(none.Next());
  ExhaustiveChoices huge;
  Choices choices = huge.Start();
  EXPECT_EQ(choices.Below((uint64_t{1} << 32) + 1), 0u);
  EXPECT_EQ(choices.Bits(), 0u);
  EXPECT_FALSE(choices.SwarmCase());
  EXPECT_FALSE(huge.Next());
}

TEST(MixSeedTest, NeighboursAreUnlike) {
  std::set<uint64_t> seeds;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (uint64_t index = 0; index < 500; ++index) seeds.insert(MixSeed(seed, index));
  }
  EXPECT_EQ(seeds.size(), 20u * 500);
}

}  // namespace
}  // namespace oomph
