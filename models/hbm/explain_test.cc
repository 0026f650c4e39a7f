// Tests of explanations: a page made by hand, and that the specification serves what they say would fit.
// Not for whether a failure was right.

#include "models/hbm/explain.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/base/family.h"
#include "models/base/units.h"
#include "models/hbm/generate.h"
#include "models/hbm/history.h"
#include "models/hbm/outcome.h"
#include "models/hbm/specification.h"
#include "models/hbm/text.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {
namespace {

Trace Parse(std::string_view text) {
  Trace trace;
  EXPECT_TRUE(ParseTrace("t", text, trace).ok());
  return trace;
}

Row Placed(uint64_t offset, uint64_t reserved) {
  Row row;
  row.result = Result::kOk;
  row.offset = offset;
  row.reserved = reserved;
  return row;
}

Row Failed(uint64_t free, uint64_t largest, uint64_t reservable) {
  Row row;
  row.result = Result::kFailed;
  row.free_bytes = free;
  row.largest_free = largest;
  row.reservable = reservable;
  return row;
}

//  0        16       32       48       64       80       96
//  | p        | free   | c      | free   | b      | a      |
struct Example {
  Trace trace = Parse(
      "memory hbm capacity 96 granule 16\n"
      "load p 10\n"
      "allocate a 16\n"
      "allocate b 9\n"
      "allocate c 16\n"
      "free b after fence 7\n"
      "allocate big 30\n"
      "free c\n");
  TraceOutcome outcome;

