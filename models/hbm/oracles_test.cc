// One accepted and one rejected example for each oracle: a trace of a few lines, and what the specification
// answers with one thing in it changed by hand. Then outcomes of random garbage, which must harm nobody.
// Not for: how many real faults the oracles find (see fuzz/faults/faults_test.cc).
#include "models/hbm/oracles.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/hbm/compare.h"
#include "models/hbm/explain.h"
#include "models/hbm/generate.h"
#include "models/hbm/outcome_text.h"
#include "models/hbm/promises.h"
#include "models/hbm/reach.h"
#include "models/hbm/relations.h"
#include "models/hbm/specification.h"
#include "models/hbm/text.h"

namespace oomph::hbm {
namespace {

Trace Parse(std::string_view text) {
  Trace trace;
  EXPECT_TRUE(ParseTrace("test", text, trace).ok()) << text;
  return trace;
}

TraceOutcome Specified(const Trace& trace) {
  TraceOutcome outcome;
  RunSpecification(trace, outcome);
  return outcome;
}

std::vector<Reason> Judged(const Trace& trace, const TraceOutcome& outcome, Bits64 promises = promise::kAll) {
  Reasons reasons;
  JudgeTrace(trace, outcome, promises, reasons);
  return reasons.list();
}

// ---- What a hand changes ----

struct Scene {
  const Trace& trace;
  TraceOutcome& outcome;
  Row& row(size_t step) { return outcome.rows[step]; }
  Event& event(size_t step, size_t i) { return outcome.events[row(step).first_event + i]; }
};
using Edit = std::function<void(Scene)>;

// The step's events are these.
Edit Events(size_t step, std::vector<Event> events) {
  return [=](Scene scene) {
    scene.row(step).first_event = scene.outcome.events.size();
    scene.row(step).num_events = events.size();
    scene.outcome.events.insert(scene.outcome.events.end(), events.begin(), events.end());
  };
}
// The request was refused, and nothing was done for it.
Edit Refuse(size_t step) {
  return [=](Scene scene) {
    Row& row = scene.row(step);
    row = {.result = Result::kFailed, .stats = row.stats};
    scene.outcome.tells_hash = false;
  };
}
Edit Give(size_t step, Result result) {
  return [=](Scene scene) { scene.row(step).result = result; };
}
Edit Damage(Damaged damaged) {
  return [=](Scene scene) {
    scene.row(0).result = Result::kCorrupt;
    scene.outcome.damaged = damaged;
  };
}
Edit Put(std::vector<uint64_t> offsets) {
  return [=](Scene scene) {
    for (size_t step = 0; step < offsets.size(); ++step) scene.row(step).offset = offsets[step];
  };
}
// What the specification does under another policy, or with another step.
Edit As(std::function<void(Trace&)> change) {
  return [=](Scene scene) {
    Trace other = scene.trace;
    change(other);
    scene.outcome = Specified(other);
  };
}

struct Example {
  std::string_view oracle;
  std::string_view detail;  // of the reason
  std::string_view text;    // accepted as it is
  Edit edit;                // and rejected after this
};

const std::vector<Example>& Examples() {
  using enum EventKind;
  static const std::vector<Example> examples = {
      {"the_call_ends", "allocate", "memory hbm capacity 64\nallocate a 8\n", Give(0, Result::kOutOfFuel)},
      {"the_call_ends", "out_of_time", "memory hbm capacity 64\nallocate a 8\nfree a\n",
       Give(1, Result::kTimedOut)},
      {"the_subject_survives", "free", "memory hbm capacity 64\nallocate a 8\nfree a\n",
       Give(1, Result::kDied)},
      {"what_is_live_can_be_freed", "free", "memory hbm capacity 64\nallocate a 8\nfree a\n",
       As([](Trace& trace) { trace.steps[1].name = 7; })},
      {"contents_are_kept", "reallocate", "memory hbm capacity 64\nallocate a 8\nreallocate a 16\n",
       Give(1, Result::kCorrupt)},
      {"contents_are_kept", "not_zeroed", "memory hbm capacity 64\nallocate a 8\n",
       Damage(Damaged::kNotZeroed)},
      {"contents_are_kept", "slack", "memory hbm capacity 64\nallocate a 8\n", Damage(Damaged::kSlack)},
      {"contents_are_kept", "other_thread", "memory hbm capacity 64\nallocate a 8\n",
       Damage(Damaged::kOtherThread)},
      {"the_own_check_passes", "free", "memory hbm capacity 64\nallocate a 8\nfree a\n",
       Give(1, Result::kInconsistent)},
      {"at_least_the_size", "allocate", "memory hbm capacity 64\nallocate a 8\n",
       [](Scene scene) { scene.row(0).reserved = 7; }},
      {"within_capacity", "allocate", "memory hbm capacity 64\nallocate a 8\n", Put({57})},
      {"within_capacity", "load", "memory hbm capacity 64\nload p 8\n", Put({UINT64_MAX - 3})},
      {"no_live_overlap", "allocate", "memory hbm capacity 64\nallocate a 8\nallocate b 8\n", Put({56, 49})},
      {"no_live_overlap", "given_back",
       "memory hbm capacity 64\nload p 8\nallocate a 24\nexecute p\noutput x 16\noutput y 32\n",
       [](Scene scene) { scene.event(2, 0).offset = 32; }},
      {"aligned", "allocate", "memory hbm capacity 64\nallocate a 8 align 16\n", Put({40})},
      {"programs_lie_at_the_bottom", "load", "memory hbm capacity 64\nallocate a 8\nload p 8\n",
       Put({8, 16})},
      {"ends_stay_apart", "allocate", "memory hbm capacity 64 ends two\nallocate a 8 end low\nallocate b 8\n",
       Put({32, 8})},
      {"only_the_movable_moves", "pinned",
       "memory hbm capacity 64\nallocate a 8\nallocate b 8 pinned\nfree a\ndefragment\n",
       Events(3, {{.kind = kMoved, .name = 1, .offset = 56, .size = 8, .from = 48}})},
      {"only_the_movable_moves", "program",
       "memory hbm capacity 64\nload a 8\nload b 8\nunload a\ndefragment\n",
       Events(3, {{.kind = kMoved, .name = 1, .offset = 0, .size = 8, .from = 8}})},
      {"only_the_movable_moves", "queued",
       "memory hbm capacity 64\nallocate a 8\nallocate b 8\nfree b after fence 1\nfree a\ndefragment\n",
       Events(4, {{.kind = kMoved, .name = 1, .offset = 56, .size = 8, .from = 48}})},
      {"only_the_movable_moves", "size",
       "memory hbm capacity 64\nallocate a 8\nallocate b 8\nfree a\ndefragment\n",
       [](Scene scene) { scene.event(3, 0).size = 4; }},
      {"only_the_movable_moves", "unknown", "memory hbm capacity 64\nallocate a 8\ndefragment\n",
       Events(1, {{.kind = kMoved, .name = 7, .offset = 0, .size = 8, .from = 56}})},
      {"defragmentation_helps", "defragment", "memory hbm capacity 64\nallocate a 8\ndefragment\n",
       Events(1, {{.kind = kMoved, .name = 0, .offset = 48, .size = 8, .from = 56}})},
      {"compaction_is_complete", "defragment",
       "memory hbm capacity 64\nallocate a 8\nallocate b 8\nfree a\ndefragment\n",
       [](Scene scene) {
         scene.row(3).num_events = 0;
         scene.row(3).stats = scene.row(2).stats;
       }},
      {"nothing_lands_early", "fence",
       "memory hbm capacity 64\nallocate a 8\nfree a after fence 2\nfence 1\n",
       Events(2, {{.kind = kLanded, .name = 0, .offset = 56, .size = 8}})},
      {"nothing_lands_early", "unknown", "memory hbm capacity 64\nallocate a 8\nfence 1\n",
       Events(1, {{.kind = kLanded, .name = 0, .offset = 56, .size = 8}})},
      {"fences_land_their_queue", "fence",
       "memory hbm capacity 64\nallocate a 8\nfree a after fence 1\nfence 2\n",
       [](Scene scene) {
         scene.row(2).num_events = 0;
         scene.row(2).stats = scene.row(1).stats;
       }},
      {"no_pinned_victim", "pinned", "memory hbm capacity 64\nload p 8 pinned\nallocate a 64\n",
       Events(1, {{.kind = kEvicted, .name = 0, .offset = 0, .size = 8}})},
      {"no_pinned_victim", "launching", "memory hbm capacity 64\nload p 8\nexecute p\noutput x 64\n",
       Events(1, {{.kind = kEvicted, .name = 0, .offset = 0, .size = 8}})},
      {"no_pinned_victim", "unknown", "memory hbm capacity 64\nallocate a 8\nallocate b 64\n",
       Events(1, {{.kind = kEvicted, .name = 0, .offset = 56, .size = 8}})},
      {"victims_fall_in_order", "allocate", "memory hbm capacity 64\nload p 8\nload q 8\nallocate a 56\n",
       [](Scene scene) {
         scene.event(2, 0).name = 1;
         scene.event(2, 0).offset = 8;
       }},
      {"no_needless_victim", "allocate", "memory hbm capacity 64\nload p 8\nallocate a 56\n",
       Events(1, {{.kind = kEvicted, .name = 0, .offset = 0, .size = 8}})},
      {"eviction_is_allowed", "allocate", "memory hbm capacity 64 eviction never\nload p 8\nallocate a 64\n",
       Events(1, {{.kind = kEvicted, .name = 0, .offset = 0, .size = 8}})},
      {"eviction_is_allowed", "load", "memory hbm capacity 64\nload p 8\nload q 64\n",
       Events(1, {{.kind = kEvicted, .name = 0, .offset = 0, .size = 8}})},
      {"evictions_are_undone", "lost",
       "memory hbm capacity 64 undo yes\nload p 8\nload q 8 pinned\nallocate a 64\n",
       [](Scene scene) { --scene.row(2).num_events; }},
      {"evictions_are_undone", "restored",
       "memory hbm capacity 64\nload p 8\nload q 8 pinned\nallocate a 64\n",
       Events(2, {{.kind = kEvicted, .name = 0, .offset = 0, .size = 8},
                  {.kind = kRetry, .cause = Cause::kEvict},
                  {.kind = kRestored, .name = 0, .offset = 0, .size = 8}})},
      {"evictions_are_undone", "unknown", "memory hbm capacity 64\nload p 8 pinned\nallocate a 64\n",
       Events(1, {{.kind = kRestored, .name = 0, .offset = 0, .size = 8}})},
      {"every_retry_has_a_cause", "allocate", "memory hbm capacity 64\nallocate a 8\n",
       Events(0, {{.kind = kRetry, .cause = Cause::kWait}})},
      {"every_retry_has_a_cause", "allocate",
       "memory hbm capacity 64\nallocate a 48\nfree a after fence 1\nallocate b 32\n",
       [](Scene scene) { scene.event(2, 1).cause = Cause::kEvict; }},
      {"the_retry_limit_is_kept", "allocate",
       "memory hbm capacity 64 retry_limit 1\nallocate a 32\nallocate b 32\nfree a after fence 1\n"
       "free b after fence 2\nallocate c 64\n",
       As([](Trace& trace) { trace.policy.retry_limit = 0; })},
      {"retries_are_accounted", "allocate", "memory hbm capacity 64\nallocate a 8\n",
       [](Scene scene) { scene.row(0).stats.buffers.attempts = 2; }},
      {"retries_are_accounted", "execute", "memory hbm capacity 64\nload p 8\nexecute p\n",
       [](Scene scene) { scene.row(1).stats.launches.successes = 0; }},
      {"retries_are_accounted", "free", "memory hbm capacity 64\nallocate a 8\nfree a\n",
       [](Scene scene) { scene.row(1).stats.buffers.failures = 1; }},
      {"a_final_failure_is_final", "allocate",
       "memory hbm capacity 64\nallocate a 48\nallocate b 32\nallocate c 32\n", Give(2, Result::kOk)},
      {"empty_memory_serves_all", "allocate", "memory hbm capacity 64\nallocate a 64\n", Refuse(0)},
      {"freed_hole_serves_again", "allocate",
       "memory hbm capacity 64\nallocate a 8\nallocate b 8\nfree b\nallocate c 8\n", Refuse(3)},
      {"complete_when_it_fits", "allocate", "memory hbm capacity 64\nallocate a 8\nallocate b 8\n",
       Refuse(1)},
      {"reservable_decides", "load", "memory hbm capacity 64\nallocate a 8\nload p 56\n", Refuse(1)},
      {"failure_is_the_last_resort", "queue",
       "memory hbm capacity 64\nallocate a 48\nfree a after fence 1\nallocate b 32\n", Refuse(2)},
      {"failure_is_the_last_resort", "eviction", "memory hbm capacity 64\nload p 8\nallocate a 64\n",
       Refuse(1)},
      {"failure_is_the_last_resort", "defragmentation",
       "memory hbm capacity 64\nallocate a 16\nallocate b 16\nfree a\nallocate c 48\n", Refuse(3)},
      {"failure_changes_nothing", "allocate", "memory hbm capacity 64\nallocate a 48\nallocate b 32\n",
       [](Scene scene) { ++scene.row(1).state_hash; }},
      {"the_report_is_exact", "allocate", "memory hbm capacity 64 report on\nallocate a 48\nallocate b 32\n",
       [](Scene scene) { scene.row(1).num_events = 0; }},
      {"the_report_is_exact", "allocate", "memory hbm capacity 64 report on\nallocate a 48\nallocate b 32\n",
       [](Scene scene) { scene.event(1, 0).name = 1; }},
      {"free_bytes_are_true", "free_bytes", "memory hbm capacity 64\nallocate a 8\nquery\n",
       [](Scene scene) { --scene.row(1).free_bytes; }},
      {"free_bytes_are_true", "largest_free", "memory hbm capacity 64\nallocate a 48\nallocate b 32\n",
       [](Scene scene) { ++scene.row(1).largest_free; }},
      {"free_bytes_are_true", "reservable", "memory hbm capacity 64\nload p 8\nquery\n",
       [](Scene scene) { scene.row(1).reservable = 64; }},
      {"what_is_free_is_not_live", "query", "memory hbm capacity 64\nallocate a 8\nquery\n",
       [](Scene scene) { scene.event(1, 0).offset = 1; }},
      {"live_and_free_are_all", "lost", "memory hbm capacity 64\nallocate a 8\nquery\n",
       [](Scene scene) { scene.event(1, 0).size = 55; }},
      {"free_ranges_do_not_touch", "query", "memory hbm capacity 64\nallocate a 8\nquery\n",
       Events(1, {{.kind = kFreeRange, .offset = 0, .size = 16},
                  {.kind = kFreeRange, .offset = 16, .size = 40}})},
      {"outputs_all_or_nothing", "missing", "memory hbm capacity 64\nload p 8\nexecute p\noutput x 8\n",
       Give(2, Result::kFailed)},
      {"outputs_all_or_nothing", "kept", "memory hbm capacity 64\nload p 8\nexecute p\noutput x 64\n",
       Give(2, Result::kOk)},
      {"outputs_all_or_nothing", "donor_lost",
       "memory hbm capacity 64\nload p 8\nallocate a 8\nexecute p\noutput x 64 donating a\n",
       As([](Trace& trace) { trace.policy.donated = Donated::kLost; })},
      {"donation_reuses_memory", "missed",
       "memory hbm capacity 64\nload p 8\nallocate a 8\nexecute p\noutput x 8 donating a\n",
       As([](Trace& trace) { trace.steps[3].donor = kNobody; })},
      {"donation_reuses_memory", "unfit",
       "memory hbm capacity 64\nload p 8\nallocate a 8\nexecute p\noutput x 16 donating a\n",
       [](Scene scene) {
         Events(2, {{.kind = kTookOver, .name = 2, .other = 1, .offset = 56, .size = 8}})(scene);
         scene.row(3).offset = 56;
       }},
      {"stats_match_the_ledger", "bytes_in_use", "memory hbm capacity 64\nallocate a 8\n",
       [](Scene scene) { ++scene.row(0).stats.bytes_in_use; }},
      {"stats_match_the_ledger", "peak_bytes_in_use", "memory hbm capacity 64\nallocate a 8\nfree a\n",
       [](Scene scene) { scene.row(1).stats.peak_bytes_in_use = 0; }},
      {"stats_match_the_ledger", "num_live", "memory hbm capacity 64\nallocate a 64\nallocate b 8\n",
       [](Scene scene) { scene.row(1).stats.num_live = 2; }},
  };
  return examples;
}

std::string Told(const std::vector<Reason>& reasons) {
  std::string text;
  for (const Reason& reason : reasons) {
    text += std::string(reason.oracle) + "/" + std::string(reason.detail) + " at " +
            std::to_string(reason.step) + ": " + reason.text + "\n";
  }
  return text;
}

TEST(OraclesTest, EachAcceptsWhatIsRightAndRejectsWhatAHandHasChanged) {
  for (const Example& example : Examples()) {
    SCOPED_TRACE(std::string(example.oracle) + "/" + std::string(example.detail) + "\n" +
                 std::string(example.text));
    const Trace trace = Parse(example.text);
    TraceOutcome outcome = Specified(trace);
    ASSERT_EQ(Told(Judged(trace, outcome)), "");
    example.edit({trace, outcome});
    const std::vector<Reason> reasons = Judged(trace, outcome);
    ASSERT_FALSE(reasons.empty());
    for (const Reason& reason : reasons) {
      EXPECT_EQ(reason.oracle, example.oracle) << Told(reasons);
      EXPECT_EQ(reason.detail, example.detail) << Told(reasons);
      EXPECT_FALSE(reason.text.empty());
    }
  }
}

TEST(OraclesTest, EachHasAnExample) {
  std::set<std::string_view> shown;
  for (const Example& example : Examples()) shown.insert(example.oracle);
  for (const OracleRow& row : Oracles()) {
    EXPECT_TRUE(shown.contains(row.info.name)) << row.info.name << " has no example";
    shown.erase(row.info.name);
  }
  EXPECT_TRUE(shown.empty()) << *shown.begin() << " is no oracle";
}

TEST(OraclesTest, NamesAreUniqueAndEachHasAReason) {
  std::set<std::string_view> names;
  for (const OracleRow& row : Oracles()) {
    EXPECT_TRUE(names.insert(row.info.name).second) << row.info.name;
    EXPECT_FALSE(row.info.because.empty()) << row.info.name;
    EXPECT_NE(row.ask, nullptr);
  }
}

// What the pass itself finds (events that fit nothing in the shadow map) rests on no promise.
bool IsOfThePass(std::string_view detail) {
  return detail == "unknown" || detail == "given_back" || detail == "donor_lost";
}

TEST(OraclesTest, WhatRestsOnAPromiseIsAskedOnlyWhereItIsMade) {
  for (const Example& example : Examples()) {
    SCOPED_TRACE(std::string(example.oracle) + "/" + std::string(example.detail));
    const auto row = std::find_if(Oracles().begin(), Oracles().end(),
                                  [&](const OracleRow& r) { return r.info.name == example.oracle; });
    if (row->info.promise == 0 || IsOfThePass(example.detail)) continue;
    const Trace trace = Parse(example.text);
    TraceOutcome outcome = Specified(trace);
    example.edit({trace, outcome});
    for (const Reason& reason : Judged(trace, outcome, promise::kAll & ~row->info.promise)) {
      EXPECT_NE(reason.oracle, example.oracle);
    }
  }
}

TEST(OraclesTest, WithoutAnyPromiseRightOutcomesAreAccepted) {
  for (const Example& example : Examples()) {
    const Trace trace = Parse(example.text);
    EXPECT_EQ(Told(Judged(trace, Specified(trace), 0)), "") << example.text;
  }
}

TEST(OraclesTest, TheFirstBadStepEndsIt) {
  const Trace trace = Parse("memory hbm capacity 64\nallocate a 8\nallocate b 8\nallocate c 8\n");
  TraceOutcome outcome = Specified(trace);
  outcome.rows[1].offset = outcome.rows[2].offset = outcome.rows[0].offset;
  const std::vector<Reason> reasons = Judged(trace, outcome);
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0].step, 1u);
}

