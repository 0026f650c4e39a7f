// The rules of operations that call computations: call, fusion, while, conditional, custom-call and async.
// Not for those that fold elements (infer_reduce.cc), nor for who may use them (verify_flow.cc).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "models/hlo/infer.h"

namespace oomph::hlo {
namespace {

// output_to_operand_aliasing={{1}: (0, {})}: both places exist and have one shape.
Check ExpectAliases(const Context& context, std::span<const ShapeId> operands, ShapeId output) {
  ShapeBook& shapes = context.shapes;
  for (const Alias& alias : AliasesOf(context.Ints(Key::kOutputToOperandAliasing))) {
    if (alias.parameter < 0 || static_cast<uint64_t>(alias.parameter) >= operands.size()) {
      return Wrong(Rule::kAlias,
                   absl::StrCat("an alias of operand ", alias.parameter, " of ", operands.size()));
    }
    const ShapeId operand = operands[static_cast<size_t>(alias.parameter)];
    const std::optional<ShapeId> from = shapes.At(operand, alias.index), to = shapes.At(output, alias.output);
    if (!from.has_value() || !to.has_value()) {
      return Wrong(Rule::kAlias, absl::StrCat("an alias of ", List(alias.index), " in ", shapes.Text(operand),
                                              " and ", List(alias.output), " in ", shapes.Text(output)));
    }
    if (context.FrontendAttribute("xla_skip_custom_call_alias_shape_check").has_value()) return std::nullopt;
    const auto inner = [&](ShapeId id) {  // pin and unpin make an alias of a buffer and its array
      return shapes.TypeOf(id) == Type::kBuffer ? shapes.table().Elements(id).front() : id;
    };
    const std::string_view target = context.Word(Key::kCustomCallTarget);
    const bool pins = context.opcode != Opcode::kCustomCall || target == "Pin" || target == "Unpin";
    const bool same = pins ? shapes.Compatible(inner(*from), inner(*to)) : shapes.Compatible(*from, *to);
    if (!same) {
      return Wrong(Rule::kAlias, absl::StrCat("an alias of ", shapes.Text(*from), " and ", shapes.Text(*to)));
    }
  }
  return std::nullopt;
}

Check ExpectComposite(const Context& context) {
  if (!context.Flag(Key::kIsComposite)) return std::nullopt;
  const std::optional<std::string_view> name = context.FrontendAttribute("composite.name");
  const std::optional<std::string_view> attributes = context.FrontendAttribute("composite.attributes");
  const std::optional<std::string_view> version = context.FrontendAttribute("composite.version");
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (name.value_or("").empty() || attributes.value_or("{}").empty() ||
      !std::ranges::all_of(version.value_or("0"), digit)) {
    return Wrong(Rule::kAttributeValue,
                 "a composite needs composite.name, and composite.version as a number");
  }
  return std::nullopt;
}

}  // namespace

Inferred InferCall(Context& context) {
  const uint32_t called = context.Called(Key::kToApply);
  if (Check bad = ExpectParameters(context, called, context.operands)) return *bad;
  if (Check bad = ExpectComposite(context)) return *bad;
  return context.SignatureOf(called).result;
}

// There may be more operands than parameters.
Inferred InferFusion(Context& context) {
  const uint32_t called = context.Called(Key::kCalls);
  const size_t taken = std::min(context.operands.size(), context.SignatureOf(called).parameters.size());
  if (Check bad = ExpectParameters(context, called, std::span(context.operands).first(taken))) return *bad;
  if (Check bad = ExpectAliases(context, context.operands, context.result)) return *bad;
  return context.SignatureOf(called).result;
}

Inferred InferWhile(Context& context) {
  const uint32_t body = context.Called(Key::kBody), condition = context.Called(Key::kCondition);
  if (Check bad = ExpectParameters(context, body, context.operands)) return *bad;
  if (Check bad = ExpectParameters(context, condition, context.operands)) return *bad;
  if (!context.shapes.IsScalar(context.SignatureOf(condition).result, Type::kPred)) {
    return Wrong(Rule::kSignature, absl::StrCat("the condition gives ",
                                                context.shapes.Text(context.SignatureOf(condition).result)));
  }
  return context.SignatureOf(body).result;
}

// By a predicate: true_computation, false_computation; by an index: branch_computations.
Inferred InferConditional(Context& context) {
  if (context.operands.empty()) return Wrong(Rule::kOperandCount, "has no operand");
  ShapeBook& shapes = context.shapes;
  std::vector<uint32_t> branches;
  if (shapes.IsScalar(context.operand(0), Type::kPred)) {
    for (const Key key : {Key::kTrueComputation, Key::kFalseComputation}) {
      if (!context.Has(key))
        return Wrong(Rule::kAttributeMissing, "chooses by pred[] and has not two computations");
      branches.push_back(context.Called(key));
    }
    if (context.Has(Key::kBranchComputations)) {
      return Wrong(Rule::kAttributeUnexpected, "chooses by pred[] and has branch_computations");
    }
  } else if (shapes.IsScalar(context.operand(0), Type::kS32)) {
    branches = context.CalledList(Key::kBranchComputations);
    if (branches.empty())
      return Wrong(Rule::kAttributeMissing, "chooses by s32[] and has no branch_computations");
    if (context.Has(Key::kTrueComputation) || context.Has(Key::kFalseComputation)) {
      return Wrong(Rule::kAttributeUnexpected,
                   "chooses by s32[] and has true_computation or false_computation");
    }
  } else {
    return Wrong(Rule::kOperandType, absl::StrCat("chooses by ", context.Text(0)));
  }
  if (Check bad = ExpectCount(context, branches.size() + 1)) return *bad;
  for (size_t i = 0; i < branches.size(); ++i) {
    if (Check bad = ExpectParameters(context, branches[i], std::span(context.operands).subspan(i + 1, 1)))
      return *bad;
    const ShapeId result = context.SignatureOf(branches[i]).result;
    if (shapes.Compatible(result, context.result)) continue;
    return Wrong(Rule::kResultShape, absl::StrCat("branch ", i, " gives ", shapes.Text(result), " for ",
                                                  shapes.Text(context.result)));
  }
  return Inferred::Anything();
}

namespace {

// The places of buffers in a shape.
void FindBuffers(ShapeBook& shapes, ShapeId shape, std::vector<int64_t>& path,
                 std::vector<std::vector<int64_t>>& found) {
  if (shapes.TypeOf(shape) == Type::kBuffer) found.push_back(path);
  for (size_t i = 0; shapes.HasBuffer(shape) && i < shapes.Elements(shape); ++i) {
    path.push_back(static_cast<int64_t>(i));
    FindBuffers(shapes, shapes.Element(shape, i), path, found);
    path.pop_back();
  }
}

std::vector<std::vector<int64_t>> BuffersOf(ShapeBook& shapes, ShapeId shape) {
  std::vector<std::vector<int64_t>> found;
  std::vector<int64_t> path;
  FindBuffers(shapes, shape, path, found);
  return found;
}

// Pin makes a buffer of an array, Unpin an array of a buffer, CreateBuffer a buffer of nothing; any other
// custom call passes each buffer on, once.
Check ExpectBuffers(Context& context) {
  ShapeBook& shapes = context.shapes;
  const std::string_view target = context.Word(Key::kCustomCallTarget);
  const std::vector<Alias> aliases = AliasesOf(context.Ints(Key::kOutputToOperandAliasing));
  const bool pin = target == "Pin", unpin = target == "Unpin";
  const bool gives = shapes.TypeOf(context.result) == Type::kBuffer;
  if (pin || unpin) {
    const bool one = context.operands.size() == 1 && aliases.size() == 1;
    const bool takes = one && shapes.TypeOf(context.operand(0)) == Type::kBuffer;
    const bool other = one && shapes.IsArray(pin ? context.operand(0) : context.result);
    if (one && other && gives == pin && takes == unpin) return std::nullopt;
    return Wrong(Rule::kBuffer,
                 absl::StrCat(std::string(target), " turns one array and its buffer into one another"));
  }
  if (target == "CreateBuffer") {
    if (gives && context.operands.empty()) return std::nullopt;
    return Wrong(Rule::kBuffer, "CreateBuffer takes nothing and gives a buffer");
  }
  for (size_t i = 0; i < context.operands.size(); ++i) {
    for (const std::vector<int64_t>& path : BuffersOf(shapes, context.operand(i))) {
      const auto is_this = [&](const Alias& alias) {
        return alias.parameter == static_cast<int64_t>(i) && alias.index == path;
      };
      if (std::ranges::count_if(aliases, is_this) == 1) continue;
      return Wrong(Rule::kBuffer,
                   absl::StrCat("a buffer in operand ", i, " is not in the result, or not once"));
    }
  }
  for (const std::vector<int64_t>& path : BuffersOf(shapes, context.result)) {
    if (std::ranges::count(aliases, path, &Alias::output) == 1) continue;
    return Wrong(Rule::kBuffer, "a buffer in the result is not in an operand, or not once");
  }
  return std::nullopt;
}

}  // namespace

Inferred InferCustomCall(Context& context) {
  ShapeBook& shapes = context.shapes;
  if (const std::optional<AttributeId> id = context.Find(Key::kOperandLayoutConstraints)) {
    const std::span<const Reference> constraints = context.facts.module.attribute_table.References(*id);
    bool fits = constraints.size() == context.operands.size();
    for (size_t i = 0; fits && i < constraints.size(); ++i) {
      fits = constraints[i].kind == Reference::kShape &&
             shapes.Compatible(constraints[i].id, context.operand(i));
    }
    if (!fits) return Wrong(Rule::kCustomCall, "operand_layout_constraints are not for these operands");
  }
  if (context.Word(Key::kApiVersion) == "API_VERSION_UNSPECIFIED") {
    return Wrong(Rule::kAttributeValue, "api_version=API_VERSION_UNSPECIFIED");
  }
  if (context.Has(Key::kDimLabels) && !AreLabels(context.Word(Key::kDimLabels))) {
    return Wrong(Rule::kAttributeValue,
                 absl::StrCat("dim_labels=", std::string(context.Word(Key::kDimLabels))));
  }
  if (Check bad = ExpectAliases(context, context.operands, context.result)) return *bad;
  if (Check bad = ExpectBuffers(context)) return *bad;
  if (context.Word(Key::kCustomCallTarget) == "GetRngSeed" &&
      (!context.operands.empty() || !shapes.IsScalar(context.result, Type::kU64))) {
    return Wrong(Rule::kCustomCall, "GetRngSeed takes nothing and gives u64[]");
  }
  return Inferred::Anything();
}

namespace {

// What an async-start wraps, as a signature: the computation that it calls, or what its short form stands
// for.
struct Wrapped {
  Signature signature;
  std::optional<uint32_t> computation;
  std::string_view thread = "main";
};

bool HasAsyncShape(const ShapeBook& shapes, ShapeId shape) {
  return shapes.Elements(shape) >= 2 && shapes.IsTuple(shapes.Element(shape, 0));
}

const Instruction& InstructionAt(const Context& context, uint32_t i) {
  return context.facts.module.computations[context.computation].instructions[i];
}

Opcode RootOf(const Context& context, uint32_t c) {
  const Computation& computation = context.facts.module.computations[c];
  return computation.instructions[computation.root].opcode;
}

Wrapped ReadWrapped(const Context& start) {
  Wrapped wrapped;
  if (start.Has(Key::kAsyncExecutionThread)) wrapped.thread = start.Word(Key::kAsyncExecutionThread);
  if (!start.IsShortAsync()) {
    wrapped.computation = start.Called(Key::kCalls);
    wrapped.signature = start.SignatureOf(*wrapped.computation);
    return wrapped;
  }
  const ShapeId operands = start.shapes.Element(start.result, 0);
  for (size_t i = 0; i < start.shapes.Elements(operands); ++i) {
    wrapped.signature.parameters.push_back(start.shapes.Element(operands, i));
  }
  wrapped.signature.result = start.shapes.Element(start.result, 1);
  return wrapped;
}

Inferred InferAsyncStart(Context& context) {
  ShapeBook& shapes = context.shapes;
  const ShapeId operands = shapes.Element(context.result, 0);
  if (!shapes.Compatible(shapes.Tuple(context.operands), operands)) {
    return Wrong(Rule::kAsync, absl::StrCat("the operands are ", shapes.Text(shapes.Tuple(context.operands)),
                                            " and not the first part of ", shapes.Text(context.result)));
  }
  const Wrapped wrapped = ReadWrapped(context);
  if (!wrapped.computation.has_value()) {
    Context inner = context;
    inner.opcode = context.self().wrapped;
    inner.result = wrapped.signature.result;
    if (Check bad = CheckInstruction(inner)) return *bad;
    return Inferred::Anything();
  }
  if (!shapes.Compatible(operands, shapes.Tuple(wrapped.signature.parameters)) ||
      !shapes.Compatible(shapes.Element(context.result, 1), wrapped.signature.result)) {
    return Wrong(Rule::kAsync,
                 absl::StrCat(shapes.Text(context.result), " does not begin with the parameters and ",
                              "the result of the computation"));
  }
  if (Check bad = ExpectAliases(context, wrapped.signature.parameters, context.result)) return *bad;
  return Inferred::Anything();
}

}  // namespace

// async-start gives ((operands), result, …); async-update passes it on; async-done gives the result.
Inferred InferAsync(Context& context) {
  ShapeBook& shapes = context.shapes;
  if (context.opcode != Opcode::kAsyncDone && !HasAsyncShape(shapes, context.result)) {
    return Wrong(Rule::kAsync, absl::StrCat(shapes.Text(context.result), " is no ((operands), result, ...)"));
  }
  if (context.opcode == Opcode::kAsyncStart) return InferAsyncStart(context);

  const Instruction* self = &context.self();
  const Opcode name = self->wrapped;
  const bool short_form = name != self->opcode;
  uint32_t at = context.instruction;
  while (self->opcode != Opcode::kAsyncStart) {  // ends: operands stand before their users
    at = context.facts.module.Operands(*self).empty() ? at : context.facts.module.Operands(*self).front();
    const Instruction* operand = &InstructionAt(context, at);
    if (operand == self ||
        (operand->opcode != Opcode::kAsyncStart && operand->opcode != Opcode::kAsyncUpdate)) {
      return Wrong(Rule::kAsync, "the operand is neither async-start nor async-update");
    }
    self = operand;
  }
  const Context start(context.facts, context.computation, at);
  if (!HasAsyncShape(shapes, start.result) || (!start.Has(Key::kCalls) && !start.IsShortAsync())) {
    return Wrong(Rule::kAsync, "the async-start is wrong itself");
  }
  const Wrapped wrapped = ReadWrapped(start);
  const Opcode started =
      wrapped.computation.has_value() ? RootOf(context, *wrapped.computation) : self->wrapped;
  if ((short_form && started != name) ||
      (context.Has(Key::kCalls) && wrapped.computation != context.Called(Key::kCalls)) ||
      (context.Has(Key::kAsyncExecutionThread) &&
       wrapped.thread != context.Word(Key::kAsyncExecutionThread))) {
    return Wrong(Rule::kAsync, "names another operation, computation or thread than its async-start");
  }
  if (context.opcode == Opcode::kAsyncUpdate) return context.operand(0);
  if (!shapes.Compatible(context.result, wrapped.signature.result)) {
    return Wrong(Rule::kAsync, absl::StrCat("gives ", shapes.Text(context.result), " and the computation ",
                                            shapes.Text(wrapped.signature.result)));
  }
  return Inferred::Anything();
}

}  // namespace oomph::hlo
