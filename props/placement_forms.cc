// Relations 1 to 3 of the design, as far as their forms exist: nested lifetimes in an online heap and as a placement;
// every run of an online allocator without moves is a placement; a bound, an exact planner, any planner and the sum of
// sizes stand in that order. Each has a planted fault, beside it, that it sees and no oracle does.
// Does not cover: BFC traces, VMEM and SparseCore forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/hbm/family.h"
#include "models/hbm/history.h"
#include "models/placement/bounds.h"
#include "models/placement/family.h"
#include "models/placement/oracles.h"
#include "models/placement/planner.h"
#include "models/placement/promises.h"
#include "models/placement/specification.h"
#include "models/placement/witness.h"
#include "props/engine.h"
#include "props/hbm_claims.h"

namespace oomph::placement {
namespace {

using RunPlanner = std::function<void(const Problem&, const PlannerOptions&, Plan&)>;

const Problem& ProblemIn(const Case& c) { return static_cast<const CaseOf<Problem>&>(c).value; }

// The property sees its planted fault, and the oracles, asked in `judge`, do not.
void CheckSeesItsFault(const Family& family, std::string_view name, int cases, const Property& planted,
                       const Property& judge) {
  CheckParams params;
  params.cases = cases;
  const auto found = FindCounterexample(family, absl::StrCat("planted_", std::string(name)), params, planted);
  ASSERT_NE(found, nullptr) << name << " does not see its planted fault";
  EXPECT_LE(family.Size(*found->smallest), 12u) << found->text;
  std::filesystem::remove(found->file);
  const auto oracles = FindCounterexample(family, "planted_oracles", params, judge);
  if (oracles != nullptr) ADD_FAILURE() << "an oracle sees the fault as well: " << oracles->text;
}

std::string FirstReason(const Problem& problem, const Plan& plan, Bits64 promises) {
  Reasons reasons;
  JudgePlan(problem, plan, promises, reasons);
  if (reasons.empty()) return "";
  return absl::StrCat(std::string(reasons.list()[0].oracle), ": ", reasons.list()[0].text);
}

// ---- 1: nested lifetimes ----

constexpr uint64_t kGranule = 64;

// A tree of lifetimes, made of whatever the case holds: each buffer ends some of those before it, and then begins.
struct Tree {
  Problem problem;   // with times that are steps of the trace
  hbm::Trace trace;  // last in, first out
};

Tree Nest(const Problem& problem) {
  Tree tree;
  hbm::Policy& policy = tree.trace.policy;
  policy.capacity = uint64_t{1} << 40, policy.granule = kGranule;
  policy.fit = hbm::Fit::kFirst, policy.ends = hbm::Ends::kLow;
  std::vector<uint32_t> live;
  const auto now = [&] { return static_cast<int64_t>(tree.trace.steps.size()); };
  const auto pop = [&] {
    tree.problem.buffers[live.back()].end = now();
    tree.trace.steps.push_back({.kind = hbm::StepKind::kFree, .name = live.back()});
    live.pop_back();
  };
  for (const Buffer& buffer : problem.buffers) {
    const uint64_t ends = (static_cast<uint64_t>(buffer.start) ^ static_cast<uint64_t>(buffer.end)) % (live.size() + 1);
    for (uint64_t i = 0; i < ends; ++i) pop();
    const uint32_t name = static_cast<uint32_t>(tree.problem.buffers.size());
    tree.problem.buffers.emplace_back();
    tree.problem.buffers.back().size = (buffer.size % 64 + 1) * kGranule;
    tree.problem.buffers.back().alignment = kGranule;
    tree.problem.buffers.back().start = now();
    tree.trace.steps.push_back({.kind = hbm::StepKind::kAllocate, .name = name, .size = tree.problem.buffers.back().size});
    live.push_back(name);
  }
  while (!live.empty()) pop();
  return tree;
}

uint64_t PeakOfTrace(const hbm::Trace& trace) {
  const hbm::TraceOutcome outcome = hbm::Model()(trace);
  uint64_t peak = 0;
  for (const hbm::Row& row : outcome.rows) {
    if (row.result == hbm::Result::kOk) peak = std::max(peak, row.offset + row.reserved);
  }
  return peak;
}

std::string NestedLifetimesNeedWhatIsLive(const Problem& problem, const RunPlanner& run) {
  if (problem.buffers.size() > 64) return "";
  const Tree tree = Nest(problem);
  const uint64_t bound = LiveBytesBound(tree.problem).peak;
  const uint64_t online = PeakOfTrace(tree.trace);
  if (online != bound) return absl::StrCat("the heap needs ", online, ", where ", bound, " are live");
  for (const Planner planner : {Planner::kByStart, Planner::kBranchAndBound}) {
    Plan plan;
    run(tree.problem, {.planner = planner}, plan);
    const uint64_t peak = PeakOf(tree.problem, plan).value_or(0);
    if (plan.budget_spent || peak == bound) continue;
    return absl::StrCat(PlannerWord({.planner = planner}), " needs ", peak, ", where ", bound, " are live");
  }
  return "";
}

// First fit, but the largest first: (2,0-3)(2,0-1)(3,2-3)(2,0-0) gives 7, where 6 are live.
struct FitsBySize : Specification {
  using Specification::Specification;
  bool Before(const Unit& a, const Unit& b) const override {
    return planner_ == Planner::kByStart ? a.height > b.height : Specification::Before(a, b);
  }
};
template <typename Fault>
void RunPlanted(const Problem& problem, const PlannerOptions& options, Plan& plan) {
  Fault(problem, options).Run(plan);
}

TEST(PlacementForms, NestedLifetimesNeedWhatIsLive) {
  for (const bool fast : {true, false}) {
    CheckParams params;
    params.cases = fast ? 3'000 : 500;
    CheckCases(PlacementFamily(), "nested_lifetimes_need_what_is_live", params, [&](const Case& c) {
      return NestedLifetimesNeedWhatIsLive(ProblemIn(c), fast ? RunPlanner(RunModel) : RunPlanner(RunSpecification));
    });
  }
}

TEST(PlacementForms, NestedLifetimesNeedWhatIsLiveSeesItsFault) {
  constexpr Bits64 kPromises = promise::kOffsets | promise::kPeak | promise::kLowerBound | promise::kTotal;
  CheckSeesItsFault(
      PlacementFamily(), "nested_lifetimes_need_what_is_live", 1'000,
      [](const Case& c) { return NestedLifetimesNeedWhatIsLive(ProblemIn(c), RunPlanted<FitsBySize>); },
      [](const Case& c) {
        Plan plan;
        RunPlanted<FitsBySize>(ProblemIn(c), {.planner = Planner::kByStart}, plan);
        return FirstReason(ProblemIn(c), plan, kPromises);
      });
}

// ---- 2: every run of an online allocator without moves is a placement ----

struct Run {
  Problem problem;
  Plan plan;
  uint64_t extent = 0;  // what both ends have reached together
  bool moved = false;
};

Run AsPlacement(const hbm::Trace& trace, const hbm::TraceOutcome& outcome) {
  Run run;
  for (const hbm::Event& event : outcome.events) run.moved = run.moved || event.kind == hbm::EventKind::kMoved;
  for (size_t i = 0; i < outcome.rows.size(); ++i) {
    run.moved = run.moved || trace.steps[i].kind == hbm::StepKind::kReallocate;
  }
  const uint64_t capacity = RoundDown(trace.policy.capacity, trace.policy.granule);
  const hbm::History history = hbm::MakeHistory(trace, outcome);
  uint64_t below = 0, above = 0;
  run.problem.capacity = capacity;
  run.plan.status = Status::kFeasible;
  for (const hbm::HistoryPiece& piece : history.pieces) {
    const hbm::HistoryBlock& block = history.blocks[piece.block];
    Buffer buffer;
    buffer.size = piece.reserved;
    buffer.alignment = std::max(trace.policy.granule, std::bit_floor(std::max<uint64_t>(piece.alignment, 1)));
    buffer.start = static_cast<int64_t>(piece.steps.begin);
    buffer.end = static_cast<int64_t>(std::min<uint64_t>(piece.steps.end, history.num_steps));
    run.problem.buffers.push_back(buffer);
    run.plan.offsets.emplace_back(piece.offset);
    const bool low = block.program || trace.policy.ends == hbm::Ends::kLow ||
                     (trace.policy.ends == hbm::Ends::kTwo && block.end == hbm::End::kLow);
    if (low) below = std::max(below, piece.offset + piece.reserved);
    if (!low) above = std::max(above, capacity - std::min(capacity, piece.offset));
  }
  run.extent = below + above;
  return run;
}

// The allocations and frees of buffers alone, with one alignment, from one end of a memory so large that what was never
// used is the largest hole: then a block goes beyond what was reached before only where no hole would do.
hbm::Trace Plain(const hbm::Trace& trace) {
  hbm::Trace plain = trace;
  plain.names.clear();
  plain.policy.capacity = std::max(trace.policy.capacity, SaturatingMul(trace.policy.granule, kMiB));
  plain.policy.defragmentation = hbm::Defragmentation::kNever;
  if (plain.policy.fit == hbm::Fit::kWorst) plain.policy.fit = hbm::Fit::kFirst;
  if (plain.policy.ends == hbm::Ends::kTwo) plain.policy.ends = hbm::Ends::kLow;
  std::erase_if(plain.steps, [](const hbm::Step& step) {
    return step.kind != hbm::StepKind::kAllocate && step.kind != hbm::StepKind::kFree &&
           step.kind != hbm::StepKind::kFreeLater && step.kind != hbm::StepKind::kFence;
  });
  for (hbm::Step& step : plain.steps) step.alignment = 0;
  return plain;
}

// With at most M granules live, blocks of at most n: when a request of s goes beyond the top, all holes are shorter, and
// there are no more of them than blocks, of which each has a granule at least: M + (M - s + 1) * (s - 1) suffice. First
// fit: M * (1 + log2 n), Robson (1974, 1977).
uint64_t OnlineBound(const hbm::Trace& trace, const Run& run, uint64_t live) {
  const uint64_t granule = trace.policy.granule;
  const uint64_t most = live / granule;
  uint64_t largest = 1, bound = most;
  for (const Buffer& buffer : run.problem.buffers) {
    const uint64_t s = buffer.size / granule;
    largest = std::max(largest, s);
    bound = std::max(bound, SaturatingAdd(most, SaturatingMul(SaturatingSub(most + 1, s), SaturatingSub(s, 1))));
  }
  if (trace.policy.fit == hbm::Fit::kFirst) {
    bound = std::min(bound, SaturatingMul(most, 1 + static_cast<uint64_t>(std::bit_width(largest - 1))));
  }
  return SaturatingMul(bound, granule);
}

std::string KeepsTheOracles(const Run& run) {
  if (run.moved) return "";
  std::string reason = FirstReason(run.problem, run.plan, promise::kOffsets);
  const uint64_t live = LiveBytesBound(run.problem).peak;
  if (!reason.empty() || run.extent >= live) return reason;
  return absl::StrCat("its extent is ", run.extent, ", with ", live, " bytes live");
}

// `wasteful` counts where an extent above the live bytes was measured.
std::string ARunIsAPlacement(const hbm::Trace& trace, const hbm::RunTrace& runner, size_t& wasteful) {
  if (trace.policy.allocator != hbm::Allocator::kTpu) return "";
  std::string reason = KeepsTheOracles(AsPlacement(trace, runner(trace)));
  if (!reason.empty()) return reason;
  const hbm::Trace plain = Plain(trace);
  const Run run = AsPlacement(plain, runner(plain));
  reason = KeepsTheOracles(run);
  if (!reason.empty() || run.moved || run.extent > plain.policy.capacity / 2) return reason;
  const uint64_t live = LiveBytesBound(run.problem).peak, bound = OnlineBound(plain, run, live);
  wasteful += run.extent > live;
  if (run.extent > bound) return absl::StrCat("its extent is ", run.extent, ", above what suffices: ", bound);
  return "";
}

// Goes on where it has never been, as long as there is such room: no oracle asks which hole is taken.
struct KeepsToFreshMemory : hbm::Specification {
  using Specification::Specification;
  std::optional<Place> PickHole(const Request& request) const override {
    if (request.program || policy_.ends == hbm::Ends::kTwo) return Specification::PickHole(request);
    const bool high = request.end == hbm::End::kHigh;
    for (size_t i = 0; i < holes_.size(); ++i) {
      const size_t hole = high ? i : holes_.size() - 1 - i;
      const std::optional<uint64_t> offset = PlaceIn(holes_[hole], request);
      if (offset && Contains(Usable(request), holes_[hole].begin)) return Place{hole, *offset};
    }
    return std::nullopt;
  }
};

TEST(PlacementForms, AnHbmRunWithoutMovesIsAPlacement) {
  const struct {
    hbm::RunTrace run;
    int cases;
  } runs[] = {{hbm::Model(), 6'000}, {hbm::TheSpecification(), 1'500}};
  for (const auto& [run, cases] : runs) {
    size_t wasteful = 0;
    CheckParams params;
    params.cases = cases;
    CheckCases(HbmFamily(), "an_hbm_run_without_moves_is_a_placement", params,
               [&](const Case& c) { return ARunIsAPlacement(hbm::In(c), run, wasteful); });
    EXPECT_TRUE(wasteful * 20 > static_cast<size_t>(cases) || std::getenv("OOMPH_REPLAY") != nullptr) << wasteful;
  }
}

TEST(PlacementForms, AnHbmRunWithoutMovesIsAPlacementSeesItsFault) {
  const hbm::RunTrace fault = hbm::Planted<KeepsToFreshMemory>();
  size_t wasteful = 0;
  CheckSeesItsFault(
      HbmFamily(), "an_hbm_run_without_moves_is_a_placement", 5'000,
      [&](const Case& c) { return ARunIsAPlacement(hbm::In(c), fault, wasteful); },
      [&](const Case& c) -> std::string {
        OutcomeOf<hbm::TraceOutcome> outcome;
        outcome.value = fault(hbm::In(c));
        Reasons reasons;
        HbmFamily().Judge(c, outcome, ~Bits64{0}, reasons);
        return reasons.empty() ? "" : absl::StrCat(std::string(reasons.list()[0].oracle), ": ", reasons.list()[0].text);
      });
}

// ---- 3: bound <= exact <= any planner <= sum of sizes ----

// Where each unit lies above all others, alignments rounded up; above the highest fixed one.
uint64_t Sum(const Problem& problem) {
  uint64_t sum = 0, fixed = 0;
  for (const Buffer& buffer : problem.buffers) {
    const uint64_t size = OccupiesNothing(buffer) ? 0 : buffer.size;
    sum = SaturatingAdd(sum, SaturatingAdd(size, std::max<uint64_t>(buffer.alignment, 1) - 1));
    if (buffer.fixed) fixed = std::max(fixed, SaturatingAdd(*buffer.fixed, size));
  }
  return SaturatingAdd(sum, fixed);
}

std::string PeaksStandInOrder(const Problem& given, const RunPlanner& run) {
  if (given.buffers.size() > 12) return "";
  // The common multiple of a group's alignments may waste more.
  for (const Buffer& buffer : given.buffers) {
    if (buffer.group > 0 && !IsPowerOfTwo(std::max<uint64_t>(buffer.alignment, 1))) return "";
  }
  Problem problem = given;
  problem.capacity.reset();
  Plan exact;
  run(problem, {.planner = Planner::kBranchAndBound, .nodes = 500}, exact);
  const bool proved = exact.status == Status::kOptimal;
  const uint64_t bound = LowerBound(problem).peak, optimum = PeakOf(problem, exact).value_or(0);
  if (LiveBytesBound(problem).peak > bound) return "more bytes are live than the bound says";
  if (proved && optimum < bound) return absl::StrCat("the optimum ", optimum, " is below the bound ", bound);
  for (std::string_view word : PlannerWords()) {
    const PlannerOptions options = ParsePlanner(word).value();
    if (options.planner == Planner::kExhaustive || options.planner == Planner::kBranchAndBound) continue;
    Plan plan;
    run(problem, options, plan);
    if (plan.offsets.empty()) continue;
    const uint64_t peak = PeakOf(problem, plan).value_or(0);
    if (peak < (proved ? optimum : bound)) return absl::StrCat(std::string(word), " is below the optimum ", optimum);
    if (peak > Sum(problem)) return absl::StrCat(std::string(word), " needs ", peak, ", all in a row only ", Sum(problem));
    if (exact.status == Status::kInfeasible) return absl::StrCat(std::string(word), " places what is infeasible");
    // What fits fits where there is more room, and in just as much.
    problem.capacity = peak;
    for (const Buffer& buffer : problem.buffers) problem.capacity = std::max(*problem.capacity, buffer.fixed.value_or(0));
    Plan again;
    run(problem, {.planner = Planner::kBranchAndBound, .nodes = 500}, again);
    problem.capacity.reset();
    if (again.status == Status::kInfeasible) return absl::StrCat("infeasible in ", peak, ", where a placement ends");
  }
  return "";
}

// Of all free offsets the lowest that is twice as high as it must be.
struct SpreadsOut : Specification {
  using Specification::Specification;
  std::optional<uint64_t> ChooseOffset(const Unit& unit) const override {
    const std::vector<Range> free = FreeRanges(unit, unit.used);
    if (planner_ != Planner::kByArea || free.empty()) return Specification::ChooseOffset(unit);
    const uint64_t top = std::max(Peak(), free.back().first);
    return SaturatingMul(top, 2) <= free.back().last ? Align(2 * top, unit.alignment) : free.back().first;
  }
};

TEST(PlacementForms, BoundOptimumPlannersAndSumStandInOrder) {
  for (const bool fast : {true, false}) {
    CheckParams params;
    params.cases = fast ? 3'000 : 300;
    CheckCases(PlacementFamily(), "peaks_stand_in_order", params, [&](const Case& c) {
      return PeaksStandInOrder(ProblemIn(c), fast ? RunPlanner(RunModel) : RunPlanner(RunSpecification));
    });
  }
}

TEST(PlacementForms, BoundOptimumPlannersAndSumStandInOrderSeesItsFault) {
  constexpr Bits64 kPromises = promise::kOffsets | promise::kPeak | promise::kLowerBound | promise::kTotal;
  CheckSeesItsFault(
      PlacementFamily(), "peaks_stand_in_order", 1'000,
      [](const Case& c) { return PeaksStandInOrder(ProblemIn(c), RunPlanted<SpreadsOut>); },
      [](const Case& c) {
        Plan plan;
        RunPlanted<SpreadsOut>(ProblemIn(c), {.planner = Planner::kByArea}, plan);
        return FirstReason(ProblemIn(c), plan, kPromises);
      });
}

}  // namespace
}  // namespace oomph::placement