TEST(OraclesTest, RowsThatAreMissingAreNotJudged) {
  const Trace trace = Parse("memory hbm capacity 64\nallocate a 8\nload p 8\nexecute p\noutput x 8\n");
  for (size_t rows = 0; rows <= trace.steps.size(); ++rows) {
    TraceOutcome outcome = Specified(trace);
    outcome.rows.resize(rows);
    EXPECT_EQ(Told(Judged(trace, outcome)), "") << rows;
  }
}

// Who keeps no granule may move what is to have no bytes to a place of no bytes.
TEST(OraclesTest, AReallocationToNothingIsSurvived) {
  const Trace trace = Parse("memory hbm capacity 64\nallocate a 8\nreallocate a 0\nfree a\nallocate b 64\n");
  TraceOutcome outcome = Specified(trace);
  outcome.stats_known = 0;
  outcome.tells_hash = false;
  outcome.rows[1].offset = outcome.rows[1].reserved = 0;
  outcome.rows[2].result = Result::kNoOp;
  EXPECT_EQ(Told(Judged(trace, outcome, promise::kAlignment)), "");
}

// ---- Garbage ----

// A number that breaks arithmetic, or that might mean something.
uint64_t Wild(Choices& choices) {
  switch (choices.Below(6)) {
    case 0:
      return choices.Below(4);
    case 1:
      return choices.Below(2048);
    case 2:
      return uint64_t{1} << choices.Below(64);
    case 3:
      return UINT64_MAX - choices.Below(16);
    case 4:
      return (uint64_t{1} << 32) - choices.Below(3);
    default:
      return choices.Bits();
  }
}
template <typename Number>
void Damage(Choices& choices, Number& number) {
  number = choices.Chance(1, 2) ? static_cast<Number>(Wild(choices))
                                : static_cast<Number>(number + Wild(choices) % 64);
}

