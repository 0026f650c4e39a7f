// What all rules share: shapes and their compatibility, looking at an instruction, and the common checks.
// Not for the rule of any operation.
#include "models/hlo/infer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

uint8_t ClassOfRow(Type type) {
  switch (type) {
    case Type::kPred:
      return kPreds;
    case Type::kS1:
    case Type::kS2:
    case Type::kS4:
    case Type::kS8:
    case Type::kS16:
    case Type::kS32:
    case Type::kS64:
      return kSigned;
    case Type::kU1:
    case Type::kU2:
    case Type::kU4:
    case Type::kU8:
    case Type::kU16:
    case Type::kU32:
    case Type::kU64:
      return kUnsigned;
    case Type::kC64:
    case Type::kC128:
      return kComplexes;
    default:
      return IsArrayType(type) ? kFloats : 0;
  }
}

}  // namespace

uint8_t ClassOf(Type type) { return ClassOfRow(type); }

Type ComponentOf(Type type) {
  if (type == Type::kC64) return Type::kF32;
  return type == Type::kC128 ? Type::kF64 : type;
}

// --- shapes
// ---------------------------------------------------------------------------------------------------

ShapeBook::ShapeBook(const ShapeTable& table) : table_(table) {}

Sizes ShapeBook::SizesOf(ShapeId id) const {
  Sizes sizes;
  for (const Dimension& dimension : table_.Dimensions(id)) sizes.push_back(dimension.size);
  return sizes;
}

std::optional<ShapeId> ShapeBook::At(ShapeId id, std::span<const int64_t> index) const {
  for (const int64_t i : index) {
    if (i < 0 || static_cast<uint64_t>(i) >= Elements(id)) return std::nullopt;
    id = Element(id, static_cast<size_t>(i));
  }
  return id;
}

// A tuple may name one element often, so that its leaves can be more than could be visited: each shape is
// looked at once, and the leaves are counted up to a limit.
ShapeBook::Inside ShapeBook::Look(ShapeId id) {
  if (id < inside_.size() && inside_[id].leaves != 0) return inside_[id];
  constexpr size_t kMany = size_t{1} << 40;
  Inside found = {.leaves = IsTuple(id) ? size_t{0} : size_t{1}, .buffer = TypeOf(id) == Type::kBuffer};
  if (IsTuple(id)) {
    for (const ShapeId element : table_.Elements(id)) {
      const Inside part = Look(element);
      found.leaves = std::min(kMany, found.leaves + part.leaves);
      found.buffer |= part.buffer;
    }
  }
  if (inside_.size() <= id) inside_.resize(std::max<size_t>(table_.size(), id + 1));
  inside_[id] = found;
  return found;
}

size_t ShapeBook::Leaves(ShapeId id) { return Look(id).leaves; }
bool ShapeBook::HasBuffer(ShapeId id) { return Look(id).buffer; }

std::optional<int64_t> ShapeBook::Count(ShapeId id) const {
  int64_t count = 1;
  bool overflow = false, zero = false;
  for (const Dimension& dimension : table_.Dimensions(id)) {
    zero |= dimension.size == 0;
    overflow |= __builtin_mul_overflow(count, dimension.size, &count);
    if (overflow) count = 1;
  }
  if (zero) return 0;
  if (overflow) return std::nullopt;
  return count;
}

bool ShapeBook::SameTypeAnyFloat(ShapeId a, ShapeId b) const {
  return TypeOf(a) == TypeOf(b) || (ClassOf(TypeOf(a)) == kFloats && ClassOf(TypeOf(b)) == kFloats);
}

bool ShapeBook::SameInMemory(ShapeId a, ShapeId b, bool spaces) {
  if (a == b) return true;
  if (!Compatible(a, b)) return false;
  if (!IsArray(a)) return true;
  const auto layout = [&](ShapeId id) {
    Layout full = LayoutOf(id) == nullptr ? Layout() : *LayoutOf(id);
    for (size_t i = Rank(id); LayoutOf(id) == nullptr && i-- > 0;)
      full.minor_to_major.push_back(static_cast<int64_t>(i));
    if (!spaces) full.memory_space = 0;
    return full;
  };
  return layout(a) == layout(b) && std::ranges::equal(table_.Dimensions(a), table_.Dimensions(b));
}

