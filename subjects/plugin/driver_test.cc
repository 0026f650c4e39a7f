// The driver: how each kind of step maps onto the calls of a plugin.
// Not for: plugins that do not survive (see plugin_row_test.cc).
#include "subjects/plugin/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/hbm/text.h"
#include "subjects/plugin/plugin_row.h"

namespace oomph::hbm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum Result;

Trace Read(std::string_view text) {
  Trace trace;
  const absl::Status status = ParseTrace("trace", text, trace);
  EXPECT_TRUE(status.ok()) << status;
  return trace;
}

TraceOutcome Play(const std::string& plugin, const Trace& trace, const std::string& options = "") {
  const absl::StatusOr<std::shared_ptr<const Plugin>> loaded = Plugin::Load(PluginPath(plugin));
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  Driver driver(*loaded, {.options = options});
  TraceOutcome outcome;
  driver.Run(trace, outcome);
  TraceOutcome again;
  driver.Run(trace, again);
  EXPECT_EQ(outcome, again) << "something of the first case is left in the second";
  return outcome;
}

TraceOutcome Play(const std::string& plugin, std::string_view text,
                  const std::string& options = "") {
  return Play(plugin, Read(text), options);
}

std::vector<Result> Results(const TraceOutcome& outcome) {
  std::vector<Result> results;
  for (const Row& row : outcome.rows) results.push_back(row.result);
  return results;
}

std::vector<uint64_t> Offsets(const TraceOutcome& outcome) {
  std::vector<uint64_t> offsets;
  for (const Row& row : outcome.rows) offsets.push_back(row.offset);
  return offsets;
}

TEST(DriverTest, AllocatesAndFrees) {
  const TraceOutcome outcome = Play("first_fit",
                                    "memory hbm capacity 64\n"
                                    "allocate a 48\n"
                                    "allocate b 32\n"
                                    "free a\n"
                                    "allocate b 32\n"
                                    "allocate c 8 align 16\n");
  EXPECT_THAT(Results(outcome), ElementsAre(kOk, kFailed, kOk, kOk, kOk));
  EXPECT_THAT(Offsets(outcome), ElementsAre(0, 0, 0, 0, 32));
  EXPECT_EQ(outcome.rows[0].reserved, 48u);
  EXPECT_EQ(outcome.note, "");
}

TEST(DriverTest, WhatNamesNothingLiveIsANoOp) {
  const TraceOutcome outcome = Play("bump",
                                    "memory hbm capacity 64\n"
                                    "free a\n"
                                    "allocate a 8\n"
                                    "free a\n"
                                    "free a\n"
                                    "reallocate a 16\n"
                                    "free a after fence 1\n");
  EXPECT_THAT(Results(outcome), ElementsAre(kNoOp, kOk, kOk, kNoOp, kNoOp, kNoOp));
}

TEST(DriverTest, ShadowedBlockStaysUntilTheEnd) {
  const TraceOutcome outcome = Play("first_fit",
                                    "memory hbm capacity 64\n"
                                    "allocate a 16\n"
                                    "allocate a 16\n"
                                    "free a\n"
                                    "free a\n"
                                    "query\n");
  EXPECT_THAT(Results(outcome), ElementsAre(kOk, kOk, kOk, kNoOp, kOk));
  EXPECT_THAT(Offsets(outcome), ElementsAre(0, 16, 0, 0, 0));
  EXPECT_EQ(outcome.rows[4].free_bytes, 48u);
}

TEST(DriverTest, AFailedRequestShadowsNothing) {
  const TraceOutcome outcome = Play("first_fit",
                                    "memory hbm capacity 16\n"
                                    "allocate a 16\n"
                                    "allocate a 16\n"
                                    "free a\n");
  EXPECT_THAT(Results(outcome), ElementsAre(kOk, kFailed, kOk));
}

