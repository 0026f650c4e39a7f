// The line of a standard error that tells why a process died.
#include "subjects/child/last_words.h"

#include "gtest/gtest.h"

namespace oomph {
namespace {

TEST(LastWords, AreTheLastLine) {
  EXPECT_EQ(LastWords(""), "");
  EXPECT_EQ(LastWords("one\ntwo\n\n"), "two");
  EXPECT_EQ(LastWords("  no end \r\n \t\n"), "no end");
}

TEST(LastWords, AreNoNotesOfALog) {
  EXPECT_EQ(LastWords("out of luck\nWARNING: All log messages before absl::InitializeLog() are\nI0000 00:00:17 port.cc:153] on\n"),
            "out of luck");
  EXPECT_EQ(LastWords("W1130 10:00:00.1 12 x.cc:3] late\n"), "");
  EXPECT_EQ(LastWords("In 1984 it was\n"), "In 1984 it was");
}

TEST(LastWords, AreThoseOfTheCheckWhateverComesAfterIt) {
  EXPECT_EQ(LastWords("F0000 00:00:17 a.cc:7] Check failed: x > 0\n*** Check failure stack trace: ***\n    @ 0xcce (unknown)\n"),
            "F0000 00:00:17 a.cc:7] Check failed: x > 0");
  EXPECT_EQ(LastWords("F0000 00:00:17 shape.h:803] no tuple\n    @ 0xcce (unknown)\n"), "F0000 00:00:17 shape.h:803] no tuple");
  EXPECT_EQ(LastWords("a.c:7: f: Assertion `x' failed.\nbye\n"), "a.c:7: f: Assertion `x' failed.");
}

}  // namespace
}  // namespace oomph
