// Sizes in messages, in integers only: no locale, no floating point. Not for exact sizes.

#include "models/message/number.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace oomph {
namespace {

constexpr uint64_t kUnit = 1024;
constexpr std::string_view kUnitLetters = "KMGTPE";
constexpr uint64_t kMaxMagnitude = ~uint64_t{0};
constexpr uint64_t kMaxNegativeMagnitude = uint64_t{1} << 63;

// One letter's last division is of a number in [1024, 2^20).
constexpr uint64_t kLowestNumerator = kUnit;
constexpr uint64_t kHighestNumerator = kUnit * kUnit - 1;

constexpr int Decimals(size_t unit) { return unit == 0 ? 1 : 2; }
constexpr uint64_t Scale(size_t unit) { return unit == 0 ? 10 : 100; }

// numerator / 1024 in steps of 1 / scale, rounded to nearest, ties to even: what printf does, as the quotient
// is exact in a double.
constexpr uint64_t RoundedQuotient(uint64_t numerator, uint64_t scale) {
  const uint64_t scaled = numerator * scale;
  const uint64_t quotient = scaled / kUnit;
  const uint64_t rest = scaled % kUnit;
  const bool up = rest * 2 > kUnit || (rest * 2 == kUnit && quotient % 2 == 1);
  return up ? quotient + 1 : quotient;
}

struct Numerators {
  uint64_t lowest;
  uint64_t highest;
};

// The numerators that RoundedQuotient takes to `quotient`: those less than half a step away, and those
// exactly half a step away if `quotient` is even.
constexpr Numerators NumeratorsOf(uint64_t quotient, uint64_t scale) {
  const uint64_t below = (2 * quotient - 1) * kUnit;
  const uint64_t above = (2 * quotient + 1) * kUnit;
  const uint64_t odd = quotient % 2;
  const uint64_t step = 2 * scale;
  return {.lowest = (below + odd + step - 1) / step, .highest = (above - odd) / step};
}

std::string FormatMagnitude(uint64_t magnitude) {
  if (magnitude < kUnit) return absl::StrCat(magnitude, "B");
  size_t unit = 0;
  for (; magnitude > kHighestNumerator; magnitude /= kUnit) ++unit;
  const uint64_t scale = Scale(unit);
  const uint64_t quotient = RoundedQuotient(magnitude, scale);
  std::string fraction = absl::StrCat(quotient % scale);
  fraction.insert(0, Decimals(unit) - fraction.size(), '0');
  return absl::StrCat(quotient / scale, ".", fraction, std::string(1, kUnitLetters[unit]));
}

// Up to four digits without a needless leading zero, from the front of `text`.
std::optional<uint64_t> TakeInteger(std::string_view& text) {
  constexpr size_t kMaxDigits = 4;
  const size_t length = std::min(text.find_first_not_of("0123456789"), text.size());
  if (length == 0 || length > kMaxDigits || (length > 1 && text[0] == '0')) return std::nullopt;
  uint64_t value = 0;
  for (const char digit : text.substr(0, length)) value = value * 10 + static_cast<uint64_t>(digit - '0');
  text.remove_prefix(length);
  return value;
}

// Exactly `decimals` digits after a point.
std::optional<uint64_t> TakeFraction(std::string_view& text, size_t decimals) {
  if (text.size() < decimals + 1 || text[0] != '.') return std::nullopt;
  uint64_t value = 0;
  for (const char digit : text.substr(1, decimals)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = value * 10 + static_cast<uint64_t>(digit - '0');
  }
  text.remove_prefix(decimals + 1);
  return value;
}

// The counts of "12.34U" where U is the unit's letter.
std::optional<PrintedBytes> CountsOf(uint64_t quotient, size_t unit, bool negative) {
  if (quotient == 0) return std::nullopt;
  const unsigned shift = 10 * static_cast<unsigned>(unit);
  const uint64_t most = negative ? kMaxNegativeMagnitude : kMaxMagnitude;
  Numerators numerators = NumeratorsOf(quotient, Scale(unit));
  numerators.lowest = std::max(numerators.lowest, kLowestNumerator);
  numerators.highest = std::min({numerators.highest, kHighestNumerator, most >> shift});
  if (numerators.lowest > numerators.highest) return std::nullopt;
  const uint64_t dropped = (uint64_t{1} << shift) - 1;
  return PrintedBytes{.lowest = numerators.lowest << shift,
                      .highest = std::min((numerators.highest << shift) | dropped, most),
                      .negative = negative};
}

std::optional<PrintedBytes> TryParseBytes(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::optional<uint64_t> whole = TakeInteger(text);
  if (!whole.has_value()) return std::nullopt;
  if (text == "B") {
    if (*whole >= kUnit || (negative && *whole == 0)) return std::nullopt;
    return PrintedBytes{*whole, *whole, negative};
  }
  if (text.ends_with("iB")) text.remove_suffix(2);
  if (text.empty()) return std::nullopt;
  const size_t unit = kUnitLetters.find(text.back());
  if (unit == std::string_view::npos) return std::nullopt;
  text.remove_suffix(1);
  const std::optional<uint64_t> fraction = TakeFraction(text, Decimals(unit));
  if (!fraction.has_value() || !text.empty()) return std::nullopt;
  return CountsOf(*whole * Scale(unit) + *fraction, unit, negative);
}

}  // namespace

std::string FormatBytes(uint64_t bytes) { return FormatMagnitude(bytes); }

std::string AmountOfBytes(uint64_t bytes) {
  if (bytes < 1024) return absl::StrCat(bytes, bytes == 1 ? " byte" : " bytes");
  std::string text = FormatBytes(bytes);
  text.insert(text.size() - 1, " ");
  return text + "iB";
}

std::string FormatSignedBytes(int64_t bytes) {
  if (bytes >= 0) return FormatMagnitude(static_cast<uint64_t>(bytes));
  return absl::StrCat("-", FormatMagnitude(uint64_t{0} - static_cast<uint64_t>(bytes)));
}

absl::StatusOr<PrintedBytes> ParseBytes(std::string_view text) {
  const std::optional<PrintedBytes> printed = TryParseBytes(text);
  if (printed.has_value()) return *printed;
  constexpr size_t kShown = 40;
  const std::string_view shown = text.substr(0, kShown);
  return absl::InvalidArgumentError(absl::StrCat("expected a size such as 8.00M, found '",
                                                 absl::CHexEscape({shown.data(), shown.size()}), "'"));
}

}  // namespace oomph