TEST(DriverTest, QueryListsFreeRanges) {
  const TraceOutcome outcome = Play("first_fit",
                                    "memory hbm capacity 64\n"
                                    "allocate a 16\n"
                                    "allocate b 16\n"
                                    "free a\n"
                                    "query\n");
  EXPECT_TRUE(outcome.lists_free);
  ASSERT_EQ(outcome.rows[3].num_events, 2u);
  const Event* ranges = &outcome.events[outcome.rows[3].first_event];
  EXPECT_EQ(ranges[0].kind, EventKind::kFreeRange);
  EXPECT_EQ(ranges[0].offset, 0u);
  EXPECT_EQ(ranges[0].size, 16u);
  EXPECT_EQ(ranges[1].offset, 32u);
  EXPECT_EQ(ranges[1].size, 32u);
  EXPECT_EQ(outcome.rows[3].free_bytes, 48u);
  EXPECT_EQ(outcome.rows[3].largest_free, 32u);
}

TEST(DriverTest, AbsentCapabilitiesAreUnsupported) {
  const TraceOutcome outcome = Play("first_fit",
                                    "memory hbm capacity 64\n"
                                    "allocate a 16\n"
                                    "reallocate a 8\n"
                                    "free a after fence 1\n"
                                    "fence 1\n"
                                    "load p 8\n"
                                    "execute p\n"
                                    "  output x 8\n"
                                    "evict p\n"
                                    "unload p\n"
                                    "defragment\n"
                                    "free a\n");
  EXPECT_EQ(outcome.rows.front().result, kOk);
  EXPECT_EQ(outcome.rows.back().result, kOk);
  for (size_t i = 1; i + 1 < outcome.rows.size(); ++i) {
    EXPECT_EQ(outcome.rows[i].result, kUnsupported) << i;
  }
  EXPECT_THAT(Results(Play("bump", "memory hbm capacity 64\nallocate a 16 align 8\n")),
              ElementsAre(kUnsupported));
}

//   queue   a:2  b:1  c:2     fence 1 lands b, fence 2 lands a and c in the order of their frees
TEST(DriverTest, FencesLandWhatWaitsForThem) {
  const TraceOutcome outcome = Play("bump",
                                    "memory hbm capacity 64\n"
                                    "allocate a 8\n"
                                    "allocate b 16\n"
                                    "allocate c 4\n"
                                    "free a after fence 2\n"
                                    "free b after fence 1\n"
                                    "free c after fence 2\n"
                                    "fence 1\n"
                                    "free a\n"
                                    "fence 3\n"
                                    "fence 2\n");
  EXPECT_EQ(outcome.rows[7].result, kNoOp) << "a queued block has lost its name";
  EXPECT_EQ(outcome.rows[9].result, kOk) << "a fence that has passed passes again";
  ASSERT_EQ(outcome.rows[6].num_events, 1u);
  ASSERT_EQ(outcome.rows[8].num_events, 2u);
  const auto landed = [&](uint32_t event, uint32_t name, uint64_t offset, uint64_t size) {
    return outcome.events[event] ==
           Event{.kind = EventKind::kLanded, .name = name, .offset = offset, .size = size};
  };
  EXPECT_TRUE(landed(0, 1, 8, 16));
  EXPECT_TRUE(landed(1, 0, 0, 8));
  EXPECT_TRUE(landed(2, 2, 24, 4));
}

TEST(DriverTest, AFreeForAFenceThatHasPassedLandsAtOnce) {
  const TraceOutcome outcome = Play("bump",
                                    "memory hbm capacity 64\n"
                                    "fence 3\n"
                                    "allocate a 8\n"
                                    "free a after fence 2\n"
                                    "free a\n");
  EXPECT_THAT(Results(outcome), ElementsAre(kOk, kOk, kOk, kNoOp));
  ASSERT_EQ(outcome.rows[2].num_events, 1u);
  EXPECT_EQ(outcome.events[0].kind, EventKind::kLanded);
}

TEST(DriverTest, AReallocationThatMovesTellsWhereTo) {
  const TraceOutcome outcome = Play("bump",
                                    "memory hbm capacity 64\n"
                                    "allocate a 8\n"
                                    "reallocate a 16\n"
                                    "reallocate a 64\n"
                                    "free a\n");
  EXPECT_THAT(Results(outcome), ElementsAre(kOk, kOk, kFailed, kOk));
  EXPECT_EQ(outcome.rows[1].offset, 8u);
  EXPECT_EQ(outcome.rows[1].reserved, 16u);
  EXPECT_TRUE(outcome.events.empty());
}

