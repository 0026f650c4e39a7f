// Programs over JSON lines: the example serves many cases, a program that dies, hangs or talks nonsense costs
// one. Not for: what they do through the command (see tools/worked_examples_test.cc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "models/hbm/family.h"
#include "models/hbm/outcome.h"
#include "models/hbm/text.h"
#include "subjects/command/command_row.h"
#include "subjects/registry.h"

namespace oomph {
namespace {

using hbm::Result;
using ::testing::HasSubstr;

std::string Example(const std::string& argument) {
  return std::string("python3 '") + OOMPH_SOURCE_DIR + "/subjects/example/json_lines.py' " + argument;
}

CaseOf<hbm::Trace> TraceOf(const std::string& text) {
  CaseOf<hbm::Trace> c;
  EXPECT_TRUE(hbm::ParseTrace("test", text, c.value).ok()) << text;
  return c;
}

std::string Allocations(int count) {
  std::string text = "memory hbm capacity 4096\n";
  for (int i = 0; i < count; ++i) text += "allocate b" + std::to_string(i) + " 8\n";
  return text;
}

std::unique_ptr<Subject> Start(const std::string& command_line, const ChildLimits& limits = {}) {
  const SubjectRow row = CommandRow(HbmFamily(), command_line, limits);
  EXPECT_EQ(row.absent, "");
  if (!row.absent.empty()) return nullptr;
  auto subject = row.make("", true);
  EXPECT_TRUE(subject.ok()) << subject.status();
  return subject.ok() ? *std::move(subject) : nullptr;
}

hbm::TraceOutcome Play(Subject& subject, const std::string& trace) {
  OutcomeOf<hbm::TraceOutcome> outcome;
  subject.Run(TraceOf(trace), outcome);
  return outcome.value;
}

TEST(CommandTest, TheExampleServesManyCases) {
  const auto subject = Start(Example(""));
  ASSERT_NE(subject, nullptr);
  EXPECT_EQ(subject->info().name, "cmd:first_fit");
  EXPECT_EQ(subject->info().version, "1");
  EXPECT_THAT(subject->info().promise_sources, ::testing::Contains(HasSubstr("alignment: json_lines.py")));
  for (int i = 0; i < 3; ++i) {
    const hbm::TraceOutcome outcome = Play(*subject,
                                           "memory hbm capacity 64\nallocate a 10\nallocate b 8 align "
                                           "16\nfree a\nallocate c 100\nfence 1\nfree b\n");
    ASSERT_EQ(outcome.rows.size(), 6u) << outcome.note;
    EXPECT_EQ(outcome.rows[1].offset, 16u);
    EXPECT_EQ(outcome.rows[1].stats.num_live, 2u);
    EXPECT_EQ(outcome.rows[3].result, Result::kFailed);
    EXPECT_EQ(outcome.rows[4].result, Result::kUnsupported);
    EXPECT_EQ(outcome.rows[5].stats.num_live, 0u);
    EXPECT_EQ(outcome.stats_known, hbm::stat::kNumLive);
  }
  EXPECT_EQ(static_cast<ChildSubject&>(*subject).starts(), 1u);
}

TEST(CommandTest, ACrashCostsOneCaseAndItsLastWordsAreKept) {
  const auto subject = Start(Example("--crash"));
  ASSERT_NE(subject, nullptr);
  for (uint64_t round = 1; round <= 2; ++round) {
    const hbm::TraceOutcome outcome = Play(*subject, Allocations(9));
    ASSERT_EQ(outcome.rows.size(), 7u);
    EXPECT_EQ(outcome.rows[5].result, Result::kOk);
    EXPECT_EQ(outcome.rows[5].offset, 40u);
    EXPECT_EQ(outcome.rows[6].result, Result::kDied);
    EXPECT_THAT(outcome.note, HasSubstr("exit 1, after writing: as was asked for"));
    EXPECT_EQ(Play(*subject, Allocations(3)).rows.size(), 3u);
    EXPECT_EQ(static_cast<ChildSubject&>(*subject).starts(), round + 1);
  }
}

TEST(CommandTest, AHangCostsOneCase) {
  const auto subject = Start(Example("--hang"));
  ASSERT_NE(subject, nullptr);
  const hbm::TraceOutcome outcome = Play(*subject, Allocations(9));
  ASSERT_EQ(outcome.rows.size(), 7u);
  EXPECT_EQ(outcome.rows[6].result, Result::kTimedOut);
  EXPECT_EQ(Play(*subject, Allocations(3)).rows.back().result, Result::kOk);
}

// A program in the shell that says hello and then `answer`, whatever it is asked.
std::string Says(const std::string& answer) {
  return "while read line; do case $line in *hello*) echo '{\"ok\":1,\"name\":\"it\"}';; *reset*) echo "
         "'{\"ok\":1}';; "
         "*) " +
         answer + ";; esac; done";
}

TEST(CommandTest, WhatIsNoAnswerIsAFaultAndIsQuoted) {
  const struct {
    std::string says, why;
  } wrong[] = {
      {"echo 'oops'", "no object: oops"},
      {"echo '[1]'", "no object: [1]"},
      {"echo '{}'", "no \"ok\": {}"},
      {"echo '{\"ok\":1}'", "\"off\" is no number"},
      {"echo '{\"ok\":1,\"off\":-8,\"reserved\":8}'", "\"off\" is no number"},
      {"echo '{\"ok\":1,\"off\":1e300,\"reserved\":8}'", "\"off\" is no number"},
      {"echo '{\"ok\":0,\"error\":\"sulks\"}'", "no such error"},
      {"echo '{\"ok\":\"1\"}'", "\"ok\" is neither 0 nor 1"},
      {"head -c 100000 /dev/zero | tr '\\0' '['; echo", "nested too deep: [["},
      {"sleep 3 & kill -SEGV $$", "signal 11 (SIGSEGV)"},  // what it leaves behind holds its output open
      {"yes | tr -d '\\n'", "a line of more than 1 MiB"},
      {"kill -SEGV $$", "signal 11 (SIGSEGV)"},
      {"exit 0", "ended when it was asked {\"id\":1,\"op\":\"alloc\",\"size\":8}"},
  };
  for (const auto& [says, why] : wrong) {
    const auto subject = Start(Says(says));
    ASSERT_NE(subject, nullptr) << says;
    const hbm::TraceOutcome outcome = Play(*subject, Allocations(2));
    ASSERT_EQ(outcome.rows.size(), 1u) << says;
    EXPECT_EQ(outcome.rows[0].result, Result::kDied) << says;
    EXPECT_THAT(outcome.note, HasSubstr(why)) << says;
  }
}

TEST(CommandTest, ARefusalIsNoFault) {
  const auto subject = Start(Says("echo '{\"ok\":0,\"error\":\"invalid\"}'"));
  ASSERT_NE(subject, nullptr);
  EXPECT_EQ(Play(*subject, Allocations(2)).rows.back().result, Result::kInvalid);
}

std::string ErrorOf(const std::string& words) {
  const auto found = FindSubjects(HbmFamily(), words);
  return found.ok() ? "found" : std::string(found.status().message());
}

TEST(CommandTest, ACommandThatIsNoneIsRefusedInOneLine) {
  EXPECT_THAT(ErrorOf("cmd:/no/such/program"), HasSubstr("exit 127"));
  EXPECT_THAT(ErrorOf("cmd:true"), HasSubstr("died when it was loaded"));
  EXPECT_THAT(ErrorOf("cmd:echo nonsense; cat > /dev/null"), HasSubstr("no object: nonsense"));
  EXPECT_THAT(ErrorOf("cmd:echo '{\"ok\":1,\"name\":\"x\",\"can\":[\"fly\"]}'; cat > /dev/null"),
              HasSubstr("can \"fly\""));
  EXPECT_THAT(ErrorOf("cmd:echo '{\"ok\":1}'; cat > /dev/null"), HasSubstr("gives no \"name\""));
  EXPECT_THAT(ErrorOf("cmd:true\nallocate a 8"), HasSubstr("one line"));
  EXPECT_EQ(ErrorOf("cmd:" + Example("")), "found");
}

}  // namespace
}  // namespace oomph
