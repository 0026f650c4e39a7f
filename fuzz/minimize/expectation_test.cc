// Tests of what is taken from an output as the identity of a fault, and of what is not.
#include "fuzz/minimize/expectation.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace oomph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CommandRan Ran(int status, const std::string& output) {
  CommandRan ran;
  ran.status = status;
  ran.output = output;
  return ran;
}

TEST(Identity, OfAMessageThatNamesItsOperation) {
  EXPECT_THAT(IdentityOf("E1001: Scoped: Ran out of memory in memory space vmem while allocating on stack for %mine.7 = "
                         "bf16[8,4]{1,0:T(8,128)(2,1)} custom-call(%a, %b), custom_call_target=\"tpu_custom_call\", x=1\n"),
              ElementsAre("code E1001", "memory vmem", "operation custom-call", "target tpu_custom_call"));
  EXPECT_THAT(IdentityOf("x\nRan out of memory in memory space vmem while allocating on stack for\n"
                         "%mine = (f32[8]{0}, (s32[], f32[2])) fusion(%a), kind=kLoop"),
              ElementsAre("memory vmem", "operation fusion"));
  EXPECT_THAT(IdentityOf("'E1001: Ran out of memory for\\n%m = f32[] custom-call(), custom_call_target=\\\"t\\\"'"),
              ElementsAre("code E1001", "operation custom-call", "target t"));
  EXPECT_THAT(IdentityOf("E3000 no room: %a.b = s8[4] dynamic-slice(s8[9] %x)"),
              ElementsAre("code E3000", "operation dynamic-slice"));
}

TEST(Identity, HasNoNamesAndNumbers) {
  const auto a = IdentityOf("E1001: Ran out of memory in memory space vmem for %k.1 = f32[9] dot(%a), 12.5M over 3.1M\n");
  const auto b = IdentityOf("E1001: Ran out of memory in memory space vmem for %z = f32[9,7] dot(%q), 1.5G over 30.1M\n");
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.size(), 3u);
}

TEST(Identity, IsNotOfListsOrOfTheCaseItself) {
  EXPECT_THAT(IdentityOf("E1000: Oom: Ran out of memory on HBM, the total (20.00G) exceeds 15.75G. HLO module: m.\n"
                         "  1. Size: 9.00G\n     XLA label: %fusion.38 = f32[2] fusion(%x)\n"
                         "ENTRY %e { %p = f32[] parameter(0), custom_call_target=\"t\" }"),
              ElementsAre("code E1000", "memory hbm"));
  EXPECT_THAT(IdentityOf("%p = f32[] parameter(0)\n"), IsEmpty());
}

TEST(Identity, TellsCodesFromPrefixesOfLogs) {
  EXPECT_THAT(IdentityOf("E0530 12:01:02.123 77 a.cc:1] failed\n"), IsEmpty());
  EXPECT_THAT(IdentityOf("E0530 12:01:02.123 77 a.cc:1] E1000: no\n"), ElementsAre("code E1000"));
  EXPECT_THAT(IdentityOf("CODE1234: E12: E123456: xE1001: E1001"), IsEmpty());
  EXPECT_THAT(IdentityOf("1E1001: 0xE1001: "), IsEmpty());
}

TEST(Identity, OfARuntimeMessageWithoutItsCode) {
  EXPECT_THAT(IdentityOf("Error allocating device buffer: Attempting to allocate 8.00M. That was not possible. There are "
                         "6.43M free.; (0x0x0_HBM0)"),
              ElementsAre("code E0100"));
}

TEST(Identity, OfAnOomphSignature) {
  EXPECT_THAT(IdentityOf("a.trace: bfc: finding\nhbm/no_live_overlap/bfc/allocate: [0, 256) was given\n  next\n"),
              ElementsAre("signature hbm/no_live_overlap/bfc/allocate"));
  EXPECT_THAT(IdentityOf("src/a/b/c.cc: error\nhbm/a/b: no\n hbm/a/b/c: no\nhbm/a b/c/d: no\n"), IsEmpty());
}

TEST(Identity, TakesAnything) {
  std::string text = "E1001:";
  for (int i = 0; i < 20000; ++i) text += "for %a = (";
  EXPECT_THAT(IdentityOf(text), ElementsAre("code E1001"));
  EXPECT_THAT(IdentityOf("E100"), IsEmpty());
  EXPECT_THAT(IdentityOf("Ran out of memory for %"), IsEmpty());
  EXPECT_THAT(IdentityOf("Ran out of memory for %a = f32[])))) x("), IsEmpty());
  EXPECT_THAT(IdentityOf("E1001: custom_call_target="), ElementsAre("code E1001"));
}

