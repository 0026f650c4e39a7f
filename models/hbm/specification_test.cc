// The documented rules of the runtime HBM allocator, one small trace each, with a drawing of memory after
// every step that matters. Not for: equality with the fast model (see allocator_test.cc), or what is
// unpublished beyond the policies named here.
//
// A drawing has one character for each granule of 8 bytes, from the bottom up: the letter of a buffer, the
// capital of a program, ~ for what is freed but not landed, . for what is free.
#include "models/hbm/specification.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "models/hbm/history.h"
#include "models/hbm/outcome_text.h"
#include "models/hbm/text.h"

namespace oomph::hbm {
namespace {

constexpr uint64_t kCell = 8;

// A trace that has run: memory of 64 bytes, granule 8, unless its text says otherwise.
class Ran {
 public:
  explicit Ran(std::string_view policy, std::string_view steps) {
    const std::string text =
        "memory hbm capacity 64 granule 8 " + std::string(policy) + "\n" + std::string(steps);
    EXPECT_TRUE(ParseTrace("test", text, trace_).ok()) << text;
    RunSpecification(trace_, outcome_);
    history_ = MakeHistory(trace_, outcome_);
  }

  std::string After(size_t step) const {
    std::string cells(trace_.policy.capacity / kCell, '.');
    const Names names(trace_);
    for (const HistoryPiece& piece : history_.After(step)) {
      const HistoryBlock& block = history_.blocks[piece.block];
      const char letter = names(block.name)[0];
      const char drawn = piece.queued()  ? '~'
                         : block.program ? static_cast<char>(letter - 'a' + 'A')
                                         : letter;
      for (uint64_t at = piece.offset; at < piece.offset + piece.reserved; at += kCell)
        cells[at / kCell] = drawn;
    }
    return cells;
  }
  // Events of a step, as a person reads them: "retried: waited; ...".
  std::string Events(size_t step) const {
    std::string text;
    const Names names(trace_);
    for (uint32_t i = 0; i < row(step).num_events; ++i) {
      text += (i > 0 ? "; " : "") + PrintEvent(outcome_.events[row(step).first_event + i], names);
    }
    return text;
  }
  const Row& row(size_t step) const { return outcome_.rows[step]; }
  Result result(size_t step) const { return row(step).result; }
  Ledger buffers(size_t step) const { return row(step).stats.buffers; }
  Ledger launches(size_t step) const { return row(step).stats.launches; }

