// Live ranges, peaks, and the placement problem of a module.
// Not for single rules of aliasing (alias_test.cc), nor for pictures and words (draw_test.cc).
#include "models/hlo/liveness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "models/base/choices.h"
#include "models/hlo/answer.h"
#include "models/hlo/draw.h"
#include "models/hlo/explain.h"
#include "models/hlo/generate.h"
#include "models/hlo/interpreter.h"
#include "models/hlo/liveness_testing.h"
#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

// "name size [a,b) [c,d)" for each buffer.
std::string Text(const Module& module, const Liveness& liveness, std::string_view of) {
  const LivenessNames names(module, liveness);
  for (uint32_t b = 0; b < liveness.buffers.size(); ++b) {
    if (names.OfBuffer(b) != of) continue;
    std::string text = std::to_string(liveness.buffers[b].bytes);
    for (const StepRange& range : liveness.buffers[b].ranges) {
      text += " [" + std::to_string(range.begin) + "," + std::to_string(range.end) + ")";
    }
    return text;
  }
  return "no such buffer";
}

// The ranges and the peak (184) are those of XLA's HloLiveRange and HeapSimulator for this text. Steps: init 6, the
// condition 7 to 10, the body 11 to 19, w 20.
TEST(LivenessTest, ALoopCarriesInOneBuffer) {
  const Module module = Read(kLoop);
  const Liveness liveness = Live(module);
  EXPECT_EQ(liveness.total_peak, 184u);
  EXPECT_EQ(Text(module, liveness, "pc"), "40 [3,24)");
  EXPECT_EQ(Text(module, liveness, "uc"), "28 [4,26)");    // the body hands it on as it is
  EXPECT_EQ(Text(module, liveness, "init"), "24 [6,15) [19,23)");  // nobody needs the table within the body
  EXPECT_EQ(Text(module, liveness, "body/q"), "40 [15,17)");
  EXPECT_EQ(Text(module, liveness, "n"), "40 [23,26)");
  EXPECT_EQ(Text(module, liveness, "u"), "28 [0,26)");     // the caller's
  EXPECT_EQ(Text(module, liveness, "r"), "16 [24,26)");
}

// The rest of a body between the last look at what is carried and its next making is a gap.
TEST(LivenessTest, TheProblemHasGaps) {
  const Module module = Read(kLoop);
  const Liveness liveness = Live(module);
  const placement::Problem problem = ProblemOf(module, liveness);
  size_t with_gap = 0;
  for (const placement::Buffer& buffer : problem.buffers) {
    EXPECT_LT(buffer.start, buffer.end);
    EXPECT_GT(buffer.size, 0u);
    if (buffer.id != "init") continue;
    ++with_gap;
    ASSERT_EQ(buffer.gaps.size(), 1u);
    EXPECT_EQ(buffer.gaps[0], (placement::Gap{.lower = 15, .upper = 19}));
  }
  EXPECT_EQ(with_gap, 1u);
}

// Brute force over the problem as it is written, at every time: relation 4.
uint64_t PeakOfProblem(const placement::Problem& problem, int64_t steps, uint32_t space) {
  uint64_t most = 0;
  for (int64_t time = 0; time <= steps; ++time) {
    uint64_t live = 0;
    for (const placement::Buffer& buffer : problem.buffers) {
      bool in_gap = false;
      for (const placement::Gap& gap : buffer.gaps) in_gap = in_gap || (gap.lower <= time && time < gap.upper);
      if (buffer.space == space && buffer.start <= time && time < buffer.end && !in_gap) live += buffer.size;
    }
    most = std::max(most, live);
  }
  return most;
}

TEST(LivenessTest, ThePeakIsThatOfItsProblem) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    Module module;
    GenerateModule(choices, {}, module);
    const Liveness liveness = Live(module);
    const placement::Problem problem = ProblemOf(module, liveness);
    for (const Peak& peak : liveness.peaks) {
      const int64_t end = static_cast<int64_t>(liveness.flat.steps.size());
      ASSERT_EQ(PeakOfProblem(problem, end, peak.space), peak.bytes) << "seed " << seed;
      ASSERT_EQ(PeakOfProblem(ProblemOf(module, liveness, peak.space), end, 0), peak.bytes) << "seed " << seed;
      uint64_t sum = 0;
      for (const uint32_t buffer : peak.buffers) sum += liveness.buffers[buffer].bytes;
      ASSERT_EQ(sum, peak.bytes) << "seed " << seed;
    }
  }
}

