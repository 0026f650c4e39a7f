// The mallocs that this machine has: each variant runs in a child, keeps what it promises, and refuses what no
// machine has. Not for: finding faults in them (oomph fuzz does).
#include "subjects/malloc/malloc_rows.h"

#include <gtest/gtest.h>

#include <string>

#include "models/base/choices.h"
#include "models/hbm/family.h"
#include "models/hbm/outcome.h"
#include "models/hbm/promises.h"
#include "models/hbm/text.h"
#include "subjects/registry.h"

namespace oomph {
namespace {

using hbm::Trace;
using hbm::TraceOutcome;

class MallocRowsTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    row_ = FindSubjectRow(HbmFamily(), GetParam());
    ASSERT_NE(row_, nullptr);
    if (!row_->absent.empty()) GTEST_SKIP() << row_->absent;
  }
  const SubjectRow* row_ = nullptr;
};

TraceOutcome Play(Subject& subject, std::string_view text) {
  CaseOf<Trace> c;
  EXPECT_TRUE(hbm::ParseTrace("trace", text, c.value).ok());
  subject.Prepare(c);
  OutcomeOf<TraceOutcome> outcome;
  subject.Run(c, outcome);
  return outcome.value;
}

TEST_P(MallocRowsTest, EveryVariantServesAndTheImpossibleIsRefused) {
  for (const std::string& variant : row_->variants) {
    SCOPED_TRACE(variant);
    const auto subject = row_->make(variant, /*in_child=*/true);
    ASSERT_TRUE(subject.ok()) << subject.status();
    const TraceOutcome outcome = Play(**subject,
                                      "allocate a 100\nallocate b 5000 align 64\nreallocate a 300\nfree b\n"
                                      "allocate c 18446744073709551615\nallocate d 9223372036854775807 align 64\n"
                                      "reallocate a 18446744073709551600\nfree a\nallocate e 0\nfree e\n");
    ASSERT_EQ(outcome.rows.size(), 10u) << outcome.note;
    for (size_t i = 0; i < outcome.rows.size(); ++i) {
      const bool impossible = i >= 4 && i <= 6;
      EXPECT_EQ(outcome.rows[i].result, impossible ? hbm::Result::kFailed : hbm::Result::kOk) << i;
    }
  }
}

// Faults that corpus/trophies/ has.
bool IsKnownToMisalign(std::string_view subject, std::string_view variant) {
  return subject == "mimalloc" || (subject == "jemalloc" && variant == "calls=memalign");
}

TEST_P(MallocRowsTest, KeepsItsPromisesInASampleOfCases) {
  for (const std::string& variant : row_->variants) {
    const Bits64 forgiven = IsKnownToMisalign(GetParam(), variant) ? hbm::promise::kAlignment : 0;
    const auto subject = row_->make(variant, /*in_child=*/true);
    ASSERT_TRUE(subject.ok()) << subject.status();
    GenerateOptions options;
    options.features = (*subject)->info().features;
    CaseOf<Trace> c;
    OutcomeOf<TraceOutcome> outcome;
    for (uint64_t seed = 0; seed < 60; ++seed) {
      Choices choices = Choices::FromSeed(seed, true);
      HbmFamily().Generate(choices, options, c);
      (*subject)->Prepare(c);
      (*subject)->Run(c, outcome);
      Reasons reasons;
      HbmFamily().Judge(c, outcome, (*subject)->info().promises & ~forgiven, reasons);
      for (const Reason& reason : reasons.list()) ADD_FAILURE() << variant << " " << seed << ": " << reason.text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mallocs, MallocRowsTest, ::testing::Values("jemalloc", "mimalloc", "gperftools", "glibc"),
                         [](const auto& info) { return std::string(info.param); });

TEST(PrepareForMallocTest, IsIdempotentAndLeavesTheStepsAlone) {
  Trace trace;
  ASSERT_TRUE(hbm::ParseTrace("trace", "memory hbm capacity 64 granule 8 fit first\nallocate a 48\n", trace).ok());
  const auto steps = trace.steps;
  PrepareForMalloc(trace);
  const Trace once = trace;
  PrepareForMalloc(trace);
  EXPECT_EQ(trace, once);
  EXPECT_EQ(trace.steps, steps);
}

}  // namespace
}  // namespace oomph
