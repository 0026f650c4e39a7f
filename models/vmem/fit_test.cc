// What would fit: each way fits, and is what it says. Not for: the real compiler (props).
#include "models/vmem/fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/base/choices.h"
#include "models/vmem/explain.h"
#include "models/vmem/generate.h"
#include "models/vmem/text.h"

namespace oomph::vmem {
namespace {

Kernel Read(std::string_view text) {
  Kernel kernel;
  const absl::Status status = ParseKernel("k", text, kernel);
  EXPECT_TRUE(status.ok()) << status;
  return kernel;
}

std::vector<Way> Of(const std::vector<Way>& ways, WayKind kind) {
  std::vector<Way> some;
  for (const Way& way : ways) {
    if (way.kind == kind) some.push_back(way);
  }
  return some;
}

// 48 MiB of windows under the 16 MiB of v5e.
constexpr std::string_view kTooLarge =
    "grid(8,4) in f32[8192,8192]/1024x2048@(i,j) f32[8192,8192]/1024x2048@(i,j) out f32[8192,8192]/1024x2048@(i,j)";

TEST(FitTest, BlocksThatFitAndNoneLargerDoes) {
  const Kernel kernel = Read(kTooLarge);
  EXPECT_EQ(NeedOf(kernel).total, uint64_t{48} << 20);
  std::vector<Way> ways = Of(WaysToFit(kernel), WayKind::kBlocks);
  ASSERT_FALSE(ways.empty());
  for (const Way& way : ways) {
    EXPECT_EQ(8192 % way.kernel.inputs[0].block[0].size, 0u);
    EXPECT_EQ(8192 % way.kernel.inputs[0].block[1].size, 0u);
  }
  const std::vector<Way> ragged = Of(WaysToFit(kernel), WayKind::kRagged);
  ASSERT_FALSE(ragged.empty());
  ways = ragged;  // of all sizes
  for (const Way& way : ways) {
    EXPECT_TRUE(IsWithin(way.kernel, way.need));
    EXPECT_EQ(way.need, NeedOf(way.kernel));
    const auto& block = way.kernel.inputs[0].block;
    EXPECT_EQ(block[0].size % 8, 0u);
    EXPECT_EQ(block[1].size % 128, 0u);
    EXPECT_GE(block[0].size * way.kernel.grid[0].size, 8192u);
    EXPECT_GE(block[1].size * way.kernel.grid[1].size, 8192u);
    EXPECT_EQ(way.kernel.outputs[0].block, block);
    // One step more in either dimension is too much, or more than there was.
    for (size_t d = 0; d < 2; ++d) {
      Kernel larger = way.kernel;
      for (Operand* operand : {&larger.inputs[0], &larger.inputs[1], &larger.outputs[0]}) operand->block[d].size += d == 0 ? 8 : 128;
      EXPECT_TRUE(block[d].size == kernel.inputs[0].block[d].size || !IsWithin(larger, NeedOf(larger))) << PrintKernel(way.kernel);
    }
  }
}

TEST(FitTest, WhatOneOperandCanDo) {
  const Kernel kernel = Read(
      "kernel v6e limit 3000000 grid(4) in f32[256,4096]/64x4096@(i,0) bf16[64,128]/64x128@(0,0) out f32[1024,4096]/256x128@(i,0) scratch f32[8,128]");
  const std::vector<Way> ways = WaysToFit(Read(
      "kernel v6e limit 2000000 grid(4) in f32[256,4096]/64x4096@(i,0) out f32[1024,4096]/256x128@(i,0)"));
  ASSERT_EQ(Of(ways, WayKind::kOneBuffer).size(), 1u);
  EXPECT_EQ(Of(ways, WayKind::kOneBuffer)[0].kernel.inputs[0].buffers, 1u);
  ASSERT_EQ(Of(ways, WayKind::kInVmem).size(), 1u);
  EXPECT_TRUE(Of(ways, WayKind::kInVmem)[0].kernel.inputs[0].in_vmem);
  EXPECT_EQ(Of(ways, WayKind::kInVmem)[0].taken, uint64_t{4} << 20);
  ASSERT_EQ(Of(ways, WayKind::kLimit).size(), 1u);
  EXPECT_EQ(Of(ways, WayKind::kLimit)[0].kernel.limit_bytes, 2 * 64 * 4096 * 4 + 2 * 256 * 128 * 4);
  EXPECT_EQ(Of(ways, WayKind::kLimit)[0].taken, 2u * 64 * 4096 * 4 + 2 * 256 * 128 * 4 - 2000000);
  EXPECT_TRUE(WaysToFit(kernel).empty());  // it fits
}

TEST(FitTest, SeveralOperandsTogetherWhereNoneIsEnough) {
  const Kernel kernel = Read(
      "kernel v5e limit 1200000 grid(4) in f32[2048,1024]/64x1024@(i,0) f32[2048,1024]/64x1024@(i,0) f32[2048,1024]/64x1024@(i,0) "
      "out f32[2048,1024]/64x1024@(i,0)");
  const auto ways = Of(WaysToFit(kernel), WayKind::kOneBuffer);
  ASSERT_EQ(ways.size(), 1u);
  const auto& inputs = ways[0].kernel.inputs;
  EXPECT_EQ(std::count_if(inputs.begin(), inputs.end(), [](const Operand& o) { return o.buffers == 1; }), 3);
  EXPECT_TRUE(Of(WaysToFit(Read("kernel v4 limit 100000 grid(4) in f32[256,1024]/64x1024@(i,0)")), WayKind::kInVmem).empty());
}

TEST(FitTest, DimensionsThatOthersDependOnAreNotCut) {
  EXPECT_EQ(CutDimensions(Read("grid(4,4) in f32[1024,1024]/256x256@(i,j) f32[1024,256]/256x256@(i%2,0)")).size(), 1u);
  EXPECT_EQ(CutDimensions(Read("grid(4) in f32[1024,1024]/e256xe256@(i,0)")).size(), 0u);
  EXPECT_EQ(CutDimensions(Read("grid(?4) in f32[1024,1024]/256x256@(i,0)")).size(), 0u);
  // Blocks of other sizes keep their proportion.
  const auto cut = CutDimensions(Read("grid(4) in f32[1024,128]/256x128@(i,0) s8[2048,128]/512x128@(i,0)"));
  ASSERT_EQ(cut.size(), 1u);
  Kernel kernel = Read("grid(4) in f32[1024,128]/256x128@(i,0) s8[2048,128]/512x128@(i,0)");
  EXPECT_FALSE(Cut(cut[0], 3, 256, kernel));
  ASSERT_TRUE(Cut(cut[0], 96, 256, kernel));
  EXPECT_EQ(PrintKernel(kernel), "kernel v5e\ngrid(11)\nin f32[1024,128]/96x128@(i,0)\nin s8[2048,128]/192x128@(i,0)\n");
}

TEST(FitTest, EveryWayFits) {
  size_t ways = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    Kernel kernel;
    GenerateKernel(choices, GenerateOptions(), kernel);
    kernel.limit_bytes = static_cast<int64_t>(NeedOf(kernel).total / 2);
    FitOptions options;
    options.most_candidates = 2000;
    for (const Way& way : WaysToFit(kernel, options)) {
      ++ways;
      EXPECT_TRUE(IsWithin(way.kernel, NeedOf(way.kernel))) << PrintKernel(way.kernel);
      EXPECT_EQ(way.need, NeedOf(way.kernel));
    }
    Answer answer;
    RunModel(kernel, answer);
    EXPECT_FALSE(Explain(kernel, answer).empty());
  }
  EXPECT_GT(ways, 300u);
}

TEST(FitTest, TheExplanationNamesOperandsBytesAndBlocks) {
  const Kernel kernel = Read(kTooLarge);
  Answer answer;
  RunModel(kernel, answer);
  const std::string text = Explain(kernel, answer);
  for (const char* part : {"needs 50331648 bytes (48.00M)", "limit is 16777216 bytes (16.00M) (the default)", "33554432 bytes (32.00M) too much",
                           "16777216        2        8388608  input 0: f32[8192,8192]/1024x2048@(i,j)", "What would fit", "* blocks, with a grid of", "E1001 with size 48.00M and limit 16.00M", "reach over the end",
                           "vmem_limit_bytes=50331648"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  const Kernel fits = Read("grid(4) in f32[81920,8192]/8x128@(i,0)");
  RunModel(fits, answer);
  EXPECT_NE(Explain(fits, answer).find("16769024 bytes (15.99M) of the limit are left"), std::string::npos) << Explain(fits, answer);
}

}  // namespace
}  // namespace oomph::vmem
