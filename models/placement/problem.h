// A placement problem: buffers with known live ranges that get fixed offsets in a memory.
// Not for: what a planner answers (see plan.h).
//
//   address ^
//           |      +-----------+
//           |      | b         |
//           |  +---+---+   +---+-----+        a is live in [1,4) and [6,9): it has a gap [4,6), in which
//           |  | a     |   | a       |        the memory below b serves somebody else
//           +--+-------+---+---------+--> time
//
// Every value of these types is a problem, sizes up to 2^64 - 1 included; what follows from odd ones:
//   - size 0, or an empty live range (also end < start): occupies no memory, still gets an aligned offset
//     within the capacity;
//   - an alignment of 0 is 1; any number is an alignment, powers of two or not;
//   - capacity 0 holds buffers of 0 bytes.
#ifndef OOMPH_MODELS_PLACEMENT_PROBLEM_H_
#define OOMPH_MODELS_PLACEMENT_PROBLEM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace oomph::placement {

// In [lower, upper) only the bytes [window_lower, window_upper) of the buffer are in use, counted from its
// offset; an empty window: none. Where gaps meet, only what lies in every window is in use.
struct Gap {
  int64_t lower = 0, upper = 0;
  uint64_t window_lower = 0, window_upper = 0;
  bool operator==(const Gap&) const = default;
};

// A piece of a buffer that is in use from `start` on (or from the buffer's own start, if that is later).
// Slices follow one another in address; what they leave of the buffer is in use from its start on, and what
// they have beyond its size does not count.
struct Slice {
  uint64_t size = 0;
  int64_t start = 0;
  bool operator==(const Slice&) const = default;
};

struct Buffer {
  std::string id;                 // for people; need not be unique
  uint64_t size = 0;              // bytes
  uint64_t alignment = 1;         // the offset is a multiple of it
  int64_t start = 0, end = 0;     // live in [start, end)
  std::optional<uint64_t> fixed;  // the offset that it must have; its alignment still binds
  std::optional<uint64_t> hint;   // an offset that would be welcome; binds nobody
  uint32_t space = 0;             // memory space: buffers of different spaces never meet
  // Buffers of one space and one group > 0 have the same offset, and may share memory with one another.
  uint32_t group = 0;
  std::vector<Gap> gaps;
  std::vector<Slice> slices;
  std::string extra;              // the cells of columns that we do not know, as they stood, joined by commas
  bool operator==(const Buffer&) const = default;
};

struct Problem {
  // Bytes of every memory space; none: the planner makes the peak as small as it can.
  std::optional<uint64_t> capacity;
  std::vector<Buffer> buffers;
  std::string extra_columns;      // the names of Buffer::extra, joined by commas
  bool operator==(const Problem&) const = default;
};

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_PROBLEM_H_
