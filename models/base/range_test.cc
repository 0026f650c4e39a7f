// Tests of half-open ranges: every pair of ranges over a few points, against the points themselves.

#include "models/base/range.h"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace oomph {
namespace {

constexpr uint64_t kPoints = 6;

std::vector<Range> AllRanges() {
  std::vector<Range> ranges;
  for (uint64_t begin = 0; begin < kPoints; ++begin) {
    for (uint64_t end = 0; end < kPoints; ++end) ranges.push_back({begin, end});
  }
  return ranges;
}

std::set<uint64_t> Points(const Range& range) {
  std::set<uint64_t> points;
  for (uint64_t point = range.begin; point < range.end; ++point) points.insert(point);
  return points;
}

TEST(Range, EmptyAndSizeCountThePoints) {
  for (const Range& range : AllRanges()) {
    EXPECT_EQ(range.size(), Points(range).size());
    EXPECT_EQ(range.empty(), Points(range).empty());
    for (uint64_t point = 0; point < kPoints; ++point) {
      EXPECT_EQ(Contains(range, point), Points(range).contains(point));
    }
  }
}

TEST(Range, OverlapsContainsAndIntersectionCompareThePoints) {
  for (const Range& a : AllRanges()) {
    for (const Range& b : AllRanges()) {
      std::set<uint64_t> both;
      for (const uint64_t point : Points(a)) {
        if (Points(b).contains(point)) both.insert(point);
      }
      EXPECT_EQ(Overlaps(a, b), !both.empty());
      EXPECT_EQ(Points(Intersection(a, b)), both);
      EXPECT_EQ(Contains(a, b), both == Points(b));
    }
  }
}

TEST(Range, EmptyRangesOverlapNothing) {
  EXPECT_FALSE(Overlaps({5, 5}, {0, 10}));
  EXPECT_FALSE(Overlaps({5, 5}, {5, 5}));
  EXPECT_FALSE(Overlaps({7, 3}, {0, 10}));
}

TEST(Range, EndsAreChecked) {
  EXPECT_EQ(RangeAt(8, 4), (Range{8, 12}));
  EXPECT_EQ(RangeAt(kMaxBytes - 4, 4), (Range{kMaxBytes - 4, kMaxBytes}));
  EXPECT_EQ(RangeAt(kMaxBytes - 4, 5), std::nullopt);
  EXPECT_EQ((Range{0, kMaxBytes}.size()), kMaxBytes);
}

TEST(Range, OrderIsThatOfAMemoryMap) {
  EXPECT_LT((Range{1, 9}), (Range{2, 3}));
  EXPECT_LT((Range{1, 2}), (Range{1, 3}));
}

}  // namespace
}  // namespace oomph
