// Pictures of kernels: what is in them, and that they are well-formed whatever they draw. Not for how they look.
#include "models/vmem/draw.h"

#include <string>

#include "gtest/gtest.h"
#include "models/base/svg_testing.h"
#include "models/vmem/allocator.h"
#include "models/vmem/generate.h"
#include "models/vmem/text.h"

namespace oomph::vmem {
namespace {

TEST(VmemDraw, BuffersAndTheLimit) {
  Kernel kernel;
  ASSERT_TRUE(ParseKernel("k", "kernel v5e limit 20000 grid(2) in f32[600000,128]/8x128@(i,0) out f32[600000,128]/8x128@(0,0) "
                               "scratch s4[9,128] scoped f32[2,128]", kernel).ok());
  Answer answer;
  RunModel(kernel, answer);
  const std::string svg = DrawSvg(kernel, answer, {});
  EXPECT_EQ(Unwell(svg), "");
  EXPECT_EQ(Count(svg, "<rect class=\"block in"), 2u + 1u);  // two buffers, and one in the legend
  EXPECT_EQ(Count(svg, "<rect class=\"block out"), 1u + 1u);
  EXPECT_EQ(Count(svg, "<rect class=\"block scratch"), 1u + 1u);
  EXPECT_EQ(Count(svg, "<rect class=\"block stack"), 1u + 1u);
  EXPECT_TRUE(Has(svg, "limit 20000")) << svg;
  EXPECT_TRUE(Has(svg, "in 0: f32[8,128]: 8192 bytes, 2 x 4096")) << svg;
}

TEST(VmemDraw, WellFormedWhateverItIs) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Choices choices = Choices::FromSeed(seed, seed % 2 == 0);
    Kernel kernel;
    GenerateKernel(choices, {}, kernel);
    Answer answer;
    RunModel(kernel, answer);
    if (seed % 3 == 0) answer.parts.clear();
    if (seed % 50 == 0) answer = {};
    EXPECT_EQ(Unwell(DrawSvg(kernel, answer, {}, {.max_blocks = seed % 7 + 1, .in_page = seed % 2 == 0})), "") << PrintKernel(kernel);
  }
}

}  // namespace
}  // namespace oomph::vmem
