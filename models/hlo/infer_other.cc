// The rules of tokens, transfers, random numbers and device numbers.
// Not for collectives (infer_collective.cc), nor for which start belongs to which done (verify_flow.cc).
#include "absl/strings/str_cat.h"
#include "models/hlo/infer.h"

namespace oomph::hlo {

// What runs after what: the operands may be anything.
Inferred InferAfterAll(Context& context) { return context.shapes.Token(); }

Inferred InferAddDependency(Context& context) {
  if (Check bad = ExpectToken(context, 1)) return *bad;
  return context.operand(0);
}

// (destination, source, context)
Inferred InferCopyStart(Context& context) {
  const ShapeId parts[] = {context.operand(0), context.operand(0), context.shapes.Scalar(Type::kU32)};
  return context.shapes.Tuple(parts);
}

Inferred InferCopyDone(Context& context) {
  ShapeBook& shapes = context.shapes;
  if (shapes.Elements(context.operand(0)) < 2 ||
      !shapes.Compatible(shapes.Element(context.operand(0), 0), shapes.Element(context.operand(0), 1))) {
    return Wrong(Rule::kOperandType, absl::StrCat("the operand is ", context.Text(0)));
  }
  return shapes.Element(context.operand(0), 0);
}

// (data, context, token). Neither here nor in recv does XLA look whether the operand for the token is one.
Inferred InferSend(Context& context) {
  const ShapeId parts[] = {context.operand(0), context.shapes.Scalar(Type::kU32), context.shapes.Token()};
  return context.shapes.Tuple(parts);
}

Inferred InferSendDone(Context& context) { return context.shapes.Token(); }

Inferred InferRecv(Context& context) {
  ShapeBook& shapes = context.shapes;
  if (shapes.Elements(context.result) == 0) {
    return Wrong(Rule::kResultShape, absl::StrCat("receives ", shapes.Text(context.result)));
  }
  const ShapeId parts[] = {shapes.Element(context.result, 0), shapes.Scalar(Type::kU32), shapes.Token()};
  return shapes.Tuple(parts);
}

Inferred InferRecvDone(Context& context) {
  ShapeBook& shapes = context.shapes;
  if (shapes.Elements(context.operand(0)) == 0) {
    return Wrong(Rule::kOperandType, absl::StrCat("the operand is ", context.Text(0)));
  }
  const ShapeId parts[] = {shapes.Element(context.operand(0), 0), shapes.Token()};
  return shapes.Tuple(parts);
}

// (data, token)
Inferred InferInfeed(Context& context) {
  ShapeBook& shapes = context.shapes;
  if (Check bad = ExpectToken(context, 0)) return *bad;
  if (shapes.Elements(context.result) == 0) {
    return Wrong(Rule::kResultShape, absl::StrCat("reads ", shapes.Text(context.result)));
  }
  const ShapeId parts[] = {shapes.Element(context.result, 0), shapes.Token()};
  return shapes.Tuple(parts);
}

Inferred InferOutfeed(Context& context) {
  ShapeBook& shapes = context.shapes;
  if (Check bad = ExpectToken(context, 1)) return *bad;
  if (const std::optional<AttributeId> id = context.Find(Key::kOutfeedShape)) {
    for (const Reference& reference : context.facts.module.attribute_table.References(*id)) {
      if (reference.kind != Reference::kShape || shapes.Compatible(reference.id, context.operand(0)))
        continue;
      return Wrong(Rule::kAttributeValue,
                   absl::StrCat("writes ", context.Text(0), " as ", shapes.Text(reference.id)));
    }
  }
  return shapes.Token();
}

Inferred InferRng(Context& context) {
  if (Check bad = ExpectCount(context, 2)) return *bad;
  ShapeBook& shapes = context.shapes;
  if (!shapes.IsScalar(context.operand(0)) || !shapes.Compatible(context.operand(0), context.operand(1)) ||
      !shapes.IsArray(context.result) || !shapes.SameTypeAnyFloat(context.operand(0), context.result)) {
    return Wrong(Rule::kOperandType,
                 absl::StrCat("the operands are ", context.Text(0), " and ", context.Text(1)));
  }
  const std::string_view distribution = context.Word(Key::kDistribution);
  if (distribution != "rng_uniform" && distribution != "rng_normal") {
    return Wrong(Rule::kAttributeValue, absl::StrCat("distribution=", std::string(distribution)));
  }
  const uint8_t types = distribution == "rng_normal" ? kFloats : kPreds | kIntegers | kFloats;
  if (Check bad = ExpectType(context, 0, types)) return *bad;
  return Inferred::Anything();
}

// (state, numbers), or the numbers alone.
Inferred InferRngBitGenerator(Context& context) {
  ShapeBook& shapes = context.shapes;
  if (!shapes.IsTuple(context.result)) return Inferred::Anything();
  if (shapes.Elements(context.result) != 2 ||
      !shapes.Compatible(shapes.Element(context.result, 0), context.operand(0))) {
    return Wrong(Rule::kResultShape,
                 absl::StrCat("gives ", shapes.Text(context.result), " from the state ", context.Text(0)));
  }
  return Inferred::Anything();
}

Inferred InferRngState(Context& context) {
  const int64_t size = 2;
  return context.shapes.Array(Type::kU64, {&size, 1});
}

Inferred InferIndexOfDevice(Context& context) { return context.shapes.Scalar(Type::kU32); }

}  // namespace oomph::hlo
