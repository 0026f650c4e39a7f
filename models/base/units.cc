// The text form of exact sizes. Not for the rounded sizes of TPU messages.

#include "models/base/units.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace oomph {
namespace {

struct Suffix {
  std::string_view text;
  uint64_t bytes;
};

// Largest first, so that the first that divides is the shortest form.
constexpr std::array<Suffix, 4> kSuffixes = {{
    {"TiB", kTiB},
    {"GiB", kGiB},
    {"MiB", kMiB},
    {"KiB", kKiB},
}};

// The value of a digit in base 16, or 16 for what is no digit.
constexpr unsigned DigitValue(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

ScannedNumber ScanDigits(std::string_view text, unsigned base) {
  ScannedNumber number;
  for (; number.length < text.size(); ++number.length) {
    const unsigned digit = DigitValue(text[number.length]);
    if (digit >= base) break;
    if (__builtin_mul_overflow(number.value, uint64_t{base}, &number.value) ||
        __builtin_add_overflow(number.value, uint64_t{digit}, &number.value)) {
      number.too_large = true;
    }
  }
  if (number.too_large) number.value = 0;
  return number;
}

bool StartsHex(std::string_view text) {
  return text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && DigitValue(text[2]) < 16;
}

}  // namespace

ScannedNumber ScanNumber(std::string_view text) {
  ScannedNumber number;
  if (StartsHex(text)) {
    number = ScanDigits(text.substr(2), 16);
    number.length += 2;
  } else {
    number = ScanDigits(text, 10);
  }
  if (number.length == 0) return number;
  for (const Suffix& suffix : kSuffixes) {
    if (!text.substr(number.length).starts_with(suffix.text)) continue;
    number.length += suffix.text.size();
    if (__builtin_mul_overflow(number.value, suffix.bytes, &number.value)) {
      number.too_large = true;
      number.value = 0;
    }
    break;
  }
  return number;
}

std::string ExactBytes(uint64_t bytes) {
  if (bytes != 0) {
    for (const Suffix& suffix : kSuffixes) {
      if (bytes % suffix.bytes != 0) continue;
      return std::to_string(bytes / suffix.bytes).append(suffix.text);
    }
  }
  return std::to_string(bytes);
}

}  // namespace oomph
