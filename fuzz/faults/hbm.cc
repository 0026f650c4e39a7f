// The planted faults of the HBM family: the specification with one of its steps replaced. M numbers are
// those of the mutation operators that public allocator bugs suggest (docs/FACTS.md has the list).
// Not for: faults in the fast model, which the comparison catches.
#include "fuzz/faults/hbm.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/hbm/family.h"
#include "models/hbm/promises.h"
#include "models/hbm/specification.h"

namespace oomph {
namespace hbm {
namespace {

// What the faults share: questions about the state, so that each can be confined to where only its own
// oracle sees it.
class Fault : public Specification {
 public:
  using Specification::Specification;

 protected:
  const Step& Now() const { return trace_.steps[step_]; }
  StepKind Before() const { return step_ == 0 ? StepKind::kQuery : trace_.steps[step_ - 1].kind; }
  bool AfterRelease() const { return Before() == StepKind::kFree || Before() == StepKind::kUnload; }
  bool AnyQueued() const {
    return std::any_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.fence > 0; });
  }
  bool AnyProgram() const {
    return std::any_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.program; });
  }
  // Nothing that a request could wait for or evict.
  bool Quiet() const { return !AnyQueued() && !AnyProgram(); }
  // As PickHole, by another fit.
  std::optional<Place> PickBy(const Request& request, bool worst) const {
    const Range usable = Usable(request);
    std::optional<Place> picked;
    for (size_t i = 0; i < holes_.size(); ++i) {
      if (!Contains(usable, holes_[i].begin)) continue;
      const std::optional<uint64_t> offset = PlaceIn(holes_[i], request);
      if (!offset) continue;
      const bool better = !picked || (worst ? holes_[i].size() > holes_[picked->hole].size()
                                            : holes_[i].size() < holes_[picked->hole].size()) ||
                          (request.end == End::kHigh && holes_[i].size() == holes_[picked->hole].size());
      if (better) picked = Place{i, *offset};
    }
    return picked;
  }
};

// ---- Faults that one oracle alone sees ----

struct NeverGivesUp : Fault {
  using Fault::Fault;
  Cause ApplyMeasure(const Request& r, uint64_t launching) override {
    const Cause cause = Specification::ApplyMeasure(r, launching);
    return cause == Cause::kNone && !blocks_.empty() && policy_.retry_limit == 0 ? Cause::kWait : cause;
  }
};
struct DiesOfADoubleFree : Fault {
  using Fault::Fault;
  Result Free(const Step& step) override {
    const Result result = Specification::Free(step);
    return result == Result::kNoOp && Before() == StepKind::kFree ? Result::kDied : result;
  }
};
struct LosesContentsOnGrowth : Fault {
  using Fault::Fault;
  Result Reallocate(const Step& step, Row& row) override {
    const uint64_t moved = stats_.bytes_moved;
    const Result result = Specification::Reallocate(step, row);
    return result == Result::kOk && stats_.bytes_moved > moved && row.num_events == 0 ? Result::kCorrupt : result;
  }
};
struct RoundsDown : Fault {  // M3
  using Fault::Fault;
  uint64_t RoundUp(uint64_t size) const override {
    return size > policy_.granule && size < capacity_ ? RoundDown(size, policy_.granule)
                                                      : Specification::RoundUp(size);
  }
};
struct SizeWraps : Fault {  // M7
  using Fault::Fault;
  uint64_t RoundUp(uint64_t size) const override {
    const uint64_t sum = std::max<uint64_t>(size, 1) + (policy_.granule - 1);
    return std::max(RoundDown(sum, policy_.granule), policy_.granule);
  }
};
struct AlignsUpAtTheTop : Fault {  // M25
  using Fault::Fault;
  std::optional<uint64_t> PlaceIn(const Range& hole, const Request& r) const override {
    const std::optional<uint64_t> offset = Specification::PlaceIn(hole, r);
    if (!offset || r.end != End::kHigh || hole.end != capacity_) return offset;
    return CheckedRoundUp(hole.end - r.need, r.alignment);
  }
};
struct AlignsDownAtTheBottom : Fault {  // M1
  using Fault::Fault;
  std::optional<uint64_t> PlaceIn(const Range& hole, const Request& r) const override {
    const std::optional<uint64_t> offset = Specification::PlaceIn(hole, r);
    if (!offset || r.end != End::kLow) return offset;
    return RoundDown(hole.begin, r.alignment);
  }
};
struct IgnoresAlignment : Fault {  // M6
  using Fault::Fault;
  uint64_t EffectiveAlignment(uint64_t) const override { return policy_.granule; }
};
struct LoadsAnywhere : Fault {
  using Fault::Fault;
  Range Usable(const Request& r) const override {
    return r.program ? Range{0, capacity_} : Specification::Usable(r);
  }
};
struct CrossesTheMiddle : Fault {  // M13
  using Fault::Fault;
  Range Usable(const Request& r) const override {
    return r.program ? Specification::Usable(r) : Range{Top(), capacity_};
  }
};
struct MovesThePinned : Fault {  // M20
  using Fault::Fault;
  std::vector<Move> PlanMoves() const override {
    Fault free(*this);
    for (Block& block : free.blocks_) block.pinned = false;
    return static_cast<const Specification&>(free).*&MovesThePinned::Base, free.Base();
  }

 private:
  std::vector<Move> Base() const { return Specification::PlanMoves(); }
};

}  // namespace
}  // namespace hbm
}  // namespace oomph
