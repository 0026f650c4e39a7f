// Rows in a journal: they come back as they were, and damage of any kind harms nobody.
// Not for: who writes them and when (see driver.h).
#include "subjects/plugin/rows.h"

#include <gtest/gtest.h>

#include <string>

#include "models/base/choices.h"
#include "models/hbm/text.h"
#include "subjects/plugin/hbm_child.h"

namespace oomph::hbm {
namespace {

TraceOutcome SomeOutcome() {
  TraceOutcome outcome;
  outcome.stats_known = stat::kNumLive;
  outcome.lists_free = true;
  for (uint32_t i = 0; i < 5; ++i) {
    Row& row = outcome.rows.emplace_back();
    row.result = i == 4 ? Result::kFailed : Result::kOk;
    row.offset = 64 * i;
    row.stats.num_live = i;
    row.first_event = static_cast<uint32_t>(outcome.events.size());
    for (uint32_t k = 0; k < i; ++k) {
      outcome.events.push_back({.kind = EventKind::kLanded, .name = k, .offset = i});
    }
    row.num_events = i;
  }
  return outcome;
}

std::string Records(const TraceOutcome& outcome, size_t capacity) {
  const auto journal = Journal::Make(capacity);
  EXPECT_TRUE(journal.ok());
  (*journal)->Begin(1);
  TraceOutcome growing = outcome;
  growing.rows.clear();
  for (const Row& row : outcome.rows) {
    growing.rows.push_back(row);
    RecordLastRow(growing, **journal);
  }
  return (*journal)->Copy();
}

void ExpectSound(const TraceOutcome& outcome) {
  for (const Row& row : outcome.rows) {
    ASSERT_LT(static_cast<int>(row.result), kNumResults);
    ASSERT_LE(uint64_t{row.first_event} + row.num_events, outcome.events.size());
  }
}

TEST(RowsTest, ComeBackAsTheyWere) {
  const TraceOutcome outcome = SomeOutcome();
  TraceOutcome back;
  ReadRows(Records(outcome, 1 << 20), back);
  EXPECT_EQ(back, outcome);
}

TEST(RowsTest, AFullJournalKeepsTheFirst) {
  TraceOutcome back;
  ReadRows(Records(SomeOutcome(), 800), back);
  ASSERT_FALSE(back.rows.empty());
  ASSERT_LT(back.rows.size(), 5u);
  EXPECT_EQ(back.rows.back(), SomeOutcome().rows[back.rows.size() - 1]);
}

TEST(RowsTest, EveryCutIsSound) {
  const std::string records = Records(SomeOutcome(), 1 << 20);
  for (size_t cut = 0; cut < records.size(); ++cut) {
    TraceOutcome back;
    ReadRows(std::string_view(records).substr(0, cut), back);
    ExpectSound(back);
    EXPECT_LT(back.rows.size(), 5u);
  }
}

TEST(RowsTest, EveryDamagedByteIsSound) {
  const std::string records = Records(SomeOutcome(), 1 << 20);
  for (size_t at = 0; at < records.size(); ++at) {
    std::string damaged = records;
    damaged[at] = static_cast<char>(~damaged[at]);
    TraceOutcome back;
    ReadRows(damaged, back);
    ExpectSound(back);
  }
}

TEST(PackTraceTest, ComesBackExactlyOrNotAtAll) {
  Trace trace;
  trace.policy.fit = Fit::kWorst;
  trace.policy.capacity = 12345;
  trace.names = {"a", "", "long enough not to be stored in place"};
  trace.steps = {{.kind = StepKind::kFree, .name = 2},
                 {.kind = StepKind::kAllocate, .name = 1, .size = 8}};
  std::string bytes;
  PackTrace(trace, bytes);
  Trace back;
  ASSERT_TRUE(UnpackTrace(bytes, back));
  EXPECT_EQ(back, trace);
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(UnpackTrace(std::string_view(bytes).substr(0, cut), back)) << cut;
  }
}

}  // namespace
}  // namespace oomph::hbm
