// Pictures of placements: what is in them, their bounds, and that they are well-formed whatever they draw.
// Not for how they look.
#include "models/placement/draw.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "models/base/svg_testing.h"
#include "models/placement/generate.h"
#include "models/placement/text.h"
#include "models/placement/time_axis.h"

namespace oomph::placement {
namespace {

Problem Parse(std::string_view text) {
  Problem problem;
  EXPECT_TRUE(ParseProblem("p", text, problem).ok());
  return problem;
}

Plan At(std::vector<std::optional<uint64_t>> offsets) {
  Plan plan;
  plan.status = Status::kFeasible;
  plan.offsets = std::move(offsets);
  return plan;
}

Verdict FindingAt(size_t step) {
  Verdict verdict;
  verdict.kind = VerdictKind::kFinding;
  verdict.signature = "placement/no_overlap/model/x";
  verdict.text = "a <b> & \"c\" \x01\xff";
  verdict.step = step;
  return verdict;
}

TEST(PlacementDraw, BuffersPartsAndLines) {
  const Problem problem = Parse(
      "# oomph capacity "
      "64\nid,lower,upper,size,gaps,slices,offset\na,0,9,16,3-5,,\nb,3,5,8,,,\n\"<c>&\",5,9,8,,4@5 "
      "4@7,\nd,0,2,"
      "4,,,32\n");
  const std::string svg = DrawSvg(problem, At({0, 0, 16, 32}), {});
  EXPECT_EQ(Unwell(svg), "");
  EXPECT_EQ(Count(svg, "<title>a: 16 bytes at 0, live in [0,9)"), 2u);  // before and after its gap
  EXPECT_EQ(Count(svg, "; here [0,16) in [5,9)"), 1u);
  EXPECT_EQ(Count(svg, "<title>b: 8 bytes at 0"), 1u);
  EXPECT_EQ(Count(svg, "<title>&lt;c&gt;&amp;: 8 bytes at 16"), 2u);
  EXPECT_EQ(Count(svg, "<rect class=\"whole\""), 2u + 1u);  // and one in the legend
  EXPECT_EQ(Count(svg, "<rect class=\"block fixed\""), 2u);
  for (const char* line : {"capacity 64", "peak = lower bound 36"}) EXPECT_TRUE(Has(svg, line)) << line;
  EXPECT_FALSE(Has(svg, "class=\"collision\""));
}

TEST(PlacementDraw, TheBadBufferAndWhatItCollidesWith) {
  const Problem problem =
      Parse("id,lower,upper,size,group,space\na,0,4,16,0,0\nb,3,5,8,0,0\nc,0,4,8,0,1\nd,4,9,4,0,0\n");
  const std::string svg = DrawSvg(problem, At({0, 8, 8, 0}), FindingAt(1));
  EXPECT_EQ(Unwell(svg), "");
  EXPECT_EQ(Count(svg, "<rect class=\"collision\""),
            1u);  // with a; the other space and touching times do not count
  EXPECT_EQ(Count(svg, "<rect class=\"bad\""), 1u + 1u);
  EXPECT_TRUE(Has(svg, "placement/no_overlap/model/x"));
  EXPECT_TRUE(Has(svg, "space 1"));
  EXPECT_EQ(Count(DrawSvg(problem, At({0, 16, 8, 0}), FindingAt(1)), "<rect class=\"collision\""), 0u);
}

// Names of buffers that lie in one another are not written over each other, and what is three deep is one mark.
TEST(PlacementDraw, ManyInOnePlaceAreStillRead) {
  const Problem problem = Parse("id,lower,upper,size\na,0,4,16\nb,0,4,16\nc,0,4,16\nd,0,4,16\n");
  const std::string svg = DrawSvg(problem, At({0, 0, 0, 0}), FindingAt(1));
  EXPECT_EQ(Unwell(svg), "");
  EXPECT_EQ(Count(svg, "<g class=\"collisions\">"), 1u);
  EXPECT_EQ(Count(svg, "<rect class=\"collision\""), 3u);
  EXPECT_EQ(Count(svg, "<text class=\"name clear\""), 3u);  // in the middle, above and below; the fourth has no room
  std::set<std::string> heights;
  for (size_t at = svg.find("name clear"); at != svg.npos; at = svg.find("name clear", at + 1)) {
    const size_t y = svg.find(" y=\"", at);
    heights.insert(svg.substr(y, svg.find('"', y + 4) - y));
  }
  EXPECT_EQ(heights.size(), 3u);
}

TEST(PlacementDraw, TheTitleTellsTheAnswerAndTheNoteWhatIsMissing) {
  const Problem problem = Parse("# oomph capacity 2048\nid,lower,upper,size,group\na,0,4,1024,7\nb,0,4,0,0\nc,4,4,8,0\n");
  const std::string svg = DrawSvg(problem, At({16, 0, 0}), {});
  EXPECT_TRUE(Has(svg, "<title>Placement: feasible, peak 1040</title>"));
  EXPECT_TRUE(Has(svg, ">3 buffers, capacity 2048</text>"));
  EXPECT_TRUE(Has(svg, "without 2 buffers of no bytes or no time"));
  EXPECT_TRUE(Has(svg, ">a (group 7)</text>"));
  EXPECT_TRUE(Has(svg, "peak 1040 (1.0K)"));
}

TEST(PlacementDraw, ColocatedBuffersDoNotCollide) {
  const Problem problem = Parse("id,lower,upper,size,group\na,0,4,16,1\nb,3,5,8,1\n");
  EXPECT_FALSE(Has(DrawSvg(problem, At({0, 0}), FindingAt(1)), "class=\"collision\""));
}

TEST(PlacementDraw, WithoutOffsetsTheBytesInUse) {
  const Problem problem = Parse("# oomph capacity 8\nid,lower,upper,size\na,0,4,16\nb,3,5,8\n");
  const std::string svg = DrawSvg(problem, Plan(), {});
  EXPECT_EQ(Unwell(svg), "");
  EXPECT_TRUE(Has(svg, "24 bytes in use in [3,4)"));
  EXPECT_TRUE(Has(svg, "8 bytes in use in [4,5)"));
  EXPECT_TRUE(Has(svg, "no offsets: the bytes in use at each time"));
}

TEST(PlacementDraw, APeakThatIsToldWrongIsALineOfItsOwn) {
  const Problem problem = Parse("id,lower,upper,size\na,0,4,16\n");
  Plan plan = At({0});
  plan.peak = 16;
  EXPECT_FALSE(Has(DrawSvg(problem, plan, {}), "the peak it tells"));
  plan.peak = 20;
  EXPECT_TRUE(Has(DrawSvg(problem, plan, {}), "the peak it tells 20"));
}

TEST(PlacementDraw, TooManyLoseTheSmallest) {
  Problem problem = Parse("id,lower,upper,size\na,0,4,16\nb,0,4,1\nc,0,4,15\n");
  const std::string svg = DrawSvg(problem, At({0, 16, 17}), {}, {.max_blocks = 2});
  EXPECT_TRUE(Has(svg, "without the 1 smallest piece"));
  EXPECT_FALSE(Has(svg, "<title>b:"));
  EXPECT_TRUE(Has(svg, "<title>c:"));
  problem.buffers.resize(1);
  for (uint32_t space = 1; space < 7; ++space) {
    problem.buffers.push_back(problem.buffers[0]);
    problem.buffers.back().space = space;
  }
  EXPECT_TRUE(Has(DrawSvg(problem, At({0, 0, 0, 0, 0, 0, 0}), {}), "only 4 of 7 spaces"));
}

TEST(PlacementDraw, TheBadBufferStaysHoweverSmall) {
  const Problem problem = Parse("id,lower,upper,size\na,0,4,16\nb,0,4,1\nc,0,4,15\nd,3,4,1\n");
  const std::string svg = DrawSvg(problem, At({0, 16, 17, 16}), FindingAt(3), {.max_blocks = 2});
  EXPECT_TRUE(Has(svg, "<title>d:"));
  EXPECT_TRUE(Has(svg, "<title>b:"));
  EXPECT_EQ(Count(svg, "<rect class=\"collision\""), 1u);
}

TEST(PlacementDraw, InAPageTheStyleStandsOnce) {
  const Problem problem = Parse("id,lower,upper,size\na,0,4,16\n");
  const std::string svg = DrawSvg(problem, At({0}), {}, {.in_page = true});
  EXPECT_FALSE(Has(svg, "<style>"));
  EXPECT_EQ(Unwell(svg), "");
  EXPECT_EQ(Unwell("<svg>" + DrawSvgStyle() + "</svg>"), "");
  for (const char* rule : {".block", ".part", ".whole", ".bad", ".capacity", ".bound"})
    EXPECT_TRUE(Has(DrawSvgStyle(), rule));
}

TEST(PlacementDraw, AnythingIsDrawn) {
  Problem problem;
  EXPECT_EQ(Unwell(DrawSvg(problem, Plan(), FindingAt(7))), "");
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    GenerateProblem(choices, {}, problem);
    Plan plan;
    for (size_t i = 0; i + seed % 2 < problem.buffers.size(); ++i) {
      plan.offsets.push_back(choices.Chance(1, 8)
                                 ? std::nullopt
                                 : std::optional(choices.Below(choices.Chance(1, 8) ? UINT64_MAX : 64)));
    }
    plan.peak = choices.Bits();
    const Verdict verdict = seed % 3 == 0 ? FindingAt(choices.Below(40)) : Verdict();
    ASSERT_EQ(Unwell(DrawSvg(problem, plan, verdict, {.max_blocks = 30})), "") << PrintProblem(problem);
  }
}

TEST(TimeAxis, TrueToScaleUnlessNothingWouldBeSeen) {
  const TimeAxis even({0, 10, 5}, 100, 200);
  EXPECT_FALSE(even.by_rank());
  EXPECT_DOUBLE_EQ(even.X(5), 200);
  EXPECT_DOUBLE_EQ(even.X(-7), 100);
  const TimeAxis skewed({0, 1, 2, 3, INT64_MAX}, 0, 400);
  EXPECT_TRUE(skewed.by_rank());
  EXPECT_DOUBLE_EQ(skewed.X(2), 200);
  const TimeAxis widest({INT64_MIN, INT64_MAX}, 0, 100);
  EXPECT_DOUBLE_EQ(widest.X(0), 50);
  EXPECT_FALSE(widest.Ticks(6).empty());
  const TimeAxis nothing({}, 0, 100);
  EXPECT_DOUBLE_EQ(nothing.X(1), 100);
}

TEST(TimeAxis, TicksAreRoundAndApart) {
  EXPECT_EQ(TimeAxis({0, 1048576}, 0, 960).Ticks(6.6).size(), 11u);
  EXPECT_EQ(TimeAxis({-3, 4}, 0, 960).Ticks(6.6), (std::vector<int64_t>{-3, -2, -1, 0, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace oomph::placement
