// Footprints of buffers by hand, and of random ones against the definition, byte by byte and moment by moment.
#include "models/placement/footprint.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/base/units.h"

namespace oomph::placement {
namespace {

Buffer Live(uint64_t size, int64_t start, int64_t end, std::vector<Gap> gaps = {}, std::vector<Slice> slices = {}) {
  Buffer buffer;
  buffer.size = size, buffer.start = start, buffer.end = end;
  buffer.gaps = std::move(gaps), buffer.slices = std::move(slices);
  return buffer;
}

std::vector<Rectangle> Of(const Buffer& buffer) {
  std::vector<Rectangle> rectangles = {{}};
  Footprint(buffer, rectangles);
  return rectangles;
}

TEST(Footprint, OfAPlainBufferIsTheBuffer) {
  EXPECT_EQ(Of(Live(8, -1, 3)), (std::vector<Rectangle>{{-1, 3, 0, 8, Cut::kNone}}));
}

TEST(Footprint, OfNothingIsNothing) {
  EXPECT_TRUE(Of(Live(0, 0, 3)).empty());
  EXPECT_TRUE(Of(Live(8, 3, 3)).empty());
  EXPECT_TRUE(Of(Live(8, 3, 0)).empty());
  EXPECT_TRUE(Of(Live(8, 0, 3, {{-5, 9, 0, 0}})).empty());
}

//   7 +---+     +---+        a gap without a window, one with [2,4)
//     |   |     |   +---+
//     |   |     |   |   |
//   0 +---+     +---+   +---
TEST(Footprint, GapsCutTime) {
  const Buffer buffer = Live(7, 0, 10, {{2, 4, 0, 0}, {6, 8, 2, 4}});
  EXPECT_EQ(Of(buffer), (std::vector<Rectangle>{
                            {0, 2, 0, 7, Cut::kGap}, {4, 6, 0, 7, Cut::kGap}, {6, 8, 2, 4, Cut::kWindow}, {8, 10, 0, 7, Cut::kGap}}));
}

TEST(Footprint, WhereGapsMeetOnlyWhatIsInEveryWindowIsInUse) {
  const Buffer buffer = Live(9, 0, 6, {{0, 4, 0, 5}, {2, 6, 3, 9}});
  EXPECT_EQ(Of(buffer), (std::vector<Rectangle>{
                            {0, 2, 0, 5, Cut::kWindow}, {2, 4, 3, 5, Cut::kWindow}, {4, 6, 3, 9, Cut::kWindow}}));
}

TEST(Footprint, AWindowOfTheWholeBufferIsNoGap) {
  EXPECT_EQ(Of(Live(7, 0, 9, {{2, 4, 0, 99}})), (std::vector<Rectangle>{{0, 9, 0, 7, Cut::kNone}}));
}

TEST(Footprint, SlicesBeginLater) {
  const Buffer buffer = Live(10, 0, 9, {}, {{3, 5}, {4, 2}});
  EXPECT_EQ(Of(buffer),
            (std::vector<Rectangle>{{0, 9, 7, 10, Cut::kSlice}, {2, 9, 3, 7, Cut::kSlice}, {5, 9, 0, 3, Cut::kSlice}}));
}

TEST(Footprint, SlicesBeyondTheSizeDoNotCount) {
  EXPECT_EQ(Of(Live(4, 0, 9, {}, {{3, -7}, {UINT64_MAX, -3}, {UINT64_MAX, 5}})),
            (std::vector<Rectangle>{{0, 9, 0, 4, Cut::kNone}}));
}

// Whether the byte is in use, by the sentences of problem.h.
bool InUse(const Buffer& buffer, int64_t time, uint64_t byte) {
  if (time < buffer.start || time >= buffer.end || byte >= buffer.size) return false;
  for (const Gap& gap : buffer.gaps) {
    if (gap.lower <= time && time < gap.upper && (byte < gap.window_lower || byte >= gap.window_upper)) return false;
  }
  uint64_t lower = 0;
  for (const Slice& slice : buffer.slices) {
    if (byte >= lower && byte < SaturatingAdd(lower, slice.size)) return time >= slice.start;
    lower = SaturatingAdd(lower, slice.size);
  }
  return true;
}

TEST(Footprint, OfRandomBuffersIsWhatIsInUse) {
  for (uint64_t seed = 0; seed < 3'000; ++seed) {
    Choices choices = Choices::FromSeed(seed, false);
    const auto time = [&] { return static_cast<int64_t>(choices.Below(10)) - 1; };
    Buffer buffer = Live(choices.Below(8), time(), time());
    for (uint64_t i = choices.Below(4); i > 0; --i) {
      buffer.gaps.push_back({time(), time(), choices.Below(9), choices.Below(10)});
    }
    for (uint64_t i = choices.Below(4); i > 0; --i) buffer.slices.push_back({choices.Below(5), time()});
    const std::vector<Rectangle> rectangles = Of(buffer);
    EXPECT_LE(rectangles.size(), (buffer.gaps.size() * 2 + buffer.slices.size() + 1) * (buffer.slices.size() + 1));
    EXPECT_TRUE(std::is_sorted(rectangles.begin(), rectangles.end(), [](const Rectangle& a, const Rectangle& b) {
      return std::pair(a.start, a.lower) < std::pair(b.start, b.lower);
    }));
    for (int64_t t = -2; t < 11; ++t) {
      for (uint64_t byte = 0; byte < 9; ++byte) {
        const auto covers = [&](const Rectangle& r) { return r.start <= t && t < r.end && r.lower <= byte && byte < r.upper; };
        ASSERT_EQ(std::count_if(rectangles.begin(), rectangles.end(), covers), InUse(buffer, t, byte) ? 1 : 0)
            << "seed " << seed << ", time " << t << ", byte " << byte;
      }
    }
  }
}

}  // namespace
}  // namespace oomph::placement
