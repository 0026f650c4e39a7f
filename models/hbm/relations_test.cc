// Relations between two runs, by hand-made examples: for each row a trace that it changes and two outcomes
// that it accepts, one that it rejects, and traces of which it says nothing. Not for: that they hold of the
// models (see props/hbm_rows.cc), or find faults (see fuzz/faults/faults_test.cc).
#include "models/hbm/relations.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/hbm/generate.h"
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

struct Example {
  std::string_view relation;
  std::string_view text;
  std::string_view changed;  // what the relation makes of it
  std::string_view not_of;   // a trace of which it says nothing; empty: it speaks of all
  std::function<void(TraceOutcome& outcome, TraceOutcome& related)> spoil;
};

const std::vector<Example>& Examples() {
  static const std::vector<Example> examples = {
      {"the_same_twice", "memory hbm capacity 64\nallocate a 8\n", "memory hbm capacity 64\nallocate b0 8\n",
       "", [](TraceOutcome&, TraceOutcome& related) { related.rows[0].offset = 0; }},
      {"the_same_twice", "memory hbm capacity 64\nquery\n", "memory hbm capacity 64\nquery\n", "",
       [](TraceOutcome&, TraceOutcome& related) { related.rows[0].free_bytes = 1; }},
      {"names_mean_nothing",
       "memory hbm capacity 64\nallocate a 8\nload p 8\nexecute p\noutput b 8 donating a\n",
       "memory hbm capacity 64\nallocate b3 8\nload p5 8\nexecute p5\n  output b7 8 donating b3\n",
       "memory bfc capacity 4096\nallocate a 8\n",
       [](TraceOutcome&, TraceOutcome& related) { related.rows[1].offset = 8; }},
      {"scaling_scales", "memory hbm capacity 64 granule 4\nallocate a 7 align 8\n",
       "memory hbm capacity 128 granule 8\nallocate b0 14 align 16\n",
       "memory hbm capacity 2TiB\nallocate a 8\n",
       [](TraceOutcome& outcome, TraceOutcome&) { outcome.rows[0].offset += 4; }},
      {"asking_changes_nothing", "memory hbm capacity 64\nload p 8\nexecute p\noutput a 8\n",
       "memory hbm capacity 64\nquery\nload p0 8\nquery\nexecute p0\n  output b1 8\n", "",
       [](TraceOutcome&, TraceOutcome& related) { related.rows[4].offset = 8; }},
      {"the_ends_are_independent",
       "memory hbm capacity 64 ends two\nallocate a 8 end low\nallocate b 8\nfree a\n",
       "memory hbm capacity 64 ends two\nquery\nallocate b1 8\nfree b0\n",
       "memory hbm capacity 64\nallocate a 8\n",
       [](TraceOutcome&, TraceOutcome& related) { related.rows[1].offset = 0; }},
      {"the_ends_mirror", "memory hbm capacity 64 granule 8\nallocate a 8\nallocate b 9\n",
       "memory hbm capacity 64 granule 8 ends low\nallocate b0 8\nallocate b1 9\n",
       "memory hbm capacity 64\nallocate a 8 align 16\n",
       [](TraceOutcome&, TraceOutcome& related) { related.rows[1].offset = 16; }},
      {"waiting_needs_the_queue",
       "memory hbm capacity 64 defragmentation never eviction never\nallocate a 48\nfree a after fence "
       "1\nallocate b 32\n",
       "memory hbm capacity 64 waiting never defragmentation never eviction never\nallocate b0 48\n"
       "free b0 after fence 1\nallocate b1 32\n",
       "memory hbm capacity 64\nallocate a 48\nfree a after fence 1\nallocate b 32\n",
       [](TraceOutcome&, TraceOutcome& related) { related.rows[2].result = Result::kOk; }},
      {"loading_again_is_loading",
       "memory hbm capacity 64\nload p 8\nallocate a 8\nevict p\nexecute p\nallocate b 8\n",
       "memory hbm capacity 64\nload p0 8\nallocate b1 8\nevict p0\nload p0 8\n",
       "memory hbm capacity 64\nload p 8\nexecute p\n",
       [](TraceOutcome& outcome, TraceOutcome&) { outcome.rows[3].result = Result::kFailed; }},
  };
  return examples;
}

