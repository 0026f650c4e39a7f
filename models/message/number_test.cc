// Tests of message sizes: the published pairs, printf as a second opinion, and that the interval read from a
// text is exactly the set of numbers that print so.

#include "models/message/number.h"

#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace oomph {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

PrintedBytes Parse(std::string_view text) {
  const absl::StatusOr<PrintedBytes> printed = ParseBytes(text);
  EXPECT_TRUE(printed.ok()) << printed.status();
  return printed.value_or(PrintedBytes{});
}

// The rule again, in floating point and printf.
std::string PrintfBytes(uint64_t bytes) {
  char text[32];
  if (bytes < 1024) {
    std::snprintf(text, sizeof text, "%dB", static_cast<int>(bytes));
    return text;
  }
  const char* unit = "KMGTPE";
  for (; bytes >= 1024 * 1024; bytes /= 1024) ++unit;
  const double quotient = static_cast<double>(bytes) / 1024.0;
  std::snprintf(text, sizeof text, *unit == 'K' ? "%.1f%c" : "%.2f%c", quotient, *unit);
  return text;
}

// The text of `bytes` reads back to an interval with it inside, whose ends print alike and whose outer
// neighbours do not.
void CheckInterval(uint64_t bytes) {
  const std::string text = FormatBytes(bytes);
  ASSERT_EQ(text, PrintfBytes(bytes)) << bytes;
  const PrintedBytes printed = Parse(text);
  ASSERT_TRUE(Contains(printed, bytes)) << bytes << " " << text;
  ASSERT_EQ(FormatBytes(printed.lowest), text) << bytes;
  ASSERT_EQ(FormatBytes(printed.highest), text) << bytes;
  if (printed.lowest > 0) {
    ASSERT_NE(FormatBytes(printed.lowest - 1), text) << bytes;
  }
  if (printed.highest < kMax) {
    ASSERT_NE(FormatBytes(printed.highest + 1), text) << bytes;
  }
}

void CheckSignedInterval(int64_t bytes) {
  const std::string text = FormatSignedBytes(bytes);
  const PrintedBytes printed = Parse(text);
  const uint64_t magnitude = bytes < 0 ? -static_cast<uint64_t>(bytes) : static_cast<uint64_t>(bytes);
  ASSERT_EQ(printed.negative, bytes < 0) << text;
  ASSERT_LE(printed.lowest, magnitude) << text;
  ASSERT_GE(printed.highest, magnitude) << text;
  if (!printed.negative) return;
  ASSERT_LE(printed.highest, uint64_t{1} << 63);
  ASSERT_EQ(FormatSignedBytes(static_cast<int64_t>(-printed.lowest)), text);
  ASSERT_EQ(FormatSignedBytes(static_cast<int64_t>(-printed.highest)), text);
}

// Samples of tsl/platform/numbers_test.cc, pytorch/xla issue 1735, openxla.org errors 0100 and 0101.
TEST(Number, PrintsThePublishedPairs) {
  EXPECT_EQ(FormatBytes(0), "0B");
  EXPECT_EQ(FormatBytes(1023), "1023B");
  EXPECT_EQ(FormatBytes(1024), "1.0K");
  EXPECT_EQ(FormatBytes(1025), "1.0K");
  EXPECT_EQ(FormatBytes(1500), "1.5K");
  EXPECT_EQ(FormatBytes(1927), "1.9K");
  EXPECT_EQ(FormatBytes(4096), "4.0K");
  EXPECT_EQ(FormatBytes(1048575), "1024.0K");
  EXPECT_EQ(FormatBytes(8388608), "8.00M");
  EXPECT_EQ(FormatBytes(12345678), "11.77M");
  EXPECT_EQ(FormatBytes(554696704), "529.00M");
  EXPECT_EQ(FormatBytes(1073741823), "1024.00M");
  EXPECT_EQ(FormatBytes(4237689856), "3.95G");
  EXPECT_EQ(FormatBytes(6532939776), "6.08G");
  EXPECT_EQ(FormatBytes(kMax), "16.00E");
  EXPECT_EQ(FormatSignedBytes(-2735391744), "-2.55G");
  EXPECT_EQ(FormatSignedBytes(-1), "-1B");
  EXPECT_EQ(FormatSignedBytes(0), "0B");
  EXPECT_EQ(FormatSignedBytes(std::numeric_limits<int64_t>::min()), "-8.00E");
}

TEST(Number, TiesGoToTheEvenDigit) {
  EXPECT_EQ(FormatBytes(1280), "1.2K");                  // 1.25
  EXPECT_EQ(FormatBytes(1792), "1.8K");                  // 1.75
  EXPECT_EQ(FormatBytes(1024 * (1024 + 128)), "1.12M");  // 1.125
  EXPECT_EQ(FormatBytes(1024 * (1024 + 384)), "1.38M");  // 1.375
}

