// Tests of memory maps: what is in the picture, its bounds, and that it is well-formed XML whatever it draws.
// Not for how it looks.

#include "models/hbm/draw.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "models/base/svg_testing.h"
#include "models/base/verdict.h"
#include "models/hbm/outcome.h"
#include "models/hbm/text.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {
namespace {

Row Placed(uint64_t offset, uint64_t reserved) {
  Row row;
  row.result = Result::kOk;
  row.offset = offset;
  row.reserved = reserved;
  return row;
}

Verdict FindingAt(size_t step) {
  Verdict verdict;
  verdict.kind = VerdictKind::kFinding;
  verdict.signature = "hbm/no_live_overlap/bfc/allocate";
  verdict.text = "a <b> & \"c\" \x01\xff";
  verdict.step = step;
  return verdict;
}

Trace Parse(std::string_view text) {
  Trace trace;
  EXPECT_TRUE(ParseTrace("t", text, trace).ok());
  return trace;
}

TEST(HbmDrawTest, EveryKindOfBlockIsThere) {
  const Trace trace = Parse(
      "memory hbm capacity 4096 granule 512\nload prog 700\nallocate a 600\nallocate b 512\n"
      "free b after fence 3\nallocate big 9000\n");
  TraceOutcome outcome;
  outcome.rows = {Placed(0, 1024), Placed(3072, 1024), Placed(2560, 512), Placed(0, 0), Row()};
  outcome.rows[4].result = Result::kFailed;
  const std::string svg = DrawSvg(trace, outcome, FindingAt(4));
  EXPECT_EQ(Unwell(svg), "") << svg;
  EXPECT_TRUE(
      Has(svg, "<title>program prog: 700 bytes at 0, reserves 1024, steps 0 to 4; step 0: load prog 700<"));
  EXPECT_TRUE(Has(svg, "<title>a: 600 bytes at 3072, reserves 1024, steps 1 to 4; step 1: allocate a 600<"));
  EXPECT_TRUE(Has(svg, "<title>b: 512 bytes at 2560, reserves 512, steps 2 to 2; "));
  EXPECT_TRUE(Has(svg, "steps 3 to 4, freed, waits for fence 3; "));
  EXPECT_TRUE(Has(svg, "class=\"padding\"") && Has(svg, "class=\"program\"") &&
              Has(svg, "class=\"block freed\""));
  EXPECT_TRUE(Has(svg, "class=\"bad\"") && Has(svg, ">step 4: allocate big 9000<"));
  EXPECT_TRUE(Has(svg, "<title>failed: step 4: allocate big 9000<"));
  EXPECT_TRUE(Has(svg, "a &lt;b&gt; &amp; &quot;c&quot; ??"));
  EXPECT_TRUE(Has(svg, "prefers-color-scheme: dark"));
  EXPECT_FALSE(Has(svg, "<script") || Has(svg, "href"));
  EXPECT_TRUE(Has(svg, ">4.0K<"));
}

TEST(HbmDrawTest, PicturesOfOnePageShareTheirStyle) {
  const Trace trace = Parse("memory hbm capacity 4096 granule 512\nallocate a 600\n");
  TraceOutcome outcome;
  outcome.rows = {Placed(0, 1024)};
  const std::string svg = DrawSvg(trace, outcome, FindingAt(0), {.in_page = true});
  EXPECT_EQ(Unwell(svg), "");
  EXPECT_EQ(Unwell(DrawSvgStyle()), "");
  EXPECT_FALSE(Has(svg, "<style") || Has(svg, "<pattern") || Has(svg, FindingAt(0).signature));
  EXPECT_EQ(Count(DrawSvgStyle(), "<style>"), 1u);
  // What the shapes refer to is there, and the rules touch nothing else of the page.
  EXPECT_TRUE(Has(DrawSvgStyle(), "url(#hbm-padding)") && Has(DrawSvgStyle(), "id=\"hbm-padding\""));
  EXPECT_FALSE(Has(DrawSvgStyle(), "\n  text {") || Has(DrawSvgStyle(), "\n  .free"));
}

TEST(HbmDrawTest, ABlockHasTheSameColourInEveryPicture) {
  const auto colour = [](std::string_view text) {
    TraceOutcome outcome;
    outcome.rows = {Placed(0, 512), Placed(512, 512)};
    const Trace trace = Parse(text);
    const std::string svg = DrawSvg(trace, outcome, Verdict());
    const size_t title = svg.find("<title>a: ");
    const size_t begin = svg.rfind("hsl(", title);
    return svg.substr(begin, svg.find(')', begin) - begin);
  };
  EXPECT_EQ(colour("allocate a 512\nallocate b 512\n"), colour("allocate c 512\nallocate a 512\n"));
}

TEST(HbmDrawTest, LongEmptyRangesAreCutShort) {
  const Trace trace = Parse("memory hbm capacity 16GiB\nload p 1MiB\nallocate a 1MiB\n");
  TraceOutcome outcome;
  outcome.rows = {Placed(0, 1 << 20), Placed((uint64_t{16} << 30) - (1 << 20), 1 << 20)};
  const std::string svg = DrawSvg(trace, outcome, Verdict());
  EXPECT_EQ(Unwell(svg), "");
  EXPECT_EQ(Count(svg, "cut short: 16382MiB that are free"), 1u);
  outcome.rows[1].offset = outcome.rows[1].reserved = uint64_t{8} << 30;
  EXPECT_FALSE(Has(DrawSvg(trace, outcome, Verdict()), "cut short"));
}

TEST(HbmDrawTest, ALongTraceIsAWindowAroundTheBadStep) {
  Trace trace;
  TraceOutcome outcome;
  for (uint32_t i = 0; i < 20'000; ++i) {
    Step step;
    step.kind = i % 2 ? StepKind::kFree : StepKind::kAllocate;
    step.name = i / 2;
    step.size = 64;
    trace.steps.push_back(step);
    outcome.rows.push_back(Placed(0, i % 2 ? 0 : 100));
  }
  const std::string svg = DrawSvg(trace, outcome, FindingAt(12'345));
  EXPECT_LE(Count(svg, "<rect"), 2 * DrawOptions().max_blocks + 30);
  EXPECT_TRUE(Has(svg, ">only steps 10345 to 14345 of 20000<"));
  EXPECT_TRUE(Has(svg, ">step 12345: free b6172<"));
}

TEST(HbmDrawTest, TooManyBlocksAtOnceLoseTheSmallest) {
  Trace trace;
  TraceOutcome outcome;
  for (uint32_t i = 0; i < 5'000; ++i) {
    Step step;
    step.kind = StepKind::kAllocate;
    step.name = i;
    step.size = 1 + i;
    trace.steps.push_back(step);
    outcome.rows.push_back(Placed(i * 6'000, 1 + i));
  }
  const std::string svg = DrawSvg(trace, outcome, FindingAt(4'999));
  EXPECT_LE(Count(svg, "<rect"), 2 * DrawOptions().max_blocks + 30);
  EXPECT_TRUE(Has(svg, "without the 3000 smallest blocks"));
  EXPECT_TRUE(Has(svg, "b4999: ") && !Has(svg, "b100: "));
}

TEST(HbmDrawTest, AnythingIsDrawn) {
  EXPECT_EQ(Unwell(DrawSvg(Trace(), TraceOutcome(), Verdict())), "");
  EXPECT_EQ(Unwell(DrawSvg(Trace(), TraceOutcome(), FindingAt(SIZE_MAX))), "");
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    Trace trace;
    TraceOutcome outcome;
    trace.policy.capacity = random() >> (random() % 64);
    for (int i = 0; i < 20; ++i) {
      Step step;
      step.kind = static_cast<StepKind>(random() % kNumStepKinds);
      step.name = random() % 5;
      step.size = random() >> (random() % 64);
      step.fence = random() % 3;
      trace.steps.push_back(step);
      outcome.rows.push_back(Placed(random() >> (random() % 64), random() >> (random() % 64)));
      outcome.rows.back().result = static_cast<Result>(random() % 2);
    }
    const std::string svg = DrawSvg(trace, outcome, FindingAt(random() % 30));
    ASSERT_EQ(Unwell(svg), "") << svg;
    ASSERT_FALSE(Has(svg, "nan") || Has(svg, "inf\"")) << svg;
  }
}

}  // namespace
}  // namespace oomph::hbm