const RelationRow& RowOf(std::string_view name) {
  const auto row = std::find_if(Relations().begin(), Relations().end(),
                                [&](const RelationRow& r) { return r.info.name == name; });
  EXPECT_NE(row, Relations().end()) << name;
  return *row;
}

std::vector<Reason> Judged(const RelationRow& row, const Trace& trace, const TraceOutcome& outcome,
                           const Trace& related, const TraceOutcome& related_outcome) {
  Reasons reasons;
  row.judge(row.info.name, trace, outcome, related, related_outcome, reasons);
  return reasons.list();
}

// With the default texts of names, so that their numbers are seen.
std::string PrintedWithNumbers(Trace trace) {
  trace.names.clear();
  return PrintTrace(trace);
}

TEST(RelationsTest, EachChangesATraceAsItSaysAcceptsAndRejects) {
  for (const Example& example : Examples()) {
    SCOPED_TRACE(std::string(example.relation) + "\n" + std::string(example.text));
    const RelationRow& row = RowOf(example.relation);
    const Trace trace = Parse(example.text);
    Trace related;
    ASSERT_TRUE(row.relate(trace, related));
    EXPECT_EQ(PrintedWithNumbers(related), example.changed);
    TraceOutcome outcome = Specified(trace), other = Specified(related);
    EXPECT_TRUE(Judged(row, trace, outcome, related, other).empty());
    example.spoil(outcome, other);
    const std::vector<Reason> reasons = Judged(row, trace, outcome, related, other);
    ASSERT_EQ(reasons.size(), 1u);
    EXPECT_EQ(reasons[0].oracle, example.relation);
    EXPECT_LT(reasons[0].step, trace.steps.size());
    EXPECT_FALSE(reasons[0].detail.empty());
    EXPECT_FALSE(reasons[0].text.empty());
    if (!example.not_of.empty()) {
      EXPECT_FALSE(row.relate(Parse(example.not_of), related)) << example.not_of;
    }
  }
}

TEST(RelationsTest, EachHasAnExample) {
  std::set<std::string_view> shown;
  for (const Example& example : Examples()) shown.insert(example.relation);
  for (const RelationRow& row : Relations()) {
    EXPECT_TRUE(shown.contains(row.info.name)) << row.info.name << " has no example";
    EXPECT_FALSE(row.info.because.empty()) << row.info.name;
    EXPECT_NE(row.info.promise, 0u) << row.info.name;
  }
  EXPECT_EQ(shown.size(), Relations().size());
}

// Shrinking and replaying rest on it.
TEST(RelationsTest, TheChangedTraceDependsOnTheTraceAlone) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    Trace trace, one, two = Parse("memory hbm capacity 9\nallocate a 8\n");
    GenerateTrace(choices, {}, trace);
    for (const RelationRow& row : Relations()) {
      const bool applies = row.relate(trace, one);
      ASSERT_EQ(row.relate(trace, two), applies) << row.info.name;
      if (applies) {
        ASSERT_EQ(one, two) << row.info.name;
      }
    }
  }
}

TEST(RelationsTest, OutcomesThatEndEarlyAreSurvived) {
  for (const Example& example : Examples()) {
    const RelationRow& row = RowOf(example.relation);
    const Trace trace = Parse(example.text);
    Trace related;
    ASSERT_TRUE(row.relate(trace, related));
    const TraceOutcome whole = Specified(trace), other = Specified(related);
    for (size_t rows = 0; rows < whole.rows.size(); ++rows) {
      TraceOutcome cut = whole;
      cut.rows.resize(rows);
      (void)Judged(row, trace, cut, related, other);
    }
    for (size_t rows = 0; rows < other.rows.size(); ++rows) {
      TraceOutcome cut = other;
      cut.rows.resize(rows);
      (void)Judged(row, trace, whole, related, cut);
    }
  }
}

}  // namespace
}  // namespace oomph::hbm