// Constants, reuse and the tables of pointers can only add to what is there without them.
TEST(LivenessTest, WhatIsCountedMoreIsNotLess) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    Module module;
    GenerateModule(choices, {}, module);
    const uint64_t usual = Live(module).total_peak;
    LivenessOptions options;
    options.constants = Constants::kLeftOut;
    EXPECT_LE(Live(module, options).total_peak, usual) << seed;
    options = {};
    options.pointer_bytes = 0;
    EXPECT_LE(Live(module, options).total_peak, usual) << seed;
    options = {};
    options.reuse_operands = false;
    EXPECT_GE(Live(module, options).total_peak, usual) << seed;
  }
}

TEST(LivenessTest, AnElementwiseResultTakesADyingOperand) {
  const Module module = Read(R"hlo(HloModule m, is_scheduled=true

ENTRY %main {
  %p = f32[1] parameter(0)
  %a = f32[100] broadcast(%p), dimensions={0}
  %b = f32[100] negate(%a)
  %c = f32[100] reverse(%b), dimensions={0}
  ROOT %d = f32[1] slice(%c), slice={[0:1]}
}
)hlo");
  EXPECT_EQ(Live(module).total_peak, 4u + 800);
  EXPECT_EQ(Text(module, Live(module), "a"), "400 [1,4)");  // b is in it
  EXPECT_EQ(Text(module, Live(module), "b"), "no such buffer");
  EXPECT_EQ(Text(module, Live(module), "c"), "400 [3,5)");
}

TEST(LivenessTest, EachMemorySpaceHasAPeak) {
  const Module module = Read(R"hlo(HloModule m, is_scheduled=true

ENTRY %main {
  %p = f32[100]{0} parameter(0)
  %c = (f32[100]{0:S(1)}, f32[100]{0}, u32[]) copy-start(%p)
  %d = f32[100]{0:S(1)} copy-done(%c)
  ROOT %n = f32[100]{0} reverse(%d), dimensions={0}
}
)hlo");
  const Liveness liveness = Live(module);
  ASSERT_NE(PeakOf(liveness, 0), nullptr);
  ASSERT_NE(PeakOf(liveness, 1), nullptr);
  EXPECT_EQ(PeakOf(liveness, 2), nullptr);
  EXPECT_EQ(PeakOf(liveness, 0)->bytes, 800u);
  EXPECT_EQ(PeakOf(liveness, 0)->step, 3u);
  EXPECT_EQ(PeakOf(liveness, 1)->bytes, 400u);
  EXPECT_EQ(PeakOf(liveness, 1)->step, 1u);
  EXPECT_EQ(ProblemOf(module, liveness, 1).buffers.size(), 1u);
}

TEST(LivenessTest, WhatHasNoShapeIsNotCounted) {
  const Module module = Read("HloModule m\n\nENTRY %main {\n  %p = f32[3] parameter(0)\n"
                             "  ROOT %n = custom-call(%p), custom_call_target=\"f\"\n}\n");
  EXPECT_EQ(LivenessOf(module).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(InterpretPeak(module).ok());
}

TEST(LivenessTest, BytesBeyondSixtyFourBitsAreTheMost) {
  Module module;
  module.computations.resize(1);
  const std::vector<int64_t> sizes = {INT64_MAX, INT64_MAX};
  Instruction parameter;
  parameter.shape = module.shapes.AddArray(Type::kF32, sizes);
  module.computations[0].instructions = {parameter, parameter};
  module.computations[0].instructions[1].payload = 1;
  EXPECT_EQ(Live(module).total_peak, UINT64_MAX);
}

// A computation that is called twice makes its buffers twice: the planner must be able to tell them apart.
TEST(LivenessTest, TheProblemNamesEachBufferOnce) {
  const Module module = Read(R"hlo(HloModule m, is_scheduled=true

%f {
  %p = f32[100] parameter(0)
  %s = f32[100] sine(%p)
  ROOT %r = f32[100] reverse(%s), dimensions={0}
}

ENTRY %main {
  %p = f32[100] parameter(0)
  %a = f32[100] call(%p), to_apply=%f
  ROOT %b = f32[100] call(%a), to_apply=%f
}
)hlo");
  const placement::Problem problem = ProblemOf(module, Live(module));
  std::set<std::string> names;
  for (const placement::Buffer& buffer : problem.buffers) EXPECT_TRUE(names.insert(buffer.id).second) << buffer.id;
  EXPECT_EQ(names.count("f/s"), 1u);
  EXPECT_EQ(names.count("f/s#2"), 1u);
}

// Two buffers of which the sum does not fit are never live together, so the peak is exact.
TEST(LivenessTest, LargeBuffersAreSummedExactly) {
  const Module module = Read(R"hlo(HloModule m, is_scheduled=true

ENTRY %main {
  %p = f32[1] parameter(0)
  %a = u16[9000000000000000000] custom-call(%p), custom_call_target="f"
  %b = f32[1] custom-call(%a), custom_call_target="g"
  %c = u16[8000000000000000000] custom-call(%b), custom_call_target="f"
  ROOT %d = f32[1] custom-call(%c), custom_call_target="g"
}
)hlo");
  EXPECT_EQ(Live(module, CountedOptions()).total_peak, 18000000000000000008u);
  EXPECT_EQ(InterpretPeak(module)->total, 18000000000000000008u);
}

// 100,000 instructions of forms in which something is compared with all else of its kind if one does not take care:
// many results of one operation, many aliases, many memory spaces. Each has a peak that is known.
std::string Many(size_t count, std::string_view what) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    std::string one(what);
    for (size_t at = one.find('#'); at != std::string::npos; at = one.find('#')) one.replace(at, 1, std::to_string(i));
    text += one;
  }
  return text.substr(0, text.size() - (text.ends_with(", ") ? 2 : 0));
}