TEST(Expectation, IsWhatTheFirstRunDid) {
  const auto made = Expectation::Of(Ran(77, "hbm/a/b/c: text 1\n"), "");
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->Words(), "exit status 77, signature hbm/a/b/c");
  const auto again = Expectation::FromText(made->Text());
  ASSERT_TRUE(again.ok());
  for (const Expectation& each : {*made, *again}) {
    EXPECT_TRUE(each.Meets(Ran(77, "other words\nhbm/a/b/c: text 2\n")));
    EXPECT_FALSE(each.Meets(Ran(0, "hbm/a/b/c: text 1\n")));
    EXPECT_FALSE(each.Meets(Ran(77, "hbm/a/b/d: text 1\n")));
    EXPECT_FALSE(each.Meets(Ran(77, "")));
    EXPECT_FALSE(each.Meets(Ran(101, "hbm/a/b/c: text 1\n")));
  }
  CommandRan late = Ran(77, "hbm/a/b/c: text\n");
  late.timed_out = true;
  EXPECT_FALSE(made->Meets(late));
}

TEST(Expectation, MayBeASignal) {
  const auto made = Expectation::Of(Ran(139, ""), "");
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->Words(), "signal 11 (SIGSEGV)");
  EXPECT_TRUE(made->Meets(Ran(139, "")));
  EXPECT_FALSE(made->Meets(Ran(134, "")));
}

TEST(Expectation, MayBeAWordOrAPattern) {
  for (const std::string pattern : {"f(x", "E10[0-9]*:", "^E10", "x\\)$", "f\\(x"}) {
    const auto made = Expectation::Of(Ran(3, "one\nE10: f(x)\ntwo"), pattern);
    ASSERT_TRUE(made.ok()) << pattern << made.status();
    const auto again = Expectation::FromText(made->Text());
    ASSERT_TRUE(again.ok());
    EXPECT_TRUE(again->Meets(Ran(9, "E10: f(x)"))) << "the exit status is free, " << pattern;
    EXPECT_FALSE(again->Meets(Ran(3, "nothing"))) << pattern;
    EXPECT_FALSE(again->Meets(Ran(101, "E10: f(x)"))) << pattern;
  }
}

TEST(Expectation, AWordDoesNotLetTheOperationGo) {
  const auto message = [](const std::string& target) {
    return "E1001: Ran out of memory for %a = f32[] custom-call(), custom_call_target=\"" + target + "\"\n";
  };
  const auto made = Expectation::Of(Ran(1, message("backward")), "E1001");
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->Words(), "output with E1001, code E1001, operation custom-call, target backward");
  EXPECT_TRUE(made->Meets(Ran(2, message("backward"))));
  EXPECT_FALSE(made->Meets(Ran(1, message("forward"))));
}

TEST(Expectation, RefusesAFirstRunWithoutInterest) {
  const auto says = [](const CommandRan& ran, const std::string& pattern) {
    return std::string(Expectation::Of(ran, pattern).status().message());
  };
  EXPECT_THAT(says(Ran(101, ""), ""), HasSubstr("another reason"));
  EXPECT_THAT(says(Ran(127, "sh: 1: foo: not found\n"), ""), HasSubstr("cannot be run: exit status 127; it says: sh: 1: foo"));
  EXPECT_THAT(says(Ran(2, "can't open file 'test.py'\n"), ""),
              HasSubstr("exit status 2; it says: can't open file 'test.py'\n  that is a broken test, or"));
  EXPECT_TRUE(Expectation::Of(Ran(2, "E1001: no\n"), "").ok());
  EXPECT_THAT(says(Ran(1, "no\n"), "E1001"), HasSubstr("no E1001 in it (--expect): exit status 1; it says: no"));
  EXPECT_THAT(says(Ran(1, "no\n"), "a(b"), HasSubstr("no regular expression"));
  CommandRan late = Ran(137, "");
  late.timed_out = true;
  EXPECT_THAT(says(late, ""), HasSubstr("--timeout"));
  for (const char* text : {"", "{}", "[]", "{\"status\":\"x\"}", "{\"status\":0,\"identity\":[1]}"}) {
    EXPECT_FALSE(Expectation::FromText(text).ok()) << text;
  }
}

// Neither time nor stack runs away.
TEST(Expectation, SearchesLongOutputs) {
  const auto made = Expectation::Of(Ran(0, "aab"), "(a*)*b");
  ASSERT_TRUE(made.ok());
  EXPECT_FALSE(made->Meets(Ran(0, std::string(size_t{1} << 20, 'a'))));
}

}  // namespace
}  // namespace oomph
