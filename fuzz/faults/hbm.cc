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
  // The last step that was no query; SIZE_MAX: none. So that asking changes nothing.
  size_t StepBefore() const {
    size_t i = step_;
    while (i > 0 && trace_.steps[i - 1].kind == StepKind::kQuery) --i;
    return i - 1;
  }
  StepKind Before() const { return StepBefore() == SIZE_MAX ? StepKind::kQuery : trace_.steps[StepBefore()].kind; }
  bool AfterRelease() const { return Before() == StepKind::kFree || Before() == StepKind::kUnload; }
  bool IsAllocate() const { return Now().kind == StepKind::kAllocate; }
  bool AnyQueued() const {
    return std::any_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.fence > 0; });
  }
  bool AnyProgram() const {
    return std::any_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.program; });
  }
  // Calls `then` with blocks that `change` has altered.
  template <typename Change, typename Then>
  auto WithBlocks(Change change, Then then) const {
    auto& blocks = const_cast<Fault*>(this)->blocks_;
    const std::vector<Block> saved = blocks;
    std::for_each(blocks.begin(), blocks.end(), change);
    auto result = then();
    blocks = saved;
    return result;
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
struct KeepsThePinned : Fault {
  using Fault::Fault;
  Result Free(const Step& step) override {
    const Entity& entity = Named(step.name);
    const bool keeps = entity.kind == Entity::Kind::kBuffer && entity.pinned;
    return keeps ? Result::kNoOp : Specification::Free(step);
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
struct MiscountsGrowth : Fault {
  using Fault::Fault;
  // Its own count of free bytes, which it tells nobody but its own check.
  Result Reallocate(const Step& step, Row& row) override {
    const uint64_t moved = stats_.bytes_moved;
    const Result result = Specification::Reallocate(step, row);
    return result == Result::kOk && stats_.bytes_moved == moved && row.num_events == 0 ? Result::kInconsistent : result;
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
    if (!offset || r.end != End::kLow || AnyProgram()) return offset;
    // By one granule only, so that it ends up in the block below and not beyond it.
    const uint64_t rounded = RoundDown(hole.begin, r.alignment);
    return hole.begin - rounded == policy_.granule ? rounded : *offset;
  }
};
struct IgnoresAlignment : Fault {  // M6
  using Fault::Fault;
  uint64_t EffectiveAlignment(uint64_t asked) const override {
    return Now().kind == StepKind::kExecute ? Specification::EffectiveAlignment(asked) : policy_.granule;
  }
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
    return WithBlocks([](Block& block) { block.pinned = false; }, [&] { return Specification::PlanMoves(); });
  }
};
struct MovesForNothing : Fault {
  using Fault::Fault;
  bool MovesHelp(const std::vector<Move>& moves, const Request*) const override { return !moves.empty(); }
};
struct IgnoresDefragment : Fault {
  using Fault::Fault;
  bool Defragment(const Request* request) override { return request != nullptr && Specification::Defragment(request); }
};
struct LandsOneFenceEarly : Fault {
  using Fault::Fault;
  Result FreeLater(const Step& step) override {
    const uint32_t passed = passed_;
    if (step.fence == passed_ + 1) ++passed_;
    const Result result = Specification::FreeLater(step);
    passed_ = passed;
    return result;
  }
};
struct LandsOnlyItsOwnFence : Fault {
  using Fault::Fault;
  void Fence(uint32_t fence) override {
    std::vector<uint64_t> earlier;
    for (Block& block : blocks_) {
      if (block.fence > 0 && block.fence < fence) earlier.push_back(block.serial), block.fence += 1u << 20;
    }
    Specification::Fence(fence);
    for (uint64_t serial : earlier) Find(serial)->fence -= 1u << 20;
  }
};
struct EvictsThePinned : Fault {  // M19
  using Fault::Fault;
  uint64_t PickVictim(const Request& r, uint64_t launching) const override {
    return WithBlocks([](Block& block) { block.pinned = block.pinned && !block.program; },
                      [&] { return Specification::PickVictim(r, launching); });
  }
};
struct EvictsTheLowest : Fault {
  using Fault::Fault;
  uint64_t PickVictim(const Request& r, uint64_t launching) const override {
    if (Specification::PickVictim(r, launching) == 0) return 0;
    for (const Block& block : blocks_) {
      if (block.program && !block.pinned && block.serial != launching) return block.serial;
    }
    return 0;
  }
};
struct EvictsBeforeLooking : Fault {  // M19
  using Fault::Fault;
  bool Attempt(const Request& r) override {
    const bool first = step_ != looked_;
    looked_ = step_;
    if (first && !r.program && Now().kind != StepKind::kExecute && PickVictim(r, 0) != 0) return false;
    return Specification::Attempt(r);
  }
  size_t looked_ = SIZE_MAX;
};
struct EvictsForPrograms : Fault {
  using Fault::Fault;
  uint64_t PickVictim(const Request& r, uint64_t launching) const override {
    Request as_buffer = r;
    as_buffer.program = false;
    return Specification::PickVictim(as_buffer, launching);
  }
};
struct ForgetsToRestore : Fault {
  using Fault::Fault;
  void UndoEvictions() override {}
};
struct RetriesInVain : Fault {  // M11
  using Fault::Fault;
  Cause ApplyMeasure(const Request& r, uint64_t launching) override {
    const Cause cause = Specification::ApplyMeasure(r, launching);
    if (cause != Cause::kNone || retried_ == step_) return cause;
    retried_ = step_;
    return Cause::kWait;
  }
  size_t retried_ = SIZE_MAX;
};
struct OneRetryTooMany : Fault {  // M11
  using Fault::Fault;
  bool MayRetry(uint32_t retries) const override {
    return policy_.retry_limit == 0 || retries <= policy_.retry_limit;
  }
};
struct ForgetsToCountRetries : Fault {  // M11
  using Fault::Fault;
  void CountRetry(Ledger&) override {}
};
struct CountsFailuresTwice : Fault {  // M10
  using Fault::Fault;
  void CountFailure(Ledger& ledger) override { ledger.failures += ledger.retries > 0 ? 2 : 1; }
};
// What is refused with a pinned buffer in the way is defragmented only when asked again.
struct DefragmentsWhenAskedTwice : Fault {  // M11
  using Fault::Fault;
  bool Defragment(const Request* r) override {
    const bool pinned = std::any_of(blocks_.begin(), blocks_.end(),
                                    [](const Block& b) { return b.pinned && !b.program; });
    if (r == nullptr || !pinned || Now().kind != StepKind::kAllocate) return Specification::Defragment(r);
    if (refused_at_ == StepBefore()) return Specification::Defragment(r);
    refused_at_ = step_;
    return false;
  }
  size_t refused_at_ = SIZE_MAX - 1;
};
struct RefusesTheWhole : Fault {  // M4
  using Fault::Fault;
  bool Attempt(const Request& r) override {
    return !(IsAllocate() && blocks_.empty() && r.need == capacity_ && policy_.undo == Undo::kNo) && Specification::Attempt(r);
  }
};
struct ForgetsTheLastFree : Fault {  // M3
  using Fault::Fault;
  std::optional<Place> PickHole(const Request& r) const override {
    const bool forgets = Before() == StepKind::kFree && freed_at_ == StepBefore() && Quiet() && !blocks_.empty() &&
                         !r.program && Now().kind == StepKind::kAllocate && r.need <= freed_.size() &&
                         IsMultipleOf(freed_.begin, r.alignment);
    return forgets ? std::nullopt : Specification::PickHole(r);
  }
  void Release(uint64_t serial) override {
    freed_at_ = step_;
    const Block& block = *Find(serial);
    freed_ = {block.offset, block.stop()};
    Specification::Release(serial);
  }
  size_t freed_at_ = SIZE_MAX - 1;
  Range freed_;
};
struct RefusesTheExactHole : Fault {  // M4
  using Fault::Fault;
  std::optional<uint64_t> PlaceIn(const Range& hole, const Request& r) const override {
    const bool refuses =
        hole.size() == r.need && !blocks_.empty() && Quiet() && !AfterRelease() && IsAllocate() &&
        policy_.undo == Undo::kNo;
    return refuses ? std::nullopt : Specification::PlaceIn(hole, r);
  }
};
struct ReservesLessThanItSays : Fault {  // M4
  using Fault::Fault;
  std::optional<uint64_t> PlaceIn(const Range& hole, const Request& r) const override {
    const bool refuses = r.program && hole.size() == r.need && !blocks_.empty() && !AfterRelease() && !AnyQueued() &&
                         policy_.eviction != Eviction::kAll && Now().kind == StepKind::kLoad &&
                         Before() != StepKind::kEvict;
    return refuses ? std::nullopt : Specification::PlaceIn(hole, r);
  }
};
struct DoesNotWait : Fault {  // M11
  using Fault::Fault;
  bool Wait() override { return false; }
};
struct DoesNotEvict : Fault {
  using Fault::Fault;
  bool Evict(const Request&, uint64_t) override { return false; }
};
struct DoesNotDefragment : Fault {
  using Fault::Fault;
  bool Defragment(const Request* request) override { return request == nullptr && Specification::Defragment(request); }
};
struct FailureSplitsAHole : Fault {  // M12
  using Fault::Fault;
  bool Attempt(const Request& r) override {
    if (step_ != tried_) events_before_ = outcome_->events.size();
    tried_ = step_;
    return Specification::Attempt(r);
  }
  void AfterFailure(const Request&) override {
    if (StepBefore() == SIZE_MAX || outcome_->events.size() != events_before_) return;  // something was done
    for (size_t i = 0; i < holes_.size(); ++i) {
      if (holes_[i].size() < 2 * policy_.granule) continue;
      const Range upper = {holes_[i].begin + policy_.granule, holes_[i].end};
      holes_[i].end = upper.begin;
      holes_.insert(holes_.begin() + i + 1, upper);
      return;
    }
  }
  size_t tried_ = SIZE_MAX;
  size_t events_before_ = 0;
};
struct ReportsAllButOne : Fault {
  using Fault::Fault;
  void WriteReport() override {
    for (size_t i = 1; i < blocks_.size(); ++i) {
      Emit({.kind = EventKind::kReported, .name = blocks_[i].name, .offset = blocks_[i].offset,
            .size = blocks_[i].reserved});
    }
  }
};
struct LargestIsTheFirst : Fault {  // M9
  using Fault::Fault;
  void AnswerQuery(Row& row) override {
    Specification::AnswerQuery(row);
    for (const Range& hole : holes_) {
      if (hole.begin < Top()) continue;
      row.largest_free = hole.size();
      return;
    }
  }
};
struct ListsAShiftedHole : Fault {
  using Fault::Fault;
  void ListFree() override {
    bool shifted = false;
    for (size_t i = 0; i < holes_.size(); ++i) {
      const uint64_t next = i + 1 < holes_.size() ? holes_[i + 1].begin : capacity_;
      const bool shift = !shifted && holes_[i].end + policy_.granule < next;
      shifted = shifted || shift;
      Emit({.kind = EventKind::kFreeRange, .offset = holes_[i].begin + (shift ? policy_.granule : 0),
            .size = holes_[i].size()});
    }
  }
};
struct ListsAllButOne : Fault {
  using Fault::Fault;
  void ListFree() override {
    for (size_t i = 1; i < holes_.size(); ++i) {
      Emit({.kind = EventKind::kFreeRange, .offset = holes_[i].begin, .size = holes_[i].size()});
    }
  }
};
struct ListsAHoleInTwo : Fault {
  using Fault::Fault;
  void ListFree() override {
    for (const Range& hole : holes_) {
      const uint64_t half = RoundDown(hole.size() / 2, policy_.granule);
      if (half > 0) Emit({.kind = EventKind::kFreeRange, .offset = hole.begin, .size = half});
      Emit({.kind = EventKind::kFreeRange, .offset = hole.begin + half, .size = hole.size() - half});
    }
  }
};
struct KeepsAnOutput : Fault {
  using Fault::Fault;
  void AfterFailure(const Request&) override {
    if (Now().kind != StepKind::kExecute || step_ + 1 >= trace_.steps.size()) return;
    if (trace_.steps[step_ + 1].kind == StepKind::kOutput) outcome_->rows[step_ + 1].result = Result::kOk;
  }
};
struct IgnoresDonations : Fault {
  using Fault::Fault;
  bool TakesOver(const Step&, const Request&) const override { return false; }
};
struct ForgetsThePeak : Fault {  // M10
  using Fault::Fault;
  void CountPlaced(const Block& block) override {
    const uint64_t peak = stats_.peak_bytes_in_use;
    Specification::CountPlaced(block);
    if (!block.program && block.alignment > policy_.granule) stats_.peak_bytes_in_use = std::max(peak, uint64_t{1});
  }
};

// ---- Faults that only a relation sees: each is a legal choice, made for a reason that should not matter ----

struct AnswersByTheHour : Fault {
  explicit AnswersByTheHour(const Trace& trace) : Fault(trace), odd_(++Runs() % 2 == 1) {}
  std::optional<Place> PickHole(const Request& r) const override {
    if (!odd_ || r.program || policy_.ends == Ends::kTwo) return Specification::PickHole(r);
    return PickBy(r, true);
  }
  // The fault is that a run depends on how many there were.
  static uint64_t& Runs() {
    static thread_local uint64_t runs = 0;
    return runs;
  }
  bool odd_;
};
struct LooksAtTheName : Fault {  // M14
  using Fault::Fault;
  std::optional<Place> PickHole(const Request& r) const override {
    const bool other = r.name % 2 == 0 && !r.program && policy_.ends != Ends::kTwo;
    return other ? PickBy(r, policy_.fit != Fit::kWorst) : Specification::PickHole(r);
  }
};
struct LooksAtTheSizeInBytes : Fault {
  using Fault::Fault;
  std::optional<Place> PickHole(const Request& r) const override {
    const bool other = r.need > 256 && !r.program && policy_.ends != Ends::kTwo;
    return other ? PickBy(r, policy_.fit != Fit::kWorst) : Specification::PickHole(r);
  }
};
struct RemembersQueries : Fault {
  using Fault::Fault;
  void ListFree() override {
    asked_ = true;
    Specification::ListFree();
  }
  std::optional<Place> PickHole(const Request& r) const override {
    const bool other = asked_ && !r.program && policy_.ends != Ends::kTwo;
    return other ? PickBy(r, policy_.fit != Fit::kWorst) : Specification::PickHole(r);
  }
  bool asked_ = false;
};
struct LooksAtTheOtherEnd : Fault {  // M13
  using Fault::Fault;
  std::optional<Place> PickHole(const Request& r) const override {
    const bool other = policy_.ends == Ends::kTwo && !r.program &&
                       std::any_of(blocks_.begin(), blocks_.end(),
                                   [&](const Block& b) { return !b.program && b.end != r.end; });
    return other ? PickBy(r, policy_.fit != Fit::kWorst) : Specification::PickHole(r);
  }
};
struct PicksTheFarTie : Fault {  // M14
  using Fault::Fault;
  std::optional<Place> PickHole(const Request& r) const override {
    const std::optional<Place> place = Specification::PickHole(r);
    if (!place || r.program || r.end != End::kHigh || policy_.fit == Fit::kFirst) return place;
    if (policy_.ends == Ends::kTwo) return place;
    const Range usable = Usable(r);
    for (size_t i = 0; i < place->hole; ++i) {  // the lowest of equal holes
      const std::optional<uint64_t> offset = PlaceIn(holes_[i], r);
      if (Contains(usable, holes_[i].begin) && offset && holes_[i].size() == holes_[place->hole].size()) {
        return Place{i, *offset};
      }
    }
    return place;
  }
};
struct WaitsBeforeLooking : Fault {
  using Fault::Fault;
  bool Attempt(const Request& r) override {
    const bool first = step_ != looked_;
    looked_ = step_;
    const bool waits = first && AnyQueued() && policy_.waiting != Waiting::kNever && policy_.retry_limit == 0 &&
                       MeasuresOf(policy_.order)[0] == Measure::kWait;
    return !waits && Specification::Attempt(r);
  }
  size_t looked_ = SIZE_MAX;
};
struct LoadsOnlyOnce : Fault {
  using Fault::Fault;
  bool Attempt(const Request& r) override {
    return !(r.program && Now().kind == StepKind::kExecute && AnyProgram()) && Specification::Attempt(r);
  }
};

// ---- Faults that several oracles see: operators that public bugs suggest ----

struct FitsOtherwise : Fault {
  using Fault::Fault;
  std::optional<Place> PickHole(const Request& r) const override {
    return r.program || policy_.ends == Ends::kTwo || policy_.fit != Fit::kBest ? Specification::PickHole(r)
                                                                                : PickBy(r, true);
  }
};
struct KeepsAGranule : Fault {  // M1
  using Fault::Fault;
  void Split(size_t hole, const Range& taken) override {
    const bool keeps = taken.size() > policy_.granule && taken.end == holes_[hole].end;
    Specification::Split(hole, taken);
    if (keeps) Specification::Merge({taken.end - policy_.granule, taken.end});
  }
  void Merge(const Range& freed) override {
    std::erase_if(holes_, [&](Range& hole) {
      hole.begin = Contains(freed, hole.begin) ? freed.end : hole.begin;
      return hole.empty();
    });
    Specification::Merge(freed);
  }
};
struct MergesOnlyDownwards : Fault {  // M2
  using Fault::Fault;
  void Merge(const Range& freed) override {
    const auto after = std::lower_bound(holes_.begin(), holes_.end(), freed);
    if (after != holes_.begin() && std::prev(after)->end == freed.begin) {
      std::prev(after)->end = freed.end;
    } else {
      holes_.insert(after, freed);
    }
  }
};
struct FreesTheSizeOnly : Fault {  // M3
  using Fault::Fault;
  void Release(uint64_t serial) override {
    const Block block = *Find(serial);
    if (!block.program) Find(serial)->reserved = std::max<uint64_t>(RoundDown(block.size, policy_.granule), policy_.granule);
    if (Find(serial)->reserved > block.reserved) Find(serial)->reserved = block.reserved;
    const uint64_t lost = block.reserved - Find(serial)->reserved;
    Specification::Release(serial);
    stats_.bytes_in_use -= lost;
  }
};
struct OneGranuleTooMany : Fault {  // M25
  explicit OneGranuleTooMany(const Trace& trace) : Fault(trace) {
    capacity_ += policy_.granule;
    holes_ = {{0, capacity_}};
  }
};
struct DoesNotLookAgain : Fault {  // M11
  using Fault::Fault;
  bool Attempt(const Request& r) override {
    const bool again = step_ == looked_ && stats_.buffers.retries + stats_.launches.retries > 2;
    looked_ = step_;
    return !again && Specification::Attempt(r);
  }
  size_t looked_ = SIZE_MAX;
};
struct MovesFromTheWrongEnd : Fault {  // M20
  using Fault::Fault;
  std::vector<Move> PlanMoves() const override {
    std::vector<Move> moves = Specification::PlanMoves();
    std::reverse(moves.begin(), moves.end());
    return moves;
  }
};
struct KeepsWhatALaunchGot : Fault {
  using Fault::Fault;
  void GiveBack(std::vector<uint64_t>& placed) override {
    if (placed.size() > 2 && placed.back() != 0) placed.pop_back();
    Specification::GiveBack(placed);
  }
};

class FaultySubject final : public Subject {
 public:
  using RunTrace = void (*)(const Trace&, TraceOutcome&);
  FaultySubject(std::string_view name, RunTrace run) : run_(run) {
    info_.family = &HbmFamily();
    info_.name = absl::StrCat("fault:", std::string(name));
    info_.version = "built in";
    info_.promises = promise::kAll;
    info_.features = (Bits64{1} << feature::kNumFeatures) - 1;
  }
  const SubjectInfo& info() const override { return info_; }
  void Run(const Case& c, Outcome& outcome) override {
    const Trace& trace = static_cast<const CaseOf<Trace>&>(c).value;
    auto& into = static_cast<OutcomeOf<TraceOutcome>&>(outcome).value;
    trace.policy.allocator == Allocator::kTpu ? run_(trace, into) : RunSpecification(trace, into);
  }

 private:
  RunTrace run_;
  SubjectInfo info_;
};

template <typename F>
FaultRow Row(std::string_view name, std::string_view what, std::string_view oracle) {
  return {&HbmFamily(), name, what, oracle, [name] {
            return std::make_unique<FaultySubject>(
                name, [](const Trace& trace, TraceOutcome& outcome) { F(trace).Run(outcome); });
          }};
}

std::vector<FaultRow> Rows() {
  return {
      Row<NeverGivesUp>("never_gives_up", "goes on retrying with no measure left", "the_call_ends"),
      Row<DiesOfADoubleFree>("dies_of_a_double_free", "crashes when the same name is freed twice in a row", "the_subject_survives"),
      Row<KeepsThePinned>("keeps_the_pinned", "pinned buffers cannot be freed", "what_is_live_can_be_freed"),
      Row<LosesContentsOnGrowth>("loses_contents_on_growth", "a reallocation that moves loses what was written", "contents_are_kept"),
      Row<MiscountsGrowth>("miscounts_growth", "a reallocation in place leaves a count that its own check finds wrong", "the_own_check_passes"),
      Row<RoundsDown>("rounds_down", "sizes round down to the granule", "at_least_the_size"),
      Row<SizeWraps>("size_wraps", "size + granule - 1 wraps at 2^64", "at_least_the_size"),
      Row<AlignsUpAtTheTop>("aligns_up_at_the_top", "the last block rounds its offset up", "within_capacity"),
      Row<AlignsDownAtTheBottom>("aligns_down_at_the_bottom", "a low block rounds its offset down", "no_live_overlap"),
      Row<IgnoresAlignment>("ignores_alignment", "every offset is a multiple of the granule only", "aligned"),
      Row<LoadsAnywhere>("loads_anywhere", "programs take holes above buffers", "programs_lie_at_the_bottom"),
      Row<CrossesTheMiddle>("crosses_the_middle", "an end takes holes of the other end", "ends_stay_apart"),
      Row<MovesThePinned>("moves_the_pinned", "a defragmentation moves pinned buffers", "only_the_movable_moves"),
      Row<MovesForNothing>("moves_for_nothing", "moves without a larger hole to show for it", "defragmentation_helps"),
      Row<IgnoresDefragment>("ignores_defragment", "does nothing when asked to defragment", "compaction_is_complete"),
      Row<LandsOneFenceEarly>("lands_one_fence_early", "a free queued for the next fence lands at once", "nothing_lands_early"),
      Row<LandsOnlyItsOwnFence>("lands_only_its_own_fence", "a fence leaves what waits for an earlier one", "fences_land_their_queue"),
      Row<EvictsThePinned>("evicts_the_pinned", "pinned programs are evicted", "no_pinned_victim"),
      Row<EvictsTheLowest>("evicts_the_lowest", "the victim is the lowest program", "victims_fall_in_order"),
      Row<EvictsBeforeLooking>("evicts_before_looking", "evicts although a hole fits", "no_needless_victim"),
      Row<EvictsForPrograms>("evicts_for_programs", "evicts for a load where the policy says buffers only", "eviction_is_allowed"),
      Row<ForgetsToRestore>("forgets_to_restore", "leaves programs evicted for a request that failed", "evictions_are_undone"),
      Row<RetriesInVain>("retries_in_vain", "retries once with nothing done", "every_retry_has_a_cause"),
      Row<OneRetryTooMany>("one_retry_too_many", "retries once more than the limit", "the_retry_limit_is_kept"),
      Row<ForgetsToCountRetries>("forgets_to_count_retries", "the ledger has no retries", "retries_are_accounted"),
      Row<CountsFailuresTwice>("counts_failures_twice", "failures after retries count twice", "retries_are_accounted"),
      Row<DefragmentsWhenAskedTwice>("defragments_when_asked_twice", "with a pinned buffer, defragments only for a repeated request", "a_final_failure_is_final"),
      Row<RefusesTheWhole>("refuses_the_whole", "a request for the whole empty memory is refused", "empty_memory_serves_all"),
      Row<ForgetsTheLastFree>("forgets_the_last_free", "what was just freed is not looked at", "freed_hole_serves_again"),
      Row<RefusesTheExactHole>("refuses_the_exact_hole", "a hole of just the size is not taken", "complete_when_it_fits"),
      Row<ReservesLessThanItSays>("reserves_less_than_it_says", "a program of just the reservable bytes is refused", "reservable_decides"),
      Row<DoesNotWait>("does_not_wait", "fails with frees queued", "failure_is_the_last_resort"),
      Row<DoesNotEvict>("does_not_evict", "fails with idle programs loaded", "failure_is_the_last_resort"),
      Row<DoesNotDefragment>("does_not_defragment", "fails of fragmentation", "failure_is_the_last_resort"),
      Row<FailureSplitsAHole>("failure_splits_a_hole", "a refused request leaves a hole in two", "failure_changes_nothing"),
      Row<ReportsAllButOne>("reports_all_but_one", "the allocation report lacks the lowest block", "the_report_is_exact"),
      Row<LargestIsTheFirst>("largest_is_the_first", "the largest hole told is the lowest", "free_bytes_are_true"),
      Row<ListsAShiftedHole>("lists_a_shifted_hole", "free ranges are listed one granule too high", "what_is_free_is_not_live"),
      Row<ListsAllButOne>("lists_all_but_one", "the free list lacks the lowest hole", "live_and_free_are_all"),
      Row<ListsAHoleInTwo>("lists_a_hole_in_two", "free ranges are listed in halves", "free_ranges_do_not_touch"),
      Row<KeepsAnOutput>("keeps_an_output", "a failed launch keeps its first output", "outputs_all_or_nothing"),
      Row<IgnoresDonations>("ignores_donations", "outputs never take over donated memory", "donation_reuses_memory"),
      Row<ForgetsThePeak>("forgets_the_peak", "aligned blocks do not count for the peak", "stats_match_the_ledger"),
      Row<AnswersByTheHour>("answers_by_the_hour", "every other run fits otherwise", "the_same_twice"),
      Row<LooksAtTheName>("looks_at_the_name", "the fit depends on the name", "names_mean_nothing"),
      Row<LooksAtTheSizeInBytes>("looks_at_the_size_in_bytes", "the fit changes above 256 bytes", "scaling_scales"),
      Row<RemembersQueries>("remembers_queries", "the fit changes after a query", "asking_changes_nothing"),
      Row<LooksAtTheOtherEnd>("looks_at_the_other_end", "the fit of an end depends on the other", "the_ends_are_independent"),
      Row<PicksTheFarTie>("picks_the_far_tie", "of equal holes the high end takes the far one", "the_ends_mirror"),
      Row<WaitsBeforeLooking>("waits_before_looking", "waits for the queue although a hole fits", "waiting_needs_the_queue"),
      Row<LoadsOnlyOnce>("loads_only_once", "an evicted program is not loaded again beside another", "loading_again_is_loading"),
      Row<FitsOtherwise>("fits_otherwise", "worst fit for best fit: legal, and another choice", kEqualsReference),
      Row<KeepsAGranule>("keeps_a_granule", "the last granule of a block stays free", "no_live_overlap"),
      Row<MergesOnlyDownwards>("merges_only_downwards", "a freed range does not join the hole above it", "free_ranges_do_not_touch"),
      Row<FreesTheSizeOnly>("frees_the_size_only", "the padding of a freed block is lost", "live_and_free_are_all"),
      Row<OneGranuleTooMany>("one_granule_too_many", "memory has one granule more than it has", "within_capacity"),
      Row<DoesNotLookAgain>("does_not_look_again", "gives up without a search after the last measure", "failure_is_the_last_resort"),
      Row<MovesFromTheWrongEnd>("moves_from_the_wrong_end", "moves overwrite what was not moved yet", "no_live_overlap"),
      Row<KeepsWhatALaunchGot>("keeps_what_a_launch_got", "a failed launch keeps its last output", "free_bytes_are_true"),
  };
}

}  // namespace
}  // namespace hbm

std::span<const FaultRow> HbmFaults() {
  static const std::vector<FaultRow> rows = hbm::Rows();
  return rows;
}

}  // namespace oomph
