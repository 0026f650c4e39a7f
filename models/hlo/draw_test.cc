// The picture and the words about a module's memory.
#include "models/hlo/draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/choices.h"
#include "models/base/svg_testing.h"
#include "models/hlo/draw_panel.h"
#include "models/hlo/explain.h"
#include "models/hlo/generate.h"
#include "models/hlo/liveness_testing.h"

namespace oomph::hlo {
namespace {

TEST(ExplainTest, NamesThePeakAndWhatMakesIt) {
  const std::string text = Explain(Read(kLoop));
  EXPECT_NE(text.find("module m: 25 steps, in its own order\n"), std::string::npos) << text;
  EXPECT_NE(text.find("at most 184 bytes live, first at step 15 of 25, body/q = f32[10]"), std::string::npos) << text;
  EXPECT_NE(text.find("  40 bytes  pc = f32[10]"), std::string::npos) << text;
  EXPECT_NE(text.find("copy, temporary, live in steps 3 to 23\n"), std::string::npos) << text;
  EXPECT_LT(text.find("40 bytes  p "), text.find("28 bytes  u "));
}

TEST(ExplainTest, TheRestIsSummed) {
  const Module module = Read(kLoop);
  const std::string text = Explain(module, Live(module), 2);
  EXPECT_NE(text.find("smaller buffers\n"), std::string::npos) << text;
}

TEST(ExplainTest, SaysWhyNothingCanBeCounted) {
  EXPECT_NE(Explain(Module()).find("no memory can be counted"), std::string::npos);
  EXPECT_NE(DrawSvg(Module()).find("no memory can be counted"), std::string::npos);
}

TEST(DrawTest, MarksThePeakAndNamesItsBuffers) {
  const std::string svg = DrawSvg(Read(kLoop));
  EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
  EXPECT_NE(svg.find("peak 184B at step 15, body/q"), std::string::npos) << svg;
  EXPECT_NE(svg.find("class=\"block peak"), std::string::npos);
  EXPECT_NE(svg.find("<line class=\"at\""), std::string::npos);
  EXPECT_NE(svg.find(">40B</text>"), std::string::npos) << svg;
  EXPECT_NE(svg.find("<title>pc: 40 bytes, f32[10]"), std::string::npos) << svg;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

// Every element is closed, every text escaped, whatever is drawn.
TEST(DrawTest, IsWellFormed) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    Module module;
    GenerateModule(choices, {}, module);
    DrawOptions options;
    options.in_page = seed % 2 == 1;
    ASSERT_EQ(Unwell(DrawSvg(module, options)), "") << seed;
  }
  EXPECT_EQ(Unwell(DrawSvg(Module())), "");
}

// The largest memory space is not the first, and each has its panel, in their order.
TEST(DrawTest, EachMemorySpaceHasAPanel) {
  const std::string svg = DrawSvg(Read(R"hlo(HloModule m, is_scheduled=true

ENTRY %main {
  %p = f32[10]{0} parameter(0)
  %a = f32[1000]{0:S(1)} custom-call(%p), custom_call_target="f"
  %b = f32[20]{0:S(5)} custom-call(%a), custom_call_target="f"
  ROOT %r = f32[10]{0} custom-call(%b), custom_call_target="f"
}
)hlo"));
  const size_t hbm = svg.find("memory space 0 (HBM, or the default): peak 80B"), vmem = svg.find("memory space 1 (VMEM)"),
               host = svg.find("memory space 5 (host): peak 80B");
  EXPECT_LT(hbm, vmem);
  EXPECT_LT(vmem, host);
  EXPECT_NE(host, std::string::npos);
  EXPECT_EQ(Count(svg, ">bytes live<"), 3u);
  EXPECT_EQ(Count(svg, ">step of the schedule<"), 3u);
}

constexpr std::string_view kPaddedModule = R"hlo(HloModule m

ENTRY %main {
  %p = f32[128,3]{1,0:T(8,128)} parameter(0)
  ROOT %n = f32[128,3]{1,0:T(8,128)} negate(%p)
}
)hlo";

// What people look for: how much of it is padding, and whether the order is theirs.
TEST(DrawTest, SaysWhatIsPadding) {
  const std::string svg = DrawSvg(Read(kPaddedModule));
  EXPECT_NE(svg.find("peak 128.0K"), std::string::npos) << svg;
  EXPECT_NE(svg.find("125.0K of it padding"), std::string::npos) << svg;
  EXPECT_EQ(Count(svg, ">1.5K</text>"), 2u) << svg;
  EXPECT_NE(svg.find("not scheduled: the order of its text was chosen; arrays with the padding of their layouts"),
            std::string::npos);
}

TEST(ExplainTest, SaysWhatIsPadding) {
  const std::string text = Explain(Read(kPaddedModule));
  EXPECT_NE(text.find("2 steps, not scheduled: the order of its text was chosen\n"), std::string::npos) << text;
  EXPECT_NE(text.find("at most 128.0K (131072 bytes) live"), std::string::npos) << text;
  EXPECT_NE(text.find("  of these 125.0K (128000 bytes) are padding\n"), std::string::npos) << text;
  EXPECT_NE(text.find("64.0K (65536 bytes), padded from 1.5K (1536 bytes)  n = f32[128,3]{1,0:T(8,128)} negate, output"),
            std::string::npos)
      << text;
}

TEST(ExplainTest, ManyBuffersAreSummedByKind) {
  const Module module = Read(kLoop);
  const std::string text = Explain(module, Live(module), 1);
  EXPECT_NE(text.find("  by operation and shape:\n    40 bytes  in 1 of "), std::string::npos) << text;
}

TEST(ExplainTest, AShapeIsNoLongerThanAsked) {
  Module module;
  const int64_t sizes[] = {2, 3};
  ShapeId shape = module.shapes.AddArray(Type::kF32, sizes);
  EXPECT_EQ(BriefShape(module.shapes, shape, 80), "f32[2,3]");
  for (int i = 0; i < 60; ++i) {
    const ShapeId twice[] = {shape, shape};
    shape = module.shapes.AddTuple(twice);
  }
  EXPECT_EQ(BriefShape(module.shapes, shape, 80).size(), 80u);
  const std::vector<int64_t> many(1000, 1);
  EXPECT_EQ(BriefShape(module.shapes, module.shapes.AddArray(Type::kF32, many), 80), "f32[1000 dimensions]");
}

TEST(DrawPanelTest, AxesHaveRoundNumbers) {
  EXPECT_EQ(RoundSteps(30358), (std::vector<double>{0, 10000, 20000, 30000}));
  EXPECT_EQ(RoundSteps(3), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(RoundSteps(45), (std::vector<double>{0, 10, 20, 30, 40}));
  EXPECT_EQ(RoundBytes(3000), (std::vector<double>{0, 1024, 2048}));
}

// What the picture leaves out is still in its line of all bytes.
TEST(DrawPanelTest, TheLineHasAllBytes) {
  const Module module = Read(kLoop);
  const Liveness liveness = Live(module);
  const Panel panel = PanelOf(liveness, liveness.peaks[0], 2, 10);
  EXPECT_EQ(panel.blocks.size(), 2u);
  EXPECT_EQ(*std::max_element(panel.live.begin(), panel.live.end()), 184);
  EXPECT_EQ(panel.extent, 184);
}

TEST(DrawTest, DrawsNoMoreThanIsAsked) {
  DrawOptions options;
  options.max_blocks = 3;
  const std::string svg = DrawSvg(Read(kLoop), options);
  size_t blocks = 0;
  for (size_t at = svg.find("class=\"block"); at != std::string::npos; at = svg.find("class=\"block", at + 1)) ++blocks;
  EXPECT_LE(blocks, 6u);  // a buffer may have several ranges
  EXPECT_NE(svg.find("smaller buffers are not drawn"), std::string::npos);
}

TEST(DrawTest, EscapesNames) {
  Module module = Read(kLoop);
  module.name = module.strings.Add("<b>&\"\x01");
  const std::string svg = DrawSvg(module);
  EXPECT_EQ(svg.find("<b>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;b&gt;&amp;&quot;?"), std::string::npos);
}

}  // namespace
}  // namespace oomph::hlo
