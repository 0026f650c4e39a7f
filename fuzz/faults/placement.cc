// The planted faults of the placement family: the specification of a planner with one of its steps replaced. M numbers
// are those of the mutation operators that public allocator bugs suggest (docs/FACTS.md has the list).
// Not for: faults in the fast planners, which the comparison catches.
#include "fuzz/faults/placement.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/placement/family.h"
#include "models/placement/promises.h"
#include "models/placement/specification.h"

namespace oomph {
namespace placement {
namespace {

// What the faults share: questions about the problem, and a worse plan that is as legal, for those that only two runs
// betray.
class Fault : public Specification {
 public:
  using Specification::Specification;
  // The last step: what it tells.
  virtual void Amend(Plan& plan) const { (void)plan; }

 protected:
  static bool IsPlaced(const Plan& plan) { return plan.status == Status::kOptimal || plan.status == Status::kFeasible; }
  static bool IsPlain(const Rectangle& r) { return r.cut == Cut::kNone || r.cut == Cut::kGap; }
  template <typename Holds>
  bool Any(Holds holds) const {
    return std::any_of(problem_.buffers.begin(), problem_.buffers.end(), holds);
  }
  std::vector<const Buffer*> Occupying() const {
    std::vector<const Buffer*> buffers;
    for (const Buffer& buffer : problem_.buffers) {
      if (!OccupiesNothing(buffer)) buffers.push_back(&buffer);
    }
    return buffers;
  }
  // The same plan, with the lowest bytes left unused: as many as suit every alignment. Where something has a fixed
  // offset it stays as it is; where there is no room, no answer.
  void Lift(Plan& plan) const {
    uint64_t by = 1;
    for (const Unit& unit : units_) {
      if (unit.fixed) return;
      const uint64_t factor = unit.height == 0 ? 1 : unit.alignment / std::gcd(by, unit.alignment);
      by = SaturatingMul(by, factor);
    }
    const uint64_t peak = SaturatingAdd(plan.peak.value_or(0), by);
    if (plan.peak.value_or(0) == 0) return;
    if (peak > std::min(end_, kMaxBytes - 1)) {
      plan = {};
      plan.status = Status::kTimeout;
      plan.budget_spent = true;
      return;
    }
    plan.status = Status::kFeasible;
    plan.budget_spent = false;
    plan.peak = peak;
    for (size_t i = 0; i < plan.offsets.size(); ++i) {
      if (!OccupiesNothing(problem_.buffers[i]) || problem_.buffers[i].group > 0) *plan.offsets[i] += by;
    }
  }
};

// Leaves the lowest bytes unused in some cases.
class Lazy : public Fault {
 public:
  using Fault::Fault;
  virtual bool IsLazy() const = 0;
  void Amend(Plan& plan) const override {
    if (IsPlaced(plan) && !problem_.buffers.empty() && IsLazy()) Lift(plan);
  }
};

// ---- The answer ----

struct DiesOfNoBytes : Fault {  // M8
  using Fault::Fault;
  void Amend(Plan& plan) const override {
    if (!Any([](const Buffer& buffer) { return buffer.size == 0; })) return;
    plan = {};
    plan.status = Status::kDied;
  }
};
struct HangsOnWindows : Fault {
  using Fault::Fault;
  void Amend(Plan& plan) const override {
    const auto windowed = [](const Gap& gap) { return gap.window_lower < gap.window_upper; };
    if (!Any([&](const Buffer& b) { return std::any_of(b.gaps.begin(), b.gaps.end(), windowed); })) return;
    plan = {};
    plan.status = Status::kHung;
  }
};
struct TellsOneTooFew : Fault {  // M22
  using Fault::Fault;
  void Amend(Plan& plan) const override {
    if (plan.offsets.size() > 1) plan.offsets.pop_back();
  }
};
struct RefusesOddAlignments : Fault {  // M6
  using Fault::Fault;
  void Amend(Plan& plan) const override {
    if (!Any([](const Buffer& b) { return b.alignment > 1 && !IsPowerOfTwo(b.alignment); })) return;
    plan = {};
    plan.status = Status::kInvalid;
  }
};
// Confined to where the guess is right, so that no placement refutes it.
struct ProvesWithoutBudget : Fault {  // M24
  using Fault::Fault;
  void Amend(Plan& plan) const override {
    plan.budget_spent = plan.budget_spent || plan.status == Status::kInfeasible;
  }
};
struct TimesOutAsInfeasible : Fault {  // M24
  using Fault::Fault;
  uint64_t OwnBudget() const override { return 1; }
  void Amend(Plan& plan) const override {
    if (plan.status == Status::kTimeout) plan.status = Status::kInfeasible;
  }
};

// ---- Each buffer ----

struct ForgetsTheEmpty : Fault {  // M22
  using Fault::Fault;
  void Amend(Plan& plan) const override {
    for (size_t i = 0; i < plan.offsets.size(); ++i) {
      if (OccupiesNothing(problem_.buffers[i])) plan.offsets[i].reset();
    }
  }
};
struct OneByteTooMany : Fault {  // M25
  OneByteTooMany(const Problem& problem, const PlannerOptions& options) : Fault(problem, options) {
    if (end_ < kMaxBytes) ++end_;
  }
};
struct IgnoresAlignment : Fault {  // M6
  using Fault::Fault;
  std::optional<uint64_t> Align(uint64_t offset, uint64_t) const override { return offset; }
};
struct AlignsToPowersOnly : Fault {  // M6
  using Fault::Fault;
  std::optional<uint64_t> Align(uint64_t offset, uint64_t alignment) const override {
    return IsPowerOfTwo(alignment) ? Specification::Align(offset, alignment) : offset;
  }
};
struct TwiceTheMemory : Fault {  // M25
  TwiceTheMemory(const Problem& problem, const PlannerOptions& options) : Fault(problem, options) {
    if (problem.capacity) end_ = SaturatingMul(end_, 2);
  }
};
// To above all others, so that it meets nobody.
struct MovesTheFixed : Fault {
  using Fault::Fault;
  void Amend(Plan& plan) const override {
    if (!IsPlaced(plan)) return;
    for (const Unit& unit : units_) {
      const auto top = CheckedRoundUp(*plan.peak, unit.alignment);
      if (!unit.fixed || unit.height == 0 || !top || SaturatingAdd(*top, unit.height) > std::min(end_, kMaxBytes - 1)) continue;
      for (const size_t member : unit.members) plan.offsets[member] = top;
      plan.peak = *top + unit.height;
      plan.status = Status::kFeasible;
      return;
    }
  }
};
struct ForgetsAMember : Fault {  // M17
  using Fault::Fault;
  std::vector<Unit> Units() const override {
    std::vector<Unit> units = Specification::Units();
    for (size_t i = units.size(); i-- > 0;) {
      if (units[i].members.size() < 2 || units[i].fixed) continue;
      const std::vector<size_t> members = units[i].members;
      units[i] = {};
      for (size_t k = 0; k + 1 < members.size(); ++k) Join(units[i], members[k]);
      units.emplace_back();
      Join(units.back(), members.back());
      Claim(units[i]);
      Claim(units.back());
    }
    return units;
  }
};

// ---- Two buffers ----

struct EndsAStepEarly : Fault {  // M15
  using Fault::Fault;
  bool MayMeet(const Rectangle& a, const Rectangle& b) const override {
    if (!Specification::MayMeet(a, b)) return false;
    return !IsPlain(a) || !IsPlain(b) || std::min(a.end, b.end) - 1 > std::max(a.start, b.start);
  }
};
struct LooksAtAllButTheFirst : Fault {  // M1
  using Fault::Fault;
  std::vector<Range> FreeRanges(const Unit& unit, const std::vector<Rectangle>& rectangles) const override {
    auto& first = const_cast<Unit&>(units_.front());
    const auto offset = first.offset;
    const bool plain = std::all_of(first.used.begin(), first.used.end(), IsPlain) &&
                       std::all_of(unit.used.begin(), unit.used.end(), IsPlain);
    if (plain && &unit != &first) first.offset.reset();
    std::vector<Range> ranges = Specification::FreeRanges(unit, rectangles);
    first.offset = offset;
    return ranges;
  }
};
struct IgnoresWindows : Fault {  // M16
  using Fault::Fault;
  bool MayMeet(const Rectangle& a, const Rectangle& b) const override {
    return a.cut != Cut::kWindow && b.cut != Cut::kWindow && Specification::MayMeet(a, b);
  }
};
struct IgnoresSlices : Fault {
  using Fault::Fault;
  bool MayMeet(const Rectangle& a, const Rectangle& b) const override {
    const bool windowed = a.cut == Cut::kWindow || b.cut == Cut::kWindow;
    const bool sliced = a.cut == Cut::kSlice || b.cut == Cut::kSlice;
    return (windowed || !sliced) && Specification::MayMeet(a, b);
  }
};

// ---- The whole ----

struct CountsTheNeverLive : Fault {  // M10
  using Fault::Fault;
  void Amend(Plan& plan) const override {
    if (!IsPlaced(plan)) return;
    for (size_t i = 0; i < plan.offsets.size(); ++i) {
      plan.peak = std::max(*plan.peak, SaturatingAdd(plan.offsets[i].value_or(0), problem_.buffers[i].size));
    }
  }
};
struct TellsTheLargest : Fault {
  using Fault::Fault;
  void Amend(Plan& plan) const override {
    plan.offsets.clear();
    if (!IsPlaced(plan)) return;
    plan.peak = 0;
    for (const Unit& unit : units_) plan.peak = std::max(*plan.peak, unit.height);
  }
};
struct BoundsByItsPeak : Fault {
  using Fault::Fault;
  void Amend(Plan& plan) const override {
    if (plan.status == Status::kFeasible) plan.lower_bound = plan.peak;
  }
};
struct GivesUpWithAProof : Fault {
  using Fault::Fault;
  Status Judge(bool placed, uint64_t peak, uint64_t bound) const override {
    const Status status = Specification::Judge(placed, peak, bound);
    return status == Status::kNotFound ? Status::kInfeasible : status;
  }
};
struct AllIsOptimal : Fault {
  using Fault::Fault;
  Status Judge(bool placed, uint64_t peak, uint64_t bound) const override {
    const Status status = Specification::Judge(placed, peak, bound);
    return status == Status::kFeasible ? Status::kOptimal : status;
  }
};
struct GreedyAndProud : Fault {
  using Fault::Fault;
};
struct FitsFirst : Fault {
  using Fault::Fault;
  std::optional<uint64_t> ChooseOffset(const Unit& unit) const override {
    const std::vector<Range> offsets = FreeRanges(unit, unit.used);
    if (offsets.empty()) return std::nullopt;
    return offsets.front().first;
  }
};
struct RefusesTheExactHole : Fault {  // M4
  using Fault::Fault;
  std::vector<Range> FreeRanges(const Unit& unit, const std::vector<Rectangle>& rectangles) const override {
    std::vector<Range> ranges = Specification::FreeRanges(unit, rectangles);
    if (ranges.size() > 1) std::erase_if(ranges, [](const Range& range) { return range.first == range.last; });
    return ranges;
  }
};

// ---- What only two runs betray ----

struct AnswersByTheHour : Lazy {
  AnswersByTheHour(const Problem& problem, const PlannerOptions& options) : Lazy(problem, options), odd_(++Runs() % 2 == 1) {}
  bool IsLazy() const override { return odd_; }
  // The fault is that a run depends on how many there were.
  static uint64_t& Runs() {
    static thread_local uint64_t runs = 0;
    return runs;
  }
  bool odd_;
};
struct LooksAtTheName : Lazy {  // M14
  using Lazy::Lazy;
  bool IsLazy() const override { return problem_.buffers.size() > 1 && problem_.buffers[0].id > problem_.buffers[1].id; }
};
struct LooksAtTheLastBit : Lazy {
  using Lazy::Lazy;
  bool IsLazy() const override { return problem_.buffers[0].size % 2 == 1; }
};
struct LooksAtTheClock : Lazy {
  using Lazy::Lazy;
  bool IsLazy() const override { return problem_.buffers[0].start % 2 != 0; }
};
// A hint is at hand to tell the first of two orders from the second.
struct LooksAtTheFirst : Lazy {  // M14
  using Lazy::Lazy;
  bool IsLazy() const override { return problem_.buffers[0].hint.has_value(); }
};
struct LooksWhoComesFirst : Lazy {
  using Lazy::Lazy;
  bool IsLazy() const override {
    return problem_.buffers.size() > 1 && problem_.buffers[0].start > problem_.buffers[1].start;
  }
};
struct TakesTheRoomThereIs : Lazy {
  using Lazy::Lazy;
  bool IsLazy() const override { return problem_.capacity && *problem_.capacity / 2 > LowestPeak(); }
};
struct StumblesOverNearlyEqual : Lazy {
  using Lazy::Lazy;
  bool IsLazy() const override {
    const std::vector<const Buffer*> buffers = Occupying();
    for (const Buffer* a : buffers) {
      for (const Buffer* b : buffers) {
        if (a->size < b->size && b->size - a->size < a->size) return true;
      }
    }
    return false;
  }
};
struct CountsTheLengths : Lazy {
  using Lazy::Lazy;
  bool IsLazy() const override {
    std::set<uint64_t> lengths;
    for (const Buffer* b : Occupying()) lengths.insert(static_cast<uint64_t>(b->end) - static_cast<uint64_t>(b->start));
    return lengths.size() % 2 == 1;
  }
};
struct LosesHeartAtTheEmpty : Lazy {
  using Lazy::Lazy;
  bool IsLazy() const override { return Any(OccupiesNothing); }
};
struct TiresAtSeven : Lazy {
  using Lazy::Lazy;
  bool IsLazy() const override { return Occupying().size() > 6; }
};

// ---- The table ----

class FaultySubject final : public Subject {
 public:
  using RunProblem = void (*)(const Problem&, Plan&);
  FaultySubject(std::string_view name, Bits64 promises, Bits64 features, RunProblem run) : run_(run) {
    info_.family = &PlacementFamily();
    info_.name = absl::StrCat("fault:", std::string(name));
    info_.version = "built in";
    info_.promises = promises;
    info_.features = features;
  }
  const SubjectInfo& info() const override { return info_; }
  void Run(const Case& c, Outcome& outcome) override {
    run_(static_cast<const CaseOf<Problem>&>(c).value, static_cast<OutcomeOf<Plan>&>(outcome).value);
  }

