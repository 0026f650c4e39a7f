// Lower bounds of a placement problem's peak, with certificates that anyone can check again.
// Not for: placing anything.
#ifndef OOMPH_MODELS_PLACEMENT_BOUNDS_H_
#define OOMPH_MODELS_PLACEMENT_BOUNDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "models/placement/problem.h"

namespace oomph::placement {

// Why no placement has a peak below `peak`: buffers that are all in use at `time` (of one memory space), and the
// rule by which they need that much.
struct Certificate {
  enum class Rule : uint8_t {
    kNothing,    // nothing occupies memory: 0
    kLiveBytes,  // the bytes in use at a time
    kAlignment,  // the same, with the waste that alignments and sizes leave at whatever order they are stacked in;
                 // of one buffer alone: its size
    kFixed,      // where a fixed offset reaches: of one buffer, or of one that shares its offset with another
  } rule = Rule::kNothing;
  uint64_t peak = 0;   // saturated at 2^64 - 1
  int64_t time = 0;
  uint32_t space = 0;
  std::vector<size_t> buffers;  // by index; ascending; of a group at most one, but for kFixed
};

// The largest sum of bytes in use at one time, over all spaces. O(n log n).
Certificate LiveBytesBound(const Problem& problem);
// At least LiveBytesBound. O(n log n).
Certificate LowerBound(const Problem& problem);
// The same for each space that some buffer is in, by its number.
std::vector<Certificate> LowerBounds(const Problem& problem);
// Whether `certificate` proves its peak of this problem; looks only at what it names. Otherwise `why`.
bool Check(const Problem& problem, const Certificate& certificate, std::string* why);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_BOUNDS_H_
