// See pool_of_cases.h.
#include "fuzz/campaign/pool_of_cases.h"

namespace oomph {

bool PoolOfCases::Covers(const Reach& reach) {
  bool covered = true;
  for (size_t i = reach._Find_first(); i < kMaxReach; i = reach._Find_next(i)) {
    if ((reach & ~met_[i]).none()) continue;
    covered = false;
    met_[i] |= reach;
  }
  return covered;
}

bool PoolOfCases::Offer(const Case& c, const Reach& reach) {
  if (cases_.size() >= kMaxCases || Covers(reach)) return false;
  cases_.push_back(family_.Clone(c));
  return true;
}

}  // namespace oomph
