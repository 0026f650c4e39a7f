// The units of a problem, flat: what the fast planners place. One for each buffer, or for all of one space and group.
// Not for: the rules behind it (see specification.h).
#ifndef OOMPH_MODELS_PLACEMENT_UNITS_H_
#define OOMPH_MODELS_PLACEMENT_UNITS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "models/placement/footprint.h"
#include "models/placement/problem.h"

namespace oomph::placement {

// The lowest multiple that is not below; false: it is above 2^64 - 1. The alignment is not 0.
inline bool AlignUp(uint64_t offset, uint64_t alignment, uint64_t& into) {
  if (alignment == 1) {
    into = offset;
    return true;
  }
  const bool binary = (alignment & (alignment - 1)) == 0;
  const uint64_t rest = binary ? offset & (alignment - 1) : offset % alignment;
  into = offset;
  return rest == 0 || !__builtin_add_overflow(offset, alignment - rest, &into);
}

struct Unit {
  uint64_t height = 0;  // 0: it occupies nothing
  uint64_t alignment = 1;
  uint64_t size = 0, stretch = 0;  // of the first member that occupies something; see specification.h
  int64_t start = 0;
  int64_t earliest = 0, latest = 0;
  uint64_t fixed = 0;  // if is_fixed
  bool is_fixed = false;
  uint32_t space = 0;              // its place in Units::spaces
  uint32_t begin = 0, end = 0;     // its rectangles
};

struct Units {
  std::vector<Unit> list;
  std::vector<uint32_t> of_buffer;    // the unit of each buffer
  std::vector<uint32_t> spaces;       // their numbers, ascending
  std::vector<Rectangle> rectangles;  // unit by unit, in it member by member
  std::vector<uint32_t> owner;        // the buffer of each rectangle; empty where it is its unit's number
  bool has_groups = false, has_slices = false;
  bool contradicts = false;  // a fixed offset that no placement has; two that collide are not looked for

  std::span<const Rectangle> RectanglesOf(const Unit& unit) const {
    return {rectangles.data() + unit.begin, unit.end - unit.begin};
  }
};

// Replaces `into`; `end` is that of memory.
void MakeUnits(const Problem& problem, uint64_t end, Units& into);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_UNITS_H_