  Example() {
    outcome.rows = {Placed(0, 16), Placed(80, 16),     Placed(64, 16), Placed(32, 16),
                    Placed(0, 0),  Failed(32, 16, 16), Placed(0, 0)};
    outcome.tells_free = true;
    outcome.events = {{.kind = EventKind::kEvicted, .name = 9, .offset = 16, .size = 16},
                      {.kind = EventKind::kRetry, .cause = Cause::kEvict},
                      {.kind = EventKind::kRetry, .cause = Cause::kDefragment},
                      {.kind = EventKind::kReported, .name = 0}};
    outcome.rows[5].num_events = 4;
  }
};

TEST(HbmExplainTest, SaysWhatWasAskedWhatWasThereAndWhatWouldFit) {
  const Example example;
  EXPECT_EQ(Explain(example.trace, example.outcome),
            "First failure: step 5: allocate big 30\n"
            "  RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 32B. That was not "
            "possible. "
            "There are 32B free. Due to fragmentation, the largest contiguous region of free memory is 16B.; "
            "(0x0x0_HBM0)\n"
            "Asked:   30 bytes, with padding 32 bytes, at a multiple of 16\n"
            "Memory:  96 bytes: 32 in buffers, 16 in queued frees, 16 in programs, 32 free\n"
            "Free:    the largest block for a buffer has 16 bytes; reservable for a program: 16 bytes\n"
            "Cause:   enough is free, but not in one block: fragmentation\n"
            "Tried:   retry 1, evict: evicted b9 16 at 16\n"
            "         retry 2, defragment\n"
            "Fits:    a buffer of at most 16 bytes with this alignment fits at once\n"
            "         this one fits at once when 16 bytes are gone: c (step 3)\n"
            "\n"
            "In memory after the failure, largest first:\n"
            "  3 by allocate (48 bytes), 1 by load (16 bytes)\n"
            "  bytes   share  name  state       at  made by\n"
            "     16   16.7%  p     program      0  step 0: load p 10\n"
            "     16   16.7%  a     live        80  step 1: allocate a 16\n"
            "     16   16.7%  b     freed       64  step 2: allocate b 9\n"
            "     16   16.7%  c     live        32  step 3: allocate c 16\n"
            "\n"
            "Freed, but not landed: 1 block, 16 bytes\n"
            "  16  b waits for fence 7, step 4: free b after fence 7\n"
            "\n"
            "Never used again (leaks): 2 blocks, 32 bytes\n"
            "  16  p: last named by step 0: load p 10\n"
            "  16  a: last named by step 1: allocate a 16\n"
            "(Steps count from 0; comments and memory lines are no steps.)\n");
}

TEST(HbmExplainTest, AProgramsFailureIsReportedAsTheRuntimeDoes) {
  const Trace trace = Parse("memory hbm capacity 96 granule 16\nallocate a 16\nload p 90\n");
  TraceOutcome outcome;
  outcome.rows = {Placed(80, 16), Failed(80, 80, 80)};
  outcome.tells_free = true;
  const std::string page = Explain(trace, outcome);
  EXPECT_NE(
      page.find("Error loading program 'p': Attempting to reserve 96B at the bottom of memory. That was not "
                "possible. There are 80B free, 0B reserved, and 80B reservable."),
      std::string::npos)
      << page;
  EXPECT_NE(page.find("too little is free: 16 bytes are missing"), std::string::npos) << page;
  EXPECT_NE(page.find("this one fits at once when 16 bytes are gone: a (step 0)"), std::string::npos) << page;
  EXPECT_NE(page.find("Held to the end (the trace ends with this failure): 1 block"), std::string::npos)
      << page;
}

TEST(HbmExplainTest, ALaunchFailsForOneOfItsOutputs) {
  const Trace trace =
      Parse("memory hbm capacity 96\nload p 16\nexecute p\n  output x 50\n  output y 40\n  output z 60\n");
  TraceOutcome outcome;
  outcome.rows = {Placed(0, 16), Failed(80, 80, 80), Failed(0, 0, 0), Failed(0, 0, 0), Failed(0, 0, 0)};
  outcome.rows[1].offset = 2;  // The second output,
  outcome.rows[1].reserved = 40;
  outcome.rows[1].num_events = 1;
  outcome.events = {{.kind = EventKind::kGaveBack, .name = 1, .offset = 46, .size = 50}};
  outcome.tells_free = true;
  const std::string page = Explain(trace, outcome);
  EXPECT_NE(page.find("Asked:   40 bytes, by step 3: output y 40\n"), std::string::npos) << page;
  EXPECT_NE(page.find("too little is free beside the launch's other outputs: 10 bytes are missing"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("the launch needs 90 bytes in its blocks together"), std::string::npos) << page;
  // A subject that does not say which: the largest.
  outcome.rows[1].offset = outcome.rows[1].reserved = 0;
  EXPECT_EQ(FirstFailure(trace, outcome, MakeHistory(trace, outcome))->asked_in, 4u);
}

TEST(HbmExplainTest, WithoutAFailureItTellsThePeakAndTheLeaks) {
  const Trace trace = Parse("memory hbm capacity 96\nallocate a 16\nallocate b 30\nfree b\nquery\n");
  TraceOutcome outcome;
  outcome.rows = {Placed(80, 16), Placed(50, 30), Placed(0, 0), Placed(0, 0)};
  EXPECT_EQ(Explain(trace, outcome),
            "No request failed in 4 steps.\n"
            "Peak:    46 bytes of 96 bytes, buffers and programs, after step 1: allocate b 30\n"
            "\n"
            "In memory at the peak, largest first:\n"
            "  2 by allocate (46 bytes)\n"
            "  bytes   share  name  state       at  made by\n"
            "     30   31.2%  b     live        50  step 1: allocate b 30\n"
            "     16   16.7%  a     live        80  step 0: allocate a 16\n"
            "\n"
            "Left at the end (leaks): 1 block, 16 bytes\n"
            "  16  a: last named by step 0: allocate a 16\n"
            "(Steps count from 0; comments and memory lines are no steps.)\n");
}

TEST(HbmExplainTest, AnEarlyEndAndItsNoteAreTold) {
  const Trace trace = Parse("allocate a 16\nallocate b 30\nquery\n");
  TraceOutcome outcome;
  outcome.rows = {Placed(0, 16), {}, {}};
  outcome.rows[1].result = Result::kDied;
  outcome.note = "signal 11\n\x1b[2J";
  const std::string page = Explain(trace, outcome);
  EXPECT_NE(page.find("in the 2 steps that the outcome reaches, of 3"), std::string::npos) << page;
  EXPECT_NE(page.find("It ended with 'died' in step 1: allocate b 30\n"), std::string::npos) << page;
  EXPECT_NE(page.find("Note of the subject: signal 11\\n\\x1b[2J\n"), std::string::npos) << page;
  EXPECT_NE(Explain(Trace(), TraceOutcome()).find("No request failed in 0 steps."), std::string::npos);
}

TEST(HbmExplainTest, LongTablesAreCut) {
  std::string text = "memory hbm capacity 1000\n";
  TraceOutcome outcome;
  for (int i = 0; i < 50; ++i) {
    text += "allocate b" + std::to_string(i) + " 16\n";
    outcome.rows.push_back(Placed(i * 16, 16));
  }
  outcome.rows.push_back(Failed(200, 200, 0));
  const std::string page = Explain(Parse(text + "allocate big 300\n"), outcome);
  EXPECT_NE(page.find("  and 30 smaller blocks, 480 bytes\n"), std::string::npos) << page;
  EXPECT_NE(page.find("  and 42 more\n"), std::string::npos) << page;
}

// --- against the specification ---

// `trace` up to its failure, with its outputs.
Trace UpTo(const Trace& trace, size_t step) {
  Trace cut = trace;
  size_t end = step + 1;
  while (trace.steps[step].kind == StepKind::kExecute && end < trace.steps.size() &&
         trace.steps[end].kind == StepKind::kOutput) {
    ++end;
  }
  cut.steps.resize(end);
  return cut;
}

// The same request for `size` bytes under a name of its own.
Step Again(const Trace& trace, const FailedRequest& request, uint64_t size) {
  Step step;
  step.kind = request.program ? StepKind::kLoad : StepKind::kAllocate;
  step.size = size;
  for (const Step& other : trace.steps) {
    step.name = std::max(step.name, other.name + 1);
    if (other.donor != kNobody) step.name = std::max(step.name, other.donor + 1);
  }
  if (request.program) return step;
  step.end = request.end;
  step.alignment = request.alignment;
  return step;
}

bool ServedAtOnce(Trace trace, const Step& last) {
  trace.steps.push_back(last);
  TraceOutcome outcome;
  RunSpecification(trace, outcome);
  const Row& row = outcome.rows.back();
  const auto begin = outcome.events.begin() + row.first_event;
  return row.result == Result::kOk && std::none_of(begin, begin + row.num_events, [](const Event& event) {
           return event.kind == EventKind::kRetry;
         });
}

// Frees what is said to be in the way; false where a name for it is gone.
bool FreeAll(const History& history, const WouldFit& fit, size_t step, Trace& trace) {
  uint32_t fence = 0;
  for (const HistoryPiece& piece : fit.to_free) {
    const HistoryBlock& block = history.blocks[piece.block];
    fence = std::max(fence, piece.fence);
    if (!piece.queued() && block.shadowed <= step) return false;
    Step free;
    free.kind = StepKind::kFree;
    free.name = block.name;
    if (!piece.queued()) trace.steps.push_back(free);
  }
  Step pass;
  pass.kind = StepKind::kFence;
  pass.fence = fence;
  if (fence > 0) trace.steps.push_back(pass);
  return true;
}

TEST(HbmExplainTest, TheSpecificationServesWhatWouldFitAndNoMore) {
  size_t largest = 0, freed = 0;
  Trace trace;
  TraceOutcome outcome;
  for (uint64_t seed = 1; seed <= 6'000; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    GenerateTrace(choices, GenerateOptions{}, trace);
    if (trace.policy.allocator != Allocator::kTpu) continue;
    RunSpecification(trace, outcome);
    const History history = MakeHistory(trace, outcome);
    const std::optional<FailedRequest> request = FirstFailure(trace, outcome, history);
    EXPECT_FALSE(Explain(trace, outcome).empty());
    if (!request.has_value()) continue;
    const WouldFit fit = FindWouldFit(trace, history, *request);
    Trace cut = UpTo(trace, request->step);
    if (fit.largest > 0 && IsPowerOfTwo(request->alignment)) {
      ++largest;
      ASSERT_TRUE(ServedAtOnce(cut, Again(cut, *request, fit.largest))) << PrintTrace(cut);
      ASSERT_FALSE(ServedAtOnce(cut, Again(cut, *request, fit.largest + 1))) << PrintTrace(cut);
    }
    if (!fit.possible || fit.to_free.empty() || !FreeAll(history, fit, request->step, cut)) continue;
    ++freed;
    ASSERT_TRUE(ServedAtOnce(cut, Again(cut, *request, request->size))) << PrintTrace(cut);
  }
  EXPECT_GT(largest, 1'000u);
  EXPECT_GT(freed, 1'000u);
}

}  // namespace
}  // namespace oomph::hbm
