// See inputs.h.
#include "models/hlo/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "models/base/choices.h"
#include "models/base/units.h"
#include "models/base/words.h"
#include "models/hlo/bytes.h"
#include "models/hlo/float_format.h"
#include "models/hlo/oracles.h"
#include "models/hlo/schedule.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace {

// ---- What is not run ----

struct NotRun {
  Opcode opcode;
  std::string_view because;
};
constexpr NotRun kNotRun[] = {
    {Opcode::kRng, "random numbers"},
    {Opcode::kRngBitGenerator, "random numbers"},
    {Opcode::kRngGetAndUpdateState, "random numbers"},
    {Opcode::kStochasticConvert, "random numbers"},
    {Opcode::kInfeed, "the host"},
    {Opcode::kOutfeed, "the host"},
    {Opcode::kSend, "the host"},
    {Opcode::kSendDone, "the host"},
    {Opcode::kRecv, "the host"},
    {Opcode::kRecvDone, "the host"},
    {Opcode::kCustomCall, "a custom call"},
    {Opcode::kAllGather, "other devices"},
    {Opcode::kAllGatherStart, "other devices"},
    {Opcode::kAllGatherDone, "other devices"},
    {Opcode::kAllReduce, "other devices"},
    {Opcode::kAllReduceStart, "other devices"},
    {Opcode::kAllReduceDone, "other devices"},
    {Opcode::kAllToAll, "other devices"},
    {Opcode::kCollectiveBroadcast, "other devices"},
    {Opcode::kCollectivePermute, "other devices"},
    {Opcode::kCollectivePermuteStart, "other devices"},
    {Opcode::kCollectivePermuteDone, "other devices"},
    {Opcode::kRaggedAllToAll, "other devices"},
    {Opcode::kReduceScatter, "other devices"},
    {Opcode::kPartitionId, "other devices"},
    {Opcode::kReplicaId, "other devices"},
    {Opcode::kSetDimensionSize, "dynamic sizes"},
    {Opcode::kDynamicReshape, "dynamic sizes"},
};

std::string_view WhyNot(Opcode opcode) {
  for (const NotRun& row : kNotRun) {
    if (row.opcode == opcode) return row.because;
  }
  return {};
}

absl::Status Not(std::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat("not run: ", std::string(why)));
}

// A dimension of 0 counts as `empty`.
uint64_t Elements(const ShapeTable& shapes, ShapeId shape, uint64_t empty = 0) {
  if (!IsArrayType(shapes[shape].type)) return 0;
  uint64_t product = 1;
  for (const Dimension& dimension : shapes.Dimensions(shape)) {
    product = SaturatingMul(product, dimension.size == 0 ? empty : static_cast<uint64_t>(dimension.size));
  }
  return product;
}

// ---- Loops ----

std::string_view WordAt(const Module& module, const Instruction& instruction, Key key) {
  const auto id = module.Find(instruction, key);
  if (!id || module.attribute_table.References(*id).empty()) return {};
  return module.strings[module.attribute_table.References(*id)[0].id];
}

std::optional<int64_t> WholeConstant(const Module& module, const Instruction& instruction) {
  if (instruction.opcode != Opcode::kConstant) return {};
  const std::string text(module.strings[instruction.payload]);
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  return !text.empty() && *end == '\0' ? std::optional<int64_t>(value) : std::nullopt;
}

// The computation's only parameter at this element.
bool IsElement(const Module& module, const Computation& computation, uint32_t instruction, int64_t element) {
  const Instruction& get = computation.instructions[instruction];
  if (get.opcode != Opcode::kGetTupleElement || module.Number(get, Key::kIndex, -1) != element) return false;
  return computation.instructions[module.Operands(get)[0]].opcode == Opcode::kParameter;
}

// ---- What is drawn ----

void Append(uint64_t bits, size_t bytes, std::string& into) {
  char raw[8];
  std::memcpy(raw, &bits, sizeof raw);  // little-endian
  into.append(raw, bytes);
}

class Drawing {
 public:
  Drawing(Choices choices, InputKind kind, bool denormals)
      : choices_(std::move(choices)), kind_(kind), denormals_(denormals) {}

  void Element(Type type, std::string& into) {
    if (type == Type::kC64 || type == Type::kC128) {
      const Type part = type == Type::kC64 ? Type::kF32 : Type::kF64;
      Element(part, into);
      return Element(part, into);
    }
    if (type == Type::kPred) return Append(choices_.Below(2), 1, into);
    if (const FloatFormat* format = FormatOf(type)) return Append(Float(*format), RowOf(type).bytes, into);
    Append(Integer(type), RowOf(type).bytes, into);
  }

