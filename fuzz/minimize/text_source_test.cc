// Tests of texts as cases.
#include "fuzz/minimize/text_source.h"

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/minimize/minimize.h"
#include "gtest/gtest.h"

namespace oomph {
namespace {

const TextFamily family(".c");

CaseOf<TextLines> Parsed(const std::string& text) {
  CaseOf<TextLines> c;
  EXPECT_TRUE(family.Parse("t", text, c).ok());
  EXPECT_EQ(family.Print(c), text);
  return c;
}

TEST(TextFamily, KeepsEveryByte) {
  EXPECT_EQ(family.Size(Parsed("")), 0u);
  EXPECT_EQ(family.Size(Parsed("\n")), 1u);
  EXPECT_EQ(family.Size(Parsed("a\r\n\n\xff")), 3u);
}

TEST(TextFamily, BlocksComeWholeAndTheLongestFirst) {
  const auto c = Parsed("a {\nb {\nc\n}\n}\nd {}\n}\ne {\n");
  const auto blocks = family.EditsOf(0, c);
  ASSERT_EQ(blocks->most().size(), 2u);
  CaseOf<TextLines> into;
  ASSERT_TRUE(blocks->Apply(std::vector<uint64_t>{1, 0}, into));
  EXPECT_EQ(family.Print(into), "d {}\n}\ne {\n");
  ASSERT_TRUE(blocks->Apply(std::vector<uint64_t>{0, 1}, into));
  EXPECT_EQ(family.Print(into), "a {\n}\nd {}\n}\ne {\n");
  ASSERT_TRUE(blocks->Apply(std::vector<uint64_t>{1, 1}, into));
  EXPECT_EQ(family.Print(into), "d {}\n}\ne {\n");
  EXPECT_FALSE(blocks->Apply(std::vector<uint64_t>{0, 0}, into));
}

// Valid is what has its braces closed; no line of a block can go alone but those inside.
TEST(TextFamily, IsReducedAsAnyOther) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "f" + std::to_string(i) + " {\n  x\n  y" + std::to_string(i) + "\n}\n";
  const auto c = Parsed(text);
  FunctionTest test([](const Case& each) {
    const std::string printed = family.Print(each);
    const auto count = [&](char brace) { return std::count(printed.begin(), printed.end(), brace); };
    return count('{') == count('}') && printed.find("y17\n") != printed.npos;
  });
  MinimizeOptions options;
  options.seconds = 1e9;
  const Minimized result = Minimize(family, c, "", test, options);
  EXPECT_TRUE(result.finished);
  EXPECT_LE(family.Size(*result.smallest), 3u) << family.Print(*result.smallest);
}

}  // namespace
}  // namespace oomph
