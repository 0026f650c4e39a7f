// See units.h.
#include "models/placement/units.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"

#include "models/base/units.h"
#include "models/placement/footprint.h"

namespace oomph::placement {
namespace {

// 2^64 - 1 where it is above that: of its multiples only 0 can be an offset.
uint64_t CommonMultiple(uint64_t a, uint64_t b) {
  if (a == 1 || a == b) return b;
  if (b == 1) return a;
  const auto product = static_cast<unsigned __int128>(a / std::gcd(a, b)) * b;
  return product > kMaxBytes ? kMaxBytes : static_cast<uint64_t>(product);
}

uint64_t LongestStretch(std::span<const Rectangle> rectangles) {
  if (rectangles.size() == 1) return Length(rectangles[0].start, rectangles[0].end);
  uint64_t longest = 0;
  int64_t start = 0, end = 0;
  for (const Rectangle& r : rectangles) {
    if (longest == 0 || r.start > end) start = r.start, end = r.end;
    end = std::max(end, r.end);
    longest = std::max(longest, Length(start, end));
  }
  return longest;
}

// The numbers of the spaces, and the place of each buffer's among them.
void MakeSpaces(const Problem& problem, Units& into) {
  bool one = true;
  for (const Buffer& buffer : problem.buffers) one = one && buffer.space == problem.buffers.front().space;
  into.spaces.clear();
  for (const Buffer& buffer : problem.buffers) {
    if (!one || into.spaces.empty()) into.spaces.push_back(buffer.space);
  }
  std::sort(into.spaces.begin(), into.spaces.end());
  into.spaces.erase(std::unique(into.spaces.begin(), into.spaces.end()), into.spaces.end());
}

uint32_t SpaceOf(const Units& units, uint32_t number) {
  if (units.spaces.size() == 1) return 0;
  return static_cast<uint32_t>(std::lower_bound(units.spaces.begin(), units.spaces.end(), number) -
                               units.spaces.begin());
}

// Which unit each buffer is of; returns how many there are.
size_t AssignUnits(const Problem& problem, Units& into) {
  into.of_buffer.resize(problem.buffers.size());
  absl::flat_hash_map<uint64_t, uint32_t> groups;
  uint32_t count = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    uint32_t unit = count;
    if (buffer.group != 0) {
      into.has_groups = true;
      unit = groups.emplace(uint64_t{buffer.space} << 32 | buffer.group, count).first->second;
    }
    into.of_buffer[i] = unit;
    count += unit == count;
  }
  return count;
}

void Join(const Buffer& buffer, std::span<const Rectangle> rectangles, uint64_t end, Unit& unit, bool& contradicts) {
  const uint64_t alignment = AlignmentOf(buffer);
  unit.alignment = CommonMultiple(unit.alignment, alignment);
  if (buffer.fixed) {
    contradicts = contradicts || (unit.is_fixed && unit.fixed != *buffer.fixed) || *buffer.fixed > end;
    unit.is_fixed = true;
    unit.fixed = *buffer.fixed;
  }
  if (OccupiesNothing(buffer)) return;
  if (unit.height == 0) {
    unit.size = buffer.size;
    unit.stretch = LongestStretch(rectangles);
    unit.start = unit.earliest = buffer.start;
    unit.latest = buffer.end;
  }
  unit.height = std::max(unit.height, buffer.size);
  unit.earliest = std::min(unit.earliest, buffer.start);
  unit.latest = std::max(unit.latest, buffer.end);
}

}  // namespace

void MakeUnits(const Problem& problem, uint64_t end, Units& into) {
  into.has_groups = into.has_slices = into.contradicts = false;
  MakeSpaces(problem, into);
  const size_t count = AssignUnits(problem, into);
  into.list.assign(count, {});
  into.rectangles.clear();
  into.owner.clear();
  // The buffers unit by unit.
  std::vector<uint32_t> order;
  if (into.has_groups) {
    order.resize(problem.buffers.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return std::pair(into.of_buffer[a], a) < std::pair(into.of_buffer[b], b);
    });
  }
  into.rectangles.reserve(problem.buffers.size());
  std::vector<Rectangle> footprint;
  for (size_t k = 0; k < problem.buffers.size(); ++k) {
    const size_t i = into.has_groups ? order[k] : k;
    const Buffer& buffer = problem.buffers[i];
    Unit& unit = into.list[into.of_buffer[i]];
    const auto begin = static_cast<uint32_t>(into.rectangles.size());
    if (buffer.gaps.empty() && buffer.slices.empty()) {
      if (!OccupiesNothing(buffer)) into.rectangles.push_back({buffer.start, buffer.end, 0, buffer.size});
    } else {
      into.has_slices = into.has_slices || !buffer.slices.empty();
      Footprint(buffer, footprint);
      into.rectangles.insert(into.rectangles.end(), footprint.begin(), footprint.end());
    }
    if (into.has_groups) into.owner.resize(into.rectangles.size(), static_cast<uint32_t>(i));
    if (k == 0 || into.of_buffer[into.has_groups ? order[k - 1] : k - 1] != into.of_buffer[i]) unit.begin = begin;
    unit.end = static_cast<uint32_t>(into.rectangles.size());
    unit.space = SpaceOf(into, buffer.space);
    Join(buffer, {into.rectangles.data() + begin, unit.end - begin}, end, unit, into.contradicts);
  }
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Unit& unit = into.list[into.of_buffer[i]];
    if (!unit.is_fixed) continue;
    into.contradicts = into.contradicts || unit.fixed % AlignmentOf(problem.buffers[i]) != 0 || unit.fixed > end ||
                       unit.height > end - unit.fixed;
  }
}

}  // namespace oomph::placement
