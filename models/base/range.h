// A half-open range [begin, end) of bytes or of steps: one type for chunks of memory and for live ranges.
// Not for the inclusive bounds of messages and MLIR texts: those are converted where they are read.

#ifndef OOMPH_MODELS_BASE_RANGE_H_
#define OOMPH_MODELS_BASE_RANGE_H_

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>

#include "models/base/units.h"

namespace oomph {

// Empty where end <= begin. The byte or step 2^64 - 1 itself can be in no range.
struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;

  constexpr bool empty() const { return end <= begin; }
  constexpr uint64_t size() const { return SaturatingSub(end, begin); }

  // By begin, then end: the order of a memory map.
  auto operator<=>(const Range&) const = default;
  bool operator==(const Range&) const = default;
};

// [begin, begin + size), or nothing where its end is 2^64 or more.
constexpr std::optional<Range> RangeAt(uint64_t begin, uint64_t size) {
  const std::optional<uint64_t> end = CheckedAdd(begin, size);
  if (!end.has_value()) return std::nullopt;
  return Range{begin, *end};
}

// Whether some byte or step is in both. Empty ranges overlap nothing, not even themselves.
constexpr bool Overlaps(const Range& a, const Range& b) {
  return std::max(a.begin, b.begin) < std::min(a.end, b.end);
}

constexpr bool Contains(const Range& range, uint64_t point) {
  return range.begin <= point && point < range.end;
}

// Whether every byte or step of `inner` is in `outer`. An empty range has none, so all contain it.
constexpr bool Contains(const Range& outer, const Range& inner) {
  return inner.empty() || (outer.begin <= inner.begin && inner.end <= outer.end);
}

// What is in both; empty where they do not overlap.
constexpr Range Intersection(const Range& a, const Range& b) {
  return Range{std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_RANGE_H_
