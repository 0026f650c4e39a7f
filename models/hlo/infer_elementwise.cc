// The rules of operations that work element by element, and of conversions.
// Not for operations that move elements (infer_array.cc).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "models/hlo/infer.h"

namespace oomph::hlo {
namespace {

// The operands have one type, up to the precision of floats, and no operand is broadcast silently.
Check ExpectAlike(const Context& context) {
  if (Check bad = ExpectArrays(context)) return bad;
  const ShapeBook& shapes = context.shapes;
  for (size_t i = 1; i < context.operands.size(); ++i) {
    if (!shapes.SameTypeAnyFloat(context.operand(0), context.operand(i))) {
      return Wrong(Rule::kOperandType,
                   absl::StrCat("the operands are ", context.Text(0), " and ", context.Text(i)));
    }
    if (!shapes.SameSizes(context.operand(0), context.operand(i))) {
      return Wrong(Rule::kOperandShape,
                   absl::StrCat("the operands are ", context.Text(0), " and ", context.Text(i)));
    }
  }
  return std::nullopt;
}

}  // namespace

Inferred InferAnything(Context&) { return Inferred::Anything(); }

Inferred InferUnary(Context& context) {
  if (Check bad = ExpectArray(context, 0)) return *bad;
  if (Check bad = ExpectType(context, 0, RuleOf(context.opcode).types)) return *bad;
  return context.operand(0);
}

Inferred InferPart(Context& context) {
  if (Check bad = ExpectArray(context, 0)) return *bad;
  if (Check bad = ExpectType(context, 0, RuleOf(context.opcode).types)) return *bad;
  return context.shapes.WithType(context.operand(0), ComponentOf(context.shapes.TypeOf(context.operand(0))));
}

Inferred InferIsFinite(Context& context) {
  if (Check bad = ExpectArray(context, 0)) return *bad;
  if (Check bad = ExpectType(context, 0, RuleOf(context.opcode).types)) return *bad;
  return context.shapes.WithType(context.operand(0), Type::kPred);
}

// A copy takes tuples and tokens too.
Inferred InferCopy(Context& context) { return context.operand(0); }

Inferred InferBinary(Context& context) {
  if (Check bad = ExpectAlike(context)) return *bad;
  if (Check bad = ExpectType(context, 0, RuleOf(context.opcode).types)) return *bad;
  return context.operand(0);
}

// Without a word for it, floats and complex numbers compare as FLOAT, and so on.
Inferred InferCompare(Context& context) {
  if (Check bad = ExpectAlike(context)) return *bad;
  const std::string_view type = context.Word(Key::kType);
  if (!type.empty()) {
    const uint8_t classes = ClassOf(context.shapes.TypeOf(context.operand(1)));
    const std::string_view usual = (classes & (kFloats | kComplexes)) != 0 ? "FLOAT"
                                   : classes == kSigned                    ? "SIGNED"
                                                                           : "UNSIGNED";
    if (type != usual && !(classes == kFloats && type == "TOTALORDER")) {
      return Wrong(Rule::kAttributeValue,
                   absl::StrCat("compares ", context.Text(1), " as ", std::string(type)));
    }
  }
  return context.shapes.WithType(context.operand(0), Type::kPred);
}

Inferred InferComplex(Context& context) {
  if (Check bad = ExpectAlike(context)) return *bad;
  const Type left = context.shapes.TypeOf(context.operand(0));
  const Type right = context.shapes.TypeOf(context.operand(1));
  if (left != right || (left != Type::kF32 && left != Type::kF64)) {
    return Wrong(Rule::kOperandType,
                 absl::StrCat("the operands are ", context.Text(0), " and ", context.Text(1)));
  }
  return context.shapes.WithType(context.operand(0), left == Type::kF32 ? Type::kC64 : Type::kC128);
}

// The bounds may be scalars.
Inferred InferClamp(Context& context) {
  if (Check bad = ExpectArrays(context)) return *bad;
  for (const size_t bound : {size_t{0}, size_t{2}}) {
    const ShapeId shape = context.operand(bound);
    if (context.shapes.CompatibleAnyFloat(shape, context.operand(1))) continue;
    if (context.shapes.IsScalar(shape) && context.shapes.SameTypeAnyFloat(shape, context.operand(1)))
      continue;
    return Wrong(Rule::kOperandShape, absl::StrCat("clamps ", context.Text(1), " by ", context.Text(bound)));
  }
  return context.operand(1);
}

// The predicate may be a scalar.
Inferred InferSelect(Context& context) {
  if (Check bad = ExpectArrays(context)) return *bad;
  ShapeBook& shapes = context.shapes;
  if (!shapes.CompatibleAnyFloat(context.operand(1), context.operand(2))) {
    return Wrong(Rule::kOperandShape,
                 absl::StrCat("selects from ", context.Text(1), " and ", context.Text(2)));
  }
  if (shapes.TypeOf(context.operand(0)) != Type::kPred) {
    return Wrong(Rule::kOperandType, absl::StrCat("selects by ", context.Text(0)));
  }
  if (!shapes.IsScalar(context.operand(0)) && !shapes.SameSizes(context.operand(0), context.operand(1))) {
    return Wrong(Rule::kOperandShape,
                 absl::StrCat("selects from ", context.Text(1), " by ", context.Text(0)));
  }
  return context.operand(1);
}

Inferred InferConvert(Context& context) {
  if (Check bad = ExpectArray(context, 0)) return *bad;
  if (!context.shapes.IsArray(context.result)) {
    return Wrong(Rule::kResultShape, absl::StrCat("converts to ", context.shapes.Text(context.result)));
  }
  return context.shapes.WithType(context.operand(0), context.shapes.TypeOf(context.result));
}

// The bits stay: two bytes become a last dimension of size 2, and the other way.
Inferred InferBitcastConvert(Context& context) {
  if (Check bad = ExpectArray(context, 0)) return *bad;
  ShapeBook& shapes = context.shapes;
  if (!shapes.IsArray(context.result)) {
    return Wrong(Rule::kResultShape, absl::StrCat("converts to ", shapes.Text(context.result)));
  }
  const Type from = shapes.TypeOf(context.operand(0)), to = shapes.TypeOf(context.result);
  const int wide = std::max(RowOf(from).bits, RowOf(to).bits),
            narrow = std::min(RowOf(from).bits, RowOf(to).bits);
  if ((ClassOf(from) == kComplexes) != (ClassOf(to) == kComplexes) || wide % narrow != 0) {
    return Wrong(Rule::kOperandType,
                 absl::StrCat("converts the bits of ", context.Text(0), " to ", shapes.Text(context.result)));
  }
  Sizes sizes = shapes.SizesOf(context.operand(0));
  const int64_t ratio = wide / narrow;
  if (RowOf(from).bits > RowOf(to).bits) {
    sizes.push_back(ratio);
  } else if (RowOf(from).bits < RowOf(to).bits) {
    if (sizes.empty() || sizes.back() != ratio) {
      return Wrong(Rule::kOperandShape,
                   absl::StrCat("the last dimension of ", context.Text(0), " must have the size ", ratio));
    }
    sizes.pop_back();
  }
  return shapes.Array(to, sizes);
}

Inferred InferStochasticConvert(Context& context) {
  if (Check bad = ExpectArrays(context)) return *bad;
  if (Check bad = ExpectType(context, 0, kFloats)) return *bad;
  if (Check bad = ExpectType(context, 1, kUnsigned)) return *bad;
  ShapeBook& shapes = context.shapes;
  if (RowOf(shapes.TypeOf(context.operand(0))).bits != RowOf(shapes.TypeOf(context.operand(1))).bits) {
    return Wrong(Rule::kOperandType, absl::StrCat("the random bits of ", context.Text(1),
                                                  " are not as wide as ", context.Text(0)));
  }
  if (!shapes.SameSizes(context.operand(0), context.operand(1))) {
    return Wrong(Rule::kOperandShape,
                 absl::StrCat("the operands are ", context.Text(0), " and ", context.Text(1)));
  }
  if (!shapes.IsArray(context.result)) {
    return Wrong(Rule::kResultShape, absl::StrCat("converts to ", shapes.Text(context.result)));
  }
  return shapes.WithType(context.operand(0), shapes.TypeOf(context.result));
}

Inferred InferReducePrecision(Context& context) {
  if (Check bad = ExpectType(context, 0, kFloats)) return *bad;
  if (context.Int(Key::kExponentBits, 0) < 1 || context.Int(Key::kMantissaBits, -1) < 0) {
    return Wrong(Rule::kAttributeValue,
                 "keeps fewer than one bit of the exponent or than none of the mantissa");
  }
  return context.operand(0);
}

}  // namespace oomph::hlo
