// The stored cases of one pair that showed new behaviour: mutation begins from them.
// Not for: keeping them on disk (see store/).
#ifndef OOMPH_FUZZ_CAMPAIGN_POOL_OF_CASES_H_
#define OOMPH_FUZZ_CAMPAIGN_POOL_OF_CASES_H_

#include <bitset>
#include <memory>
#include <vector>

#include "models/base/family.h"

namespace oomph {

class PoolOfCases {
 public:
  static constexpr size_t kMaxCases = 1024;

  explicit PoolOfCases(const Family& family) : family_(family) {}

  // Takes a copy of `c` if it met a row, or two rows together, that no case here met before.
  bool Offer(const Case& c, const Reach& reach);
  bool empty() const { return cases_.empty(); }
  const Case& Pick(Choices& choices) const { return *cases_[choices.Below(cases_.size())]; }

 private:
  bool Covers(const Reach& reach);

  const Family& family_;
  std::vector<std::unique_ptr<Case>> cases_;
  // Row i: the rows met together with i.
  std::vector<Reach> met_ = std::vector<Reach>(kMaxReach);
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_CAMPAIGN_POOL_OF_CASES_H_
