// Pictures of programs: what is in them, and that they are well-formed whatever they draw. Not for how they look.
#include "models/sparsecore/draw.h"

#include <string>

#include "gtest/gtest.h"
#include "models/base/svg_testing.h"
#include "models/sparsecore/generate.h"
#include "models/sparsecore/planner.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

TEST(SparseCoreDraw, BuffersFramesAndTheLimit) {
  Program program;
  ASSERT_TRUE(ParseProgram("p", "sparsecore v6e scratch a tile_spmem f32[4096] use a scope allocate b tile_spmem f32[20000] use b end "
                                "scope allocate c tile_spmem f32[80000] use c end work", program).ok());
  Answer answer;
  RunModel(program, answer);
  const std::string svg = DrawSvg(program, answer, {});
  EXPECT_EQ(Unwell(svg), "");
  EXPECT_EQ(Count(svg, "<rect class=\"block scratch"), 2u + 1u);  // in spmem, in the tile, in the legend
  EXPECT_EQ(Count(svg, "<rect class=\"block scoped"), 1u + 1u);
  EXPECT_EQ(Count(svg, "<rect class=\"block failing"), 1u + 1u);
  EXPECT_GE(Count(svg, "<rect class=\"frame"), 2u);
  EXPECT_TRUE(Has(svg, "last word 65535")) << svg;
  EXPECT_TRUE(Has(svg, "c: tile_spmem f32[80000]")) << svg;
}

TEST(SparseCoreDraw, WellFormedWhateverItIs) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Choices choices = Choices::FromSeed(seed, seed % 2 == 0);
    Program program;
    GenerateProgram(choices, {}, program);
    Answer answer;
    RunModel(program, answer);
    if (seed % 3 == 0) answer.placed.clear();
    if (seed % 50 == 0) answer = {};
    if (seed % 5 == 0) {  // of somebody else
      answer.placed.push_back({kNoBuffer, 1'000'000, Space::kHbm, UINT64_MAX, UINT64_MAX});
      answer.placed.push_back({77, 3, Space::kSflagTile, 5, UINT64_MAX});
      answer.overrun = Overrun{Space::kSmemTile, 3, UINT64_MAX, UINT64_MAX, 4'000};
    }
    EXPECT_EQ(Unwell(DrawSvg(program, answer, {}, {.max_blocks = seed % 7 + 1, .in_page = seed % 2 == 0})), "") << PrintProgram(program);
  }
}

}  // namespace
}  // namespace oomph::sparsecore
