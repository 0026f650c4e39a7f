// The generator and mutator of HBM traces: what they may ask for, that every tape is one, that nothing is
// rare. Not for: what allocators make of the traces (see allocator_test.cc), how often the model reaches what
// (see fuzz/faults/faults_test.cc).
#include "models/hbm/generate.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "models/base/units.h"
#include "models/hbm/promises.h"
#include "models/hbm/text.h"

namespace oomph::hbm {
namespace {

constexpr Bits64 kAllFeatures = (Bits64{1} << feature::kNumFeatures) - 1;
// Every subject can do this much; a mask without them means nothing.
constexpr Bits64 kLeast = Bits64{1} << static_cast<int>(StepKind::kAllocate);

bool Has(Bits64 mask, int feature) { return (mask >> feature & 1) != 0; }

// What of a trace the mask does not allow; empty if nothing. `normal` settings of policies need no feature.
std::string BeyondMask(const Trace& trace, Bits64 mask) {
  for (const Step& step : trace.steps) {
    const auto kind = static_cast<int>(step.kind);
    if (!Has(mask, kind)) return std::string(kFeatures[kind]);
    const bool placed = step.kind == StepKind::kAllocate || step.kind == StepKind::kOutput;
    const bool aligned = placed || step.kind == StepKind::kReallocate;
    if (aligned && step.alignment != 0 && !Has(mask, feature::kAlign)) return "align";
    if (placed && step.end != End::kAny && !Has(mask, feature::kEnd)) return "end";
    if (step.pinned && !Has(mask, feature::kPinned)) return "pinned";
  }
  if (trace.policy.allocator == Allocator::kBfc && !Has(mask, feature::kBfc)) return "bfc";
  Policy normal;
  normal.capacity = trace.policy.capacity;
  normal.granule = trace.policy.granule;
  if (!(trace.policy == normal) && !Has(mask, feature::kPolicy)) return "policy";
  return "";
}

// Why a trace is none; empty if it is one. Every trace of the generator has dense names and prints and reads.
std::string Invalid(const Trace& trace) {
  if (!IsPowerOfTwo(trace.policy.granule)) return "granule";
  if (trace.policy.allocator == Allocator::kBfc && trace.policy.bfc.deviations != bfc::kRight)
    return "a deviation";
  const size_t most = 4 * trace.steps.size() + 4;
  for (const Step& step : trace.steps) {
    if (step.name > most) return "names are not dense";
    if (step.donor != kNobody && step.donor > most) return "donors are not dense";
    const bool fence = step.kind == StepKind::kFence || step.kind == StepKind::kFreeLater;
    if (fence && step.fence == 0) return "fence 0";
  }
  const std::string printed = PrintTrace(trace);
  Trace read;
  if (const absl::Status status = ParseTrace("printed", printed, read); !status.ok())
    return status.ToString();
  return PrintTrace(read) == printed ? "" : "it prints otherwise once it is read";
}

Trace FromSeed(uint64_t seed, bool swarm, const GenerateOptions& options) {
  Trace trace;
  Choices choices = Choices::FromSeed(seed, swarm);
  GenerateTrace(choices, options, trace);
  return trace;
}

std::vector<Bits64> Masks() {
  std::vector<Bits64> masks = {kAllFeatures, kLeast};
  for (int i = 0; i < feature::kNumFeatures; ++i) {
    masks.push_back((kAllFeatures & ~(Bits64{1} << i)) | kLeast);
    masks.push_back(kLeast | Bits64{1} << i);
    for (int k = 0; k < i; ++k) {
      masks.push_back((kAllFeatures & ~(Bits64{1} << i | Bits64{1} << k)) | kLeast);
    }
  }
  Choices choices = Choices::FromSeed(1, false);
  for (int i = 0; i < 100; ++i) masks.push_back((choices.Bits() & kAllFeatures) | kLeast);
  return masks;
}

TEST(GenerateTest, EveryFeatureMaskIsHonoured) {
  for (Bits64 mask : Masks()) {
    GenerateOptions options;
    options.features = mask;
    for (uint64_t seed = 0; seed < 60; ++seed) {
      const Trace trace = FromSeed(seed, seed % 2 == 0, options);
      ASSERT_EQ(BeyondMask(trace, mask), "") << "mask " << mask << "\n" << PrintTrace(trace);
      ASSERT_EQ(Invalid(trace), "") << PrintTrace(trace);
    }
  }
}

TEST(GenerateTest, MutationHonoursTheMask) {
  for (Bits64 mask : Masks()) {
    GenerateOptions options;
    options.features = mask;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      Trace trace = FromSeed(seed, true, options);
      const Trace other = FromSeed(seed + 1000, true, options);
      Choices choices = Choices::FromSeed(seed, true);
      for (int i = 0; i < 3; ++i) MutateTrace(choices, options, trace, other);
      ASSERT_EQ(BeyondMask(trace, mask), "") << "mask " << mask << "\n" << PrintTrace(trace);
      ASSERT_EQ(PrintTrace(trace).empty(), false);
    }
  }
}

TEST(GenerateTest, MutationOfAnythingIsValid) {
  const Trace empty;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Trace trace = seed % 10 == 0 ? empty : FromSeed(seed, true, {});
    const Trace other = seed % 7 == 0 ? empty : FromSeed(seed + 10'000, true, {});
    Choices one = Choices::FromSeed(seed, false);
    MutateTrace(one, {}, trace, other);
    Trace read;
    const std::string printed = PrintTrace(trace);
    ASSERT_TRUE(ParseTrace("printed", printed, read).ok()) << printed;
    ASSERT_EQ(PrintTrace(read), printed);
  }
}

TEST(GenerateTest, EveryTapeIsATrace) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Choices bytes = Choices::FromSeed(seed, false);
    std::string tape(bytes.Below(400), '\0');
    for (char& byte : tape) byte = static_cast<char>(seed % 3 == 0 ? 255 : bytes.Below(256));
    Trace trace;
    Choices choices = Choices::FromTape(tape);
    GenerateTrace(choices, {}, trace);
    ASSERT_EQ(Invalid(trace), "") << PrintTrace(trace);
  }
  Trace trace;
  Choices nothing = Choices::FromTape("");
  GenerateTrace(nothing, {}, trace);
  EXPECT_TRUE(trace.steps.empty());
}

