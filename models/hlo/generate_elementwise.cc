// The forms that work element by element. See generate_scope.h.
#include "models/hlo/generate_scope.h"

namespace oomph::hlo::generate {
namespace {

// Which types an operation takes, as XLA's shape inference asks.
enum class Takes : uint8_t {
  kArithmetic,
  kFloat,
  kFloatOrComplex,
  kSignedOrMore,
  kInteger,
  kBits,
  kAny,
  kReal
};

bool Fits(Takes takes, Type t) {
  switch (takes) {
    case Takes::kArithmetic: return IsArithmetic(t);
    case Takes::kFloat: return IsFloat(t);
    case Takes::kFloatOrComplex: return IsFloat(t) || IsComplex(t);
    case Takes::kSignedOrMore: return IsSigned(t) || IsFloat(t);
    case Takes::kInteger: return IsInteger(t);
    case Takes::kBits: return IsInteger(t) || t == Type::kPred;
    case Takes::kReal: return IsInteger(t) || IsFloat(t);
    case Takes::kAny: return IsArrayType(t);
  }
  return false;
}

struct Operation {
  Opcode opcode;
  Takes takes;
};

// What fits every type but pred comes first, so that a walk on from any row ends soon.
constexpr Operation kUnary[] = {
    {Opcode::kNegate, Takes::kArithmetic},
    {Opcode::kAbs, Takes::kSignedOrMore},
    {Opcode::kExponential, Takes::kFloatOrComplex},
    {Opcode::kLog, Takes::kFloatOrComplex},
    {Opcode::kTanh, Takes::kFloatOrComplex},
    {Opcode::kSqrt, Takes::kFloatOrComplex},
    {Opcode::kRsqrt, Takes::kFloatOrComplex},
    {Opcode::kCbrt, Takes::kFloat},
    {Opcode::kLogistic, Takes::kFloatOrComplex},
    {Opcode::kSine, Takes::kFloatOrComplex},
    {Opcode::kCosine, Takes::kFloatOrComplex},
    {Opcode::kTan, Takes::kFloatOrComplex},
    {Opcode::kErf, Takes::kFloat},
    {Opcode::kExponentialMinusOne, Takes::kFloatOrComplex},
    {Opcode::kLogPlusOne, Takes::kFloatOrComplex},
    {Opcode::kFloor, Takes::kFloat},
    {Opcode::kCeil, Takes::kFloat},
    {Opcode::kRoundNearestAfz, Takes::kFloat},
    {Opcode::kRoundNearestEven, Takes::kFloat},
    {Opcode::kSign, Takes::kSignedOrMore},
    {Opcode::kAcos, Takes::kFloatOrComplex},
    {Opcode::kAcosh, Takes::kFloatOrComplex},
    {Opcode::kAsin, Takes::kFloatOrComplex},
    {Opcode::kAsinh, Takes::kFloatOrComplex},
    {Opcode::kAtanh, Takes::kFloatOrComplex},
    {Opcode::kCosh, Takes::kFloatOrComplex},
    {Opcode::kSinh, Takes::kFloatOrComplex},
    {Opcode::kNot, Takes::kBits},
    {Opcode::kPopcnt, Takes::kInteger},
    {Opcode::kCountLeadingZeros, Takes::kInteger},
};

constexpr Operation kBinary[] = {
    {Opcode::kAdd, Takes::kAny},
    {Opcode::kMultiply, Takes::kAny},
    {Opcode::kSubtract, Takes::kArithmetic},
    {Opcode::kDivide, Takes::kArithmetic},
    {Opcode::kMaximum, Takes::kReal},
    {Opcode::kMinimum, Takes::kReal},
    {Opcode::kPower, Takes::kArithmetic},
    {Opcode::kRemainder, Takes::kReal},
    {Opcode::kAtan2, Takes::kFloatOrComplex},
    {Opcode::kAnd, Takes::kBits},
    {Opcode::kOr, Takes::kBits},
    {Opcode::kXor, Takes::kBits},
    {Opcode::kShiftLeft, Takes::kInteger},
    {Opcode::kShiftRightArithmetic, Takes::kInteger},
    {Opcode::kShiftRightLogical, Takes::kInteger},
};

// One that takes `type`, from a drawn place on.
Opcode Draw(Choices& choices, std::span<const Operation> table, Type type) {
  size_t at = choices.Below(table.size());
  while (!Fits(table[at].takes, type)) at = (at + 1) % table.size();
  return table[at].opcode;
}

bool Has(std::span<const Operation> table, Opcode opcode) {
  return std::any_of(table.begin(), table.end(), [&](const Operation& row) { return row.opcode == opcode; });
}

}  // namespace

Opcode DrawUnary(Choices& choices, Type type) { return Draw(choices, kUnary, type); }
Opcode DrawBinary(Choices& choices, Type type) { return Draw(choices, kBinary, type); }
bool IsUnary(Opcode opcode) { return Has(kUnary, opcode); }
bool IsBinary(Opcode opcode) { return Has(kBinary, opcode); }

uint32_t Generator::Unary() {
  const Value a = Pick();
  return Emit(Draw(choices_, kUnary, a.type), a.shape, {a.index});
}

Opcode Generator::DrawCombination(Type type) {
  // As reductions have them.
  static constexpr Operation kCombinations[] = {{Opcode::kAdd, Takes::kAny},
                                                {Opcode::kMaximum, Takes::kReal},
                                                {Opcode::kMinimum, Takes::kReal},
                                                {Opcode::kMultiply, Takes::kArithmetic},
                                                {Opcode::kAnd, Takes::kBits},
                                                {Opcode::kOr, Takes::kBits}};
  return Draw(choices_, kCombinations, type);
}

uint32_t Generator::Binary() {
  const Value a = Pick();
  const Value b = Need(a);
  return Emit(Draw(choices_, kBinary, a.type), a.shape, {a.index, b.index});
}

uint32_t Generator::Compare() {
  static constexpr std::string_view kDirections[] = {"EQ", "NE", "LT", "GE", "GT", "LE"};
  const Value a = Pick();
  const Value b = Need(a);
  const size_t directions = IsComplex(a.type) ? 2 : std::size(kDirections);
  const AttributeId direction = build_.Text(Key::kDirection, kDirections[choices_.Below(directions)]);
  const uint32_t operands[] = {a.index, b.index};
  absl::InlinedVector<AttributeId, 2> attributes = {direction};
  if (IsFloat(a.type) && choices_.Chance(1, 8)) attributes.push_back(build_.Text(Key::kType, "TOTALORDER"));
  return Emit(Opcode::kCompare, Like(a, Type::kPred), operands, attributes);
}

uint32_t Generator::Select() {
  const Value a = Pick();
  const Value b = Need(a);
  const Value which = Need({Type::kPred, a.dims});
  return Emit(Opcode::kSelect, a.shape, {which.index, a.index, b.index});
}

// The bounds are both scalars or both of the shape of the value.
uint32_t Generator::Clamp() {
  const Value a = PickType([](Type t) { return IsInteger(t) || IsFloat(t); }, Type::kF32);
  const Array bound = choices_.Chance(1, 2) ? Array(a) : Array{a.type, {}};
  const Value low = Need(bound), high = Need(bound);
  return Emit(Opcode::kClamp, a.shape, {low.index, a.index, high.index});
}

uint32_t Generator::Convert() {
  const Value a = Pick();
  Type to = DrawAnyType();
  if (IsComplex(a.type) && !IsComplex(to)) to = a.type;
  return Emit(Opcode::kConvert, Like(a, to), {a.index});
}

// To a type of as many bits; or to one of fewer with a further dimension, or back.
uint32_t Generator::BitcastConvert() {
  const Value a = PickType([](Type t) { return !IsComplex(t) && t != Type::kPred; }, Type::kF32);
  const int bits = RowOf(a.type).bits;
  const Type to = DrawAnyType();
  const int to_bits = RowOf(to).bits;
  if (IsComplex(to) || to == Type::kPred) return kNothing;
  if (to_bits == bits) return Emit(Opcode::kBitcastConvert, Like(a, to), {a.index});
  Array result = {to, a.dims};
  if (to_bits < bits) {
    if (a.dims.rank == kMaxRank || a.dims.Elements() > most_elements_ / 64) return kNothing;
    result.dims.push(bits / to_bits);
  } else {
    if (a.dims.rank == 0 || a.dims[a.dims.rank - 1] != to_bits / bits) return kNothing;
    --result.dims.rank;
  }
  return Emit(Opcode::kBitcastConvert, Result(result), {a.index});
}

uint32_t Generator::IsFinite() {
  const Value a = PickType(IsFloat, Type::kF32);
  return Emit(Opcode::kIsFinite, Like(a, Type::kPred), {a.index});
}

// Of a complex number, which may have to be made first.
uint32_t Generator::Part() {
  const Value a = PickType(IsComplex, Type::kC64);
  const Type part = a.type == Type::kC64 ? Type::kF32 : Type::kF64;
  return Emit(choices_.Chance(1, 2) ? Opcode::kImag : Opcode::kReal, Like(a, part), {a.index});
}

uint32_t Generator::Complex() {
  const Value a = PickType(IsLarge, Type::kF32);
  const Value b = Need(a);
  return Emit(Opcode::kComplex, Like(a, a.type == Type::kF32 ? Type::kC64 : Type::kC128), {a.index, b.index});
}

uint32_t Generator::ReducePrecision() {
  const Value a = PickType(IsFloat, Type::kF32);
  const int64_t exponent = 8 - static_cast<int64_t>(choices_.Below(8));
  const int64_t mantissa = 7 - static_cast<int64_t>(choices_.Below(8));
  return Emit(
      Opcode::kReducePrecision, a.shape, {a.index},
      {build_.Numbers(Key::kExponentBits, {exponent}), build_.Numbers(Key::kMantissaBits, {mantissa})});
}

// The random bits are as wide as the value, and of its layout.
uint32_t Generator::StochasticConvert() {
  const Value a = PickType([](Type t) { return t == Type::kF32 || t == Type::kBf16; }, Type::kF32);
  const uint32_t random = Produce(Like(a, a.type == Type::kF32 ? Type::kU32 : Type::kU16));
  const bool narrow = Can(feature::kNarrowTypes) && choices_.Chance(1, 2);
  return Emit(Opcode::kStochasticConvert, Like(a, narrow ? Type::kS8 : Type::kS32), {a.index, random});
}

}  // namespace oomph::hlo::generate