std::string ShapeBook::Text(ShapeId id) const { return PrintShape(table_, id); }

ShapeId ShapeBook::Plain(ShapeId id, bool any_float) {
  if (id < plain_[any_float].size() && plain_[any_float][id] != 0) return plain_[any_float][id];
  const Type type = TypeOf(id);
  ShapeId plain = id;
  if (IsArrayType(type)) {
    plain = Array(any_float && ClassOf(type) == kFloats ? Type::kF32 : type, SizesOf(id));
  } else if (type == Type::kTuple || type == Type::kBuffer) {
    std::vector<ShapeId> elements(table_.Elements(id).begin(), table_.Elements(id).end());
    for (ShapeId& element : elements) element = Plain(element, any_float);
    plain = type == Type::kTuple ? Tuple(elements) : table_.AddBuffer(elements.front());
  } else if (type == Type::kToken || type == Type::kOpaque) {
    plain = Scalar(type);
  }
  if (plain_[any_float].size() <= id) plain_[any_float].resize(std::max<size_t>(table_.size(), id + 1));
  plain_[any_float][id] = plain;
  return plain;
}

// --- one instruction
// ------------------------------------------------------------------------------------------

Context::Context(Facts& facts_in, uint32_t computation_in, uint32_t instruction_in)
    : facts(facts_in), shapes(facts_in.shapes), computation(computation_in), instruction(instruction_in) {
  opcode = self().opcode;
  result = facts.results[computation][instruction];
  attributes = self().attributes;
  for (const uint32_t operand : facts.module.Operands(self())) {
    operands.push_back(facts.results[computation][operand]);
  }
}

int64_t Context::Int(Key key, int64_t otherwise) const {
  const std::span<const int64_t> numbers = Ints(key);
  return numbers.empty() ? otherwise : numbers.front();
}

std::span<const int64_t> Context::Ints(Key key) const {
  const std::optional<AttributeId> id = Find(key);
  if (!id.has_value()) return {};
  return facts.module.attribute_table.Numbers(*id);
}

std::string_view Context::Word(Key key) const {
  const std::optional<AttributeId> id = Find(key);
  if (!id.has_value()) return {};
  for (const Reference& reference : facts.module.attribute_table.References(*id)) {
    if (reference.kind == Reference::kString) return facts.module.strings[reference.id];
  }
  return {};
}

std::optional<std::string_view> Context::FrontendAttribute(std::string_view key) const {
  const std::optional<AttributeId> id = Find(Key::kFrontendAttributes);
  if (!id.has_value()) return std::nullopt;
  const std::span<const Reference> map = facts.module.attribute_table.References(*id);
  for (size_t i = 0; i + 1 < map.size(); i += 2) {
    if (facts.module.strings[map[i].id] != key) continue;
    std::string_view value = facts.module.strings[map[i + 1].id];
    if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
    return value;
  }
  return std::nullopt;
}

uint32_t Context::Called(Key key) const {
  const std::vector<uint32_t> called = CalledList(key);
  return called.empty() ? 0 : called.front();
}

std::vector<uint32_t> Context::CalledList(Key key) const {
  std::vector<uint32_t> called;
  const std::optional<AttributeId> id = Find(key);
  if (!id.has_value()) return called;
  for (const Reference& reference : facts.module.attribute_table.References(*id)) {
    if (reference.kind == Reference::kComputation) called.push_back(reference.id);
  }
  return called;
}

// --- common checks
// --------------------------------------------------------------------------------------------

Failure Wrong(Rule rule, std::string text) { return {rule, std::move(text)}; }