void DamageEvent(Choices& choices, const TraceOutcome& outcome, Event& event) {
  if (choices.Chance(1, 3) && !outcome.events.empty())
    event = outcome.events[choices.Below(outcome.events.size())];
  if (choices.Chance(1, 3)) event.kind = static_cast<EventKind>(choices.Below(kNumEventKinds));
  if (choices.Chance(1, 4)) event.cause = static_cast<Cause>(choices.Below(4));
  if (choices.Chance(1, 3)) Damage(choices, event.name);
  if (choices.Chance(1, 4)) Damage(choices, event.other);
  if (choices.Chance(1, 3)) Damage(choices, event.offset);
  if (choices.Chance(1, 3)) Damage(choices, event.size);
  if (choices.Chance(1, 4)) Damage(choices, event.from);
}

void DamageRow(Choices& choices, const TraceOutcome& outcome, Row& row) {
  if (choices.Chance(1, 4)) row = outcome.rows[choices.Below(outcome.rows.size())];
  if (choices.Chance(1, 2)) row.result = static_cast<Result>(choices.Below(kNumResults));
  if (choices.Chance(1, 4)) Damage(choices, row.offset);
  if (choices.Chance(1, 4)) Damage(choices, row.reserved);
  if (choices.Chance(1, 4)) Damage(choices, row.first_event);
  if (choices.Chance(1, 4)) Damage(choices, row.num_events);
  if (choices.Chance(1, 2)) {  // some of the events that there are
    row.first_event = choices.Below(outcome.events.size() + 1);
    row.num_events = choices.Below(std::min<uint64_t>(outcome.events.size() - row.first_event, 12) + 1);
  }
  if (choices.Chance(1, 8)) Damage(choices, row.free_bytes);
  if (choices.Chance(1, 8)) Damage(choices, row.stats.bytes_in_use);
  if (choices.Chance(1, 8)) Damage(choices, row.stats.num_live);
  if (choices.Chance(1, 8)) Damage(choices, row.stats.buffers.retries);
}

