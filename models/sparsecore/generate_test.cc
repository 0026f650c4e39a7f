// What is drawn and mutated keeps to the features asked for, reaches each of them, is held against the limits, and is the same for
// the same choices.
#include "models/sparsecore/generate.h"

#include <string>

#include "gtest/gtest.h"
#include "models/sparsecore/memory.h"
#include "models/sparsecore/planner.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

// What a compiler can be asked, of one target.
Bits64 OfCompiler(Target target) {
  using namespace feature;
  Bits64 bits = kAll & ~kEveryTarget;
  for (const int not_there : {kPhysical, kTiles, kOtherTypes, kUnmoved, kSharedInTile, kOtherCore, kOwnLimits, kNumbered, kPlaces, kOdd, kEmpty,
                              kUnused, kLoads}) {
    bits &= ~Bit(not_there);
  }
  return bits | BitOf(target);
}

Program Drawn(uint64_t seed, const GenerateOptions& options = {}) {
  Choices choices = Choices::FromSeed(seed, seed % 2 == 1);
  Program program;
  GenerateProgram(choices, options, program);
  return program;
}

TEST(GenerateProgram, TheSimplestTapeIsSmall) {
  Choices choices = Choices::FromTape("");
  Program program;
  GenerateProgram(choices, {}, program);
  EXPECT_LE(program.buffers.size(), 2u) << PrintProgram(program);
  EXPECT_LE(program.statements.size(), 8u) << PrintProgram(program);
  EXPECT_TRUE(program.limits.empty());
}

TEST(GenerateProgram, EveryFeatureIsReached) {
  Bits64 reached = 0;
  for (uint64_t seed = 0; seed < 20'000; ++seed) reached |= FeaturesOf(Drawn(seed));
  for (size_t i = 0; i < feature::kNumFeatures; ++i) {
    EXPECT_EQ(reached >> i & 1, i == feature::kOdd ? 0u : 1u) << kFeatures[i];  // what is drawn has one form
  }
}

TEST(GenerateProgram, KeepsToTheFeatures) {
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    GenerateOptions options;
    Choices choices = Choices::FromSeed(seed, false);
    options.features = (choices.Bits() & feature::kAll) | feature::BitOf(static_cast<Target>(seed % kTargets)) |
                       feature::BitOf(Space::kTileSpmem) | feature::Bit(feature::kScopes);
    Program program = Drawn(seed, options);
    EXPECT_EQ(FeaturesOf(program) & ~options.features, 0u) << PrintProgram(program);
    MutateProgram(choices, options, program, Drawn(seed + 1, options));
    EXPECT_EQ(FeaturesOf(program) & ~options.features, 0u) << PrintProgram(program);
  }
}

// Of what a campaign draws for a compiler, on each chip: about half fit, many to the word; several memories, blocks in blocks.
TEST(GenerateProgram, TheLimitIsWhereItIsHeld) {
  for (int t = 0; t < kTargets; ++t) {
    GenerateOptions options;
    options.features = OfCompiler(static_cast<Target>(t));
    constexpr int kCases = 5'000;
    int fits = 0, at = 0, above = 0, memories = 0, nested = 0;
    for (uint64_t seed = 0; seed < kCases; ++seed) {
      const Program program = Drawn(seed, options);
      Answer answer;
      RunModel(program, answer);
      fits += answer.status == Status::kPlanned;
      bool exact = false;
      for (const Placed& placed : answer.placed) exact = exact || placed.base + placed.words == LastWordOf(program, placed.space) + 1;
      at += exact;
      above += answer.overrun && answer.overrun->bound - answer.overrun->limit <= 2048;
      Bits64 spaces = 0;
      for (const Buffer& buffer : program.buffers) spaces |= feature::BitOf(buffer.space);
      memories += (spaces & (spaces - 1)) != 0;
      int depth = 0, deepest = 0;
      for (const Statement& statement : program.statements) {
        if (Opens(statement.kind)) deepest = std::max(deepest, ++depth);
        if (statement.kind == Kind::kEnd) --depth;
      }
      nested += deepest > 1;
    }
    EXPECT_GE(fits * 100, kCases * 35) << t;
    EXPECT_LE(fits * 100, kCases * 75) << t;
    EXPECT_GE(at * 100, kCases * 4) << t;
    EXPECT_GE(above * 100, kCases * 5) << t;
    EXPECT_GE(memories * 100, kCases * 40) << t;
    EXPECT_GE(nested * 100, kCases * 40) << t;
  }
}

TEST(GenerateProgram, TheSameChoicesGiveTheSameProgram) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::string tape;
    std::vector<TapeSpan> spans;
    Choices choices = Choices::FromSeed(seed, seed % 2 == 1);
    choices.Record(&tape, &spans);
    Program first, again;
    GenerateProgram(choices, {}, first);
    Choices replayed = Choices::FromTape(tape);
    GenerateProgram(replayed, {}, again);
    EXPECT_EQ(first, again);
    EXPECT_EQ(first, Drawn(seed));
  }
}

// What means the same has one form, and that is read back as it is.
TEST(GenerateProgram, WhatIsPrintedIsReadBack) {
  for (uint64_t seed = 0; seed < 5'000; ++seed) {
    Program program = Drawn(seed);
    if (seed % 2 == 0) {
      Choices choices = Choices::FromSeed(seed, false);
      MutateProgram(choices, {}, program, Drawn(seed + 1));
    }
    Program read;
    const absl::Status status = ParseProgram("p", PrintProgram(program), read);
    EXPECT_TRUE(status.ok()) << status << "\n" << PrintProgram(program);
    EXPECT_TRUE(read == program) << PrintProgram(program) << PrintProgram(read);
  }
}

TEST(GenerateProgram, MakesAboutAsManyBuffersAsAsked) {
  GenerateOptions options;
  options.steps = 20;
  options.features = OfCompiler(Target::kV6e);
  size_t sum = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) sum += Drawn(seed, options).buffers.size();
  EXPECT_GE(sum, 1'000u);
  EXPECT_LE(sum, 4'000u);
}

}  // namespace
}  // namespace oomph::sparsecore
