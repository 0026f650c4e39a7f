// The floating-point types of HLO, number by number: what bits mean, and the bits of a number.
// Not for: arithmetic, nor for how many bytes an element takes (shape.h).
#ifndef OOMPH_MODELS_HLO_FLOAT_FORMAT_H_
#define OOMPH_MODELS_HLO_FLOAT_FORMAT_H_

#include <cstdint>

#include "models/hlo/shape.h"

namespace oomph::hlo {

// sign | exponent | mantissa; a number of exponent e above 0 is (1 + mantissa / 2^m) * 2^(e - bias).
struct FloatFormat {
  Type type = Type::kNone;
  int exponent = 0, mantissa = 0, bias = 0;  // exponent, mantissa: bits
  bool sign = true;
  bool infinity = true;  // and NaN, in the largest exponent
  uint64_t nan = 0;      // the bits of a NaN; 0: it has none
  uint64_t largest = 0;  // the bits of the largest finite number
};

// Null for what is no real floating-point type.
const FloatFormat* FormatOf(Type type);

// Of any bits; those of no number give NaN.
double Decode(const FloatFormat& format, uint64_t bits);
// The nearest number that is no larger in magnitude; what is too large is the largest, NaN where there is one.
uint64_t Encode(const FloatFormat& format, double value);

// The relative error of one rounding to the nearest: half of the last place.
double HalfPlace(const FloatFormat& format);
double SmallestNormal(const FloatFormat& format);
double Largest(const FloatFormat& format);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_FLOAT_FORMAT_H_
