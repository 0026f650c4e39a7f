// The pass over a trace that keeps the shadow map and asks the oracles. See oracles.h.
#include <algorithm>
#include <array>
#include <vector>

#include "models/base/units.h"
#include "models/hbm/oracles.h"
#include "models/hbm/promises.h"

namespace oomph::hbm {
namespace {

class Judging {
 public:
  // Buffers are kept from case to case.
  void Run(const Trace& trace, const TraceOutcome& outcome, Bits64 promises, Reasons& reasons);

 private:
  struct Pass;
  void ChooseOracles(Bits64 promises);

  Shadow shadow_;
  std::vector<LiveBlock> victims_, taken_;
  std::vector<Wanted> launch_wants_;
  Bits64 chosen_for_ = 0;
  bool chosen_ = false;
  std::array<std::vector<void (*)(const Moment&)>, kNumOccasions> asked_;
};

void Judging::ChooseOracles(Bits64 promises) {
  if (chosen_ && chosen_for_ == promises) return;
  for (auto& list : asked_) list.clear();
  for (const OracleRow& row : Oracles()) {
    if (row.info.promise != 0 && (row.info.promise & promises) == 0) continue;
    asked_[static_cast<size_t>(row.occasion)].push_back(row.ask);
  }
  chosen_ = true;
  chosen_for_ = promises;
}

// One trace. Each method returns false when something is wrong, and judging ends.
struct Judging::Pass {
  const Trace& trace;
  const TraceOutcome& outcome;
  Shadow& shadow;
  Reasons& reasons;
  const decltype(asked_)& asked;
  Moment m;
  // The request that failed for good in the step before.
  bool failed_before = false;
  size_t failed_step = 0;
  bool failed_at_limit = false;

  bool Ask(Occasion occasion) {
    for (const auto& ask : asked[static_cast<size_t>(occasion)]) ask(m);
    return reasons.empty();
  }

  void SetNeighbours(uint64_t offset) { SetNeighbours(shadow.Around(offset)); }
  void SetNeighbours(const Shadow::Neighbours& neighbours) {
    around = neighbours;
    m.below = around.below == Shadow::kNone ? nullptr : &shadow.at(around.below);
    m.above = around.above == Shadow::kNone ? nullptr : &shadow.at(around.above);
  }

  uint64_t RoundUp(uint64_t size) const {
    if (!m.follows_policy) return std::max<uint64_t>(size, 1);
    return CheckedRoundUp(std::max<uint64_t>(size, 1), trace.policy.granule).value_or(kMaxBytes);
  }

  End EndOf(const Step& step, bool program) const {
    if (program || trace.policy.ends == Ends::kLow) return End::kLow;
    return trace.policy.ends == Ends::kTwo && step.end == End::kLow ? End::kLow : End::kHigh;
  }

  Wanted WantedBy(const Step& step, bool program) const {
    const uint64_t least = m.follows_policy ? trace.policy.granule : 1;
    return {RoundUp(step.size), program ? least : std::max(step.alignment, least),
            EndOf(step, program), program};
  }

  LiveBlock BlockOf(const Step& step, const Row& row, bool program) const {
    const Wanted wanted = WantedBy(step, program);
    return {.name = step.name, .offset = row.offset, .reserved = row.reserved, .size = step.size,
            .alignment = wanted.alignment, .end = wanted.end, .program = program,
            .pinned = step.pinned};
  }

  // Checks a block that was given and puts it into the shadow.
  bool Place(const LiveBlock& block, bool define) {
    m.block = block;
    SetNeighbours(block.offset);
    if (!Ask(Occasion::kPlaced)) return false;
    if (block.reserved == 0) {  // holds no byte
      shadow.byteless = true;
      if (define) shadow.Forget(block.name);
      return true;
    }
    shadow.Insert(block, define, around);
    if (!block.program && define) {
      ++shadow.num_allocs;
      shadow.largest_alloc = std::max(shadow.largest_alloc, block.reserved);
    }
    return true;
  }

