// Notes in one line, and the hash that must never change.
#include "models/base/words.h"

#include "gtest/gtest.h"

namespace oomph {
namespace {

TEST(OneLine, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(OneLine("plain"), "plain");
  EXPECT_EQ(OneLine("two\nlines\x1b[2J"), "two\\x0alines\\x1b[2J");
}

TEST(OneLine, IsBounded) {
  EXPECT_EQ(OneLine(std::string(300, 'x')), std::string(300, 'x'));
  EXPECT_EQ(OneLine(std::string(301, 'x')), std::string(300, 'x') + "...");
}

// The published values of FNV-1a with 64 bits.
TEST(StableHash, IsTheSameOnEveryMachine) {
  EXPECT_EQ(StableHash(""), 0xcbf29ce484222325u);
  EXPECT_EQ(StableHash("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(StableHash("foobar"), 0x85944171f73967e8u);
}

}  // namespace
}  // namespace oomph
