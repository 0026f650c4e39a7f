// Relation 14 of the design where no row of models/hbm/relations.cc states it: time. A past that is over and
// the numbers of fences mean nothing. (Names and scale are rows there, asked in hbm_rows.cc.) Does not cover:
// reversing time, which no online allocator survives.
#include <gtest/gtest.h>

#include <algorithm>

#include "props/hbm_claims.h"

namespace oomph::hbm {
namespace {

// As by worst fit, or by best where the policy is worst.
struct FitsOtherwise : Specification {
  using Specification::Specification;
  std::optional<Place> Otherwise(const Request& request) const {
    std::optional<Place> picked;
    const Range usable = Usable(request);
    for (size_t i = 0; i < holes_.size(); ++i) {
      const std::optional<uint64_t> offset = PlaceIn(holes_[i], request);
      if (!offset || !Contains(usable, holes_[i].begin)) continue;
      const bool larger = picked && holes_[i].size() > holes_[picked->hole].size();
      if (!picked || larger != (policy_.fit == Fit::kWorst)) picked = Place{i, *offset};
    }
    return picked;
  }
  bool MayBeOther(const Request& request) const { return !request.program && policy_.ends != Ends::kTwo; }
};

// ---- A past that is over ----

// What was allocated, loaded and gone again before the trace begins changes nothing in it.
std::string APastThatIsOverIsForgotten(const Trace& trace, const RunTrace& run, bool& applies) {
  Trace later = trace;
  later.names.clear();
  const uint32_t name = FreshName(trace);
  const uint64_t capacity = trace.policy.capacity;
  const std::vector<Step> past = {{.kind = StepKind::kAllocate, .name = name, .size = capacity / 2 + 1},
                                  {.kind = StepKind::kAllocate, .name = name + 1, .size = capacity / 4 + 1},
                                  {.kind = StepKind::kFree, .name = name},
                                  {.kind = StepKind::kLoad, .name = name + 2, .size = capacity / 8 + 1},
                                  {.kind = StepKind::kExecute, .name = name + 2},
                                  {.kind = StepKind::kFree, .name = name + 1},
                                  {.kind = StepKind::kUnload, .name = name + 2}};
  later.steps.insert(later.steps.begin(), past.begin(), past.end());
  applies = trace.steps.size() > 4;
  return FirstDifference(trace, run(trace), run(later), past.size());
}
constexpr Claim kPast = {"a_past_that_is_over_is_forgotten", APastThatIsOverIsForgotten};

struct RemembersItsYouth : FitsOtherwise {
  using FitsOtherwise::FitsOtherwise;
  void Release(uint64_t serial) override {
    Specification::Release(serial);
    emptied_ = emptied_ || blocks_.empty();
  }
  std::optional<Place> PickHole(const Request& request) const override {
    return emptied_ && MayBeOther(request) ? Otherwise(request) : Specification::PickHole(request);
  }
  bool emptied_ = false;
};

TEST(HbmTime, APastThatIsOverIsForgotten) { CheckClaim(kPast, 4'000, 2); }
TEST(HbmTime, APastThatIsOverIsForgottenSeesItsFault) {
  CheckCatches(kPast, Planted<RemembersItsYouth>(), 5'000);
}

// ---- Fences ----

// Other numbers for fences, in the same order, change nothing.
std::string FencesMeanTheirOrder(const Trace& trace, const RunTrace& run, bool& applies) {
  Trace other = trace;
  for (Step& step : other.steps) {
    if (step.fence == 0 || step.fence > UINT32_MAX / 4) continue;
    step.fence = 2 * step.fence + 3;
    applies = true;
  }
  return FirstDifference(trace, run(trace), run(other), 0);
}
constexpr Claim kFences = {"fences_mean_their_order", FencesMeanTheirOrder};

struct LooksAtTheFence : FitsOtherwise {
  using FitsOtherwise::FitsOtherwise;
  std::optional<Place> PickHole(const Request& request) const override {
    return passed_ > 4 && MayBeOther(request) ? Otherwise(request) : Specification::PickHole(request);
  }
};

TEST(HbmTime, FencesMeanTheirOrder) { CheckClaim(kFences, 4'000, 4); }
TEST(HbmTime, FencesMeanTheirOrderSeesItsFault) { CheckCatches(kFences, Planted<LooksAtTheFence>(), 5'000); }

}  // namespace
}  // namespace oomph::hbm
