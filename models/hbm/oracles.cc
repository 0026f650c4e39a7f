// The oracles themselves. The pass that asks them is in judge.cc.
#include "models/hbm/oracles.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_format.h"
#include "models/base/units.h"
#include "models/hbm/promises.h"

namespace oomph::hbm {
namespace {

// What a step is called in a signature.
std::string_view KindWord(const Moment& m) {
  return kFeatures[static_cast<size_t>(m.step->kind)];
}

// The same, but for a request that no memory could serve: its fault must not hide those of other requests.
std::string_view RequestWord(const Moment& m) {
  return m.step->size > m.trace.policy.capacity ? "oversized" : KindWord(m);
}

template <typename... Args>
void Say(const Moment& m, std::string_view oracle, std::string_view detail,
         const absl::FormatSpec<Args...>& format, const Args&... args) {
  m.reasons.Add(oracle, detail, m.index, absl::StrFormat(format, args...));
}

// A block of any kind that has an offset and reserved bytes.
template <typename Block>
std::string At(const Block& block) {
  return absl::StrFormat("[%u, %u)", block.offset, SaturatingAdd(block.offset, block.reserved));
}

bool Touch(const LiveBlock& a, const LiveBlock& b) {
  return Overlaps({a.offset, SaturatingAdd(a.offset, a.reserved)},
                  {b.offset, SaturatingAdd(b.offset, b.reserved)});
}

// No two buffers that are live at the same step share a byte.
// Holds because a caller may write anywhere in what it was given (E0100; every allocator's contract).
void NoLiveOverlap(const Moment& m) {
  for (const LiveBlock* other : {m.below, m.above}) {
    if (other == nullptr || !Touch(m.block, *other)) continue;
    Say(m, "no_live_overlap", RequestWord(m), "%s was given while %s is live", At(m.block), At(*other));
  }
}

// Every block lies within memory.
void WithinCapacity(const Moment& m) {
  const std::optional<Range> range = RangeAt(m.block.offset, m.block.reserved);
  if (m.outcome.grows) {  // regions lie anywhere: their bytes count
    if (range && SaturatingAdd(m.shadow.in_use, m.block.reserved) <= m.shadow.capacity) return;
  } else if (range && range->end <= m.shadow.capacity) {
    return;
  }
  Say(m, "within_capacity", RequestWord(m), "%s ends above the capacity %u", At(m.block),
      m.shadow.capacity);
}

// A block has at least the bytes asked for.
void AtLeastTheSize(const Moment& m) {
  if (m.block.reserved >= m.block.size) return;
  Say(m, "at_least_the_size", RequestWord(m), "%u bytes were asked for, %u given", m.block.size,
      m.block.reserved);
}

// A block begins at a multiple of the alignment asked for (a power of two).
void Aligned(const Moment& m) {
  if (!IsPowerOfTwo(m.block.alignment) || IsMultipleOf(m.block.offset, m.block.alignment)) return;
  Say(m, "aligned", KindWord(m), "offset %u is not a multiple of the alignment %u", m.block.offset,
      m.block.alignment);
}

// Programs lie below all buffers: each is reserved at the bottom of memory (E0101).
void ProgramsLieAtTheBottom(const Moment& m) {
  const bool buffer_below = m.block.program && m.below != nullptr && !m.below->program;
  const bool program_above = !m.block.program && m.above != nullptr && m.above->program;
  if (!buffer_below && !program_above) return;
  Say(m, "programs_lie_at_the_bottom", KindWord(m), "%s %s lies %s %s",
      m.block.program ? "program" : "buffer", At(m.block), buffer_below ? "above the buffer" : "below the program",
      At(buffer_below ? *m.below : *m.above));
}

// Under two ends, low buffers lie below high buffers: each end grows towards the middle.
void EndsStayApart(const Moment& m) {
  if (m.trace.policy.ends != Ends::kTwo || m.block.program) return;
  const bool bad_below = m.block.end == End::kLow && m.below != nullptr && !m.below->program &&
                         m.below->end == End::kHigh;
  const bool bad_above = m.block.end == End::kHigh && m.above != nullptr && !m.above->program &&
                         m.above->end == End::kLow;
  if (!bad_below && !bad_above) return;
  Say(m, "ends_stay_apart", KindWord(m), "%s of the %s end lies on the other side of %s", At(m.block),
      m.block.end == End::kLow ? "low" : "high", At(bad_below ? *m.below : *m.above));
}

// A defragmentation moves only what may be moved, whole, from where it was.
void OnlyTheMovableMoves(const Moment& m) {
  const bool fixed_program = m.block.program && m.trace.policy.programs == Programs::kFixed;
  if (m.block.pinned || m.block.fence > 0 || fixed_program) {
    Say(m, "only_the_movable_moves", m.block.pinned ? "pinned" : fixed_program ? "program" : "queued",
        "%s may not be moved", At(m.block));
  } else if (m.event->size != m.block.reserved) {
    Say(m, "only_the_movable_moves", "size", "%s was moved as %u bytes", At(m.block), m.event->size);
  }
}

// A defragmentation leaves a larger hole than there was, or room for the request that caused it.
void DefragmentationHelps(const Moment& m) {
  const bool launch = m.step->kind == StepKind::kExecute;
  const Shadow::Holes holes = m.shadow.LargestHoles();
  if ((launch || !m.wanted.program) && holes.largest > m.holes_before.largest) return;
  if ((launch || m.wanted.program) && holes.reservable > m.holes_before.reservable) return;
  if (m.wanted_given && !launch && m.shadow.Fits(m.wanted)) return;
  if (launch) {  // which of its requests it was made for is not told
    for (size_t i = 1; i <= m.num_outputs; ++i) {
      if (m.shadow.Fits(m.launch_wants[i])) return;
    }
    if (m.shadow.Named(m.launching) == Shadow::kNone && m.shadow.Fits(m.launch_wants[0])) return;
  }
  Say(m, "defragmentation_helps", KindWord(m), "the largest hole was %u and is %u, %u were reservable and %u are",
      m.holes_before.largest, holes.largest, m.holes_before.reservable, holes.reservable);
}

// After a defragmentation on demand, with everything movable and aligned to the granule, all that is free
// above the programs is one hole.
void CompactionIsComplete(const Moment& m) {
  if (m.step->kind != StepKind::kDefragment || m.row->result != Result::kOk) return;
  bool simple = true;
  uint64_t used_above = 0;
  m.shadow.ForEachBlock([&](Shadow::Slot, const LiveBlock& block) {
    if (block.program) return;
    used_above += block.reserved;
    simple = simple && !block.pinned && block.fence == 0 &&
             block.alignment <= m.trace.policy.granule;
  });
  if (!simple) return;
  const uint64_t free_above = m.shadow.capacity - m.shadow.Top() - used_above;
  const uint64_t largest = m.shadow.LargestHoles().largest;
  if (largest == free_above) return;
  Say(m, "compaction_is_complete", "defragment", "%u bytes are free above the programs, the largest hole has %u",
      free_above, largest);
}

// A queued free lands when its fence has passed, or when a request waits for it; not before.
void NothingLandsEarly(const Moment& m) {
  if (m.block.fence <= m.shadow.passed) return;
  const bool waits = m.step->kind != StepKind::kFence && m.step->kind != StepKind::kFreeLater;
  if (waits && m.trace.policy.waiting != Waiting::kNever) return;
  Say(m, "nothing_lands_early", KindWord(m), "a free queued for fence %u landed after fence %u",
      m.block.fence, m.shadow.passed);
}

// Once a fence has passed, nothing that was queued for it is still occupied.
void FencesLandTheirQueue(const Moment& m) {
  if (m.step->kind != StepKind::kFence || m.shadow.OldestFence() > m.shadow.passed) return;
  m.shadow.ForEachBlock([&](Shadow::Slot, const LiveBlock& block) {
    if (block.fence == 0 || block.fence > m.shadow.passed) return;
    Say(m, "fences_land_their_queue", "fence", "%s was queued for fence %u, which has passed",
        At(block), block.fence);
  });
}

// What is pinned is not evicted, nor is the program whose launch is at hand.
void NoPinnedVictim(const Moment& m) {
  if (!m.block.pinned && !(m.block.named && m.block.name == m.launching)) return;
  Say(m, "no_pinned_victim", m.block.pinned ? "pinned" : "launching", "program %s was evicted",
      At(m.block));
}

// Victims fall in the order that the policy names.
void VictimsFallInOrder(const Moment& m) {
  if (m.step->kind == StepKind::kEvict || m.block.pinned) return;
  const auto rank = [&](const LiveBlock& block) -> std::pair<uint64_t, uint64_t> {
    switch (m.trace.policy.victims) {
      case Victims::kLeastRecentlyUsed: return {block.used_at, 0};
      case Victims::kOldest: return {block.loaded_at, 0};
      case Victims::kNewest: return {~block.loaded_at, 0};
      case Victims::kLargest: return {~block.reserved, block.loaded_at};
      case Victims::kSmallest: return {block.reserved, block.loaded_at};
    }
    return {0, 0};
  };
  m.shadow.ForEachBlock([&](Shadow::Slot, const LiveBlock& other) {
    if (!other.program || other.pinned || (other.named && other.name == m.launching)) return;
    if (rank(other) < rank(m.block)) {
      Say(m, "victims_fall_in_order", KindWord(m), "%s was evicted before %s", At(m.block), At(other));
    }
  });
}

// No program is evicted for a request that a hole already fits.
void NoNeedlessVictim(const Moment& m) {
  if (m.step->kind == StepKind::kEvict || m.step->kind == StepKind::kExecute) return;
  if (!m.shadow.Fits(m.wanted)) return;
  Say(m, "no_needless_victim", KindWord(m), "%s was evicted for %u bytes, for which there was room",
      At(m.block), m.wanted.need);
}

// Programs are evicted only for whom the policy allows it.
void EvictionIsAllowed(const Moment& m) {
  if (m.step->kind == StepKind::kEvict) return;
  const Eviction policy = m.trace.policy.eviction;
  if (policy == Eviction::kAll || m.step->kind == StepKind::kExecute) {
    if (policy != Eviction::kNever) return;
  } else if (policy == Eviction::kBuffers && !m.wanted.program) {
    return;
  }
  Say(m, "eviction_is_allowed", KindWord(m), "program %s was evicted", At(m.block));
}

// Evictions for a request that failed anyway are undone if, and only if, the policy says so.
void EvictionsAreUndone(const Moment& m) {
  if (m.trace.policy.undo == Undo::kNo) {
    if (m.restored > 0) {
      Say(m, "evictions_are_undone", "restored", "%u programs were put back", m.restored);
    }
    return;
  }
  // With programs that never move, the place of an evicted one is still there.
  if (m.trace.policy.programs == Programs::kMovable || m.trace.policy.ends == Ends::kTwo) return;
  if (m.restored != m.evicted_in_step) {
    Say(m, "evictions_are_undone", "lost", "%u programs were evicted for a request that failed, %u put back",
        m.evicted_in_step, m.restored);
  }
}

// Each retry is caused by something that was done since the attempt before it.
void EveryRetryHasACause(const Moment& m) {
  const bool caused = (m.event->cause == Cause::kWait && m.landed > 0) ||
                      (m.event->cause == Cause::kDefragment && m.moved > 0) ||
                      (m.event->cause == Cause::kEvict && m.evicted > 0);
  if (caused) return;
  Say(m, "every_retry_has_a_cause", KindWord(m),
      "retried after %u landed frees, %u moves and %u evictions", m.landed, m.moved, m.evicted);
}

// No more retries than the policy allows.
void TheRetryLimitIsKept(const Moment& m) {
  const uint32_t limit = m.trace.policy.retry_limit;
  if (limit == 0 || m.retries <= limit) return;
  Say(m, "the_retry_limit_is_kept", KindWord(m), "%u retries, the limit is %u", m.retries, limit);
}

// attempts = successes + failures + retries, and each step adds just what it did.
void RetriesAreAccounted(const Moment& m) {
  const bool launch = m.step->kind == StepKind::kExecute;
  const bool request = launch || m.step->kind == StepKind::kAllocate ||
                       m.step->kind == StepKind::kReallocate || m.step->kind == StepKind::kLoad;
  if (!request && m.previous != nullptr && m.row->stats.buffers == m.previous->stats.buffers &&
      m.row->stats.launches == m.previous->stats.launches) {
    return;  // nearly always
  }
  Ledger buffers, launches;
  if (m.previous != nullptr) {
    buffers = m.previous->stats.buffers;
    launches = m.previous->stats.launches;
  }
  const Result result = m.row->result;
  if (request && (result == Result::kOk || result == Result::kFailed)) {
    Ledger& ledger = launch ? launches : buffers;
    ledger.attempts += m.retries + 1;
    ledger.retries += m.retries;
    ++(result == Result::kOk ? ledger.successes : ledger.failures);
  }
  const auto check = [&](const char* which, const Ledger& expected, const Ledger& told) {
    if (expected == told) return;
    Say(m, "retries_are_accounted", KindWord(m),
        "%s: %u attempts, %u successes, %u failures, %u retries; told are %u, %u, %u, %u", which,
        expected.attempts, expected.successes, expected.failures, expected.retries, told.attempts,
        told.successes, told.failures, told.retries);
  };
  if (m.outcome.stats_known & stat::kBuffers) check("buffers", buffers, m.row->stats.buffers);
  if (m.outcome.stats_known & stat::kLaunches) check("launches", launches, m.row->stats.launches);
}

// What is live under its name can be freed.
void WhatIsLiveCanBeFreed(const Moment& m) {
  const bool frees = m.step->kind == StepKind::kFree || m.step->kind == StepKind::kFreeLater;
  if (!frees || m.row->result != Result::kNoOp) return;
  const Shadow::Slot slot = m.shadow.Named(m.step->name);
  if (slot == Shadow::kNone || m.shadow.at(slot).program) return;
  Say(m, "what_is_live_can_be_freed", KindWord(m), "%s is live, and its free did nothing", At(m.shadow.at(slot)));
}

// The statistics are those of what is live, after every step, failures included.
void StatsMatchTheLedger(const Moment& m) {
  const Stats& told = m.row->stats;
  const Shadow& s = m.shadow;
  if (told.bytes_in_use == s.in_use && told.peak_bytes_in_use == s.peak && told.bytes_reserved == s.reserved &&
      told.num_live == s.num_live && told.num_evictions == s.num_evictions && told.num_allocs == s.num_allocs &&
      told.largest_alloc_size == s.largest_alloc && told.bytes_moved == s.bytes_moved &&
      told.bytes_given_back == s.bytes_given_back) {
    return;  // nearly always
  }
  const struct {
    uint32_t bit;
    std::string_view name;
    uint64_t told, expected;
  } fields[] = {
      {stat::kBytesInUse, "bytes_in_use", told.bytes_in_use, s.in_use},
      {stat::kPeakBytesInUse, "peak_bytes_in_use", told.peak_bytes_in_use, s.peak},
      {stat::kBytesReserved, "bytes_reserved", told.bytes_reserved, s.reserved},
      {stat::kNumLive, "num_live", told.num_live, s.num_live},
      {stat::kNumEvictions, "num_evictions", told.num_evictions, s.num_evictions},
      {stat::kNumAllocs, "num_allocs", told.num_allocs, s.num_allocs},
      {stat::kLargestAllocSize, "largest_alloc_size", told.largest_alloc_size, s.largest_alloc},
      {stat::kBytesMoved, "bytes_moved", told.bytes_moved, s.bytes_moved},
      {stat::kBytesGivenBack, "bytes_given_back", told.bytes_given_back, s.bytes_given_back},
  };
  for (const auto& field : fields) {
    if ((m.outcome.stats_known & field.bit) == 0 || field.told == field.expected) continue;
    if (s.byteless && (field.bit & (stat::kNumLive | stat::kNumAllocs)) != 0) continue;
    Say(m, "stats_match_the_ledger", field.name, "%s is %u, told is %u", field.name, field.expected,
        field.told);
  }
}

// A refused request for which nothing was done leaves the state as it was.
void FailureChangesNothing(const Moment& m) {
  if (!m.outcome.tells_hash || m.previous == nullptr || m.row->state_hash == m.previous->state_hash) {
    return;
  }
  for (uint32_t i = 0; i < m.row->num_events; ++i) {
    if (m.outcome.events[m.row->first_event + i].kind != EventKind::kReported) return;
  }
  Say(m, "failure_changes_nothing", KindWord(m), "the state differs after a refused request of %u bytes",
      m.wanted.need);
}

// With nothing live, a request up to the capacity is served.
void EmptyMemoryServesAll(const Moment& m) {
  if (!m.fits || m.shadow.num_blocks() > 0) return;
  Say(m, "empty_memory_serves_all", KindWord(m), "%u of %u bytes were refused with nothing live",
      m.wanted.need, m.shadow.capacity);
}

bool FitsWhatWasJustFreed(const Moment& m) {
  return m.shadow.just_freed && m.shadow.just_freed->program == m.wanted.program &&
         m.shadow.just_freed->reserved >= m.wanted.need &&
         IsMultipleOf(m.shadow.just_freed->offset, m.wanted.alignment);
}

// What was freed in the step before serves a request of its size.
void FreedHoleServesAgain(const Moment& m) {
  if (!m.fits || m.shadow.num_blocks() == 0 || !FitsWhatWasJustFreed(m)) return;
  Say(m, "freed_hole_serves_again", KindWord(m), "%u bytes were refused just after %s was freed",
      m.wanted.need, At(*m.shadow.just_freed));
}

// A request that a hole fits is served.
void CompleteWhenItFits(const Moment& m) {
  if (!m.fits || m.shadow.num_blocks() == 0 || m.wanted.program || FitsWhatWasJustFreed(m)) return;
  Say(m, "complete_when_it_fits", KindWord(m), "%u bytes at alignment %u were refused, a hole fits them",
      m.wanted.need, m.wanted.alignment);
}

// A program loads exactly when the reservable bytes suffice (E0101).
void ReservableDecides(const Moment& m) {
  if (!m.fits || m.shadow.num_blocks() == 0 || !m.wanted.program || FitsWhatWasJustFreed(m)) return;
  Say(m, "reservable_decides", KindWord(m), "a program of %u bytes was refused, %u are reservable",
      m.wanted.need, m.shadow.LargestHoles().reservable);
}

// Failure is the last resort: at a final failure, no queued free could land, no program whose eviction
// would make room is left, and no permitted move makes the hole.
void FailureIsTheLastResort(const Moment& m) {
  const Policy& policy = m.trace.policy;
  if (m.fits || m.limit_reached) return;
  const bool launch = m.step->kind == StepKind::kExecute;
  const bool may_evict = policy.eviction == Eviction::kAll ||
                         (policy.eviction == Eviction::kBuffers && !m.wanted.program);
  const bool may_wait = policy.waiting != Waiting::kNever;
  const bool may_move = policy.defragmentation == Defragmentation::kAuto;
  uint64_t need = m.wanted.need;
  if (launch) {  // claims only that the sum would fit beside the loaded program
    if (m.shadow.Named(m.launching) == Shadow::kNone) return;
    need = 0;
    for (size_t i = 1; i <= m.num_outputs; ++i) {
      const Step& output = m.trace.steps[m.index + i];
      const std::optional<uint64_t> size =
          CheckedRoundUp(std::max<uint64_t>(output.size, 1), policy.granule);
      if (!size || output.alignment > policy.granule) return;
      need = SaturatingAdd(need, *size);
    }
  }
  // Memory as it would be with every permitted measure taken. Programs come first in address order, so
  // a hole before a program is for programs, one after a buffer for buffers, and that between for both.
  uint32_t queued = 0, victims = 0;
  uint64_t top = 0, end = 0, used_above = 0;
  bool simple = m.wanted.alignment <= policy.granule, room = false, buffers_seen = false;
  const bool exact = !launch && policy.ends != Ends::kTwo;
  const auto hole_before = [&](uint64_t stop, bool program) {
    const bool usable = m.wanted.program ? !buffers_seen : !program;
    if (exact && usable && stop > end) room = room || Shadow::FitsIn({end, stop}, m.wanted);
  };
  m.shadow.ForEachBlock([&](Shadow::Slot, const LiveBlock& block) {
    queued += block.fence > 0;
    if (block.fence > 0 && may_wait) return;
    if (block.program && !block.pinned && !(block.named && block.name == m.launching)) {
      ++victims;
      if (may_evict) return;
    }
    hole_before(block.offset, block.program);
    end = block.stop();
    if (block.program) {
      top = end;
      return;
    }
    buffers_seen = true;
    used_above += block.reserved;
    simple = simple && !block.pinned && block.fence == 0 && block.alignment <= policy.granule;
  });
  hole_before(m.shadow.capacity, false);
  const uint64_t free_above = m.shadow.capacity - top - used_above;
  // Low buffers under two ends are pressed down onto the programs: a program finds room only below them.
  const bool pressed = policy.ends == Ends::kTwo && m.wanted.program;
  const bool by_moving = may_move && simple && !pressed && need <= free_above;
  if (!room && !by_moving) return;
  const bool waits = may_wait && queued > 0, evicts = may_evict && victims > 0;
  const std::string_view left = waits ? "queue" : evicts ? "eviction" : "defragmentation";
  if (!waits && !evicts && !by_moving) return;
  Say(m, "failure_is_the_last_resort", left,
      "%u bytes were refused; with %u queued frees landed and %u programs evicted there would be room",
      need, may_wait ? queued : 0, may_evict ? victims : 0);
}

// The same request straight after its final failure fails again: the first had no measure left.
void AFinalFailureIsFinal(const Moment& m) {
  if (!m.repeated) return;
  Say(m, "a_final_failure_is_final", KindWord(m), "%u bytes were refused, and served when asked again",
      m.wanted.need);
}

// What is told of free memory is true: bytes, largest hole, reservable.
void FreeBytesAreTrue(const Moment& m) {
  const Shadow::Holes holes = m.shadow.LargestHoles();
  const struct {
    std::string_view name;
    uint64_t told, expected;
  } fields[] = {{"free_bytes", m.row->free_bytes, m.shadow.Free()},
                {"largest_free", m.row->largest_free, holes.largest},
                {"reservable", m.row->reservable, holes.reservable}};
  for (const auto& field : fields) {
    if (!m.outcome.tells_free || field.told == field.expected) continue;
    Say(m, "free_bytes_are_true", field.name, "%s is %u, told is %u", field.name, field.expected,
        field.told);
  }
}

template <typename F>
void ForEachFreeRange(const Moment& m, F f) {
  if (!m.outcome.lists_free || m.step->kind != StepKind::kQuery) return;
  for (uint32_t i = 0; i < m.row->num_events; ++i) {
    const Event& event = m.outcome.events[m.row->first_event + i];
    if (event.kind == EventKind::kFreeRange) f(event);
  }
}

// No free range holds a byte of a live block.
void WhatIsFreeIsNotLive(const Moment& m) {
  ForEachFreeRange(m, [&](const Event& event) {
    const Range range = {event.offset, SaturatingAdd(event.offset, event.size)};
    const auto ask = [&](Shadow::Slot, const LiveBlock& block) {
      // BFC lists what is queued as free; that nobody gets it early is asked where blocks are placed.
      if (block.fence > 0 && !m.follows_policy) return;
      if (!Overlaps(range, {block.offset, block.stop()})) return;
      Say(m, "what_is_free_is_not_live", "query", "the free range [%u, %u) holds bytes of %s", range.begin, range.end,
          At(block));
    };
    if (!m.follows_policy) return m.shadow.ForEachBlock(ask);  // behind what is queued there may be more
    const Shadow::Neighbours around = m.shadow.Around(event.offset);
    for (Shadow::Slot slot : {around.below, around.above}) {
      if (slot != Shadow::kNone) ask(slot, m.shadow.at(slot));
    }
  });
}

// Live bytes and free ranges together are the capacity.
void LiveAndFreeAreAll(const Moment& m) {
  if (!m.outcome.lists_free || m.step->kind != StepKind::kQuery) return;
  uint64_t sum = 0;
  ForEachFreeRange(m, [&](const Event& event) { sum = SaturatingAdd(sum, event.size); });
  if (sum == m.shadow.Free()) return;
  Say(m, "live_and_free_are_all", sum < m.shadow.Free() ? "lost" : "too_much",
      "%u bytes are not live, the free ranges have %u", m.shadow.Free(), sum);
}

// No two free ranges touch.
void FreeRangesDoNotTouch(const Moment& m) {
  uint64_t end = kMaxBytes;
  ForEachFreeRange(m, [&](const Event& event) {
    if (event.offset == end) {
      Say(m, "free_ranges_do_not_touch", "query", "two free ranges touch at %u", end);
    }
    end = SaturatingAdd(event.offset, event.size);
  });
}

// The report of a failure lists exactly what is live, in address order; its sum is the capacity less what is
// free.
void TheReportIsExact(const Moment& m) {
  if (!m.trace.policy.report) return;
  size_t rows = 0;
  uint64_t sum = 0;
  bool known = true;
  uint32_t k = 0;
  const auto next = [&]() -> const Event* {
    while (k < m.row->num_events) {
      const Event& event = m.outcome.events[m.row->first_event + k++];
      if (event.kind == EventKind::kReported) return &event;
    }
    return nullptr;
  };
  m.shadow.ForEachBlock([&](Shadow::Slot, const LiveBlock& block) {
    const Event* const event = next();
    if (event == nullptr) return;
    ++rows;
    sum = SaturatingAdd(sum, event->size);
    known = known && event->offset == block.offset && event->size == block.reserved && event->name == block.name;
  });
  while (next() != nullptr) ++rows;
  if (known && rows == m.shadow.num_blocks() && sum == m.shadow.capacity - m.shadow.Free()) return;
  Say(m, "the_report_is_exact", KindWord(m), "%u blocks with %u bytes are live, the report has %u with %u",
      m.shadow.num_blocks(), m.shadow.capacity - m.shadow.Free(), rows, sum);
}

// A launch gets all of its outputs or none.
void OutputsAllOrNothing(const Moment& m) {
  for (size_t i = 1; i <= m.num_outputs; ++i) {
    if (m.outcome.rows[m.index + i].result == m.row->result) continue;
    Say(m, "outputs_all_or_nothing", m.row->result == Result::kOk ? "missing" : "kept",
        "output %u does not have the result of its launch", i);
    return;
  }
}

// An output takes over its donor's memory if, and only if, that is large enough and aligned.
void DonationReusesMemory(const Moment& m) {
  if (m.row->result != Result::kOk) return;
  std::vector<uint32_t> taken;
  uint32_t k = 0;  // the events tell of outputs in their order
  for (size_t i = 1; i <= m.num_outputs; ++i) {
    const Step& output = m.trace.steps[m.index + i];
    if (output.donor == kNobody) continue;
    bool took_over = false;
    while (k < m.row->num_events && m.outcome.events[m.row->first_event + k].kind != EventKind::kTookOver) ++k;
    if (k < m.row->num_events) {
      const Event& event = m.outcome.events[m.row->first_event + k];
      took_over = event.name == output.name && event.other == output.donor &&
                  event.offset == m.outcome.rows[m.index + i].offset;
      if (took_over) ++k;
    }
    const Shadow::Slot slot = m.shadow.Named(output.donor);
    const bool first = std::find(taken.begin(), taken.end(), output.donor) == taken.end();
    const std::optional<uint64_t> need =
        CheckedRoundUp(std::max<uint64_t>(output.size, 1), m.trace.policy.granule);
    const bool can = slot != Shadow::kNone && first && !m.shadow.at(slot).program && need &&
                     m.shadow.at(slot).reserved >= *need &&
                     IsMultipleOf(m.shadow.at(slot).offset,
                                  std::max(output.alignment, m.trace.policy.granule));
    if (can) taken.push_back(output.donor);
    if (can == took_over) continue;
    Say(m, "donation_reuses_memory", can ? "missed" : "unfit", "output %u %s its donor's memory", i,
        can ? "could have taken over" : "cannot have taken over");
  }
}

// The call ends: no step runs out of fuel or time.
void TheCallEnds(const Moment& m) {
  if (m.row->result != Result::kOutOfFuel && m.row->result != Result::kTimedOut) return;
  const std::string_view word = RequestWord(m);
  const bool in_time = m.row->result == Result::kOutOfFuel || word == "oversized";
  const std::string_view detail = in_time ? word : "out_of_time";
  Say(m, "the_call_ends", detail, "the call did not end (%s)",
      m.row->result == Result::kOutOfFuel ? "out of fuel" : "out of time");
}

// Legal input does not crash the allocator.
void TheSubjectSurvives(const Moment& m) {
  if (m.row->result != Result::kDied) return;
  // The first line says how; what the subject printed may be long.
  Say(m, "the_subject_survives", RequestWord(m), "the subject died: %s",
      m.outcome.note.substr(0, std::min<size_t>(m.outcome.note.find('\n'), 200)));
}

// The bytes of a live buffer stay what was written.
void ContentsAreKept(const Moment& m) {
  if (m.row->result != Result::kCorrupt) return;
  std::string_view detail = RequestWord(m);
  switch (m.outcome.damaged) {
    case Damaged::kContents: break;
    case Damaged::kNotZeroed: detail = "not_zeroed"; break;
    case Damaged::kSlack: detail = "slack"; break;
    case Damaged::kOtherThread: detail = "other_thread"; break;
  }
  Say(m, "contents_are_kept", detail, "damage was found: %s", m.outcome.note);
}

// The allocator's own check of its state finds nothing wrong.
void TheOwnCheckPasses(const Moment& m) {
  if (m.row->result != Result::kInconsistent) return;
  Say(m, "the_own_check_passes", RequestWord(m), "the subject's own check failed: %s", m.outcome.note);
}

using enum Occasion;
constexpr Bits64 kEveryone = 0;
// The order is the one in which reasons of one step are told.
const std::array kOracles = {
    OracleRow{{"the_call_ends", "a caller must get an answer"}, kEnded, TheCallEnds},
    OracleRow{{"the_subject_survives", "every case is legal input"}, kEnded, TheSubjectSurvives},
    OracleRow{{"contents_are_kept", "a buffer belongs to its caller until freed"}, kEnded, ContentsAreKept},
    OracleRow{{"the_own_check_passes", "who wrote it knows what must hold"}, kEnded, TheOwnCheckPasses},
    OracleRow{{"at_least_the_size", "a caller may write all bytes it asked for"}, kPlaced, AtLeastTheSize},
    OracleRow{{"within_capacity", "there is no memory above the capacity"}, kPlaced, WithinCapacity},
    OracleRow{{"no_live_overlap", "a caller may write anywhere in what it was given"}, kPlaced, NoLiveOverlap},
    OracleRow{{"aligned", "the alignment asked for", promise::kAlignment}, kPlaced, Aligned},
    OracleRow{{"programs_lie_at_the_bottom", "E0101: reserved at the bottom of memory", promise::kPolicy}, kPlaced, ProgramsLieAtTheBottom},
    OracleRow{{"ends_stay_apart", "policy ends two", promise::kPolicy}, kPlaced, EndsStayApart},
    OracleRow{{"only_the_movable_moves", "pinned, queued and fixed blocks have users", promise::kPolicy}, kMoved, OnlyTheMovableMoves},
    OracleRow{{"defragmentation_helps", "moves cost bandwidth", promise::kPolicy}, kDefragmented, DefragmentationHelps},
    OracleRow{{"compaction_is_complete", "E0100: defragmentation cures fragmentation", promise::kPolicy}, kStepped, CompactionIsComplete},
    OracleRow{{"nothing_lands_early", "the device still uses what is queued", promise::kFences}, kLanded, NothingLandsEarly},
    OracleRow{{"fences_land_their_queue", "E0100: queued deallocations", promise::kPolicy}, kStepped, FencesLandTheirQueue},
    OracleRow{{"no_pinned_victim", "pinned programs are in use", promise::kPolicy}, kEvicted, NoPinnedVictim},
    OracleRow{{"victims_fall_in_order", "policy victims", promise::kPolicy}, kEvicted, VictimsFallInOrder},
    OracleRow{{"no_needless_victim", "E0100: until enough memory is available", promise::kPolicy}, kEvicted, NoNeedlessVictim},
    OracleRow{{"eviction_is_allowed", "policy eviction", promise::kPolicy}, kEvicted, EvictionIsAllowed},
    OracleRow{{"evictions_are_undone", "policy undo", promise::kPolicy}, kFailed, EvictionsAreUndone},
    OracleRow{{"every_retry_has_a_cause", "E0100: retried while queued frees land, after defragmentation, after eviction", promise::kLedger}, kRetried, EveryRetryHasACause},
    OracleRow{{"the_retry_limit_is_kept", "policy retry_limit", promise::kPolicy}, kStepped, TheRetryLimitIsKept},
    OracleRow{{"retries_are_accounted", "attempts = successes + failures + retries", promise::kLedger}, kStepped, RetriesAreAccounted},
    OracleRow{{"a_final_failure_is_final", "the first request had no measure left", promise::kLedger}, kServed, AFinalFailureIsFinal},
    OracleRow{{"empty_memory_serves_all", "nothing is in the way", promise::kWholeAfterDrain}, kFailed, EmptyMemoryServesAll},
    OracleRow{{"freed_hole_serves_again", "the hole is there", promise::kFreedHole}, kFailed, FreedHoleServesAgain},
    OracleRow{{"complete_when_it_fits", "the subject promises completeness", promise::kCompleteness}, kFailed, CompleteWhenItFits},
    OracleRow{{"reservable_decides", "E0101: reservable bytes", promise::kPolicy}, kFailed, ReservableDecides},
    OracleRow{{"failure_is_the_last_resort", "E0100: seen only after all measures", promise::kLedger}, kFailed, FailureIsTheLastResort},
    OracleRow{{"failure_changes_nothing", "a refused request has no effect", promise::kFailureAtomic}, kFailed, FailureChangesNothing},
    OracleRow{{"the_report_is_exact", "tpu_log_allocations_on_oom: all current allocations", promise::kPolicy}, kFailed, TheReportIsExact},
    OracleRow{{"free_bytes_are_true", "error texts quote them", promise::kFreeList}, kQueried, FreeBytesAreTrue},
    OracleRow{{"what_is_free_is_not_live", "a live byte is not free", kEveryone}, kQueried, WhatIsFreeIsNotLive},
    OracleRow{{"live_and_free_are_all", "memory is conserved", promise::kFreeList}, kQueried, LiveAndFreeAreAll},
    OracleRow{{"free_ranges_do_not_touch", "coalescing", promise::kCoalescing}, kQueried, FreeRangesDoNotTouch},
    OracleRow{{"outputs_all_or_nothing", "E0100: a program's output allocations", promise::kPolicy}, kLaunched, OutputsAllOrNothing},
    OracleRow{{"donation_reuses_memory", "donated inputs are reused for outputs", promise::kPolicy}, kLaunched, DonationReusesMemory},
    OracleRow{{"what_is_live_can_be_freed", "else it is lost", kEveryone}, kStepped, WhatIsLiveCanBeFreed},
    OracleRow{{"stats_match_the_ledger", "monitoring rests on them", promise::kStats}, kStepped, StatsMatchTheLedger},
};

}  // namespace

std::span<const OracleRow> Oracles() { return kOracles; }

}  // namespace oomph::hbm
