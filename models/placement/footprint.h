// The rectangles of time and address that a buffer occupies: what live ranges, gaps, windows and slices come
// down to. Two buffers collide where their rectangles do.
// Not for: which of them may share memory (colocated ones, see oracles.h).
#ifndef OOMPH_MODELS_PLACEMENT_FOOTPRINT_H_
#define OOMPH_MODELS_PLACEMENT_FOOTPRINT_H_

#include <cstdint>
#include <vector>

#include "models/placement/problem.h"

namespace oomph::placement {

// What made a rectangle smaller than the whole buffer.
enum class Cut : uint8_t { kNone, kGap, kWindow, kSlice };

// The bytes [lower, upper), counted from the buffer's offset, in use in [start, end). Never empty.
struct Rectangle {
  int64_t start = 0, end = 0;
  uint64_t lower = 0, upper = 0;
  Cut cut = Cut::kNone;
  bool operator==(const Rectangle&) const = default;
};

// The length of [start, end); 0 where it is empty. Right for every pair.
inline uint64_t Length(int64_t start, int64_t end) {
  return end <= start ? 0 : static_cast<uint64_t>(end) - static_cast<uint64_t>(start);
}

// Of 0 too: any offset will do.
inline uint64_t AlignmentOf(const Buffer& buffer) { return buffer.alignment == 0 ? 1 : buffer.alignment; }

inline bool OccupiesNothing(const Buffer& buffer) { return buffer.size == 0 || buffer.end <= buffer.start; }

// Replaces `into` by the rectangles of `buffer`: disjoint, by start, then by lower. None where it occupies nothing.
// At most (gaps * 2 + slices + 1) * (slices + 1).
void Footprint(const Buffer& buffer, std::vector<Rectangle>& into);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_FOOTPRINT_H_