  bool OnMoved(const Event& event, bool first) {
    if (first) {
      m.holes_before = shadow.LargestHoles();
    }
    const Shadow::Slot slot = shadow.At(event.from);
    if (slot == Shadow::kNone || shadow.at(slot).name != event.name) {
      reasons.Add("only_the_movable_moves", "unknown", m.index, "what was moved is not there");
      return false;
    }
    m.block = shadow.at(slot);
    if (!Ask(Occasion::kMoved)) return false;
    // Its own old place is free for it.
    m.block.offset = event.offset;
    SetNeighbours(shadow.AroundWithout(slot, event.offset));
    if (!Ask(Occasion::kPlaced)) return false;
    shadow.Relocate(slot, event.offset);
    shadow.bytes_moved += event.size;
    ++m.moved;
    return true;
  }

  bool OnLanded(const Event& event) {
    if (event.size == 0) return true;  // holds no byte, see Place
    const Shadow::Slot slot = shadow.At(event.offset);
    if (slot == Shadow::kNone || shadow.at(slot).name != event.name || shadow.at(slot).fence == 0) {
      reasons.Add("nothing_lands_early", "unknown", m.index, "what landed was not queued");
      return false;
    }
    m.block = shadow.at(slot);
    if (!Ask(Occasion::kLanded)) return false;
    // Waiting lets the fence pass.
    if (m.follows_policy) shadow.passed = std::max(shadow.passed, m.block.fence);
    shadow.Remove(slot);
    ++m.landed;
    return true;
  }

  bool OnEvicted(const Event& event) {
    const Shadow::Slot slot = shadow.At(event.offset);
    if (slot == Shadow::kNone || !shadow.at(slot).program || shadow.at(slot).name != event.name) {
      reasons.Add("no_pinned_victim", "unknown", m.index, "what was evicted is no loaded program");
      return false;
    }
    m.block = shadow.at(slot);
    if (!Ask(Occasion::kEvicted)) return false;
    victims.push_back(m.block);
    shadow.Remove(slot);
    if (m.block.named) {
      shadow.EvictedProgram(m.block.name) = {m.block.size, m.block.pinned, true};
    }
    ++shadow.num_evictions;
    ++m.evicted;
    ++m.evicted_in_step;
    return true;
  }

  bool OnRestored(const Event& event) {
    // The last one evicted comes back first. After moves, two of one name may have lain at one offset.
    for (auto victim = victims.rbegin(); victim != victims.rend(); ++victim) {
      if (victim->name != event.name || victim->offset != event.offset || victim->reserved != event.size) continue;
      ++m.restored;
      m.block = *victim;
      victims.erase(std::next(victim).base());
      SetNeighbours(m.block.offset);
      if (!Ask(Occasion::kPlaced)) return false;
      shadow.Restore(m.block, around);
      return true;
    }
    reasons.Add("evictions_are_undone", "unknown", m.index, "what was put back had not been evicted");
    return false;
  }

  // A block that an attempt of a launch got and gave back: it must have been legal while it lasted.
  bool OnGaveBack(const Event& event) {
    const bool program = event.other == 1;
    m.block = {.name = event.name, .offset = event.offset, .reserved = event.size,
               .program = program};
    SetNeighbours(event.offset);
    for (const LiveBlock* other : {m.below, m.above}) {
      if (other == nullptr || event.size == 0) continue;
      if (Overlaps({event.offset, SaturatingAdd(event.offset, event.size)},
                   {other->offset, other->stop()})) {
        reasons.Add("no_live_overlap", "given_back", m.index, "a block that was given back overlaps a live one");
        return false;
      }
    }
    shadow.bytes_given_back += event.size;
    if (!program) {
      shadow.tentative += event.size;
      shadow.peak = std::max(shadow.peak, shadow.in_use + shadow.tentative);
    }
    return true;
  }

  bool OnRetry() {
    ++m.retries;
    if (m.moved > 0 && !AskDefragmented(true)) return false;
    if (!Ask(Occasion::kRetried)) return false;
    m.landed = m.moved = m.evicted = 0;
    shadow.tentative = 0;
    return true;
  }

  bool AskDefragmented(bool for_request) {
    m.wanted_given = for_request;
    return Ask(Occasion::kDefragmented);
  }