TEST(GenerateTest, TheSameChoicesGiveTheSameTraceWhateverWasThere) {
  Trace used = FromSeed(77, true, {});
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Trace fresh = FromSeed(seed, true, {});
    Choices choices = Choices::FromSeed(seed, true);
    GenerateTrace(choices, {}, used);
    ASSERT_EQ(used, fresh);
    Trace mutated = fresh;
    for (Trace* trace : {&used, &mutated}) {
      Choices edits = Choices::FromSeed(seed, false);
      MutateTrace(edits, {}, *trace, fresh);
    }
    ASSERT_EQ(used, mutated);
  }
}

TEST(GenerateTest, StepsAndLiveAreKept) {
  GenerateOptions options;
  options.steps = 1000;
  options.live = 40;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Trace trace = FromSeed(seed, false, options);
    EXPECT_GE(trace.steps.size(), 1000u);
    EXPECT_LE(trace.steps.size(), 1004u);
    std::set<uint32_t> live;
    size_t most = 0;
    for (const Step& step : trace.steps) {
      if (step.kind == StepKind::kAllocate || step.kind == StepKind::kOutput) live.insert(step.name);
      if (step.kind == StepKind::kFree || step.kind == StepKind::kFreeLater) live.erase(step.name);
      live.erase(step.donor);
      most = std::max(most, live.size());
    }
    EXPECT_LE(most, 60u);  // launches add to it
  }
}

}  // namespace
}  // namespace oomph::hbm