 private:
  uint64_t Float(const FloatFormat& format) {
    if (kind_ == InputKind::kSmall) {
      const auto value = static_cast<double>(choices_.Below(2 * kSmallInput + 1)) - kSmallInput;
      return Encode(format, format.sign ? value : std::ldexp(1.0, static_cast<int>(choices_.Below(4))));
    }
    switch (choices_.Below(12)) {
      case 0:
        return Encode(format, choices_.Chance(1, 2) ? -0.0 : 0.0);
      case 1:
        return Encode(format, choices_.Chance(1, 2) ? -1 : 1);
      case 2:
        return Encode(format, choices_.Chance(1, 2) ? -HUGE_VAL : HUGE_VAL);
      case 3:
        return format.nan != 0 ? format.nan : 0;
      case 4:
        return Encode(format, (choices_.Chance(1, 2) ? -1 : 1) * Largest(format));
      case 5:
        return Encode(format, (choices_.Chance(1, 2) ? -1 : 1) * SmallestNormal(format));
      case 6:
        if (denormals_ && format.sign && format.mantissa > 1)
          return 1 + choices_.Below((uint64_t{1} << format.mantissa) - 1);
        [[fallthrough]];
      default: {
        const double value = static_cast<double>(choices_.Below(1 << 20)) / (1 << 17) - 4;
        return Encode(format, std::fabs(value) < SmallestNormal(format) ? 1.0 : value);
      }
    }
  }
  uint64_t Integer(Type type) {
    const int bits = RowOf(type).bits;
    const bool is_signed = type >= Type::kS1 && type <= Type::kS64;
    const uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1, top = uint64_t{1} << (bits - 1);
    const int64_t least = !is_signed ? 0 : bits < 5 ? -static_cast<int64_t>(top) : -kSmallInput;
    const int64_t most = bits < 5 ? static_cast<int64_t>(is_signed ? top - 1 : all) : kSmallInput;
    uint64_t value = 0;
    switch (kind_ == InputKind::kSmall ? 9 : choices_.Below(12)) {
      case 0:
        value = top;
        break;  // the smallest of those with a sign
      case 1:
        value = top - 1;
        break;  // the largest of those
      case 2:
        value = all;
        break;
      case 3:
        value = choices_.Bits();
        break;
      default:
        value = static_cast<uint64_t>(least +
                                      static_cast<int64_t>(choices_.Below(static_cast<uint64_t>(most - least + 1))));
        break;
    }
    value &= all;
    if (is_signed && (value & top) != 0) value |= ~all;
    return value;
  }

  Choices choices_;
  const InputKind kind_;
  const bool denormals_;
};

// The types and dimensions of the leaves of the parameters, in their order.
std::vector<ShapeId> ParameterLeaves(const Module& module) {
  std::vector<const Instruction*> parameters;
  for (const Instruction& instruction : module.computations[module.entry].instructions) {
    if (instruction.opcode == Opcode::kParameter) parameters.push_back(&instruction);
  }
  std::sort(parameters.begin(), parameters.end(), [](const auto* a, const auto* b) { return a->payload < b->payload; });
  std::vector<ShapeId> leaves;
  for (const Instruction* parameter : parameters) {
    const std::vector<ShapeId> more = LeavesOf(module.shapes, parameter->shape);
    leaves.insert(leaves.end(), more.begin(), more.end());
  }
  return leaves;
}

uint64_t HashOf(const Module& module, const std::vector<ShapeId>& leaves, uint64_t seed) {
  uint64_t hash = MixSeed(seed, leaves.size());
  for (const ShapeId leaf : leaves) {
    hash = MixSeed(hash, static_cast<uint64_t>(module.shapes[leaf].type));
    for (const Dimension& dimension : module.shapes.Dimensions(leaf))
      hash = MixSeed(hash, static_cast<uint64_t>(dimension.size));
  }
  return hash;
}
InputKind KindOf(uint64_t hash) { return (hash >> 17 & 1) == 0 ? InputKind::kSmall : InputKind::kSpecial; }

// Operations that give floating-point numbers as they are, bit by bit.
bool OnlyMoves(Opcode opcode) {
  switch (opcode) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kBroadcast:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kReverse:
    case Opcode::kBitcast:
    case Opcode::kCopy:
    case Opcode::kSlice:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kConcatenate:
    case Opcode::kPad:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kGather:
    case Opcode::kSelect:
    case Opcode::kOptBarrier:
    case Opcode::kCall:
    case Opcode::kFusion:
    case Opcode::kWhile:
    case Opcode::kConditional:
    case Opcode::kAfterAll:
    case Opcode::kAddDependency:
    case Opcode::kCopyStart:
    case Opcode::kCopyDone:
    case Opcode::kIota:
    case Opcode::kDomain:
    case Opcode::kGetDimensionSize:
      return true;
    default:
      return false;
  }
}