  bool OnEvent(const Event& event) {
    m.event = &event;
    switch (event.kind) {
      case EventKind::kRetry: return OnRetry();
      case EventKind::kLanded: return OnLanded(event);
      case EventKind::kMoved: return OnMoved(event, m.moved == 0);
      case EventKind::kEvicted: return OnEvicted(event);
      case EventKind::kRestored: return OnRestored(event);
      case EventKind::kGaveBack: return OnGaveBack(event);
      case EventKind::kLoaded: {
        if (m.launching == kNobody || event.name != m.launching) {
          reasons.Add("outputs_all_or_nothing", "unknown", m.index, "what was loaded is not being launched");
          return false;
        }
        const Shadow::Evicted evicted = shadow.EvictedProgram(event.name);
        LiveBlock block = {.name = event.name, .offset = event.offset, .reserved = event.size,
                           .size = evicted.size, .alignment = m.follows_policy ? trace.policy.granule : 1,
                           .end = End::kLow, .program = true, .pinned = evicted.pinned};
        return Place(block, true);
      }
      case EventKind::kTookOver: return true;  // see OnLaunch
      case EventKind::kLost: {
        const Shadow::Slot slot = shadow.Named(event.name);
        if (trace.policy.donated == Donated::kLost && slot != Shadow::kNone &&
            shadow.at(slot).offset == event.offset) {
          shadow.Remove(slot);
          return true;
        }
        reasons.Add("outputs_all_or_nothing", "donor_lost", m.index, "a donor was lost");
        return false;
      }
      case EventKind::kFreeRange:
      case EventKind::kReported:
      case EventKind::kFallback: return true;  // judged with the row, or not at all
    }
    return true;
  }

  bool IsRequest(const Step& step) const {
    return step.kind == StepKind::kAllocate || step.kind == StepKind::kReallocate ||
           step.kind == StepKind::kLoad;
  }

  // Straight after a final failure, the same request.
  bool Repeats(size_t index) const {
    if (!failed_before || failed_step + 1 != index || failed_at_limit) return false;
    Step a = trace.steps[failed_step], b = trace.steps[index];
    if (a.kind == StepKind::kReallocate || a.kind != b.kind) return false;
    a.name = b.name = 0;
    return a == b;
  }

  bool OnFailed() {
    const uint32_t limit = trace.policy.retry_limit;
    m.limit_reached = limit != 0 && m.retries >= limit;
    m.fits = m.step->kind != StepKind::kExecute && shadow.Fits(m.wanted);
    return Ask(Occasion::kFailed) && Ask(Occasion::kQueried);
  }

  // Places what a served step got.
  bool OnServed(const Step& step, const Row& row) {
    m.repeated = Repeats(m.index);
    if (IsRequest(step) && !Ask(Occasion::kServed)) return false;
    switch (step.kind) {
      case StepKind::kAllocate: return Place(BlockOf(step, row, false), true);
      case StepKind::kLoad: return Place(BlockOf(step, row, true), true);
      case StepKind::kReallocate: return OnReallocated(step, row);
      case StepKind::kFree:
      case StepKind::kFreeLater:
      case StepKind::kUnload: return OnReleased(step);
      case StepKind::kFence:
        shadow.passed = std::max(shadow.passed, step.fence);
        return true;
      case StepKind::kQuery: return Ask(Occasion::kQueried);
      default: return true;
    }
  }

  bool OnReleased(const Step& step) {
    const Shadow::Slot slot = shadow.Named(step.name);
    if (slot == Shadow::kNone) {  // an evicted program is forgotten; a landed buffer is gone
      if (step.kind == StepKind::kUnload) shadow.Forget(step.name);
      return true;
    }
    if (step.kind == StepKind::kFreeLater) return true;  // see BeforeEvents
    const LiveBlock& freed = shadow.at(slot);
    shadow.just_freed = {freed.offset, freed.reserved, freed.program};
    shadow.Remove(slot);
    return true;
  }