void DamageOutcome(Choices& choices, TraceOutcome& outcome) {
  if (outcome.rows.empty()) outcome.rows.emplace_back();
  if (choices.Chance(1, 2)) outcome.stats_known = 0;  // so that judging comes further
  if (choices.Chance(1, 2)) outcome.tells_free = outcome.lists_free = outcome.tells_hash = false;
  if (choices.Chance(1, 8)) outcome.grows = true;
  for (uint64_t added = choices.Below(8); added > 0; --added) outcome.events.emplace_back();
  for (uint64_t edits = 1 + choices.Below(8); edits > 0; --edits) {
    if (!outcome.events.empty() && choices.Chance(1, 2)) {
      DamageEvent(choices, outcome, outcome.events[choices.Below(outcome.events.size())]);
    } else {
      DamageRow(choices, outcome, outcome.rows[choices.Below(outcome.rows.size())]);
    }
  }
  if (choices.Chance(1, 8)) outcome.rows.resize(choices.Below(2 * outcome.rows.size() + 1));
}

// Everyone who reads an outcome must survive it.
void ReadByAll(const Trace& trace, const TraceOutcome& right, const TraceOutcome& outcome, Bits64 promises) {
  const std::vector<Reason> reasons = Judged(trace, outcome, promises);
  for (const Reason& reason : reasons) ASSERT_LE(reason.step, trace.steps.size());
  Reasons compared;
  CompareOutcomes(trace, right, outcome, compared);
  CompareOutcomes(trace, outcome, right, compared);
  Reach reach;
  Reached(trace, outcome, reach);
  for (const RelationRow& relation : Relations()) {
    Trace related;
    if (!relation.relate(trace, related)) continue;
    Reasons both;
    relation.judge(relation.info.name, trace, outcome, related, right, both);
    relation.judge(relation.info.name, trace, right, related, outcome, both);
  }
  TraceOutcome unpacked;
  if (UnpackOutcome(PackOutcome(outcome), unpacked)) {
    ASSERT_EQ(unpacked, outcome);
  }
}

