// What is drawn and mutated keeps to the features asked for, reaches each of them, is a kernel that compilers take and the model
// is exact of, and is the same for the same choices.
#include "models/vmem/generate.h"

#include <string>

#include "gtest/gtest.h"
#include "models/vmem/allocator.h"
#include "models/vmem/compilable.h"
#include "models/vmem/promises.h"
#include "models/vmem/target.h"
#include "models/vmem/text.h"

namespace oomph::vmem {
namespace {

// What a compiler can be asked, of one target.
Bits64 OfCompiler(Target target) {
  using namespace feature;
  return (kAll & ~kEveryTarget & ~Bit(kInternal) & ~Bit(kUncompiled) & ~Bit(kLarge) & ~Bit(kTwoBits)) | BitOf(target);
}

Kernel Drawn(uint64_t seed, const GenerateOptions& options = {}) {
  Choices choices = Choices::FromSeed(seed, seed % 2 == 1);
  Kernel kernel;
  GenerateKernel(choices, options, kernel);
  return kernel;
}

TEST(GenerateKernel, TheSimplestTapeIsSmall) {
  Choices choices = Choices::FromTape("");
  Kernel kernel;
  GenerateKernel(choices, {}, kernel);
  EXPECT_EQ(kernel.inputs.size() + kernel.outputs.size(), 2u) << PrintKernel(kernel);
  EXPECT_FALSE(kernel.limit_bytes || kernel.option_kib);
}

TEST(GenerateKernel, EveryFeatureIsReached) {
  Bits64 reached = 0;
  for (uint64_t seed = 0; seed < 20'000; ++seed) reached |= FeaturesOf(Drawn(seed));
  for (size_t i = 0; i < feature::kNumFeatures; ++i) EXPECT_TRUE(reached >> i & 1) << kFeatures[i];
}

TEST(GenerateKernel, KeepsToTheFeatures) {
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    GenerateOptions options;
    Choices choices = Choices::FromSeed(seed, false);
    options.features = (choices.Bits() & feature::kAll) | feature::BitOf(static_cast<Target>(seed % kTargets));
    Kernel kernel = Drawn(seed, options);
    EXPECT_EQ(FeaturesOf(kernel) & ~options.features, 0u) << PrintKernel(kernel);
    MutateKernel(choices, options, kernel, Drawn(seed + 1, options));
    EXPECT_EQ(FeaturesOf(kernel) & ~options.features, 0u) << PrintKernel(kernel);
  }
}

// Of what a campaign draws for a compiler, on each chip: at least 95 in 100 exact; and the limit is where verdicts turn.
TEST(GenerateKernel, TheModelIsExactOfMost) {
  for (const TargetRow& row : Targets()) {
    const Target target = static_cast<Target>(&row - Targets().data());
    GenerateOptions options;
    options.features = OfCompiler(target);
    int exact = 0, at = 0, below = 0, fits = 0;
    constexpr int kCases = 5'000;
    for (uint64_t seed = 0; seed < kCases; ++seed) {
      const Kernel kernel = Drawn(seed, options);
      EXPECT_TRUE(IsCompilable(kernel)) << PrintKernel(kernel);
      Answer answer;
      RunModel(kernel, answer);
      exact += answer.exact();
      at += *answer.limit >= 0 && *answer.used == static_cast<uint64_t>(*answer.limit);
      below += *answer.limit >= -1 && *answer.used == static_cast<uint64_t>(*answer.limit + 1);
      fits += answer.status == Status::kAccepted;
    }
    EXPECT_GE(exact * 100, kCases * 95) << row.name;
    EXPECT_GE(at * 100, kCases * 5) << row.name;
    EXPECT_GE(below * 100, kCases * 5) << row.name;
    EXPECT_GE(fits * 100, kCases * 40) << row.name;
    EXPECT_LE(fits * 100, kCases * 80) << row.name;
  }
}

TEST(MutateKernel, TheModelIsExactOfMost) {
  for (const TargetRow& row : Targets()) {
    GenerateOptions options;
    options.features = OfCompiler(static_cast<Target>(&row - Targets().data()));
    int exact = 0;
    constexpr int kCases = 5'000;
    for (uint64_t seed = 0; seed < kCases; ++seed) {
      Choices choices = Choices::FromSeed(seed, false);
      Kernel kernel = Drawn(seed, options);
      MutateKernel(choices, options, kernel, Drawn(seed + 1));
      EXPECT_TRUE(IsCompilable(kernel)) << PrintKernel(kernel);
      const Need need = NeedOf(kernel);
      exact += need.at_least && need.at_most;
    }
    EXPECT_GE(exact * 100, kCases * 95) << row.name;
  }
}

TEST(GenerateKernel, TheSameChoicesGiveTheSameKernel) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::string tape;
    std::vector<TapeSpan> spans;
    Choices choices = Choices::FromSeed(seed, seed % 2 == 1);
    choices.Record(&tape, &spans);
    Kernel first, again;
    GenerateKernel(choices, {}, first);
    Choices replayed = Choices::FromTape(tape);
    GenerateKernel(replayed, {}, again);
    EXPECT_EQ(first, again);
    EXPECT_EQ(first, Drawn(seed));
  }
}

TEST(GenerateKernel, WhatIsPrintedIsReadBack) {
  for (uint64_t seed = 0; seed < 5'000; ++seed) {
    const Kernel kernel = Drawn(seed);
    Kernel read;
    const absl::Status status = ParseKernel("k", PrintKernel(kernel), read);
    EXPECT_TRUE(status.ok()) << status << "\n" << PrintKernel(kernel);
    EXPECT_TRUE(read == kernel) << PrintKernel(kernel) << PrintKernel(read);
  }
}

TEST(GenerateKernel, MakesAsManyInputsAsAsked) {
  GenerateOptions options;
  options.steps = 9;
  options.features = OfCompiler(Target::kV5e) & ~feature::Bit(feature::kHeavyBody) & ~feature::Bit(feature::kOverCapacity);
  for (uint64_t seed = 0; seed < 100; ++seed) EXPECT_LE(Drawn(seed, options).inputs.size(), 9u);
}

}  // namespace
}  // namespace oomph::vmem