TEST(DriverTest, TellsTheStatisticsThatThePluginKnows) {
  const TraceOutcome outcome = Play("bump",
                                    "memory hbm capacity 64\n"
                                    "allocate a 8\n"
                                    "allocate b 16\n"
                                    "free a\n");
  EXPECT_EQ(outcome.stats_known, stat::kBytesInUse | stat::kNumLive | stat::kNumAllocs |
                                     stat::kLargestAllocSize);
  EXPECT_EQ(outcome.rows[1].stats.bytes_in_use, 24u);
  EXPECT_EQ(outcome.rows[2].stats.bytes_in_use, 16u);
  EXPECT_EQ(outcome.rows[2].stats.num_live, 1u);
  EXPECT_TRUE(outcome.tells_hash);
  EXPECT_NE(outcome.rows[1].state_hash, outcome.rows[2].state_hash);
  EXPECT_FALSE(outcome.tells_free);
}

TEST(DriverTest, ChangedContentsAreDamage) {
  const TraceOutcome at_free = Play("faulty",
                                    "memory hbm capacity 64\n"
                                    "allocate a 16\n"
                                    "allocate b 16\n"
                                    "free a\n"
                                    "free b\n",
                                    "wild_write=2");
  EXPECT_THAT(Results(at_free), ElementsAre(kOk, kOk, kCorrupt));
  EXPECT_THAT(at_free.note, HasSubstr("byte 0 of a (16 bytes at offset 0)"));
  const TraceOutcome at_end =
      Play("faulty", "memory hbm capacity 64\nallocate a 16\nallocate b 16\n", "wild_write=2");
  EXPECT_THAT(Results(at_end), ElementsAre(kOk, kCorrupt));
}

TEST(DriverTest, FuelDamageAndNonsenseEndTheCase) {
  const std::string_view trace =
      "memory hbm capacity 64\nallocate a 8\nallocate b 8\nallocate c 8\n";
  EXPECT_THAT(Results(Play("faulty", trace, "fuel=2")), ElementsAre(kOk, kOutOfFuel));
  EXPECT_THAT(Results(Play("faulty", trace, "nonsense=2")), ElementsAre(kOk, kCorrupt));
  const TraceOutcome damage = Play("faulty", trace, "damage=2");
  EXPECT_THAT(Results(damage), ElementsAre(kOk, kInconsistent));
  EXPECT_THAT(damage.note, HasSubstr("as was asked for"));
}

TEST(DriverTest, DamageHasItsKind) {
  const std::string_view trace = "memory hbm capacity 64\nallocate a 8\nallocate b 8\nallocate c 8\n";
  EXPECT_EQ(Play("faulty", trace, "damage=2").damaged, Damaged::kContents);
  EXPECT_EQ(Play("faulty", trace, "wild_write=2").damaged, Damaged::kContents);
  EXPECT_EQ(Play("faulty", trace, "not_zeroed=2").damaged, Damaged::kNotZeroed);
  EXPECT_EQ(Play("faulty", trace, "slack=2").damaged, Damaged::kSlack);
  EXPECT_EQ(Play("faulty", trace, "thread=2").damaged, Damaged::kOtherThread);
}

TEST(DriverTest, ARefusedConfigurationIsUnsupported) {
  const TraceOutcome outcome =
      Play("first_fit", "memory hbm capacity 64\nallocate a 8\nfree a\n", "colour=red");
  EXPECT_THAT(Results(outcome), ElementsAre(kUnsupported, kUnsupported));
  EXPECT_THAT(outcome.note, HasSubstr("colour=red"));
}

TEST(DriverTest, EmptyTraceAndHighNames) {
  EXPECT_TRUE(Play("bump", "memory hbm capacity 64\n").rows.empty());
  Trace trace;
  trace.policy.capacity = 64;
  trace.steps = {{.kind = StepKind::kAllocate, .name = 1'000'000, .size = 8},
                 {.kind = StepKind::kFree, .name = 1'000'000}};
  EXPECT_THAT(Results(Play("bump", trace)), ElementsAre(kOk, kOk));
  trace.steps[0].name = kNobody - 1;
  EXPECT_THAT(Results(Play("bump", trace)), ElementsAre(kUnsupported, kUnsupported));
}

}  // namespace
}  // namespace oomph::hbm
