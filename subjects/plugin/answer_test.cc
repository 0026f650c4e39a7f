// What a plugin that takes whole cases may say, and what not. Not for: the plugins themselves.
#include "subjects/plugin/answer.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "models/hbm/text.h"
#include "subjects/plugin/driver.h"
#include "subjects/plugin/plugin_row.h"

namespace oomph::hbm {
namespace {

Trace Read(std::string_view text) {
  Trace trace;
  EXPECT_TRUE(ParseTrace("test", text, trace).ok());
  return trace;
}

TEST(AnswerTest, IsOneLineAStep) {
  const Trace trace = Read("allocate a 8\nfree a\nallocate b 99\nquery\n");
  TraceOutcome outcome;
  ASSERT_TRUE(ReadAnswer("ok 16 8\nok\nfailed\n", trace, outcome).ok());
  ASSERT_EQ(outcome.rows.size(), 3u);
  EXPECT_EQ(outcome.rows[0].offset, 16u);
  EXPECT_EQ(outcome.rows[0].reserved, 8u);
  EXPECT_EQ(outcome.rows[2].result, Result::kFailed);
}

TEST(AnswerTest, RubbishIsRefusedWithItsPlace) {
  const Trace trace = Read("allocate a 8\n");
  TraceOutcome outcome;
  EXPECT_EQ(ReadAnswer("ok 16\n", trace, outcome).message().find("answer:1:"), 0u);
  EXPECT_FALSE(ReadAnswer("perhaps\n", trace, outcome).ok());
  EXPECT_FALSE(ReadAnswer("died\n", trace, outcome).ok());
  EXPECT_FALSE(ReadAnswer("ok 0 8\nok\n", trace, outcome).ok());
  EXPECT_FALSE(ReadAnswer(std::string_view("\0\0\0", 3), trace, outcome).ok());
}

TEST(AnswerTest, APluginMayTakeWholeCases) {
  const auto plugin = Plugin::Load(PluginPath("whole_case"));
  ASSERT_TRUE(plugin.ok()) << plugin.status();
  Driver driver(*plugin, {});
  TraceOutcome outcome;
  driver.Run(Read("memory hbm capacity 64\nallocate a 48\nallocate b 32\nfree a\nallocate c 16\n"), outcome);
  ASSERT_EQ(outcome.rows.size(), 4u) << outcome.note;
  EXPECT_EQ(outcome.rows[0].result, Result::kOk);
  EXPECT_EQ(outcome.rows[1].result, Result::kFailed);
  EXPECT_EQ(outcome.rows[2].result, Result::kOk);
  EXPECT_EQ(outcome.rows[3].offset, 48u);
}

}  // namespace
}  // namespace oomph::hbm
