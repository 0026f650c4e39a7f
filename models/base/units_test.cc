// Tests of the checked byte arithmetic, at the edges of 2^64 and against 128-bit arithmetic on random
// numbers. Not for the rounded sizes of messages.

#include "models/base/units.h"

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace oomph {
namespace {

using Wide = unsigned __int128;

// Numbers near every power of two, and near 2^64.
std::vector<uint64_t> EdgeNumbers() {
  std::vector<uint64_t> numbers;
  for (int bit = 0; bit < 64; ++bit) {
    const uint64_t power = uint64_t{1} << bit;
    for (const uint64_t n : {power - 1, power, power + 1, ~power, kMaxBytes - power + 1}) {
      numbers.push_back(n);
    }
  }
  return numbers;
}

std::optional<uint64_t> Narrow(Wide n) {
  if (n > Wide{kMaxBytes}) return std::nullopt;
  return static_cast<uint64_t>(n);
}

TEST(Units, ArithmeticAgreesWithWideArithmeticAtEdges) {
  const std::vector<uint64_t> numbers = EdgeNumbers();
  for (const uint64_t a : numbers) {
    for (const uint64_t b : numbers) {
      ASSERT_EQ(CheckedAdd(a, b), Narrow(Wide{a} + b)) << a << " " << b;
      ASSERT_EQ(CheckedMul(a, b), Narrow(Wide{a} * b)) << a << " " << b;
      ASSERT_EQ(CheckedSub(a, b), a < b ? std::nullopt : std::optional<uint64_t>(a - b));
      ASSERT_EQ(SaturatingAdd(a, b), Narrow(Wide{a} + b).value_or(kMaxBytes));
      ASSERT_EQ(SaturatingMul(a, b), Narrow(Wide{a} * b).value_or(kMaxBytes));
      ASSERT_EQ(SaturatingSub(a, b), a < b ? 0 : a - b);
      if (b == 0) continue;
      const Wide pieces = (Wide{a} + b - 1) / b;
      ASSERT_EQ(CeilDiv(a, b), static_cast<uint64_t>(pieces));
      ASSERT_EQ(CheckedRoundUp(a, b), Narrow(pieces * b)) << a << " " << b;
      ASSERT_EQ(RoundDown(a, b), a / b * b);
      ASSERT_EQ(IsMultipleOf(a, b), a / b * b == a);
      ASSERT_EQ(CheckedAlignUp(a, b), IsPowerOfTwo(b) ? Narrow(pieces * b) : std::nullopt);
    }
  }
}

TEST(Units, ZeroIsNoUnit) {
  EXPECT_EQ(CeilDiv(5, 0), 0u);
  EXPECT_EQ(CheckedRoundUp(5, 0), std::nullopt);
  EXPECT_EQ(CheckedAlignUp(5, 0), std::nullopt);
  EXPECT_EQ(RoundDown(5, 0), 0u);
  EXPECT_FALSE(IsMultipleOf(5, 0));
  EXPECT_TRUE(IsMultipleOf(0, 0));
}

TEST(Units, PowersOfTwo) {
  int powers = 0;
  for (uint64_t n = 0; n < 1025; ++n) powers += IsPowerOfTwo(n) ? 1 : 0;
  EXPECT_EQ(powers, 11);
  EXPECT_TRUE(IsPowerOfTwo(uint64_t{1} << 63));
  EXPECT_FALSE(IsPowerOfTwo(kMaxBytes));
}

TEST(Units, ScansDecimalHexAndSuffixes) {
  EXPECT_EQ(ScanNumber("48"), (ScannedNumber{48, 2, false}));
  EXPECT_EQ(ScanNumber("48 x"), (ScannedNumber{48, 2, false}));
  EXPECT_EQ(ScanNumber("0x1F,"), (ScannedNumber{31, 4, false}));
  EXPECT_EQ(ScanNumber("8MiB"), (ScannedNumber{8 * kMiB, 4, false}));
  EXPECT_EQ(ScanNumber("0x10KiB"), (ScannedNumber{16 * kKiB, 7, false}));
  EXPECT_EQ(ScanNumber("8M"), (ScannedNumber{8, 1, false}));
  EXPECT_EQ(ScanNumber("0x"), (ScannedNumber{0, 1, false}));
  EXPECT_EQ(ScanNumber("0xg"), (ScannedNumber{0, 1, false}));
  EXPECT_EQ(ScanNumber("18446744073709551615"), (ScannedNumber{kMaxBytes, 20, false}));
  EXPECT_EQ(ScanNumber("0xffffffffffffffff"), (ScannedNumber{kMaxBytes, 18, false}));
  EXPECT_EQ(ScanNumber("000000000000000000000000007"), (ScannedNumber{7, 27, false}));
}

TEST(Units, ScanRefusesWhatIsTooLargeOrNoNumber) {
  EXPECT_EQ(ScanNumber("18446744073709551616"), (ScannedNumber{0, 20, true}));
  EXPECT_EQ(ScanNumber("0x10000000000000000"), (ScannedNumber{0, 19, true}));
  EXPECT_EQ(ScanNumber("17179869184GiB"), (ScannedNumber{0, 14, true}));
  EXPECT_EQ(ScanNumber("17179869183GiB").value, kMaxBytes - kGiB + 1);
  for (const char* text : {"", "x", "-1", "+1", " 1", "KiB", ".5"}) {
    EXPECT_EQ(ScanNumber(text), ScannedNumber{}) << text;
  }
}

TEST(Units, ExactBytesReadBack) {
  EXPECT_EQ(ExactBytes(0), "0");
  EXPECT_EQ(ExactBytes(1000), "1000");
  EXPECT_EQ(ExactBytes(3072), "3KiB");
  EXPECT_EQ(ExactBytes(kGiB), "1GiB");
  std::vector<uint64_t> numbers = EdgeNumbers();
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) numbers.push_back(random() >> (random() % 64));
  for (const uint64_t n : numbers) {
    const std::string text = ExactBytes(n);
    ASSERT_EQ(ScanNumber(text), (ScannedNumber{n, text.size(), false})) << text;
  }
}

}  // namespace
}  // namespace oomph