Check ExpectArray(const Context& context, size_t operand) {
  if (context.shapes.IsArray(context.operand(operand))) return std::nullopt;
  return Wrong(Rule::kOperandType,
               absl::StrCat("operand ", operand, " must be an array and is ", context.Text(operand)));
}

Check ExpectArrays(const Context& context) {
  for (size_t i = 0; i < context.operands.size(); ++i) {
    if (Check bad = ExpectArray(context, i)) return bad;
  }
  return std::nullopt;
}

Check ExpectToken(const Context& context, size_t operand) {
  if (context.shapes.IsToken(context.operand(operand))) return std::nullopt;
  return Wrong(Rule::kOperandType,
               absl::StrCat("operand ", operand, " must be a token and is ", context.Text(operand)));
}

Check ExpectType(const Context& context, size_t operand, uint8_t classes) {
  const Type type = context.shapes.TypeOf(context.operand(operand));
  if ((ClassOf(type) & classes) != 0) return std::nullopt;
  return Wrong(Rule::kOperandType,
               absl::StrCat("operand ", operand, " has the type of ", context.Text(operand),
                            ", which the operation does not take"));
}

Check ExpectCount(const Context& context, size_t count) {
  if (context.operands.size() == count) return std::nullopt;
  return Wrong(Rule::kOperandCount,
               absl::StrCat("takes ", count, " operands and has ", context.operands.size()));
}

bool AllInRange(std::span<const int64_t> numbers, size_t limit) {
  return std::ranges::all_of(numbers, [&](int64_t n) { return n >= 0 && static_cast<uint64_t>(n) < limit; });
}

bool AllDifferent(std::span<const int64_t> numbers) {
  std::vector<int64_t> sorted(numbers.begin(), numbers.end());
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end();
}

bool IsPermutation(std::span<const int64_t> numbers, size_t rank) {
  return numbers.size() == rank && AllInRange(numbers, rank) && AllDifferent(numbers);
}

bool Contains(std::span<const int64_t> numbers, int64_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

std::string List(std::span<const int64_t> numbers) {
  return absl::StrCat("{", absl::StrJoin(numbers, ","), "}");
}

Check ExpectParameters(Context& context, uint32_t called, std::span<const ShapeId> arguments) {
  const Signature& signature = context.SignatureOf(called);
  if (signature.parameters.size() != arguments.size()) {
    return Wrong(Rule::kSignature, absl::StrCat("calls a computation with ", signature.parameters.size(),
                                                " parameters with ", arguments.size(), " operands"));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (context.shapes.Compatible(signature.parameters[i], arguments[i])) continue;
    return Wrong(Rule::kSignature,
                 absl::StrCat("parameter ", i, " is ", context.shapes.Text(signature.parameters[i]),
                              " and gets ", context.shapes.Text(arguments[i])));
  }
  return std::nullopt;
}

Check CheckInstruction(Context& context) {
  if (Check bad = CheckAttributes(context)) return bad;
  const OpcodeRule& rule = RuleOf(context.opcode);
  const Inferred inferred = rule.infer(context);
  if (inferred.failure.has_value()) return inferred.failure;
  const bool written = context.shapes.TypeOf(context.result) != Type::kNone;
  if (!inferred.shape.has_value()) {
    if (written) return std::nullopt;
    return Wrong(Rule::kResultShape, "has no shape, and it does not follow from the operands");
  }
  if (!written || rule.match == Match::kReplaced) {
    context.result = *inferred.shape;
    return std::nullopt;
  }
  const bool fits = rule.match == Match::kExact
                        ? context.shapes.Compatible(*inferred.shape, context.result)
                        : context.shapes.CompatibleAnyFloat(*inferred.shape, context.result);
  if (fits) return std::nullopt;
  return Wrong(Rule::kResultShape, absl::StrCat("gives ", context.shapes.Text(*inferred.shape),
                                                " and is written as ", context.shapes.Text(context.result)));
}

}  // namespace oomph::hlo
