// For tests: buffers in one line. Not for: anything but tests.
#ifndef OOMPH_MODELS_PLACEMENT_PROBLEM_TESTING_H_
#define OOMPH_MODELS_PLACEMENT_PROBLEM_TESTING_H_

#include <cstdint>

#include "models/placement/problem.h"

namespace oomph::placement {

inline Buffer Live(uint64_t size, int64_t start, int64_t end, uint64_t alignment = 1) {
  Buffer buffer;
  buffer.size = size;
  buffer.start = start;
  buffer.end = end;
  buffer.alignment = alignment;
  return buffer;
}

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_PROBLEM_TESTING_H_