  bool OnReallocated(const Step& step, const Row& row) {
    const Shadow::Slot slot = shadow.Named(step.name);
    LiveBlock block = BlockOf(step, row, false);
    if (slot == Shadow::kNone) return Place(block, true);  // it had no byte until now
    const LiveBlock old = shadow.at(slot);
    if (step.alignment == 0) block.alignment = old.alignment;
    block.end = old.end;
    block.pinned = old.pinned;
    if (block.reserved == 0) {  // holds no byte any more, see Place
      m.block = block;
      SetNeighbours(shadow.AroundWithout(slot, block.offset));
      if (!Ask(Occasion::kPlaced)) return false;
      shadow.Remove(slot);
      shadow.byteless = true;
      return true;
    }
    if (block.offset == old.offset) {  // in place: it may not reach into what lies above
      m.block = block;
      m.below = nullptr;
      const Shadow::Slot above = shadow.Around(old.offset + 1).above;
      m.above = above == Shadow::kNone ? nullptr : &shadow.at(above);
      if (!Ask(Occasion::kPlaced)) return false;
      shadow.Resize(slot, block.reserved, block.size, block.alignment);
      return true;
    }
    if (Overlaps({block.offset, SaturatingAdd(block.offset, block.reserved)},
                 {old.offset, old.stop()})) {  // it slid
      shadow.Remove(slot);
      if (!Place(block, false)) return false;
      shadow.Adopt(shadow.At(block.offset));
      return true;
    }
    // It moved: both were there for a while.
    if (!Place(block, false)) return false;
    ++shadow.num_allocs;
    shadow.largest_alloc = std::max(shadow.largest_alloc, block.reserved);
    shadow.bytes_moved += std::min(old.reserved, block.reserved);
    shadow.Remove(slot);
    if (block.reserved > 0) shadow.Adopt(shadow.At(block.offset));
    return true;
  }

  bool OnLaunch(size_t num_outputs, const Row& row) {
    if (row.result == Result::kFailed) {
      // The row says what could not be had: the program (0) or one of the outputs.
      const size_t failing = std::min<uint64_t>(row.offset, num_outputs);
      m.wanted = launch_wants[failing];
      m.wanted.need = row.reserved;
    }
    if (row.result == Result::kOk || row.result == Result::kFailed) {
      if (!Ask(Occasion::kLaunched)) return false;
    }
    if (row.result == Result::kFailed) return true;
    if (row.result != Result::kOk) return true;
    shadow.TouchNamed(m.launching);
    for (uint32_t i = 0; i < row.num_events; ++i) {  // donors first
      const Event& event = outcome.events[row.first_event + i];
      if (event.kind != EventKind::kTookOver) continue;
      const Shadow::Slot slot = shadow.Named(event.other);
      if (slot != Shadow::kNone && shadow.at(slot).offset == event.offset) {
        taken.push_back(shadow.at(slot));
        shadow.Remove(slot);
      }
    }
    for (size_t i = 1; i <= num_outputs; ++i) {
      const Step& output = trace.steps[m.index + i];
      LiveBlock block = BlockOf(output, outcome.rows[m.index + i], false);
      const auto donor = std::find_if(taken.begin(), taken.end(), [&](const LiveBlock& t) {
        return t.offset == block.offset && output.donor == t.name;
      });
      const bool took_over = donor != taken.end();
      if (took_over) {
        block.end = donor->end;
        block.pinned = donor->pinned;
      }
      const uint64_t allocs = shadow.num_allocs, largest = shadow.largest_alloc;
      if (!Place(block, true)) return false;
      if (took_over) {  // no allocation
        shadow.num_allocs = allocs;
        shadow.largest_alloc = largest;
      }
    }
    return true;
  }

  // What must be known before the events of a step are replayed.
  void BeforeEvents(const Step& step, const Row& row, size_t num_outputs) {
    m.landed = m.moved = m.evicted = m.retries = m.restored = m.evicted_in_step = 0;
    m.launching = step.kind == StepKind::kExecute ? step.name : kNobody;
    m.num_outputs = num_outputs;
    shadow.tentative = 0;
    victims.clear();
    taken.clear();
    m.wanted = {};
    if (IsRequest(step)) {
      m.wanted = WantedBy(step, step.kind == StepKind::kLoad);
      const Shadow::Slot slot = shadow.Named(step.name);
      if (step.kind == StepKind::kReallocate && slot != Shadow::kNone) {
        m.wanted.end = shadow.at(slot).end;
        if (step.alignment == 0) m.wanted.alignment = shadow.at(slot).alignment;
      }
    } else if (step.kind == StepKind::kExecute) {
      launch_wants.clear();
      Step load;
      load.size = shadow.EvictedProgram(step.name).size;
      launch_wants.push_back(WantedBy(load, true));
      for (size_t i = 1; i <= num_outputs; ++i) {
        launch_wants.push_back(WantedBy(trace.steps[m.index + i], false));
      }
      m.launch_wants = launch_wants;
    }
    if (step.kind == StepKind::kFreeLater && row.result == Result::kOk) {
      const Shadow::Slot slot = shadow.Named(step.name);
      if (slot != Shadow::kNone) shadow.Queue(slot, std::max<uint32_t>(step.fence, 1));
    }
    if (step.kind == StepKind::kFence) shadow.passed = std::max(shadow.passed, step.fence);
  }