void JudgeGarbage(uint64_t first_seed, uint64_t last_seed) {
  uint64_t found = 0;
  for (uint64_t seed = first_seed; seed < last_seed; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    Trace trace;
    GenerateTrace(choices, {}, trace);
    if (choices.Chance(1, 16)) trace.policy.granule = Wild(choices) | 1;
    const TraceOutcome right = Specified(trace);
    TraceOutcome outcome = right;
    DamageOutcome(choices, outcome);
    const Bits64 promises = choices.Chance(1, 2) ? promise::kAll : choices.Bits();
    ReadByAll(trace, right, outcome, promises);
    found += !Judged(trace, outcome, promises).empty();
    if (seed % 8 == 0) {
      EXPECT_FALSE(Explain(trace, outcome).empty());
    }
  }
  EXPECT_GT(found * 4, last_seed - first_seed);
}

// Rows as a subject with small blocks and its own ways would give them.
std::string JudgedByHand(const std::string& text, const std::vector<std::pair<uint64_t, uint64_t>>& places) {
  Trace trace;
  EXPECT_TRUE(ParseTrace("test", text, trace).ok());
  TraceOutcome outcome;
  for (const auto& [offset, reserved] : places) {
    Row& row = outcome.rows.emplace_back();
    row.result = Result::kOk;
    row.offset = offset;
    row.reserved = reserved;
  }
  const std::vector<Reason> reasons = Judged(trace, outcome, promise::kAlignment);
  return reasons.empty() ? "" : std::string(reasons[0].oracle) + "/" + std::string(reasons[0].detail);
}

