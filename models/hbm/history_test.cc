// Tests of the replay of outcomes into blocks and pieces, on outcomes made by hand and on senseless ones.
// Not for whether an outcome is right.

#include "models/hbm/history.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "models/hbm/outcome.h"
#include "models/hbm/text.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {
namespace {

// A trace and its outcome, a step at a time.
class Story {
 public:
  explicit Story(std::string_view text) {
    EXPECT_TRUE(ParseTrace("t", text, trace).ok());
    outcome.rows.resize(trace.steps.size());
    for (Row& row : outcome.rows) row.result = Result::kOk;
  }
  Story& Placed(size_t step, uint64_t offset, uint64_t reserved) {
    outcome.rows[step].offset = offset;
    outcome.rows[step].reserved = reserved;
    return *this;
  }
  Story& With(size_t step, std::vector<Event> events) {
    outcome.rows[step].first_event = outcome.events.size();
    outcome.rows[step].num_events = events.size();
    outcome.events.insert(outcome.events.end(), events.begin(), events.end());
    return *this;
  }
  // "a [0,3) at 0+48", a piece a line, queued ones with their fence.
  std::string Pieces() const {
    const Names names(trace);
    const History history = MakeHistory(trace, outcome);
    std::string text;
    for (const HistoryPiece& piece : history.pieces) {
      absl::StrAppend(&text, names(history.blocks[piece.block].name), " [", piece.steps.begin, ",",
                      piece.steps.end, ") at ", piece.offset, "+", piece.reserved,
                      piece.queued() ? absl::StrCat(" fence ", piece.fence) : "", "\n");
    }
    return text;
  }
  Trace trace;
  TraceOutcome outcome;
};

TEST(HbmHistoryTest, AllocateReallocateFree) {
  const Story story = Story("allocate a 40\nreallocate a 90\nallocate b 8\nfree a\nquery\n")
                          .Placed(0, 0, 48)
                          .Placed(1, 64, 96)
                          .Placed(2, 0, 8);
  EXPECT_EQ(story.Pieces(), "a [0,1) at 0+48\na [1,3) at 64+96\nb [2,5) at 0+8\n");
}

TEST(HbmHistoryTest, AQueuedFreeEndsWhenItLandsOrItsFencePasses) {
  const Story told = Story("allocate a 8\nfree a after fence 2\nallocate b 8\n")
                         .Placed(0, 16, 8)
                         .Placed(2, 16, 8)
                         .With(2, {{.kind = EventKind::kLanded, .name = 0, .offset = 16, .size = 8}});
  EXPECT_EQ(told.Pieces(), "a [0,1) at 16+8\na [1,2) at 16+8 fence 2\nb [2,3) at 16+8\n");
  const Story untold =
      Story("allocate a 8\nfree a after fence 2\nfence 1\nfence 3\nquery\n").Placed(0, 16, 8);
  EXPECT_EQ(untold.Pieces(), "a [0,1) at 16+8\na [1,3) at 16+8 fence 2\n");
  const Story passed = Story("fence 2\nallocate a 8\nfree a after fence 2\nquery\n").Placed(1, 16, 8);
  EXPECT_EQ(passed.Pieces(), "a [1,2) at 16+8\n");
}

TEST(HbmHistoryTest, MovesEvictionsAndLoads) {
  const Story story =
      Story("load p 60\nallocate a 8\ndefragment\nevict p\nexecute p\nunload p\n")
          .Placed(0, 0, 64)
          .Placed(1, 80, 8)
          .With(2, {{.kind = EventKind::kMoved, .name = 1, .offset = 92, .size = 8, .from = 80}})
          .With(3, {{.kind = EventKind::kEvicted, .name = 0, .offset = 0, .size = 64}})
          .With(4, {{.kind = EventKind::kLoaded, .name = 0, .offset = 16, .size = 64}});
  EXPECT_EQ(story.Pieces(), "p [0,3) at 0+64\na [1,2) at 80+8\na [2,6) at 92+8\np [4,5) at 16+64\n");
  const History history = MakeHistory(story.trace, story.outcome);
  ASSERT_EQ(history.blocks.size(), 3u);
  EXPECT_TRUE(history.blocks[2].program);
  EXPECT_EQ(history.pieces[3].size, 60u);  // What the load asked for.
}

TEST(HbmHistoryTest, AnEvictionThatIsUndoneLeavesTheProgramWhereItWas) {
  Story story = Story("load p 64\nallocate a 99\nquery\n")
                    .Placed(0, 0, 64)
                    .With(1, {{.kind = EventKind::kEvicted, .name = 0, .offset = 0, .size = 64},
                              {.kind = EventKind::kRestored, .name = 0, .offset = 0, .size = 64}});
  story.outcome.rows[1].result = Result::kFailed;
  EXPECT_EQ(story.Pieces(), "p [0,1) at 0+64\np [1,3) at 0+64\n");
  EXPECT_EQ(MakeHistory(story.trace, story.outcome).blocks[0].ended, kNever);
}

TEST(HbmHistoryTest, OutputsBeginWithTheirLaunchAndTakeOverTheirDonor) {
  Story story =
      Story(
          "allocate a 8 end low pinned\nload p 8\nexecute p\n  output x 8 donating a\n  output y 8\nquery\n")
          .Placed(0, 40, 8)
          .Placed(1, 0, 8)
          .Placed(3, 40, 8)
          .Placed(4, 48, 8)
          .With(2, {{.kind = EventKind::kTookOver, .name = 2, .other = 0, .offset = 40, .size = 8}});
  EXPECT_EQ(story.Pieces(), "a [0,2) at 40+8\np [1,6) at 0+8\nx [2,6) at 40+8\ny [2,6) at 48+8\n");
  const History history = MakeHistory(story.trace, story.outcome);
  EXPECT_EQ(history.blocks[2].end, End::kLow);
  EXPECT_TRUE(history.blocks[2].pinned);
  EXPECT_EQ(history.blocks[0].ended, 2u);
}

TEST(HbmHistoryTest, ANameGivenTwiceShadowsTheFirst) {
  const Story story = Story("allocate a 8\nallocate a 8\nfree a\nquery\n").Placed(0, 0, 8).Placed(1, 8, 8);
  EXPECT_EQ(story.Pieces(), "a [0,4) at 0+8\na [1,2) at 8+8\n");
  const History history = MakeHistory(story.trace, story.outcome);
  EXPECT_EQ(history.blocks[0].shadowed, 1u);
  EXPECT_EQ(history.blocks[1].shadowed, kNever);
}

TEST(HbmHistoryTest, ALostDonorIsGone) {
  Story story = Story("allocate a 8\nexecute p\n  output x 9 donating a\nfree a\n")
                    .Placed(0, 0, 8)
                    .With(1, {{.kind = EventKind::kLost, .name = 0, .offset = 0, .size = 8}});
  for (size_t i = 1; i < 4; ++i) story.outcome.rows[i].result = Result::kFailed;
  EXPECT_EQ(story.Pieces(), "a [0,1) at 0+8\n");
}

TEST(HbmHistoryTest, WhatTheOutcomeDoesNotReachDidNotHappen) {
  Story story = Story("allocate a 8\nquery\nfree a\n").Placed(0, 0, 8);
  story.outcome.rows[2].result = Result::kUnknown;
  EXPECT_EQ(MakeHistory(story.trace, story.outcome).num_steps, 2u);
  EXPECT_EQ(story.Pieces(), "a [0,2) at 0+8\n");
}

TEST(HbmHistoryTest, AnyOutcomeIsReplayed) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 3'000; ++round) {
    Trace trace;
    TraceOutcome outcome;
    for (int i = 0; i < 12; ++i) {
      trace.steps.push_back({static_cast<StepKind>(random() % kNumStepKinds), End::kAny, false,
                             static_cast<uint32_t>(random() % 3), random() % 9, 0,
                             static_cast<uint32_t>(random() % 3),
                             random() % 2 ? kNobody : static_cast<uint32_t>(random() % 3)});
      Row row;
      row.result = random() % 3 ? Result::kOk : static_cast<Result>(random() % kNumResults);
      row.first_event = random() % 20;
      row.num_events = random() % 4;
      row.offset = random() % 8;
      row.reserved = random() % 4 ? random() % 8 : random();
      if (random() % 20) outcome.rows.push_back(row);
      outcome.events.push_back({static_cast<EventKind>(random() % kNumEventKinds), Cause::kNone,
                                static_cast<uint32_t>(random() % 3), static_cast<uint32_t>(random() % 3),
                                random() % 8, random() % 8, random() % 8});
    }
    const History history = MakeHistory(trace, outcome);
    for (const HistoryPiece& piece : history.pieces) {
      ASSERT_LT(piece.block, history.blocks.size());
      ASSERT_LT(piece.steps.begin, piece.steps.end);
      ASSERT_LE(piece.steps.end, history.num_steps);
    }
  }
}

}  // namespace
}  // namespace oomph::hbm
