// Tests of the line scanner: tokens, places in errors, directives, and texts that nobody should feed it.

#include "models/base/scanner.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace oomph {
namespace {

std::string ErrorOf(const Scanner& scanner) {
  const absl::string_view message = scanner.status().message();
  return std::string(message.data(), message.size());
}

// Reads one line with `read` and gives the error.
template <typename Read>
std::string ErrorAfter(std::string_view text, Read read) {
  Scanner scanner("f", text);
  if (scanner.NextLine()) read(scanner);
  EXPECT_EQ(scanner.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return ErrorOf(scanner);
}

TEST(Scanner, ReadsTheStatementsOfATrace) {
  Scanner scanner("a.trace",
                  "# Freed later.\n"
                  "memory hbm capacity 64KiB granule 0x8\n"
                  "\n"
                  "  free a-1.b after fence 1  # and a comment\r\n");
  ASSERT_TRUE(scanner.NextLine());
  EXPECT_EQ(scanner.line(), 2u);
  EXPECT_TRUE(scanner.Keyword("memory"));
  EXPECT_EQ(scanner.Name(), "hbm");
  EXPECT_FALSE(scanner.TryKeyword("granule"));
  EXPECT_TRUE(scanner.TryKeyword("capacity"));
  EXPECT_EQ(scanner.Number(), 65536u);
  EXPECT_EQ(scanner.Word(), "granule");
  EXPECT_FALSE(scanner.AtEndOfLine());
  EXPECT_EQ(scanner.Number(), 8u);
  EXPECT_TRUE(scanner.AtEndOfLine());
  ASSERT_TRUE(scanner.NextLine());
  EXPECT_EQ(scanner.line(), 4u);
  constexpr std::array<std::string_view, 2> kSteps = {"allocate", "free"};
  EXPECT_EQ(scanner.OneOf(kSteps), 1u);
  EXPECT_EQ(scanner.Name(), "a-1.b");
  EXPECT_EQ(scanner.RestOfLine(), "after fence 1");
  scanner.ExpectEndOfLine();
  EXPECT_FALSE(scanner.NextLine());
  EXPECT_TRUE(scanner.ok()) << scanner.status();
}

TEST(Scanner, ReadsCommaSeparatedRows) {
  Scanner scanner("a.csv", "b1,0,3,8\n");
  ASSERT_TRUE(scanner.NextLine());
  EXPECT_EQ(scanner.Name(), "b1");
  for (const uint64_t expected : {0, 3, 8}) {
    EXPECT_TRUE(scanner.Symbol(","));
    EXPECT_EQ(scanner.Number(), expected);
  }
  scanner.ExpectEndOfLine();
  EXPECT_TRUE(scanner.ok()) << scanner.status();
}

TEST(Scanner, ErrorsSayWhereWhatAndWhatInstead) {
  EXPECT_EQ(ErrorAfter("\n free 12x", [](Scanner& s) { s.Word(), s.Number(); }),
            "f:2:7: expected a number, found '12x'");
  EXPECT_EQ(ErrorAfter("a  # b", [](Scanner& s) { s.Word(), s.Number(); }),
            "f:1:4: expected a number, found the end of the line");
  EXPECT_EQ(ErrorAfter("99999999999999999999", [](Scanner& s) { s.Number(); }),
            "f:1:1: expected a number below 2^64, found '99999999999999999999'");
  EXPECT_EQ(ErrorAfter("8M", [](Scanner& s) { s.Number(); }), "f:1:1: expected a number, found '8M'");
  EXPECT_EQ(ErrorAfter("-1", [](Scanner& s) { s.Number(); }), "f:1:1: expected a number, found '-1'");
  EXPECT_EQ(ErrorAfter("7up", [](Scanner& s) { s.Name(); }), "f:1:1: expected a name, found '7up'");
  EXPECT_EQ(ErrorAfter("freeze", [](Scanner& s) { s.Keyword("free"); }),
            "f:1:1: expected 'free', found 'freeze'");
  EXPECT_EQ(ErrorAfter("a;b", [](Scanner& s) { s.Name(), s.Symbol(","); }),
            "f:1:2: expected ',', found ';b'");
  EXPECT_EQ(ErrorAfter("a b", [](Scanner& s) { s.Name(), s.ExpectEndOfLine(); }),
            "f:1:3: expected the end of the line, found 'b'");
  EXPECT_EQ(ErrorAfter("align 24", [](Scanner& s) { s.Word(), s.Number(), s.Refuse("a power of two"); }),
            "f:1:7: expected a power of two, found '24'");
  EXPECT_EQ(ErrorAfter("x",
                       [](Scanner& s) {
                         constexpr std::array<std::string_view, 2> kSteps = {"allocate", "free"};
                         s.OneOf(kSteps);
                       }),
            "f:1:1: expected one of allocate, free, found 'x'");
}

TEST(Scanner, FirstErrorStaysAndEndsTheText) {
  Scanner scanner("f", "a\nb 1\n");
  ASSERT_TRUE(scanner.NextLine());
  EXPECT_EQ(scanner.Number(), 0u);
  EXPECT_EQ(scanner.Name(), "");
  EXPECT_EQ(scanner.Word(), "");
  EXPECT_FALSE(scanner.TryKeyword("a"));
  scanner.Refuse("something else");
  EXPECT_FALSE(scanner.NextLine());
  EXPECT_EQ(ErrorOf(scanner), "f:1:1: expected a number, found 'a'");
}

TEST(Scanner, FoundIsShortAndPrintable) {
  EXPECT_EQ(ErrorAfter("\x1b[31m\xff", [](Scanner& s) { s.Number(); }),
            "f:1:1: expected a number, found '\\x1b[31m\\xff'");
  EXPECT_EQ(ErrorAfter(std::string(1000, 'a'), [](Scanner& s) { s.Number(); }),
            "f:1:1: expected a number, found '" + std::string(40, 'a') + "...'");
}

TEST(Scanner, CommentsBeginOnlyAfterABlank) {
  Scanner scanner("f", "a#b #c\n#d\n");
  ASSERT_TRUE(scanner.NextLine());
  EXPECT_EQ(scanner.Word(), "a#b");
  EXPECT_TRUE(scanner.AtEndOfLine());
  EXPECT_FALSE(scanner.NextLine());
}

TEST(Scanner, CollectsDirectives) {
  constexpr std::string_view kText =
      "# oomph subject bfc growth=on \n"
      "#oomph expect hbm/no_live_overlap/bfc/step\n"
      "a # oomph not a comment line\n"
      "# oomphs none\n"
      "# oomph\n"
      "  # oomph slow\n";
  const std::vector<Directive> expected = {
      {"subject", "bfc growth=on", 1}, {"expect", "hbm/no_live_overlap/bfc/step", 2}, {"slow", "", 6}};
  EXPECT_EQ(FindDirectives(kText), expected);
  const std::vector<Directive> in_hlo = {{"capacity", "4096", 1}};
  EXPECT_EQ(FindDirectives("// oomph capacity 4096\n# oomph no 1\n", {.comment = "//"}), in_hlo);
}

TEST(Scanner, RefusesBinaryAndTooMuch) {
  EXPECT_EQ(ErrorAfter(std::string_view("ab\nc\0d\n", 7), [](Scanner& s) { s.NextLine(); }),
            "f:2:2: expected text, found a NUL byte");
  Scanner long_text("f", "123456", {.max_bytes = 5});
  EXPECT_FALSE(long_text.NextLine());
  EXPECT_EQ(ErrorOf(long_text), "f:1:1: expected at most 5 bytes, found 6");
  Scanner long_line("f", "1\n123456\n", {.max_line_bytes = 5});
  EXPECT_TRUE(long_line.NextLine());
  EXPECT_FALSE(long_line.NextLine());
  EXPECT_EQ(ErrorOf(long_line), "f:2:1: expected a line of at most 5 bytes, found 6");
}

TEST(Scanner, EmptyTextsAndMissingEndsAreFine) {
  for (const std::string_view text : {"", "\n", "\r\n", " \t", "# x", "\xef\xbb\xbf"}) {
    Scanner scanner("f", text);
    EXPECT_FALSE(scanner.NextLine());
    EXPECT_TRUE(scanner.ok());
  }
  Scanner scanner("f", "\xef\xbb\xbflast");
  ASSERT_TRUE(scanner.NextLine());
  EXPECT_EQ(scanner.Word(), "last");
  EXPECT_EQ(scanner.RestOfLine(), "");
}

// Whatever the bytes and whatever is asked for: it ends, and an error is one line with its place.
TEST(Scanner, SurvivesRandomBytes) {
  static constexpr char kCharacters[] = "ab_0x9KiB#/ \t\r\n,.-\0\xff oomph";
  constexpr std::string_view kAlphabet(kCharacters, sizeof kCharacters - 1);
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string text(random() % 60, ' ');
    for (char& c : text) c = kAlphabet[random() % kAlphabet.size()];
    Scanner scanner("f", text);
    while (scanner.NextLine()) {
      for (int token = 0; token < 3; ++token) {
        switch (random() % 7) {
          case 0:
            scanner.Word();
            break;
          case 1:
            scanner.Name();
            break;
          case 2:
            scanner.Number();
            break;
          case 3:
            scanner.TrySymbol(",");
            break;
          case 4:
            scanner.TryKeyword("a");
            break;
          case 5:
            scanner.RestOfLine();
            break;
          case 6:
            scanner.ExpectEndOfLine();
            break;
        }
      }
    }
    if (scanner.ok()) continue;
    ASSERT_TRUE(ErrorOf(scanner).starts_with("f:")) << ErrorOf(scanner);
    ASSERT_EQ(ErrorOf(scanner).find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace oomph
