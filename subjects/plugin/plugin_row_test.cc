// Plugins in a child: whatever the plugin does, the harness lives, the outcome says what happened in
// which step, and nothing is left behind.
// Not for: the mapping of steps onto calls (see driver_test.cc).
#include "subjects/plugin/plugin_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "models/hbm/family.h"
#include "models/hbm/outcome.h"
#include "models/hbm/text.h"
#include "subjects/child/sanitized.h"

namespace oomph {
namespace {

using hbm::Result;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Five allocations; the faults of the faulty plugin strike in the third.
CaseOf<hbm::Trace> FiveAllocations() {
  CaseOf<hbm::Trace> c;
  c.value.policy.capacity = 1 << 16;
  for (uint32_t i = 0; i < 5; ++i) {
    c.value.steps.push_back(
        {.kind = hbm::StepKind::kAllocate, .name = 4 - i, .size = 8, .alignment = 0});
  }
  return c;
}

std::unique_ptr<Subject> Start(const std::string& plugin, const std::string& variant,
                               const ChildLimits& limits = {}) {
  PluginSpec spec;
  spec.family = &HbmFamily();
  spec.name = plugin;
  spec.path = PluginPath(plugin);
  spec.variant = variant;
  absl::StatusOr<std::unique_ptr<Subject>> subject = StartPluginInChild(spec, limits);
  EXPECT_TRUE(subject.ok()) << subject.status();
  return subject.ok() ? *std::move(subject) : nullptr;
}

std::string ErrorOf(const std::string& path, const std::string& variant = "") {
  PluginSpec spec;
  spec.family = &HbmFamily();
  spec.path = path;
  spec.variant = variant;
  const absl::StatusOr<std::unique_ptr<Subject>> subject = StartPluginInChild(spec);
  return subject.ok() ? "started" : std::string(subject.status().message());
}

size_t OpenFiles() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

bool HasChildren() { return waitpid(-1, nullptr, WNOHANG) >= 0; }

// Runs the five allocations and expects the third to end as `result`; then a second time, in which
// the next child does the same.
hbm::TraceOutcome ExpectEndInThird(Subject& subject, Result result) {
  OutcomeOf<hbm::TraceOutcome> outcome;
  for (int round = 0; round < 2; ++round) {
    subject.Run(FiveAllocations(), outcome);
    EXPECT_EQ(outcome.value.rows.size(), 3u);
    if (outcome.value.rows.size() != 3) break;
    for (uint64_t i = 0; i < 2; ++i) {
      EXPECT_EQ(outcome.value.rows[i].result, Result::kOk) << i;
      EXPECT_EQ(outcome.value.rows[i].offset, 8 * i);
    }
    EXPECT_EQ(outcome.value.rows[2].result, result) << outcome.value.note;
  }
  return outcome.value;
}

TEST(PluginInChildTest, ASoundPluginServesManyCasesInOneChild) {
  const auto subject = Start("first_fit", "");
  ASSERT_NE(subject, nullptr);
  EXPECT_EQ(subject->info().version, "1");
  EXPECT_TRUE(subject->info().in_child);
  EXPECT_THAT(subject->info().promise_sources, ::testing::Contains(StartsWith("alignment: ")));
  EXPECT_NE(subject->info().promises, 0u);
  OutcomeOf<hbm::TraceOutcome> outcome;
  for (int i = 0; i < 100; ++i) subject->Run(FiveAllocations(), outcome);
  EXPECT_EQ(outcome.value.rows.size(), 5u);
  EXPECT_EQ(outcome.value.rows[4].offset, 32u);
  EXPECT_EQ(static_cast<ChildSubject&>(*subject).starts(), 1u);
}

TEST(PluginInChildTest, Crash) {
  const auto subject = Start("faulty", "crash=3");
  const hbm::TraceOutcome outcome = ExpectEndInThird(*subject, Result::kDied);
  if (!kSanitized) {
    EXPECT_THAT(outcome.note, StartsWith("signal 11 (SIGSEGV)"));
  }
}

TEST(PluginInChildTest, Exit) {
  const auto subject = Start("faulty", "exit=3");
  EXPECT_THAT(ExpectEndInThird(*subject, Result::kDied).note, StartsWith("exit 3"));
}

TEST(PluginInChildTest, Abort) {
  const auto subject = Start("faulty", "abort=3");
  EXPECT_THAT(ExpectEndInThird(*subject, Result::kDied).note, StartsWith("signal 6 (SIGABRT)"));
}

TEST(PluginInChildTest, WildWrite) {
  const auto subject = Start("faulty", "smash=3");
  ExpectEndInThird(*subject, Result::kDied);
}

TEST(PluginInChildTest, Hang) {
  ChildLimits limits;
  limits.case_time = std::chrono::milliseconds(300);
  const auto subject = Start("faulty", "hang=3", limits);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(ExpectEndInThird(*subject, Result::kTimedOut).note,
              StartsWith("no answer within 300 ms"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(PluginInChildTest, Noise) {
  const auto subject = Start("faulty", "noise=3");
  const std::string note = ExpectEndInThird(*subject, Result::kDied).note;
  EXPECT_THAT(note, HasSubstr("line 99999\n"));
  EXPECT_LT(note.size(), 17'000u);  // the last 16 KiB, and how it ended
}

TEST(PluginInChildTest, MemoryLimit) {
  if (kSanitized) GTEST_SKIP() << "sanitizers reserve too much to be limited";
  ChildLimits limits;
  limits.memory_bytes = 64 << 20;
  const auto subject = Start("faulty", "eat=3", limits);
  EXPECT_THAT(ExpectEndInThird(*subject, Result::kDied).note, HasSubstr("out of memory"));
}

TEST(PluginInChildTest, FuelAndDamage) {
  ExpectEndInThird(*Start("faulty", "fuel=3"), Result::kOutOfFuel);
  ExpectEndInThird(*Start("faulty", "nonsense=3"), Result::kCorrupt);
  ExpectEndInThird(*Start("faulty", "damage=3"), Result::kInconsistent);
}

TEST(PluginInChildTest, ADamagedInstanceGetsANewChild) {
  const auto subject = Start("faulty", "damage=3");
  ExpectEndInThird(*subject, Result::kInconsistent);
  EXPECT_EQ(static_cast<ChildSubject&>(*subject).starts(), 2u);
}

TEST(PluginInChildTest, OverlapIsToldAsItIs) {
  OutcomeOf<hbm::TraceOutcome> outcome;
  Start("faulty", "overlap=3")->Run(FiveAllocations(), outcome);
  ASSERT_EQ(outcome.value.rows.size(), 5u);
  EXPECT_EQ(outcome.value.rows[2].result, Result::kOk);
  EXPECT_EQ(outcome.value.rows[2].offset, 0u);
}

TEST(PluginInChildTest, CasesKeepTheNumbersOfTheirNames) {
  CaseOf<hbm::Trace> c;
  c.value.policy.capacity = 64;
  c.value.steps = {{.kind = hbm::StepKind::kAllocate, .name = 7, .size = 8},
                   {.kind = hbm::StepKind::kFreeLater, .name = 7, .fence = 1},
                   {.kind = hbm::StepKind::kFence, .fence = 1}};
  OutcomeOf<hbm::TraceOutcome> outcome;
  Start("bump", "")->Run(c, outcome);
  ASSERT_EQ(outcome.value.events.size(), 1u);
  EXPECT_EQ(outcome.value.events[0].name, 7u);
}

TEST(PluginInChildTest, NothingIsLeftAfterManyRestarts) {
  const size_t files = OpenFiles();
  {
    const auto subject = Start("faulty", "exit=3");
    OutcomeOf<hbm::TraceOutcome> outcome;
    subject->Run(FiveAllocations(), outcome);
    const size_t files_running = OpenFiles();
    for (int i = 0; i < 300; ++i) {
      subject->Run(FiveAllocations(), outcome);
      ASSERT_EQ(outcome.value.rows.size(), 3u);
    }
    EXPECT_EQ(OpenFiles(), files_running);
    EXPECT_EQ(static_cast<ChildSubject&>(*subject).starts(), 301u);
    EXPECT_FALSE(HasChildren());
  }
  EXPECT_EQ(OpenFiles(), files);
  EXPECT_FALSE(HasChildren());
}

TEST(PluginInChildTest, DiesAtLoad) {
  const std::string path = PluginPath("dies_at_load");
  const std::string error = ErrorOf(path);
  EXPECT_THAT(error, StartsWith(path + ": died when it was loaded: signal 6 (SIGABRT)"));
  EXPECT_THAT(error, HasSubstr("something is missing"));
  EXPECT_THAT(error, Not(HasSubstr("\n")));
}

TEST(PluginInChildTest, LoadErrorsComeBackAsTheyAre) {
  EXPECT_THAT(ErrorOf(PluginPath("wrong_abi")), HasSubstr("interface version 2"));
  EXPECT_THAT(ErrorOf("/no/such.so"), StartsWith("/no/such.so: No such file"));
  EXPECT_THAT(ErrorOf(PluginPath("first_fit"), "colour=red"), HasSubstr("colour=red"));
}

TEST(PluginRowTest, AsksThePluginForItsVariants) {
  PluginRowSpec spec;
  spec.family = &HbmFamily();
  spec.name = "faulty";
  spec.path = PluginPath("faulty");
  const SubjectRow row = PluginRow(spec);
  EXPECT_EQ(row.absent, "");
  EXPECT_EQ(row.title, "faulty 1");
  EXPECT_THAT(row.variants, ::testing::Contains("crash=3"));
  const absl::StatusOr<std::unique_ptr<Subject>> subject = row.make("none=1", false);
  ASSERT_TRUE(subject.ok()) << subject.status();
  EXPECT_FALSE((*subject)->info().in_child);
  EXPECT_EQ((*subject)->info().variant, "none=1");
}

TEST(PluginRowTest, SaysWhyItIsAbsent) {
  PluginRowSpec spec;
  spec.family = &HbmFamily();
  spec.path = "/no/such.so";
  spec.how_to_get = "ask for it";
  EXPECT_THAT(PluginRow(spec).absent, HasSubstr("ask for it"));
  spec.path = PluginPath("dies_at_load");
  EXPECT_THAT(PluginRow(spec).absent, HasSubstr("died when it was loaded"));
}

}  // namespace
}  // namespace oomph