 private:
  RunProblem run_;
  SubjectInfo info_;
};

constexpr Bits64 kAllFeatures = (Bits64{1} << feature::kNumFeatures) - 1;
// What the exact planners solve in no time.
constexpr Bits64 kEasyFeatures =
    kAllFeatures & ~(Bits64{1} << feature::kMany | Bits64{1} << feature::kWindows | Bits64{1} << feature::kFixed |
                     Bits64{1} << feature::kOddAlign | Bits64{1} << feature::kLarge);
// What a greedy planner does not promise.
constexpr Bits64 kGreedy = promise::kAll & ~(promise::kCompleteness | promise::kOrder | promise::kMonotony);

template <typename F, Planner planner>
FaultRow Row(std::string_view name, std::string_view what, std::string_view oracle, Bits64 promises, Bits64 features) {
  return {&PlacementFamily(), name, what, oracle, [=] {
            return std::make_unique<FaultySubject>(name, promises, features, [](const Problem& problem, Plan& plan) {
              F fault(problem, {.planner = planner});
              fault.Run(plan);
              fault.Amend(plan);
            });
          }};
}
// A fault in the planner that follows XLA's heap.
template <typename F>
FaultRow Greedy(std::string_view name, std::string_view what, std::string_view oracle, Bits64 promises = kGreedy) {
  return Row<F, Planner::kDecreasingSize>(name, what, oracle, promises, kAllFeatures);
}
// A fault in one that proves.
template <typename F>
FaultRow Exact(std::string_view name, std::string_view what, std::string_view oracle) {
  return Row<F, Planner::kBranchAndBound>(name, what, oracle, promise::kAll, kEasyFeatures);
}

std::vector<FaultRow> Rows() {
  return {
      Greedy<DiesOfNoBytes>("dies_of_no_bytes", "crashes when a buffer has no bytes", "ends"),
      Greedy<HangsOnWindows>("hangs_on_windows", "does not end where a gap has a window", "ends"),
      Greedy<TellsOneTooFew>("tells_one_too_few", "the last offset is not told", "answer_is_readable"),
      Greedy<RefusesOddAlignments>("refuses_odd_alignments", "takes alignments that are powers of two only", "takes_what_it_promised"),
      Exact<ProvesWithoutBudget>("proves_without_budget", "says that nothing fits when its budget is used up, and guesses right", "spent_budget_is_told"),
      Exact<TimesOutAsInfeasible>("times_out_as_infeasible", "says that nothing fits when its budget is used up", "spent_budget_is_told"),
      Greedy<ForgetsTheEmpty>("forgets_the_empty", "what occupies nothing gets no offset", "all_placed"),
      Greedy<OneByteTooMany>("one_byte_too_many", "memory has one byte more than it has", "within_capacity"),
      Greedy<TwiceTheMemory>("twice_the_memory", "takes another limit for the capacity, twice as high", "within_capacity"),
      Greedy<IgnoresAlignment>("ignores_planned_alignment", "every offset is a multiple of 1 only", "aligned"),
      Greedy<AlignsToPowersOnly>("aligns_to_powers_only", "an alignment that is no power of two is ignored", "aligned"),
      Greedy<MovesTheFixed>("moves_the_fixed", "a fixed offset is moved above all others", "fixed_offsets_kept"),
      Greedy<ForgetsAMember>("forgets_a_member", "the last of a group is placed on its own", "colocated_together"),
      Greedy<EndsAStepEarly>("ends_a_step_early", "the last step of a live range does not count", "no_live_overlap"),
      Greedy<LooksAtAllButTheFirst>("looks_at_all_but_the_first", "the first buffer is in nobody's way", "no_live_overlap"),
      Greedy<IgnoresWindows>("ignores_windows", "a gap with a window is a gap without one", "gap_windows_kept"),
      Greedy<IgnoresSlices>("ignores_slices", "a slice is in nobody's way", "slices_kept"),
      Greedy<CountsTheNeverLive>("counts_the_never_live", "the peak counts buffers that are never live", "peak_exact"),
      Greedy<TellsTheLargest>("tells_the_largest", "tells no offsets, and the largest size as peak", "peak_not_below_bound", kGreedy & ~promise::kOffsets),
      Greedy<BoundsByItsPeak>("bounds_by_its_peak", "tells its peak as the bound", "lower_bound_holds"),
      Greedy<GivesUpWithAProof>("gives_up_with_a_proof", "what it does not find is infeasible", "infeasible_is_not_refuted"),
      Greedy<AllIsOptimal>("all_is_optimal", "every placement is optimal", "optimal_is_not_beaten"),
      Greedy<GreedyAndProud>("greedy_and_proud", "a greedy planner promises completeness", "gives_up_only_if_nothing_fits", kGreedy | promise::kCompleteness),
      Greedy<FitsFirst>("fits_first", "first fit for best fit: legal, and another choice", kEqualsReference),
      Greedy<RefusesTheExactHole>("refuses_the_exact_range", "a hole of just the size is not taken: legal, and worse", kEqualsReference),
      Greedy<AnswersByTheHour>("plans_by_the_hour", "every other run leaves the lowest bytes unused", "the_same_twice"),
      Greedy<LooksAtTheName>("looks_at_the_id", "the peak depends on ids", "names_mean_nothing"),
      Greedy<LooksAtTheLastBit>("looks_at_the_last_bit", "the peak depends on whether a size is odd", "scaling_scales"),
      Greedy<LooksAtTheClock>("looks_at_the_clock", "the peak depends on whether a start is odd", "time_has_no_origin"),
      Exact<LooksAtTheFirst>("looks_at_the_first", "the peak depends on which buffer comes first in the problem", "order_means_nothing"),
      Greedy<LooksWhoComesFirst>("looks_who_comes_first", "the peak depends on which of two buffers is live first", "time_has_no_direction"),
      Exact<TakesTheRoomThereIs>("takes_the_room_there_is", "leaves bytes unused where there is room for twice the bound", "more_capacity_is_no_worse"),
      Exact<StumblesOverNearlyEqual>("stumbles_over_nearly_equal", "leaves bytes unused where two sizes are nearly equal", "a_smaller_buffer_is_no_worse"),
      Exact<CountsTheLengths>("counts_the_lengths", "the peak depends on how many lengths there are", "fewer_buffers_are_no_worse"),
      Greedy<LosesHeartAtTheEmpty>("loses_heart_at_the_empty", "leaves bytes unused where a buffer occupies nothing", "what_never_lives_needs_nothing"),
      Greedy<TiresAtSeven>("tires_at_seven", "leaves bytes unused where more than six buffers are live", "what_follows_needs_no_more"),
  };
}

}  // namespace
}  // namespace placement

std::span<const FaultRow> PlacementFaults() {
  static const std::vector<FaultRow> rows = placement::Rows();
  return rows;
}

}  // namespace oomph
