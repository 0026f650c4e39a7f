// Tests of an outcome's two forms: the page for a person, and the bytes, also damaged ones.
// Not for whether an outcome is right.

#include "models/hbm/outcome_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "models/hbm/outcome.h"
#include "models/hbm/text.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {
namespace {

Trace Parse(std::string_view text) {
  Trace trace;
  EXPECT_TRUE(ParseTrace("t", text, trace).ok());
  return trace;
}

Stats InUse(uint64_t bytes, uint64_t reserved = 0) {
  Stats stats;
  stats.bytes_in_use = bytes;
  stats.bytes_reserved = reserved;
  return stats;
}

TEST(HbmOutcomeTextTest, OneLineAStepThenItsEvents) {
  const Trace trace = Parse(
      "memory hbm capacity 64\n"
      "allocate a 48\n"
      "free a after fence 1\n"
      "allocate big 32\n"
      "execute p\n"
      "  output x 8\n"
      "allocate c 4KiB\n"
      "query\n");
  TraceOutcome outcome;
  outcome.stats_known = stat::kBytesInUse | stat::kBytesReserved;
  outcome.tells_free = true;
  outcome.rows.resize(6);
  outcome.rows[0] = {.result = Result::kOk, .offset = 16, .reserved = 48, .stats = InUse(48)};
  outcome.rows[1] = {.result = Result::kOk, .stats = InUse(48)};
  outcome.rows[2] = {.result = Result::kOk,
                     .first_event = 0,
                     .num_events = 2,
                     .offset = 32,
                     .reserved = 32,
                     .stats = InUse(32)};
  outcome.events = {{.kind = EventKind::kLanded, .name = 0, .offset = 16, .size = 48},
                    {.kind = EventKind::kRetry, .cause = Cause::kWait}};
  outcome.rows[3] = {.result = Result::kNoOp, .stats = InUse(32)};
  outcome.rows[4] = {.result = Result::kNoOp, .stats = InUse(32)};
  outcome.rows[5] = {.result = Result::kFailed,
                     .free_bytes = 32,
                     .largest_free = 30,
                     .reservable = 29,
                     .stats = InUse(32, 7)};
  outcome.note = "bye\n\x1b";
  EXPECT_EQ(PrintOutcome(trace, outcome),
            "step                        result   offset  reserved  in use\n"
            "   0  allocate a 48         ok           16        48      48\n"
            "   1  free a after fence 1  ok                             48\n"
            "   2  allocate big 32       ok           32        32      32\n"
            "          landed a 48 at 16\n"
            "          retried: waited\n"
            "   3  execute p             no_op                          32\n"
            "   4    output x 8          no_op                          32\n"
            "   5  allocate c 4096       failed                         32"
            "  programs 7  free 32, largest 30, reservable 29\n"
            "   6  query                 unknown\n"
            "note: bye\\n\\x1b\n");
}

TEST(HbmOutcomeTextTest, EveryEventSaysWhatItHolds) {
  const Trace trace = Parse("allocate a 1\nload q 1\n");
  const Names names(trace);
  const auto print = [&](EventKind kind) {
    return PrintEvent({kind, Cause::kEvict, 0, 1, 128, 48, 64}, names);
  };
  EXPECT_EQ(print(EventKind::kRetry), "retried: evicted a program");
  EXPECT_EQ(print(EventKind::kLanded), "landed a 48 at 128");
  EXPECT_EQ(print(EventKind::kMoved), "moved a 48: 64 -> 128");
  EXPECT_EQ(print(EventKind::kEvicted), "evicted a 48 at 128");
  EXPECT_EQ(print(EventKind::kRestored), "restored a 48 at 128");
  EXPECT_EQ(print(EventKind::kLoaded), "loaded a 48 at 128");
  EXPECT_EQ(print(EventKind::kTookOver), "took over: a 48 at 128 from q");
  EXPECT_EQ(print(EventKind::kGaveBack), "gave back a 48 at 128");
  EXPECT_EQ(print(EventKind::kFreeRange), "free 48 at 128");
  EXPECT_EQ(print(EventKind::kReported), "reported a 48 at 128");
  EXPECT_EQ(print(EventKind::kLost), "lost a 48 at 128");
  EXPECT_EQ(PrintEvent({.kind = EventKind::kFallback, .name = 3}, names), "path: backed_off");
  EXPECT_EQ(PrintEvent({.kind = EventKind::kFallback, .name = 99}, names), "path: ?");
  EXPECT_EQ(print(static_cast<EventKind>(99)), "?");
}

TEST(HbmOutcomeTextTest, WordsDiffer) {
  std::set<std::string_view> words;
  for (int i = 0; i < kNumResults; ++i) words.insert(ResultWord(static_cast<Result>(i)));
  EXPECT_EQ(words.size(), size_t{kNumResults});
  EXPECT_EQ(ResultWord(Result::kFailed), "failed");
  EXPECT_EQ(ResultWord(Result::kUnknown), "unknown");
  EXPECT_EQ(EventWord(EventKind::kTookOver), "took_over");
  EXPECT_EQ(EventWord(EventKind::kLost), "lost");
  EXPECT_EQ(CauseWord(Cause::kEvict), "evict");
  EXPECT_EQ(ResultWord(static_cast<Result>(77)), "?");
}

TEST(HbmOutcomeTextTest, AnOutcomeOfAnotherLengthOrWithLostEventsIsPrinted) {
  const Trace trace = Parse("allocate a 1\n");
  TraceOutcome outcome;
  EXPECT_NE(PrintOutcome(trace, outcome).find("unknown"), std::string::npos);
  outcome.rows.resize(9);
  outcome.rows[0].first_event = 7;
  outcome.rows[0].num_events = UINT32_MAX;
  outcome.events.resize(3);
  EXPECT_NE(PrintOutcome(trace, outcome).find("unknown"), std::string::npos);
}

// --- bytes ---

using Random = std::mt19937_64;

Stats RandomStats(Random& random) {
  const auto small = [&] { return static_cast<uint32_t>(random()); };
  const auto ledger = [&] { return Ledger{small(), small(), small(), small()}; };
  return {random(), random(), random(), small(),  small(), random(),
          random(), random(), random(), ledger(), ledger()};
}

TraceOutcome RandomOutcome(Random& random) {
  TraceOutcome outcome;
  outcome.rows.resize(random() % 6);
  outcome.events.resize(random() % 6);
  for (Event& event : outcome.events) {
    event = {static_cast<EventKind>(random() % kNumEventKinds),
             static_cast<Cause>(random() % 4),
             static_cast<uint32_t>(random()),
             static_cast<uint32_t>(random()),
             random(),
             random(),
             random()};
  }
  for (Row& row : outcome.rows) {
    row = {static_cast<Result>(random() % kNumResults),
           0,
           0,
           random(),
           random(),
           random(),
           random(),
           random(),
           random(),
           RandomStats(random)};
    row.first_event = random() % (outcome.events.size() + 1);
    row.num_events = random() % (outcome.events.size() - row.first_event + 1);
  }
  outcome.stats_known = random() & stat::kAll;
  outcome.tells_free = random() & 1;
  outcome.lists_free = random() & 1;
  outcome.tells_hash = random() & 1;
  outcome.grows = random() & 1;
  outcome.damaged = static_cast<Damaged>(random() % kNumDamaged);
  outcome.note.resize(random() % 9, static_cast<char>(random()));
  return outcome;
}

// Does not compile when a field is added, which must then be packed too.
[[maybe_unused]] void FieldsThatArePacked(const TraceOutcome& outcome, const Row& row, const Event& event,
                                          const Stats& stats) {
  [[maybe_unused]] const auto& [a, b, c, d, e, f, g1, g2, g3] = outcome;
  [[maybe_unused]] const auto& [h, i, j, k, l, m, n, o, p, q] = row;
  [[maybe_unused]] const auto& [r, s, t, u, v, w, x] = event;
  [[maybe_unused]] const auto& [s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11] = stats;
}

TEST(HbmOutcomeTextTest, WhatIsPackedIsUnpacked) {
  Random random(1);
  TraceOutcome read;
  for (int i = 0; i < 2'000; ++i) {
    const TraceOutcome outcome = RandomOutcome(random);
    ASSERT_TRUE(UnpackOutcome(PackOutcome(outcome), read));
    ASSERT_EQ(read, outcome);
  }
}

TEST(HbmOutcomeTextTest, EveryOtherLengthIsRefused) {
  Random random(2);
  TraceOutcome read;
  const std::string bytes = PackOutcome(RandomOutcome(random));
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(UnpackOutcome(std::string_view(bytes).substr(0, length), read)) << length;
  }
  EXPECT_FALSE(UnpackOutcome(bytes + '\0', read));
}

// What is accepted is what Pack makes: packing it again gives the same bytes.
TEST(HbmOutcomeTextTest, DamagedBytesAreRefusedOrAnotherOutcome) {
  Random random(3);
  TraceOutcome read;
  int refused = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string bytes = PackOutcome(RandomOutcome(random));
    for (int edits = 1 + random() % 3; edits > 0 && !bytes.empty(); --edits) {
      const size_t at = random() % (random() % 2 ? bytes.size() : std::min<size_t>(bytes.size(), 48));
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes[at] ^= static_cast<char>(1 << (random() % 8));
          break;
        case 2:
          bytes.erase(at, 1 + random() % 64);
          break;
        case 3:
          bytes.insert(at, 1 + random() % 64, '\xff');
          break;
      }
    }
    if (UnpackOutcome(bytes, read)) {
      EXPECT_EQ(PackOutcome(read), bytes);
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 10'000);
}

}  // namespace
}  // namespace oomph::hbm