TEST(OraclesTest, ABlockMaySlideOverItselfAndOverNobodyElse) {
  const std::string text = "memory hbm capacity 64\nallocate a 8\nallocate b 8\nreallocate b 16\n";
  EXPECT_EQ(JudgedByHand(text, {{0, 8}, {16, 8}, {12, 16}}), "");
  EXPECT_EQ(JudgedByHand(text, {{0, 8}, {16, 8}, {7, 16}}), "no_live_overlap/reallocate");
}

TEST(OraclesTest, ABlockThatHadNoByteIsJudgedWhenItGrows) {
  const std::string text = "memory hbm capacity 64\nallocate a 8\nallocate b 0\nreallocate b 8\n";
  EXPECT_EQ(JudgedByHand(text, {{0, 8}, {8, 0}, {8, 8}}), "");
  EXPECT_EQ(JudgedByHand(text, {{0, 8}, {8, 0}, {4, 8}}), "no_live_overlap/reallocate");
  EXPECT_EQ(JudgedByHand("memory hbm capacity 64\nallocate a 8 align 32\nallocate a 0\nreallocate a 8\n",
                         {{0, 8}, {8, 0}, {8, 8}}),
            "");
}

TEST(OraclesTest, ABlockThatHasNoByteAnyMoreHidesNobody) {
  const std::string text = "memory hbm capacity 64\nallocate a 8\nreallocate a 0\nallocate b 8\nfree a\nallocate c 8\n";
  EXPECT_EQ(JudgedByHand(text, {{0, 8}, {0, 0}, {0, 8}, {0, 0}, {8, 8}}), "");
  EXPECT_EQ(JudgedByHand(text, {{0, 8}, {0, 0}, {0, 8}, {0, 0}, {0, 8}}), "no_live_overlap/allocate");
}