  bool JudgeStep(size_t index, size_t num_outputs) {
    const Step& step = trace.steps[index];
    const Row& row = outcome.rows[index];
    m.index = index;
    m.step = &step;
    m.row = &row;
    m.previous = index == 0 ? nullptr : &outcome.rows[index - 1];
    if (row.result >= Result::kOutOfFuel) {
      if (row.result != Result::kUnknown) Ask(Occasion::kEnded);
      return false;
    }
    BeforeEvents(step, row, num_outputs);
    if (row.num_events > 0) {
      if (uint64_t{row.first_event} + row.num_events > outcome.events.size()) return false;
      // A donor is lost only after the failure has been told.
      const auto events = std::span(outcome.events).subspan(row.first_event, row.num_events);
      size_t i = 0;
      for (; i < events.size() && events[i].kind != EventKind::kLost; ++i) {
        if (!OnEvent(events[i])) return false;
      }
      if (!Finish(step, row, num_outputs)) return false;
      for (; i < events.size(); ++i) {
        if (!OnEvent(events[i])) return false;
      }
    } else if (!Finish(step, row, num_outputs)) {
      return false;
    }
    if (!Ask(Occasion::kStepped)) return false;
    const bool keeps = step.kind == StepKind::kFree || step.kind == StepKind::kUnload || step.kind == StepKind::kQuery;
    if (!keeps) shadow.just_freed.reset();
    failed_before = row.result == Result::kFailed;
    failed_step = index;
    failed_at_limit = m.limit_reached;
    return true;
  }

  bool Finish(const Step& step, const Row& row, size_t num_outputs) {
    if (m.moved > 0 && step.kind == StepKind::kDefragment && !AskDefragmented(false)) return false;
    shadow.tentative = 0;
    if (step.kind == StepKind::kExecute && !OnLaunch(num_outputs, row)) return false;
    if (row.result == Result::kFailed) return OnFailed();
    m.limit_reached = false;
    return row.result == Result::kOk ? OnServed(step, row) : true;
  }

  Shadow::Neighbours around;  // of m.block
  std::vector<LiveBlock>& victims;
  std::vector<LiveBlock>& taken;
  std::vector<Wanted>& launch_wants;
};

void Judging::Run(const Trace& trace, const TraceOutcome& outcome, Bits64 promises,
                  Reasons& reasons) {
  ChooseOracles(promises);
  const bool follows_policy = (promises & promise::kPolicy) != 0;
  shadow_.Reset(trace, follows_policy);
  Pass pass = {.trace = trace, .outcome = outcome, .shadow = shadow_, .reasons = reasons,
               .asked = asked_,
               .m = {.trace = trace, .outcome = outcome, .shadow = shadow_, .reasons = reasons,
                     .follows_policy = follows_policy},
               .around = {},
               .victims = victims_, .taken = taken_, .launch_wants = launch_wants_};
  const size_t end = std::min(trace.steps.size(), outcome.rows.size());
  for (size_t i = 0; i < end;) {
    size_t num_outputs = 0;
    if (trace.steps[i].kind == StepKind::kExecute) {
      while (i + num_outputs + 1 < trace.steps.size() &&
             trace.steps[i + num_outputs + 1].kind == StepKind::kOutput) {
        ++num_outputs;
      }
    }
    // An outcome that ends within a launch says nothing of it, unless it says how it ended.
    if (i + num_outputs >= end && outcome.rows[i].result < Result::kOutOfFuel) return;
    if (!pass.JudgeStep(i, num_outputs)) return;
    i += 1 + num_outputs;
  }
}

}  // namespace

void JudgeTrace(const Trace& trace, const TraceOutcome& outcome, Bits64 promises,
                Reasons& reasons) {
  thread_local Judging judging;  // keeps its buffers; no state passes from case to case
  judging.Run(trace, outcome, promises, reasons);
}

}  // namespace oomph::hbm