bool IsFloating(const ShapeTable& shapes, ShapeId shape) {
  const std::vector<ShapeId> leaves = LeavesOf(shapes, shape);
  return std::any_of(leaves.begin(), leaves.end(), [&](ShapeId leaf) {
    const Type type = shapes[leaf].type;
    return FormatOf(type) != nullptr || type == Type::kC64 || type == Type::kC128;
  });
}

bool ComputesWithFloats(const Module& module) {
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      if (OnlyMoves(instruction.opcode)) continue;
      if (IsFloating(module.shapes, instruction.shape)) return true;
      for (const uint32_t operand : module.Operands(instruction)) {
        if (IsFloating(module.shapes, computation.instructions[operand].shape)) return true;
      }
    }
  }
  return false;
}

// ---- How much work it is ----

// For each element of the result or of the first operand. XLA's evaluator goes through the other dimensions of an array
// without elements for select-and-scatter.
uint64_t WorkOf(const Module& module, const Computation& computation, const Instruction& instruction,
                const std::vector<uint64_t>& body_work) {
  const ShapeTable& shapes = module.shapes;
  uint64_t elements = 0, first = 0;
  for (const ShapeId leaf : LeavesOf(shapes, instruction.shape))
    elements = SaturatingAdd(elements, Elements(shapes, leaf, 1));
  const auto operands = module.Operands(instruction);
  if (!operands.empty()) {
    for (const ShapeId leaf : LeavesOf(shapes, computation.instructions[operands[0]].shape))
      first = SaturatingAdd(first, Elements(shapes, leaf, 1));
  }
  uint64_t each = 1;
  switch (instruction.opcode) {
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kParameter:
    case Opcode::kWhile:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kFusion:
      return 1;
    case Opcode::kDot: {
      const auto id = module.Find(instruction, Key::kLhsContractingDims);
      if (id && !operands.empty()) {
        const auto dimensions = shapes.Dimensions(computation.instructions[operands[0]].shape);
        for (const int64_t d : module.attribute_table.Numbers(*id))
          each = SaturatingMul(each, static_cast<uint64_t>(dimensions[static_cast<size_t>(d)].size));
      }
      break;
    }
    case Opcode::kConvolution:
      if (operands.size() > 1) each = Elements(shapes, computation.instructions[operands[1]].shape, 1);
      break;
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter: {
      const auto id = module.Find(instruction, Key::kWindow);
      if (id) {
        for (const int64_t size : WindowOf(module.attribute_table.Numbers(*id)).size)
          each = SaturatingMul(each, static_cast<uint64_t>(size));
      }
      break;
    }
    case Opcode::kSort:
    case Opcode::kTopk:
      each = 16;
      break;
    case Opcode::kFft:
    case Opcode::kCholesky:
    case Opcode::kTriangularSolve:
      each = 256;
      break;
    default:
      break;
  }
  uint64_t called = 0;
  for (const uint32_t c : Called(module, instruction)) {
    if (c < body_work.size()) called = SaturatingAdd(called, body_work[c]);
  }
  if (called != 0) each = SaturatingMul(each, SaturatingMul(called, 20));  // a computation for each element
  return SaturatingMul(std::max({elements, first, uint64_t{1}}), each);
}

}  // namespace

std::vector<ShapeId> LeavesOf(const ShapeTable& shapes, ShapeId shape) {
  if (shapes[shape].type != Type::kTuple) return {shape};
  std::vector<ShapeId> leaves;
  for (const ShapeId element : shapes.Elements(shape)) {
    const std::vector<ShapeId> more = LeavesOf(shapes, element);
    leaves.insert(leaves.end(), more.begin(), more.end());
  }
  return leaves;
}