void ExpectPeak(const std::string& text, uint64_t peak) {
  const Module module = Read(text);
  LivenessOptions options = CountedOptions();
  options.pointer_bytes = 0;
  EXPECT_EQ(Live(module, options).total_peak, peak);
  for (const Order order : {Order::kText, Order::kLeastMemory}) {
    LivenessOptions usual;
    usual.order = order;
    usual.array_bytes = PaddedArrayBytes;
    EXPECT_LE(Live(module, usual).total_peak, peak + 16 * InstructionCount(module));
  }
  EXPECT_FALSE(DrawSvg(module).empty());
}

TEST(SlowLivenessTest, LargeModules) {
  constexpr size_t kMany = 50000;
  const std::string results = "(" + Many(kMany, "f32[8], ") + ")";
  ExpectPeak("HloModule m, is_scheduled=true\n\nENTRY e {\n  p = f32[8] parameter(0)\n" +
                 Many(kMany, "  a# = f32[8] reverse(p), dimensions={0}\n") + "  ROOT r = " + results +
                 " all-to-all(" + Many(kMany, "a#, ") + ")\n}\n",
             32 * (2 * kMany + 1));
  ExpectPeak("HloModule m\n\nc {\n" + Many(2 * kMany, "  a# = f32[] parameter(#)\n") +
                 "  ROOT l = pred[] compare(a0, a1), direction=LT\n}\n\nENTRY e {\n  p = f32[8] parameter(0)\n" +
                 Many(kMany, "  a# = f32[8] reverse(p), dimensions={0}\n") + "  ROOT r = " + results + " sort(" +
                 Many(kMany, "a#, ") + "), dimensions={0}, to_apply=c\n}\n",
             32 * (2 * kMany + 1));
  ExpectPeak("HloModule m\n\nf {\n" + Many(kMany, "  p# = f32[8] parameter(#)\n") +
                 Many(kMany, "  n# = f32[8] negate(p#)\n") + "  ROOT t = " + results + " tuple(" + Many(kMany, "n#, ") +
                 ")\n}\n\nENTRY e {\n  p = f32[8] parameter(0)\n" +
                 Many(kMany, "  a# = f32[8] reverse(p), dimensions={0}\n") + "  ROOT r = " + results + " fusion(" +
                 Many(kMany, "a#, ") + "), kind=kLoop, calls=f\n}\n",
             32 * (2 * kMany + 1));
  ExpectPeak("HloModule m, is_scheduled=true, input_output_alias={ " + Many(kMany, "{#}: (#, {}, may-alias), ") +
                 " }\n\nENTRY e {\n" + Many(kMany, "  p# = f32[8] parameter(#)\n") +
                 Many(kMany, "  n# = f32[8] negate(p#)\n") + "  ROOT r = " + results + " tuple(" + Many(kMany, "n#, ") +
                 ")\n}\n",
             32 * kMany);
  ExpectPeak("HloModule m\n\nENTRY e {\n  p = f32[8] parameter(0)\n" +
                 Many(2 * kMany, "  a# = f32[8]{0:S(#)} custom-call(p), custom_call_target=\"f\"\n") +
                 "  ROOT r = f32[8] custom-call(" + Many(2 * kMany, "a#, ") + "), custom_call_target=\"g\"\n}\n",
             32 * (2 * kMany + 2));
}

}  // namespace
}  // namespace oomph::hlo
