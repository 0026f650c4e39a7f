// The two searches of exact.h for the least peak of one memory space.
// Not for: the answer to a whole problem (see exact.h).
#ifndef OOMPH_MODELS_PLACEMENT_SEARCH_H_
#define OOMPH_MODELS_PLACEMENT_SEARCH_H_

#include <cstdint>
#include <vector>

#include "models/placement/units.h"

namespace oomph::placement {

struct Nodes {
  uint64_t budget = 0;
  uint64_t used = 0;
  bool spent = false;  // one more was wanted than there are

  // Whether there was one more to spend.
  bool Spend() {
    spent = spent || used >= budget;
    used += !spent;
    return !spent;
  }
};

// The best placement of a space that is known so far.
struct SpaceSearch {
  uint64_t bound = 0;  // no peak is below it
  bool placed = false;
  bool proved = false;  // that no peak is below `peak`; where nothing is placed: that nothing fits
  uint64_t peak = 0;

  bool IsLeast() const { return placed && peak == bound; }
};

// Looks for lower peaks of one space, whose units are `own`, than that of `known`, at most `end`. `offsets` has those of
// all units of the problem; where a lower peak is found, those of `own` are replaced.
void Search(const Units& units, std::span<const uint32_t> own, uint64_t end, Nodes& nodes, SpaceSearch& known,
            std::vector<uint64_t>& offsets);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_SEARCH_H_
