// Byte counts that cannot wrap unseen: checked, saturating and aligning arithmetic on uint64_t, and the
// exact text form of a size that case files use ("48", "0x30", "8MiB").
// Not for the rounded sizes of TPU messages ("8.00M"): those are intervals, see models/message/number.h.
//
// All sizes are bytes unless a name says words. A word is 4 bytes (openxla.org error 3000 counts in words).

#ifndef OOMPH_MODELS_BASE_UNITS_H_
#define OOMPH_MODELS_BASE_UNITS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace oomph {

inline constexpr uint64_t kKiB = uint64_t{1} << 10;
inline constexpr uint64_t kMiB = uint64_t{1} << 20;
inline constexpr uint64_t kGiB = uint64_t{1} << 30;
inline constexpr uint64_t kTiB = uint64_t{1} << 40;
inline constexpr uint64_t kWordBytes = 4;
inline constexpr uint64_t kMaxBytes = std::numeric_limits<uint64_t>::max();

// a + b, or nothing where the sum is 2^64 or more.
constexpr std::optional<uint64_t> CheckedAdd(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

// a - b, or nothing where b > a.
constexpr std::optional<uint64_t> CheckedSub(uint64_t a, uint64_t b) {
  if (b > a) return std::nullopt;
  return a - b;
}

// a * b, or nothing where the product is 2^64 or more.
constexpr std::optional<uint64_t> CheckedMul(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// a + b, at most 2^64 - 1. For sums that are only compared.
constexpr uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kMaxBytes : sum;
}

// a - b, at least 0.
constexpr uint64_t SaturatingSub(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

// a * b, at most 2^64 - 1.
constexpr uint64_t SaturatingMul(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMaxBytes : product;
}

// 1, 2, 4, ... 2^63. Zero is no power of two.
constexpr bool IsPowerOfTwo(uint64_t n) { return n != 0 && (n & (n - 1)) == 0; }

// How many pieces of `piece` bytes hold `n` bytes. A piece of 0 holds nothing: the answer is then 0.
constexpr uint64_t CeilDiv(uint64_t n, uint64_t piece) {
  if (piece == 0 || n == 0) return 0;
  return (n - 1) / piece + 1;
}

// The smallest multiple of `multiple` that is >= n. Nothing where that is 2^64 or more, or multiple is 0.
constexpr std::optional<uint64_t> CheckedRoundUp(uint64_t n, uint64_t multiple) {
  if (multiple == 0) return std::nullopt;
  const uint64_t rest = n % multiple;
  return rest == 0 ? std::optional<uint64_t>(n) : CheckedAdd(n, multiple - rest);
}

// As CheckedRoundUp, for an alignment: nothing unless `alignment` is a power of two.
constexpr std::optional<uint64_t> CheckedAlignUp(uint64_t n, uint64_t alignment) {
  if (!IsPowerOfTwo(alignment)) return std::nullopt;
  const std::optional<uint64_t> sum = CheckedAdd(n, alignment - 1);
  if (!sum.has_value()) return std::nullopt;
  return *sum & ~(alignment - 1);
}

// The largest multiple of `multiple` that is <= n. A multiple of 0 gives 0.
constexpr uint64_t RoundDown(uint64_t n, uint64_t multiple) { return multiple == 0 ? 0 : n - n % multiple; }

// Whether n is a multiple of `multiple`. Of 0 only 0 is one.
constexpr bool IsMultipleOf(uint64_t n, uint64_t multiple) {
  return multiple == 0 ? n == 0 : n % multiple == 0;
}

// A number found at the start of a text. `length` is how many characters it takes, 0 where there is none.
// `too_large` says that its value is 2^64 or more; `value` is then 0.
struct ScannedNumber {
  uint64_t value = 0;
  size_t length = 0;
  bool too_large = false;

  bool operator==(const ScannedNumber&) const = default;
};

// Reads the longest number at the start of `text`: decimal or 0x hex, then at most one of KiB, MiB, GiB,
// TiB (powers of 1024). What follows is the caller's to judge.
ScannedNumber ScanNumber(std::string_view text);

// The shortest exact form with the largest suffix that divides: 0 -> "0", 1000 -> "1000", 3072 -> "3KiB".
// ScanNumber gives the same number back.
std::string ExactBytes(uint64_t bytes);

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_UNITS_H_
