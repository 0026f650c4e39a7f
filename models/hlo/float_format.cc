// See float_format.h.
#include "models/hlo/float_format.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace oomph::hlo {
namespace {

// As the names say: f8e4m3fn has 4 bits of exponent and 3 of mantissa; fn: finite, with a NaN; uz: no negative zero, whose
// bits are the NaN; b11: a bias of 11; u: no sign.
constexpr FloatFormat kFormats[] = {
    {Type::kF4e2m1fn, 2, 1, 1, true, false, 0, 0x7},
    {Type::kF8e3m4, 3, 4, 3, true, true, 0x78, 0x6f},
    {Type::kF8e4m3, 4, 3, 7, true, true, 0x7c, 0x77},
    {Type::kF8e4m3fn, 4, 3, 7, true, false, 0x7f, 0x7e},
    {Type::kF8e4m3b11fnuz, 4, 3, 11, true, false, 0x80, 0x7f},
    {Type::kF8e4m3fnuz, 4, 3, 8, true, false, 0x80, 0x7f},
    {Type::kF8e5m2, 5, 2, 15, true, true, 0x7e, 0x7b},
    {Type::kF8e5m2fnuz, 5, 2, 16, true, false, 0x80, 0x7f},
    {Type::kF8e8m0fnu, 8, 0, 127, false, false, 0xff, 0xfe},
    {Type::kF16, 5, 10, 15, true, true, 0x7e00, 0x7bff},
    {Type::kBf16, 8, 7, 127, true, true, 0x7fc0, 0x7f7f},
    {Type::kF32, 8, 23, 127, true, true, 0x7fc00000, 0x7f7fffff},
    {Type::kF64, 11, 52, 1023, true, true, 0x7ff8000000000000, 0x7fefffffffffffff},
};

uint64_t Ones(int bits) { return (uint64_t{1} << bits) - 1; }

}  // namespace

const FloatFormat* FormatOf(Type type) {
  const auto* row =
      std::find_if(std::begin(kFormats), std::end(kFormats), [&](const auto& each) { return each.type == type; });
  return row == std::end(kFormats) ? nullptr : row;
}

double Decode(const FloatFormat& format, uint64_t bits) {
  const int width = format.exponent + format.mantissa + (format.sign ? 1 : 0);
  if (width < 64) bits &= Ones(width);
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (format.nan != 0 && bits == format.nan) return kNaN;
  const bool negative = format.sign && (bits >> (width - 1) & 1) != 0;
  const uint64_t exponent = bits >> format.mantissa & Ones(format.exponent), mantissa = bits & Ones(format.mantissa);
  const double sign = negative ? -1 : 1;
  if (format.infinity && exponent == Ones(format.exponent)) {
    return mantissa != 0 ? kNaN : sign * std::numeric_limits<double>::infinity();
  }
  // f8e4m3fn: both signs of its NaN.
  if (!format.infinity && format.sign && format.nan != 0 && format.nan == Ones(width - 1) &&
      (bits & Ones(width - 1)) == format.nan)
    return kNaN;
  if (!format.sign) return std::ldexp(1.0, static_cast<int>(exponent) - format.bias);
  const double fraction = std::ldexp(static_cast<double>(mantissa), -format.mantissa);
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - format.bias);
  return sign * std::ldexp(1 + fraction, static_cast<int>(exponent) - format.bias);
}

uint64_t Encode(const FloatFormat& format, double value) {
  if (std::isnan(value)) return format.nan;
  const int width = format.exponent + format.mantissa + (format.sign ? 1 : 0);
  const bool negative = std::signbit(value);
  const double magnitude = std::fabs(value);
  if (!format.sign) {
    if (magnitude == 0) return 0;
    const int exponent = std::isinf(magnitude) ? 255 : std::ilogb(magnitude) + format.bias;
    return static_cast<uint64_t>(std::clamp(exponent, 0, 254));
  }
  uint64_t bits = 0;
  if (magnitude > Largest(format)) {
    bits = std::isinf(magnitude) && format.infinity ? Ones(format.exponent) << format.mantissa : format.largest;
  } else if (magnitude != 0) {
    const int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
    const double places = std::floor(std::ldexp(magnitude, format.mantissa - exponent));
    const auto whole = static_cast<uint64_t>(places);  // with the leading one of what is normal
    bits = whole > Ones(format.mantissa)
               ? (static_cast<uint64_t>(exponent + format.bias) << format.mantissa) | (whole & Ones(format.mantissa))
               : whole;
  }
  const uint64_t sign = uint64_t{1} << (width - 1);
  if (negative && !(bits == 0 && format.nan == sign)) bits |= sign;
  return bits;
}

double HalfPlace(const FloatFormat& format) { return std::ldexp(1.0, -format.mantissa - 1); }
double SmallestNormal(const FloatFormat& format) {
  return std::ldexp(1.0, format.sign ? 1 - format.bias : -format.bias);
}
double Largest(const FloatFormat& format) { return Decode(format, format.largest); }

}  // namespace oomph::hlo