std::optional<uint64_t> TripsOf(const Module& module, const Computation& computation, const Instruction& loop) {
  std::optional<uint32_t> condition_id, body_id;
  for (const auto& [key, id] : {std::pair{Key::kCondition, &condition_id}, std::pair{Key::kBody, &body_id}}) {
    const auto attribute = module.Find(loop, key);
    if (attribute) *id = module.attribute_table.References(*attribute)[0].id;
  }
  if (!condition_id || !body_id) return {};
  const Computation& condition = module.computations[*condition_id];
  const Instruction& test = condition.instructions[condition.root];
  if (test.opcode == Opcode::kConstant)
    return module.strings[test.payload] == "false" ? std::optional<uint64_t>(0) : std::nullopt;
  if (test.opcode != Opcode::kCompare || WordAt(module, test, Key::kDirection) != "LT") return {};
  const auto sides = module.Operands(test);
  const auto limit = WholeConstant(module, condition.instructions[sides[1]]);
  const Instruction& get = condition.instructions[sides[0]];
  const int64_t element = module.Number(get, Key::kIndex, -1);
  if (!limit || !IsElement(module, condition, sides[0], element)) return {};
  const Instruction& init = computation.instructions[module.Operands(loop)[0]];
  if (init.opcode != Opcode::kTuple) return {};
  const auto start =
      WholeConstant(module, computation.instructions[module.Operands(init)[static_cast<size_t>(element)]]);
  if (!start) return {};
  if (*start >= *limit) return 0;
  // The body: the counter and 1.
  const Computation& body = module.computations[*body_id];
  const Instruction& state = body.instructions[body.root];
  if (state.opcode != Opcode::kTuple) return {};
  const Instruction& next = body.instructions[module.Operands(state)[static_cast<size_t>(element)]];
  if (next.opcode != Opcode::kAdd) return {};
  const auto terms = module.Operands(next);
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (!IsElement(module, body, terms[i], element)) continue;
    const auto step = WholeConstant(module, body.instructions[terms[1 - i]]);
    if (step && *step >= 1) return static_cast<uint64_t>((*limit - *start + *step - 1) / *step);
  }
  return {};
}

InputKind InputKindOf(const Module& module, uint64_t seed) {
  return KindOf(HashOf(module, ParameterLeaves(module), seed));
}

absl::StatusOr<std::vector<ResultArray>> ArgumentsOf(const Module& module, uint64_t seed, const RunLimits& limits) {
  if (module.entry >= module.computations.size() || !Verify(module).empty()) return Not("it is not valid");
  const ShapeTable& shapes = module.shapes;
  // Callees stand before their callers: what one run of each costs.
  std::vector<uint64_t> work(module.computations.size());
  const std::vector<uint64_t> runs = RunsOf(module);
  for (size_t c = 0; c < module.computations.size(); ++c) {
    const Computation& computation = module.computations[c];
    for (const Instruction& instruction : computation.instructions) {
      if (const std::string_view why = WhyNot(instruction.opcode); !why.empty()) return Not(why);
      for (const ShapeId leaf : LeavesOf(shapes, instruction.shape)) {
        const Type type = shapes[leaf].type;
        if (!IsArrayType(type) && type != Type::kToken) return Not("a shape that is not told, or not an array");
        for (const Dimension& dimension : shapes.Dimensions(leaf)) {
          if (dimension.extent != Extent::kStatic) return Not("dynamic sizes");
        }
      }
      uint64_t own = WorkOf(module, computation, instruction, work);
      for (const FrameCall& call : FrameCalls(module, instruction)) {
        if (call.computation < c) own = SaturatingAdd(own, work[call.computation]);
      }
      if (instruction.opcode == Opcode::kWhile) {
        const auto trips = TripsOf(module, computation, instruction);
        if (!trips) return Not("a loop that may not end");
        own = SaturatingMul(own, *trips + 1);
      } else if (instruction.opcode == Opcode::kFusion) {
        for (const uint32_t called : Called(module, instruction))
          own = SaturatingAdd(own, called < c ? work[called] : 0);
      }
      work[c] = SaturatingAdd(work[c], own);
    }
  }
  if (work[module.entry] > limits.work) return Not("too much work");
  if (BytesOfEverything(module) > limits.all_bytes) return Not("too large");
  const Computation& entry = module.computations[module.entry];
  for (const ShapeId leaf : LeavesOf(shapes, entry.instructions[entry.root].shape)) {
    if (!IsArrayType(shapes[leaf].type)) return Not("a result that is no array");
  }

  const std::vector<ShapeId> leaves = ParameterLeaves(module);
  const uint64_t hash = HashOf(module, leaves, seed);
  Drawing drawing(Choices::FromSeed(hash, /*swarm=*/false), KindOf(hash), !ComputesWithFloats(module));
  std::vector<ResultArray> arguments;
  uint64_t bytes = 0;
  for (const ShapeId leaf : leaves) {
    const Type type = shapes[leaf].type;
    if (!IsArrayType(type)) return Not("an argument that is no array");
    const uint64_t count = Elements(shapes, leaf);
    bytes = SaturatingAdd(bytes, SaturatingMul(count, RowOf(type).bytes));
    if (bytes > limits.argument_bytes) return Not("too large");
    ResultArray& argument = arguments.emplace_back();
    argument.type = RowOf(type).name;
    for (const Dimension& dimension : shapes.Dimensions(leaf)) argument.dimensions.push_back(dimension.size);
    argument.bytes.reserve(count * RowOf(type).bytes);
    for (uint64_t i = 0; i < count; ++i) drawing.Element(type, argument.bytes);
  }
  return arguments;
}

}  // namespace oomph::hlo