TEST(OraclesTest, AQueuedBlockHidesNobodyInAFreeRange) {
  const Trace trace = Parse("memory hbm capacity 64\nallocate q 8\nallocate l 8\nfree q after fence 1\nquery\n");
  TraceOutcome outcome;
  for (const uint64_t offset : {0, 8, 0, 0}) {
    Row& row = outcome.rows.emplace_back();
    row.result = Result::kOk;
    row.offset = offset;
    row.reserved = 8;
  }
  outcome.lists_free = true;
  outcome.events.push_back({.kind = EventKind::kFreeRange, .offset = 0, .size = 8});
  outcome.rows[3].num_events = 1;
  EXPECT_TRUE(Judged(trace, outcome, promise::kAlignment).empty());
  outcome.events[0].size = 64;
  const std::vector<Reason> reasons = Judged(trace, outcome, promise::kAlignment);
  ASSERT_FALSE(reasons.empty());
  EXPECT_EQ(reasons[0].oracle, "what_is_free_is_not_live");
}

TEST(OraclesTest, GarbageHarmsNobody) { JudgeGarbage(0, 6'000); }
TEST(SlowOraclesTest, MuchGarbageHarmsNobody) { JudgeGarbage(1'000'000, 1'200'000); }

}  // namespace
}  // namespace oomph::hbm
