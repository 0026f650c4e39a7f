// HoleIndex against a list that is searched from front to back: many holes, few holes, all fits,
// both ends. Not for which holes an allocator has (see allocator_test.cc).

#include "models/hbm/hole_index.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <tuple>
#include <utility>

#include "gtest/gtest.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {
namespace {

// Slots of 64 bytes, each with at most one hole: what is in the index and in a map beside it.
class IndexAndMap {
 public:
  IndexAndMap(Fit fit, bool from_high, uint64_t seed)
      : fit_(fit), from_high_(from_high), random_(seed) {}

  void Reset() {
    const uint64_t alignments = Below(512);
    index_.Reset(fit_, from_high_, alignments & Below(512));
    holes_.clear();
  }

  // Fills, changes or empties one slot or a row of them, so that in the long run `fill` of 8 have a
  // hole.
  void Step(uint64_t num_slots, uint64_t fill) {
    const uint64_t first = Below(num_slots);
    const uint64_t last =
        Below(100) == 0 ? std::min(num_slots - 1, first + Below(num_slots / 8 + 1)) : first;
    const bool is_wanted = Below(8) < fill;
    for (uint64_t slot = first; slot <= last; ++slot) Set(slot, is_wanted);
  }

  void Check() {
    uint64_t largest = 0;
    for (const auto& [begin, hole] : holes_) largest = std::max(largest, hole.size);
    ASSERT_EQ(index_.Largest(), largest);
    ASSERT_EQ(index_.empty(), holes_.empty());
    const uint64_t need = 1 + Below(kSlot);
    const uint64_t alignment = uint64_t{1} << Below(9);
    ASSERT_EQ(index_.Find(need, alignment), Find(need, alignment));
  }

  void EraseAll(bool forward) {
    while (!holes_.empty()) {
      const auto hole = forward ? holes_.begin() : std::prev(holes_.end());
      index_.Erase(hole->first, hole->second.size);
      holes_.erase(hole);
      if (Below(256) == 0) Check();
    }
    Check();
  }

  size_t size() const { return holes_.size(); }

 private:
  static constexpr uint64_t kSlot = 64;
  struct Hole {
    uint64_t size;
    uint32_t ref;
  };

  uint64_t Below(uint64_t n) { return random_() % n; }

  void Set(uint64_t slot, bool is_wanted) {
    const auto hole = holes_.lower_bound(slot * kSlot);
    const bool is_there = hole != holes_.end() && hole->first < (slot + 1) * kSlot;
    const auto [begin, size] = AnyHoleIn(slot);
    const uint32_t ref = random_();
    if (is_there && is_wanted) index_.Replace(hole->first, hole->second.size, begin, size, ref);
    if (is_there && !is_wanted) index_.Erase(hole->first, hole->second.size);
    if (!is_there && is_wanted) index_.Insert(begin, size, ref);
    if (is_there) holes_.erase(hole);
    if (is_wanted) holes_[begin] = {size, ref};
  }

  std::pair<uint64_t, uint64_t> AnyHoleIn(uint64_t slot) {
    const uint64_t size = Below(2) == 0 ? 8 : 1 + Below(kSlot);
    return {slot * kSlot + Below(kSlot - size + 1), size};
  }

  uint32_t Find(uint64_t need, uint64_t alignment) const {
    using Rank = std::tuple<uint64_t, uint64_t>;
    std::optional<Rank> best;
    uint32_t found = HoleIndex::kNone;
    for (const auto& [begin, hole] : holes_) {
      const uint64_t aligned = (begin + alignment - 1) / alignment * alignment;
      if (aligned + need > begin + hole.size) continue;
      const uint64_t size = fit_ == Fit::kFirst ? 0 : fit_ == Fit::kBest ? hole.size : ~hole.size;
      const Rank rank = {size, from_high_ ? ~begin : begin};
      if (best.has_value() && *best < rank) continue;
      best = rank;
      found = hole.ref;
    }
    return found;
  }

  const Fit fit_;
  const bool from_high_;
  std::mt19937_64 random_;
  HoleIndex index_;
  std::map<uint64_t, Hole> holes_;
};

// Ebb and flow, then everything is taken out from one end or the other.
void CheckAllFits(uint32_t num_slots, uint32_t num_steps, uint32_t check_every) {
  for (const Fit fit : {Fit::kBest, Fit::kFirst, Fit::kWorst}) {
    for (const bool from_high : {false, true}) {
      IndexAndMap both(fit, from_high, num_steps);
      for (const bool forward : {false, true}) {
        both.Reset();
        for (const uint64_t fill : {7, 1, 5, 0, 4}) {
          for (uint32_t i = 0; i < num_steps; ++i) {
            both.Step(num_slots, fill);
            if (i % check_every == 0) both.Check();
            if (testing::Test::HasFatalFailure()) return;
          }
        }
        ASSERT_GT(both.size(), num_slots / 20);
        both.EraseAll(forward);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(HoleIndexTest, FindsWhatASearchFindsAmongFewHoles) { CheckAllFits(10, 200, 1); }
TEST(HoleIndexTest, FindsWhatASearchFindsAmongSomeHoles) { CheckAllFits(200, 1'000, 2); }
TEST(HoleIndexTest, FindsWhatASearchFindsAmongManyHoles) { CheckAllFits(20'000, 5'000, 100); }

TEST(HoleIndexTest, HasNothingAfterReset) {
  HoleIndex index;
  for (uint64_t begin = 0; begin < 10'000; begin += 2) index.Insert(begin, 1, 7);
  index.Reset(Fit::kFirst, false);
  EXPECT_TRUE(index.empty());
  EXPECT_EQ(index.Largest(), 0u);
  EXPECT_EQ(index.Find(1, 1), HoleIndex::kNone);
}

TEST(HoleIndexTest, HoldsTheLargestHoleThereIs) {
  for (const Fit fit : {Fit::kBest, Fit::kFirst, Fit::kWorst}) {
    for (const bool from_high : {false, true}) {
      HoleIndex index;
      index.Reset(fit, from_high);
      index.Insert(0, UINT64_MAX, 3);
      EXPECT_EQ(index.Largest(), UINT64_MAX);
      EXPECT_EQ(index.Find(UINT64_MAX, 1), 3u);
      EXPECT_EQ(index.Find(1, uint64_t{1} << 63), 3u);
      index.Erase(0, UINT64_MAX);
      EXPECT_TRUE(index.empty());
    }
  }
}

}  // namespace
}  // namespace oomph::hbm