TEST(Number, ReadsIntervals) {
  EXPECT_EQ(Parse("0B"), ExactlyBytes(0));
  EXPECT_EQ(Parse("1023B"), ExactlyBytes(1023));
  EXPECT_EQ(Parse("1.0K"), (PrintedBytes{1024, 1075, false}));
  EXPECT_EQ(Parse("8.00M"), (PrintedBytes{8187 * 1024, 8197 * 1024 + 1023, false}));
  EXPECT_EQ(Parse("8.00MiB"), Parse("8.00M"));
  EXPECT_EQ(Parse("16.00E").highest, kMax);
  EXPECT_EQ(Parse("-8.00E").highest, uint64_t{1} << 63);
  EXPECT_EQ(Parse("-1B"), (PrintedBytes{1, 1, true}));
}

TEST(Number, RefusesWhatIsNeverPrinted) {
  for (const std::string_view text :
       {"",         "B",      "-",      "K",         "iB",      "8",
        "8M",       "8.0M",   "8.000M", "8.00",      "8.00X",   "8.00m",
        "8.00 M",   " 8.00M", "+8.00M", "08.00M",    "0.00K",   "0.5K",
        "0.99M",    "1024B",  "0001B",  "-0B",       "1024.1K", "1025.0K",
        "9999.00G", "16.01E", "-8.01E", "99999.00M", "8.0aM",   "8.00Mi",
        "8.00MB",   "8.00iB", "1BiB",   "8.00MiBiB", "--8.00M", "184467440737095516169999999.00M"}) {
    EXPECT_FALSE(ParseBytes(text).ok()) << text;
  }
}

TEST(Number, IntervalsAreExactAtEveryUnitEdge) {
  for (uint64_t bytes = 0; bytes < 3 * 1024 * 1024; ++bytes) CheckInterval(bytes);
  for (unsigned bit = 20; bit < 64; ++bit) {
    const uint64_t edge = uint64_t{1} << bit;
    // At each bit the last few numbers before and after; and steps as wide as what the unit drops.
    const uint64_t step = uint64_t{1} << (bit / 10 * 10 - 10);
    for (uint64_t i = 0; i < 200; ++i) {
      CheckInterval(edge - 1 - i);
      CheckInterval(edge + i);
      CheckInterval(edge - 1 - i * step);
      CheckInterval(edge + i * step);
    }
  }
  for (uint64_t i = 0; i < 1000; ++i) CheckInterval(kMax - i);
}

TEST(Number, IntervalsAreExactForRandomNumbers) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000000; ++i) {
    const uint64_t bytes = random() >> (random() % 64);
    CheckInterval(bytes);
    CheckSignedInterval(static_cast<int64_t>(bytes));
    CheckSignedInterval(-static_cast<int64_t>(bytes >> 1));
  }
  CheckSignedInterval(std::numeric_limits<int64_t>::min());
  CheckSignedInterval(std::numeric_limits<int64_t>::max());
}

// Every text of the right shape is either refused or the text of its own interval's ends.
TEST(Number, EveryShapedTextIsRefusedOrPrinted) {
  for (const char unit : std::string_view("KMGTPE")) {
    const int steps = unit == 'K' ? 10 : 100;
    for (int quotient = 0; quotient < 1026 * steps; ++quotient) {
      char text[32];
      std::snprintf(text, sizeof text, unit == 'K' ? "%d.%01d%c" : "%d.%02d%c", quotient / steps,
                    quotient % steps, unit);
      const absl::StatusOr<PrintedBytes> printed = ParseBytes(text);
      if (!printed.ok()) {
        ASSERT_TRUE(quotient < steps || quotient > 1024 * steps || unit == 'E') << text;
        continue;
      }
      ASSERT_EQ(FormatBytes(printed->lowest), text);
      ASSERT_EQ(FormatBytes(printed->highest), text);
    }
  }
}

TEST(AmountOfBytes, HasTheSameDigitsWithAWholeUnit) {
  EXPECT_EQ(AmountOfBytes(0), "0 bytes");
  EXPECT_EQ(AmountOfBytes(1), "1 byte");
  EXPECT_EQ(AmountOfBytes(1023), "1023 bytes");
  EXPECT_EQ(AmountOfBytes(1024), "1.0 KiB");
  EXPECT_EQ(AmountOfBytes(8 << 20), "8.00 MiB");
  EXPECT_EQ(AmountOfBytes(kMax), "16.00 EiB");
}

}  // namespace
}  // namespace oomph
