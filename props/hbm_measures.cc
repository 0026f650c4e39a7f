// Relations 10, 11 and 12 of the design, as far as no row of models/hbm/relations.cc states them: retries,
// defragmentation and eviction, each by a second trace whose outcome is known from the first.
// Does not cover: a reallocation that fails although it could grow in place once a measure has been taken
// (the rules say that it is retried as a new block), traces with a retry limit.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/hbm/history.h"
#include "props/hbm_claims.h"

namespace oomph::hbm {
namespace {

// ---- 10. Retries are caused ----

// attempts = successes + failures + retries after every step, in both ledgers.
std::string TheLedgersAddUp(const Trace& trace, const RunTrace& run, bool& applies) {
  const TraceOutcome outcome = run(trace);
  for (size_t i = 0; i < outcome.rows.size(); ++i) {
    for (const Ledger& ledger : {outcome.rows[i].stats.buffers, outcome.rows[i].stats.launches}) {
      applies = applies || ledger.retries > 0;
      if (ledger.attempts == ledger.successes + ledger.failures + ledger.retries) continue;
      return absl::StrCat(At(trace, i), ": ", ledger.attempts, " attempts, ", ledger.successes,
                          " successes, ", ledger.failures, " failures, ", ledger.retries, " retries");
    }
  }
  return "";
}

// With every free immediate nothing is retried for the queue. It has no fault of its own: the oracles
// every_retry_has_a_cause (a wait landed something) and nothing_lands_early (what landed was queued) imply
// it.
std::string ImmediateFreesCauseNoWait(const Trace& trace, const RunTrace& run, bool& applies) {
  Trace immediate = trace;
  for (Step& step : immediate.steps) {
    if (step.kind != StepKind::kFreeLater) continue;
    step.kind = StepKind::kFree;
    step.fence = 0;
    applies = true;
  }
  const TraceOutcome outcome = run(immediate);
  for (const Event& event : outcome.events) {
    if (event.kind == EventKind::kRetry && event.cause == Cause::kWait) return "waited, with nothing queued";
    if (event.kind == EventKind::kLanded) return "something landed, with nothing queued";
  }
  return "";
}

constexpr Claim kLedgers = {"the_ledgers_add_up", TheLedgersAddUp};
constexpr Claim kImmediate = {"immediate_frees_cause_no_wait", ImmediateFreesCauseNoWait};

TEST(HbmMeasures, TheLedgersAddUp) { CheckClaim(kLedgers, 4'000, 10); }
TEST(HbmMeasures, ImmediateFreesCauseNoWait) { CheckClaim(kImmediate, 4'000, 4); }

// ---- 11. After a defragmentation ----

// Everything may be moved and is aligned to the granule; nothing is evicted. Then: defragment, query, a few
// requests for what the trace asked for before.
Trace Settled(const Trace& trace, size_t& asked) {
  Trace settled = trace;
  settled.names.clear();
  settled.policy.programs = Programs::kMovable;
  settled.policy.eviction = Eviction::kNever;
  std::vector<Step> requests;
  for (Step& step : settled.steps) {
    step.pinned = false;
    step.alignment = 0;
    step.fence = step.kind == StepKind::kFence ? step.fence : 0;
    if (step.kind == StepKind::kFreeLater) step.kind = StepKind::kFree;
    if (step.kind == StepKind::kAllocate && requests.size() < 6) requests.push_back(step);
  }
  settled.steps.push_back({.kind = StepKind::kDefragment});
  settled.steps.push_back({.kind = StepKind::kQuery});
  uint32_t name = FreshName(settled);
  for (Step& request : requests) request.name = name++;
  asked = settled.steps.size();
  settled.steps.insert(settled.steps.end(), requests.begin(), requests.end());
  return settled;
}

// A fresh heap with the same blocks in the same order; the requests follow. `places` are the offsets of the
// blocks in the old heap, in the order of the new trace's steps.
Trace Fresh(const Trace& settled, size_t asked, const History& history, std::vector<uint64_t>& places) {
  Trace fresh;
  fresh.policy = settled.policy;
  std::vector<HistoryPiece> high;
  uint32_t name = FreshName(settled);
  const auto add = [&](StepKind kind, const HistoryPiece& piece, End end) {
    fresh.steps.push_back({.kind = kind, .end = end, .name = name++, .size = piece.reserved});
    places.push_back(piece.offset);
  };
  for (const HistoryPiece& piece : history.After(asked - 2)) {
    const HistoryBlock& block = history.blocks[piece.block];
    const bool low =
        settled.policy.ends == Ends::kTwo ? block.end == End::kLow : settled.policy.ends == Ends::kLow;
    if (block.program) add(StepKind::kLoad, piece, End::kAny);
    if (!block.program && low) add(StepKind::kAllocate, piece, End::kLow);
    if (!block.program && !low) high.push_back(piece);
  }
  for (auto piece = high.rbegin(); piece != high.rend(); ++piece)
    add(StepKind::kAllocate, *piece, End::kHigh);
  fresh.steps.insert(fresh.steps.end(), settled.steps.begin() + asked, settled.steps.end());
  return fresh;
}

std::string DefragmentedIsAsFresh(const Trace& trace, const RunTrace& run, bool& applies) {
  size_t asked = 0;
  const Trace settled = Settled(trace, asked);
  const TraceOutcome outcome = run(settled);
  const Row& query = outcome.rows[asked - 1];
  if (query.largest_free != query.free_bytes) {
    return absl::StrCat(query.free_bytes, " bytes are free, the largest hole has ", query.largest_free);
  }
  std::vector<uint64_t> places;
  const Trace fresh = Fresh(settled, asked, MakeHistory(settled, outcome), places);
  const TraceOutcome again = run(fresh);
  bool same_places = true;
  for (size_t i = 0; i < places.size(); ++i) {
    if (again.rows[i].result != Result::kOk) return "the blocks do not fit into a fresh heap";
    same_places = same_places && again.rows[i].offset == places[i];
  }
  // Where no move was worth making, the one hole need not lie where a fresh heap has it; then an end of two
  // may not use it.
  if (!same_places && settled.policy.ends == Ends::kTwo) return "";
  for (size_t i = 0; asked + i < settled.steps.size(); ++i) {
    const Row &one = outcome.rows[asked + i], &two = again.rows[places.size() + i];
    applies = true;
    if (one.result == two.result && (!same_places || one.offset == two.offset)) continue;
    return absl::StrCat(At(settled, asked + i), " lies at ", one.offset, ", in a fresh heap at ", two.offset);
  }
  return "";
}
constexpr Claim kFresh = {"defragmented_is_as_fresh", DefragmentedIsAsFresh};

struct TakesTheOtherEndAfterMoves : Specification {
  using Specification::Specification;
  bool Defragment(const Request* request) override {
    const bool moves = Specification::Defragment(request);
    moved_ = moved_ || (moves && request == nullptr);
    return moves;
  }
  std::optional<uint64_t> PlaceIn(const Range& hole, const Request& request) const override {
    Request low = request;
    if (moved_ && policy_.ends == Ends::kHigh) low.end = End::kLow;
    return Specification::PlaceIn(hole, low);
  }
  bool moved_ = false;
};

TEST(HbmMeasures, DefragmentedIsAsFresh) { CheckClaim(kFresh, 4'000, 2); }
TEST(HbmMeasures, DefragmentedIsAsFreshSeesItsFault) {
  CheckCatches(kFresh, Planted<TakesTheOtherEndAfterMoves>(), 10'000);
}

// ---- 12. Eviction ----

// The first step that evicts for a request; SIZE_MAX: none.
size_t FirstEviction(const Trace& trace, const TraceOutcome& outcome) {
  for (size_t i = 0; i < outcome.rows.size(); ++i) {
    if (trace.steps[i].kind != StepKind::kEvict && Has(outcome, i, EventKind::kEvicted)) return i;
  }
  return SIZE_MAX;
}

// What was a live buffer after an eviction can be freed.
std::string EvictionNeverLosesABuffer(const Trace& trace, const RunTrace& run, bool& applies) {
  const TraceOutcome outcome = run(trace);
  const size_t step = FirstEviction(trace, outcome);
  if (step == SIZE_MAX) return "";
  Trace freeing = UpTo(trace, step);
  const size_t first = freeing.steps.size();
  const History history = MakeHistory(trace, outcome);
  for (const HistoryPiece& piece : history.After(first - 1)) {
    const HistoryBlock& block = history.blocks[piece.block];
    if (block.program || piece.queued() || block.shadowed < first) continue;
    freeing.steps.push_back({.kind = StepKind::kFree, .name = block.name});
  }
  const TraceOutcome freed = run(freeing);
  for (size_t i = first; i < freeing.steps.size(); ++i) {
    applies = true;
    if (freed.rows[i].result != Result::kOk)
      return absl::StrCat(At(freeing, i), " of what is live does nothing");
  }
  return "";
}
constexpr Claim kLosesNone = {"eviction_never_loses_a_buffer", EvictionNeverLosesABuffer};

struct ForgetsABufferWhenItEvicts : Specification {
  using Specification::Specification;
  void EvictProgram(uint64_t serial) override {
    Specification::EvictProgram(serial);
    for (const Block& block : blocks_) {
      if (block.program || block.fence > 0 || Named(block.name).serial != block.serial) continue;
      const auto donated = [&](const Step& step) {
        return step.donor == block.name;
      };  // an oracle would see that
      if (std::any_of(trace_.steps.begin(), trace_.steps.end(), donated)) continue;
      Named(block.name) = {};
      return;
    }
  }
};

TEST(HbmMeasures, EvictionNeverLosesABuffer) { CheckClaim(kLosesNone, 6'000, 50); }
TEST(HbmMeasures, EvictionNeverLosesABufferSeesItsFault) {
  CheckCatches(kLosesNone, Planted<ForgetsABufferWhenItEvicts>(), 10'000, "what_is_live_can_be_freed");
}

// The programs that a step evicted, in order; none if one of them has no name any more.
std::vector<uint32_t> VictimsOf(const Trace& trace, const TraceOutcome& outcome, size_t step) {
  std::vector<uint32_t> victims;
  const History history = MakeHistory(trace, outcome);
  for (const Event& event : EventsOf(outcome, step)) {
    if (event.kind != EventKind::kEvicted) continue;
    for (const HistoryPiece& piece : step == 0 ? std::vector<HistoryPiece>() : history.After(step - 1)) {
      const HistoryBlock& block = history.blocks[piece.block];
      if (block.program && piece.offset == event.offset && block.shadowed >= step)
        victims.push_back(event.name);
    }
  }
  return victims;
}

// A request that was served after k evictions is served with those k evicted by hand, and not with all but
// the last. Where evicting is the last measure to be taken; it says nothing where something was moved
// meanwhile.
std::string NoMoreVictimsOf(const Trace& trace, const RunTrace& run, bool& applies) {
  const Policy& policy = trace.policy;
  const bool last =
      policy.order == Order::kWaitDefragmentEvict || policy.order == Order::kDefragmentWaitEvict;
  if (!last || policy.retry_limit != 0) return "";
  const TraceOutcome outcome = run(trace);
  const size_t step = FirstEviction(trace, outcome);
  if (step == SIZE_MAX || outcome.rows[step].result != Result::kOk) return "";
  const std::vector<uint32_t> victims = VictimsOf(trace, outcome, step);
  const auto events = EventsOf(outcome, step);
  const size_t evictions = std::count_if(
      events.begin(), events.end(), [](const Event& event) { return event.kind == EventKind::kEvicted; });
  if (victims.size() != evictions || Has(outcome, step, EventKind::kMoved)) return "";
  for (size_t spared : {0, 1}) {
    Trace by_hand = trace;
    by_hand.names.clear();
    by_hand.policy.eviction = Eviction::kNever;
    by_hand.steps.resize(step);
    for (size_t i = 0; i + spared < victims.size(); ++i) {
      by_hand.steps.push_back({.kind = StepKind::kEvict, .name = victims[i]});
    }
    const size_t request = by_hand.steps.size();
    by_hand.steps.insert(by_hand.steps.end(), trace.steps.begin() + step,
                         trace.steps.begin() + After(trace, step));
    const TraceOutcome other = run(by_hand);
    if (Has(other, request, EventKind::kMoved)) continue;
    applies = true;
    const bool served = other.rows[request].result == Result::kOk;
    if (served == (spared == 0)) continue;
    return absl::StrCat(At(trace, step), " is ", served ? "served" : "refused", " with ",
                        victims.size() - spared, " of its ", victims.size(), " victims evicted");
  }
  return "";
}

// The trace with each buffer as the output of a launch, which no oracle asks about.
Trace ByLaunches(const Trace& trace) {
  Trace launched = trace;
  launched.names.clear();
  launched.steps.clear();
  const Step load = {.kind = StepKind::kLoad, .pinned = true, .name = FreshName(trace), .size = 1};
  launched.steps.push_back(load);
  for (const Step& step : trace.steps) {
    if (step.kind == StepKind::kAllocate)
      launched.steps.push_back({.kind = StepKind::kExecute, .name = load.name});
    launched.steps.push_back(step);
    if (step.kind != StepKind::kAllocate) continue;
    launched.steps.back().kind = StepKind::kOutput;
    launched.steps.back().pinned = false;
  }
  return launched;
}

std::string NoMoreVictimsThanNeeded(const Trace& trace, const RunTrace& run, bool& applies) {
  const std::string reason = NoMoreVictimsOf(trace, run, applies);
  return reason.empty() ? NoMoreVictimsOf(ByLaunches(trace), run, applies) : reason;
}
constexpr Claim kNoMoreVictims = {"no_more_victims_than_needed", NoMoreVictimsThanNeeded};

struct EvictsTwoForALaunch : Specification {
  using Specification::Specification;
  bool Evict(const Request& request, uint64_t launching) override {
    const bool evicted = Specification::Evict(request, launching);
    if (evicted && trace_.steps[step_].kind == StepKind::kExecute) Specification::Evict(request, launching);
    return evicted;
  }
};

TEST(HbmMeasures, NoMoreVictimsThanNeeded) { CheckClaim(kNoMoreVictims, 10'000, 100); }
TEST(HbmMeasures, NoMoreVictimsThanNeededSeesItsFault) {
  CheckCatches(kNoMoreVictims, Planted<EvictsTwoForALaunch>(), 20'000);
}

// ---- 12. Failure is the last resort ----

// At a final failure every permitted measure, taken by hand, is in vain: the queue landed, all that may be
// evicted evicted, memory defragmented, the same request fails again. (The oracle of this name sees only what
// is simple enough to compute: no alignments above the granule where something must move, and no launch in
// full.)
std::string AFinalFailureLeavesNoMeasure(const Trace& trace, const RunTrace& run, bool& applies) {
  if (trace.policy.retry_limit != 0) return "";
  const TraceOutcome outcome = run(trace);
  size_t step = 0;
  while (step < outcome.rows.size() && outcome.rows[step].result != Result::kFailed) ++step;
  if (step >= outcome.rows.size() || trace.steps[step].kind == StepKind::kReallocate) return "";
  if (Has(outcome, step, EventKind::kLost)) return "";  // it freed something
  const Step& failed = trace.steps[step];
  const bool launch = failed.kind == StepKind::kExecute;
  const bool program = launch ? outcome.rows[step].offset == 0 : failed.kind == StepKind::kLoad;
  Trace helped = UpTo(trace, step);
  if (trace.policy.waiting != Waiting::kNever) {
    helped.steps.push_back({.kind = StepKind::kFence, .fence = UINT32_MAX});
  }
  const Eviction eviction = trace.policy.eviction;
  if (eviction == Eviction::kAll || (eviction == Eviction::kBuffers && !program)) {
    for (uint32_t name = 0; name < FreshName(trace); ++name) {
      if (!launch || name != failed.name) helped.steps.push_back({.kind = StepKind::kEvict, .name = name});
    }
  }
  if (trace.policy.defragmentation == Defragmentation::kAuto)
    helped.steps.push_back({.kind = StepKind::kDefragment});
  const size_t again = helped.steps.size();
  helped.steps.insert(helped.steps.end(), trace.steps.begin() + step,
                      trace.steps.begin() + After(trace, step));
  applies = true;
  if (run(helped).rows[again].result == Result::kFailed) return "";
  return absl::StrCat(At(trace, step), " fails for good, and is served once its measures are taken by hand");
}
constexpr Claim kNoMeasure = {"a_final_failure_leaves_no_measure", AFinalFailureLeavesNoMeasure};

struct MovesNothingForTheAligned : Specification {
  using Specification::Specification;
  bool Defragment(const Request* request) override {
    return (request == nullptr || request->alignment <= policy_.granule) &&
           Specification::Defragment(request);
  }
};

TEST(HbmMeasures, AFinalFailureLeavesNoMeasure) { CheckClaim(kNoMeasure, 6'000, 5); }
TEST(HbmMeasures, AFinalFailureLeavesNoMeasureSeesItsFault) {
  CheckCatches(kNoMeasure, Planted<MovesNothingForTheAligned>(), 20'000);
}

}  // namespace
}  // namespace oomph::hbm