 private:
  Trace trace_;
  TraceOutcome outcome_;
  History history_;
};

#define EXPECT_LEDGER(ledger, attempts, successes, failures, retries) \
  EXPECT_EQ(ledger, (Ledger{attempts, successes, failures, retries}))

// ---- Where blocks lie ----

TEST(SpecificationTest, BuffersComeFromTheTopAndProgramsFromTheBottom) {
  const Ran ran("", "allocate a 16\nload p 8\nallocate b 9\nload q 8\n");
  EXPECT_EQ(ran.After(0), "......aa");
  EXPECT_EQ(ran.After(1), "P.....aa");
  EXPECT_EQ(ran.After(2), "P...bbaa");  // 9 bytes are two granules
  EXPECT_EQ(ran.After(3), "PQ..bbaa");
}

TEST(SpecificationTest, TheEndIsAPolicy) {
  EXPECT_EQ(Ran("ends low", "load p 8\nallocate a 16\nallocate b 8\n").After(2), "Paab....");
  EXPECT_EQ(Ran("ends two", "allocate a 16 end low\nallocate b 8\nallocate c 8 end low\n").After(2),
            "aac....b");
}

TEST(SpecificationTest, TheFitIsAPolicy) {
  const std::string holes =
      "allocate a 16\nallocate b 8\nallocate c 8\nallocate d 8\nfree a\nfree c\nallocate n 8\n";
  EXPECT_EQ(Ran("", holes).After(5), "...d.b..");
  EXPECT_EQ(Ran("fit best", holes).After(6), "...dnb..");
  EXPECT_EQ(Ran("fit first", holes).After(6), "...d.b.n");
  EXPECT_EQ(Ran("fit worst", holes).After(6), "..nd.b..");
}

TEST(SpecificationTest, AnAlignmentLeavesAGap) {
  EXPECT_EQ(Ran("", "allocate a 8\nallocate b 8 align 32\n").After(1), "....b..a");
  EXPECT_EQ(Ran("", "allocate a 8 align 24\n").result(0), Result::kInvalid);  // no power of two
}

TEST(SpecificationTest, WhatIsFreedJoinsItsNeighbours) {
  const Ran ran(
      "", "allocate a 16\nallocate b 16\nallocate c 16\nallocate d 16\nfree b\nfree d\nfree c\nquery\n");
  EXPECT_EQ(ran.After(6), "......aa");
  EXPECT_EQ(ran.Events(7), "free 48 at 0");
  EXPECT_EQ(ran.row(7).largest_free, 48u);
}

// ---- E0100: a buffer ----

TEST(SpecificationTest, ARequestIsRetriedWhileQueuedFreesLand) {
  const Ran ran("",
                "allocate a 24\nallocate b 24\nfree a after fence 1\nfree b after fence 2\nallocate c 56\n");
  EXPECT_EQ(ran.After(3), "..~~~~~~");
  EXPECT_EQ(ran.After(4), ".ccccccc");
  EXPECT_EQ(ran.Events(4), "landed a 24 at 40; retried: waited; landed b 24 at 16; retried: waited");
  EXPECT_LEDGER(ran.buffers(4), 5u, 3u, 0u, 2u);
}

TEST(SpecificationTest, WaitingIsAPolicy) {
  const std::string steps =
      "allocate a 24\nallocate b 24\nfree a after fence 1\nfree b after fence 2\nallocate c 24\n";
  EXPECT_EQ(Ran("waiting oldest", steps).After(4), "..~~~ccc");
  EXPECT_EQ(Ran("waiting all", steps).After(4), ".....ccc");
}

TEST(SpecificationTest, WithoutWaitingAQueuedFreeIsOccupied) {
  const Ran ran("waiting never",
                "allocate a 48\nfree a after fence 1\nallocate b 32\nfence 1\nallocate b 32\n");
  EXPECT_EQ(ran.result(2), Result::kFailed);
  EXPECT_EQ(ran.After(2), "..~~~~~~");
  EXPECT_EQ(ran.row(2).free_bytes, 16u);
  EXPECT_EQ(ran.After(3), "........");
  EXPECT_EQ(ran.After(4), "....bbbb");
  EXPECT_LEDGER(ran.buffers(4), 3u, 2u, 1u, 0u);
}

TEST(SpecificationTest, AFenceLandsAllThatWaitForItOrAnEarlierOne) {
  const Ran ran("",
                "allocate a 8\nallocate b 8\nallocate c 8\nfree c after fence 3\nfree a after fence 1\n"
                "free b after fence 2\nfence 2\n");
  EXPECT_EQ(ran.After(5), ".....~~~");
  EXPECT_EQ(ran.After(6), ".....~..");
}

TEST(SpecificationTest, FragmentationIsCuredByDefragmentation) {
  const std::string steps = "allocate a 16\nallocate b 16\nallocate c 16\nfree b\nallocate d 32\n";
  const Ran ran("", steps);
  EXPECT_EQ(ran.After(3), "..cc..aa");
  EXPECT_EQ(ran.After(4), "ddddccaa");
  EXPECT_EQ(ran.Events(4), "moved c 16: 16 -> 32; retried: defragmented");
  EXPECT_EQ(ran.row(4).stats.bytes_moved, 16u);

  const Ran never("defragmentation never", steps);
  EXPECT_EQ(never.result(4), Result::kFailed);
  EXPECT_EQ(never.After(4), "..cc..aa");
  EXPECT_EQ(never.row(4).free_bytes, 32u);    // enough,
  EXPECT_EQ(never.row(4).largest_free, 16u);  // but not in one block
}

TEST(SpecificationTest, WhatIsPinnedStaysWhereItIs) {
  const Ran ran("", "allocate a 16\nallocate b 16\nallocate c 16 pinned\nfree b\nallocate d 32\n");
  EXPECT_EQ(ran.result(4), Result::kFailed);
  EXPECT_EQ(ran.After(4), "..cc..aa");
}

TEST(SpecificationTest, ProgramsAreEvictedUntilTheBufferFits) {
  const Ran ran("", "load p 8\nload q 16\nload r 8\nallocate a 24\nexecute p\nallocate b 24\n");
  EXPECT_EQ(ran.After(4), "PQQR.aaa");
  // q is the least recently used; below r its place is of no use to a buffer. Then r.
  EXPECT_EQ(ran.Events(5),
            "evicted q 16 at 8; retried: evicted a program; evicted r 8 at 24; retried: evicted a program");
  EXPECT_EQ(ran.After(5), "P.bbbaaa");
  EXPECT_EQ(ran.row(5).stats.num_evictions, 2u);
}

TEST(SpecificationTest, PinnedProgramsAreNoVictimsAndProgramsDoNotEvictProgramsUnlessAllowed) {
  EXPECT_EQ(Ran("", "load p 8 pinned\nallocate a 64\n").result(1), Result::kFailed);
  EXPECT_EQ(Ran("", "load p 8\nload q 64\n").result(1), Result::kFailed);
  EXPECT_EQ(Ran("eviction all", "load p 8\nload q 64\n").After(1), "QQQQQQQQ");
  EXPECT_EQ(Ran("eviction never", "load p 8\nallocate a 64\n").result(1), Result::kFailed);
}

TEST(SpecificationTest, VictimsFallByThePolicy) {
  const std::string steps = "load p 16\nload q 8\nload r 24\nexecute p\nallocate a 24\n";
  const auto victim = [&](std::string_view policy) { return Ran(policy, steps).Events(4).substr(0, 9); };
  EXPECT_EQ(victim("victims least_recently_used"), "evicted q");
  EXPECT_EQ(victim("victims oldest"), "evicted p");
  EXPECT_EQ(victim("victims newest"), "evicted r");
  EXPECT_EQ(victim("victims largest"), "evicted r");
  EXPECT_EQ(victim("victims smallest"), "evicted q");
}

TEST(SpecificationTest, MeasuresAreTakenInTheOrderOfThePolicy) {
  const std::string steps = "load p 16\nallocate a 16\nfree a after fence 1\nallocate b 40\n";
  EXPECT_EQ(Ran("", steps).Events(3), "landed a 16 at 48; retried: waited");
  EXPECT_EQ(Ran("order evict,wait,defragment", steps).Events(3),
            "evicted p 16 at 0; retried: evicted a program");
}

TEST(SpecificationTest, TheRetryLimitEndsIt) {
  const Ran ran("retry_limit 1",
                "allocate a 24\nallocate b 24\nfree a after fence 1\nfree b after fence 2\n"
                "allocate c 56\nallocate c 56\n");
  EXPECT_EQ(ran.result(4), Result::kFailed);
  EXPECT_LEDGER(ran.buffers(4), 4u, 2u, 1u, 1u);
  EXPECT_EQ(ran.After(4), "..~~~...");  // what landed has landed
  EXPECT_EQ(ran.result(5), Result::kOk);
}

TEST(SpecificationTest, EvictionsForWhatFailsAnywayAreUndoneIfThePolicySaysSo) {
  const std::string steps = "load p 8\nload q 8 pinned\nallocate a 64\n";
  const Ran lost("", steps);
  EXPECT_EQ(lost.result(2), Result::kFailed);
  EXPECT_EQ(lost.After(2), ".Q......");
  const Ran undone("undo yes", steps);
  EXPECT_EQ(undone.result(2), Result::kFailed);
  EXPECT_EQ(undone.After(2), "PQ......");
  EXPECT_EQ(undone.Events(2), "evicted p 8 at 0; retried: evicted a program; restored p 8 at 0");
}

TEST(SpecificationTest, AFinalFailureIsReported) {
  const Ran ran("report on",
                "load p 8 pinned\nallocate a 24\nallocate b 8\nfree b after fence 9\nallocate c 64\n");
  EXPECT_EQ(ran.result(4), Result::kFailed);
  EXPECT_EQ(ran.Events(4), "landed b 8 at 32; retried: waited; reported p 8 at 0; reported a 24 at 40");
  EXPECT_EQ(ran.row(4).free_bytes, 32u);  // 64 less what is reported
}

TEST(SpecificationTest, ARefusedRequestChangesNothing) {
  const Ran ran("", "allocate a 48\nallocate b 32\nallocate b 32\n");
  EXPECT_EQ(ran.result(1), Result::kFailed);
  EXPECT_EQ(ran.row(1).state_hash, ran.row(0).state_hash);
  EXPECT_EQ(ran.result(2), Result::kFailed);
  EXPECT_LEDGER(ran.buffers(2), 3u, 1u, 2u, 0u);
}

TEST(SpecificationTest, ARequestBeyondAllNumbersIsRefused) {
  const Ran ran("", "allocate a 18446744073709551615\nallocate b 65\nallocate c 0\nallocate d 56\n");
  EXPECT_EQ(ran.result(0), Result::kFailed);
  EXPECT_EQ(ran.result(1), Result::kFailed);
  EXPECT_EQ(ran.After(3), "dddddddc");  // zero bytes take a granule
  EXPECT_EQ(Ran("zero refused", "allocate a 0\n").result(0), Result::kInvalid);
}

// ---- E0101: a program ----

TEST(SpecificationTest, AProgramIsReservedInOneBlockAtTheBottom) {
  const Ran ran("", "load p 8\nallocate a 24\nallocate b 16\nfree a\nload q 24\n");
  EXPECT_EQ(ran.After(3), "P..bb...");
  // Free are 40 bytes, but reservable are those below the lowest buffer: 16. So b moves up.
  EXPECT_EQ(ran.Events(4), "moved b 16: 24 -> 48; retried: defragmented");
  EXPECT_EQ(ran.After(4), "PQQQ..bb");
  const Ran never("defragmentation never",
                  "load p 8\nallocate a 24\nallocate b 16\nfree a\nload q 24\nload r 16\n");
  EXPECT_EQ(never.result(4), Result::kFailed);
  EXPECT_EQ(never.row(4).free_bytes, 40u);
  EXPECT_EQ(never.row(4).reservable, 16u);
  EXPECT_EQ(never.row(4).stats.bytes_reserved, 8u);
  EXPECT_EQ(never.After(5), "PRRbb...");
}

TEST(SpecificationTest, AHoleThatAProgramLeavesServesProgramsOnly) {
  const Ran ran("eviction never", "load p 16\nload q 8\nunload p\nallocate a 40\nallocate b 8\nload r 16\n");
  EXPECT_EQ(ran.After(3), "..Qaaaaa");
  EXPECT_EQ(ran.result(4), Result::kFailed);
  EXPECT_EQ(ran.row(4).free_bytes, 16u);
  EXPECT_EQ(ran.row(4).largest_free, 0u);
  EXPECT_EQ(ran.After(5), "RRQaaaaa");
  EXPECT_EQ(
      Ran("eviction never programs movable", "load p 16\nload q 8\nunload p\nallocate a 40\nallocate b 8\n")
          .After(4),
      "Q.baaaaa");
}

// ---- Launches ----

TEST(SpecificationTest, ALaunchLoadsItsProgramAgainAndGetsAllOutputs) {
  const Ran ran("", "load p 8\nevict p\nexecute p\noutput x 16\noutput y 8\n");
  EXPECT_EQ(ran.After(1), "........");
  EXPECT_EQ(ran.After(4), "P....yxx");
  EXPECT_EQ(ran.Events(2), "loaded p 8 at 0");
  EXPECT_LEDGER(ran.launches(4), 1u, 1u, 0u, 0u);
  EXPECT_LEDGER(ran.buffers(4), 1u, 1u, 0u, 0u);  // of the load
}

TEST(SpecificationTest, ALaunchThatIsRetriedGivesBackWhatItGotAndStartsAgain) {
  const Ran ran("", "load p 8\nallocate a 24\nfree a after fence 1\nexecute p\noutput x 24\noutput y 24\n");
  EXPECT_EQ(ran.After(2), "P....~~~");
  EXPECT_EQ(ran.Events(3), "gave back x 24 at 16; landed a 24 at 40; retried: waited");
  EXPECT_EQ(ran.After(5), "P.yyyxxx");
  EXPECT_LEDGER(ran.launches(5), 2u, 1u, 0u, 1u);
  EXPECT_EQ(ran.row(5).stats.bytes_given_back, 24u);
}

TEST(SpecificationTest, ALaunchThatFailsHasNoOutputs) {
  const Ran ran("", "load p 8\nallocate a 24\nexecute p\noutput x 16\noutput y 24\n");
  EXPECT_EQ(ran.result(2), Result::kFailed);
  EXPECT_EQ(ran.result(3), Result::kFailed);
  EXPECT_EQ(ran.result(4), Result::kFailed);
  EXPECT_EQ(ran.After(4), "P....aaa");
  EXPECT_EQ(ran.row(2).offset, 2u);  // what could not be had: the second output,
  EXPECT_EQ(ran.row(2).reserved, 24u);
  EXPECT_LEDGER(ran.launches(4), 1u, 0u, 1u, 0u);
}

TEST(SpecificationTest, AnOutputTakesOverTheMemoryOfWhatIsDonated) {
  const Ran ran("", "load p 8\nallocate a 32\nexecute p\noutput x 24 donating a\nfree a\nfree x\n");
  EXPECT_EQ(ran.After(3), "P...xxxx");
  EXPECT_EQ(ran.row(3).reserved, 32u);  // all of it
  EXPECT_EQ(ran.Events(2), "took over: x 32 at 32 from a");
  EXPECT_EQ(ran.result(4), Result::kNoOp);  // a is gone
  EXPECT_EQ(ran.After(5), "P.......");
}

TEST(SpecificationTest, WhatIsTooSmallIsNotTakenOver) {
  const Ran ran("", "load p 8\nallocate a 8\nexecute p\noutput x 16 donating a\n");
  EXPECT_EQ(ran.After(3), "P....xxa");
  EXPECT_EQ(ran.Events(2), "");
}

TEST(SpecificationTest, ADonatedBufferAfterAFailedLaunchIsAPolicy) {
  const std::string steps = "load p 8\nallocate a 16\nexecute p\noutput x 8 donating a\noutput y 64\n";
  EXPECT_EQ(Ran("donated kept", steps).After(4), "P.....aa");
  EXPECT_EQ(Ran("donated lost", steps).After(4), "P.......");
}

// ---- Reallocation ----

TEST(SpecificationTest, AReallocationStaysInPlaceWhereItCan) {
  const Ran ran("ends low",
                "allocate a 16\nallocate b 8\nreallocate b 24\nreallocate a 8\nreallocate a 16\n"
                "reallocate a 24\n");
  EXPECT_EQ(ran.After(1), "aab.....");
  EXPECT_EQ(ran.After(2), "aabbb...");
  EXPECT_EQ(ran.After(3), "a.bbb...");
  EXPECT_EQ(ran.After(4), "aabbb...");
  EXPECT_EQ(ran.After(5), "..bbbaaa");  // it moves; both were there for a while
  EXPECT_EQ(ran.row(5).stats.peak_bytes_in_use, 64u);
  EXPECT_EQ(ran.row(5).stats.bytes_moved, 16u);
}

// ---- What is no request ----

TEST(SpecificationTest, StepsThatNameNothingLiveAreNoOps) {
  const Ran ran(
      "", "free a\nreallocate a 8\nunload p\nexecute p\noutput x 8\nevict p\nfree a after fence 1\nquery\n");
  for (size_t step = 0; step < 7; ++step) EXPECT_EQ(ran.result(step), Result::kNoOp) << step;
  EXPECT_EQ(ran.result(7), Result::kOk);
  EXPECT_EQ(ran.After(7), "........");
}

TEST(SpecificationTest, ANameGivenTwiceShadowsTheFirst) {
  const Ran ran("", "allocate a 16\nallocate a 8\nfree a\nfree a\n");
  EXPECT_EQ(ran.After(1), ".....aaa");
  EXPECT_EQ(ran.After(2), "......aa");
  EXPECT_EQ(ran.result(3), Result::kNoOp);
  EXPECT_EQ(ran.After(3), "......aa");
}

}  // namespace
}  // namespace oomph::hbm
