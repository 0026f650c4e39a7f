// See mosaic.h. The text is what Pallas of jax 0.10.2 lowers such a kernel to, operation by operation (its dead loads of
// outputs, its long remainders), since what the compiler folds depends on it.
#include "models/vmem/mosaic.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "models/base/units.h"
#include "models/vmem/allocator.h"

namespace oomph::vmem {
namespace {

using Shape = std::vector<uint64_t>;

constexpr std::string_view kDialect = "stable_mosaic.";
// A relay array has at least so many bytes: more than the VMEM of any chip, so that it stays in HBM.
constexpr uint64_t kRelayBytes = uint64_t{192} << 20;

// ---- Types ------------------------------------------------------------------------------------------------------------

// A pred is 32 bits wide inside of a kernel. Pallas converts it before and after; here the module has s32 instead, since the
// conversion has a scoped memory of its own, which a small limit refuses.
Type InKernel(Type type) { return type == Type::kPred ? Type::kS32 : type; }

// Integers have no sign in MLIR.
std::string ElementType(Type type) {
  switch (type) {
    case Type::kPred:
      return "i32";
    case Type::kF8e4m3fn:
      return "f8E4M3FN";
    case Type::kF8e4m3b11fnuz:
      return "f8E4M3B11FNUZ";
    case Type::kF8e4m3fnuz:
      return "f8E4M3FNUZ";
    case Type::kF8e5m2:
      return "f8E5M2";
    case Type::kF8e5m2fnuz:
      return "f8E5M2FNUZ";
    case Type::kF8e4m3:
      return "f8E4M3";
    case Type::kF8e3m4:
      return "f8E3M4";
    case Type::kF8e8m0fnu:
      return "f8E8M0FNU";
    case Type::kF4e2m1fn:
      return "f4E2M1FN";
    default:
      break;
  }
  const std::string name(hlo::RowOf(type).name);
  if (name.starts_with('s') || name.starts_with('u')) return absl::StrCat("i", name.substr(1));
  return name;
}

bool IsFloat(Type type) { return type >= Type::kF4e2m1fn && type <= Type::kF64; }
// What is reckoned with. On v4 arithmetic on bf16 of one dimension takes memory of the compiler's own (exp of (2048): 36,864
// bytes, a sum 49,152), so that is left out.
bool IsReckoned(Type type, size_t rank) {
  return type == Type::kF32 || type == Type::kS32 || type == Type::kU32 || (type == Type::kBf16 && rank > 1);
}

std::string Dimensions(const Shape& shape) {
  std::string text;
  for (const uint64_t size : shape) absl::StrAppend(&text, size, "x");
  return text;
}
std::string Vector(const Shape& shape, std::string_view element) {
  return absl::StrCat("vector<", Dimensions(shape), std::string(element), ">");
}
std::string MemRef(const Shape& shape, std::string_view element, std::string_view space) {
  return absl::StrCat("memref<", Dimensions(shape), std::string(element), ", #tpu.memory_space<", std::string(space), ">>");
}

// ---- Text of one function ---------------------------------------------------------------------------------------------

struct Value {
  std::string name, type;
};

// Operations one a line, in MLIR's generic form. Results are numbered through, whatever region they are in.
class FunctionText {
 public:
  Value Argument(std::string type) { return arguments_.emplace_back(Value{absl::StrCat("%arg", arguments_.size()), std::move(type)}); }
  const std::vector<Value>& arguments() const { return arguments_; }

  Value Op(std::string_view name, const std::vector<Value>& operands, std::string_view attributes, std::string type) {
    Value result{absl::StrCat("%", next_++), std::move(type)};
    Line(absl::StrCat(result.name, " = ", Call(name, operands, attributes), " -> ", result.type));
    return result;
  }
  void Do(std::string_view name, const std::vector<Value>& operands, std::string_view attributes = "") {
    Line(absl::StrCat(Call(name, operands, attributes), " -> ()"));
  }
  void BeginRegion() {
    Line(absl::StrCat("\"", std::string(kDialect), "tpu.region\"() ({"));
    indent_ += 2;
  }
  void EndRegion() {
    Do("tpu.yield", {});
    indent_ -= 2;
    Line("}) : () -> ()");
  }

  Value Constant(int64_t value, const std::string& type) {
    return Op("arith.constant", {}, absl::StrCat("value = ", value, " : ", type), type);
  }
  Value I32(uint64_t value) { return Constant(static_cast<int32_t>(static_cast<uint32_t>(value)), "i32"); }
  std::vector<Value> Zeros(size_t count, const std::string& type) {
    std::vector<Value> zeros;
    for (size_t i = 0; i < count; ++i) zeros.push_back(Constant(0, type));
    return zeros;
  }
  Value Binary(std::string_view name, const Value& a, const Value& b) {
    const bool is_float = name.ends_with('f');
    const bool overflows = name == "arith.addi" || name == "arith.subi" || name == "arith.muli";
    return Op(name, {a, b}, is_float ? "fastmath = #arith.fastmath<none>" : overflows ? "overflowFlags = #arith.overflow<none>" : "",
              a.type);
  }
  Value Compare(const Value& a, const Value& b, int predicate, std::string type = "i1") {
    return Op("arith.cmpi", {a, b}, absl::StrCat("predicate = ", predicate, " : i64"), std::move(type));
  }
  Value Unary(std::string_view name, const Value& a) { return Op(name, {a}, "fastmath = #arith.fastmath<none>", a.type); }

  // The function as an operation of the module; `results` are the types that it returns.
  std::string Function(const std::string& attributes, const std::vector<std::string>& results) const {
    std::vector<std::string> types, named;
    for (const Value& argument : arguments_) {
      types.push_back(argument.type);
      named.push_back(absl::StrCat(argument.name, ": ", argument.type));
    }
    std::string returned = absl::StrJoin(results, ", ");
    if (results.size() != 1) returned = absl::StrCat("(", returned, ")");
    return absl::StrCat("  \"", std::string(kDialect), "func.func\"() ({\n  ^bb0(", absl::StrJoin(named, ", "), "):\n", text_, "  }) {",
                        attributes, ", function_type = (", absl::StrJoin(types, ", "), ") -> ", returned, "} : () -> ()\n");
  }

 private:
  static std::string Call(std::string_view name, const std::vector<Value>& operands, std::string_view attributes) {
    std::vector<std::string> names, types;
    for (const Value& operand : operands) {
      names.push_back(operand.name);
      types.push_back(operand.type);
    }
    return absl::StrCat("\"", std::string(kDialect), std::string(name), "\"(", absl::StrJoin(names, ", "), ")",
                        attributes.empty() ? "" : absl::StrCat(" {", std::string(attributes), "}"), " : (",
                        absl::StrJoin(types, ", "), ")");
  }
  void Line(const std::string& line) { absl::StrAppend(&text_, std::string(indent_, ' '), line, "\n"); }

  std::vector<Value> arguments_;
  std::string text_;
  size_t next_ = 0, indent_ = 4;
};

// ---- Index maps -------------------------------------------------------------------------------------------------------

// Predicates of arith.cmpi.
constexpr int kEqual = 0, kNotEqual = 1, kLess = 2, kGreater = 4;

// x % y, of the sign of y.
Value Remainder(FunctionText& body, const Value& x, const Value& y) {
  const Value divisor = body.Op("arith.select", {body.Compare(y, body.I32(0), kEqual), body.I32(1), y}, "", "i32");
  const Value left = body.Binary("arith.remsi", x, divisor);
  const Value is_left = body.Compare(left, body.I32(0), kNotEqual);
  const Value below = body.Compare(left, body.I32(0), kLess);
  const Value differ = body.Op("arith.xori", {below, body.Compare(divisor, body.I32(0), kLess)}, "", "i1");
  const Value moves = body.Op("arith.andi", {differ, is_left}, "", "i1");
  return body.Op("arith.select", {moves, body.Binary("arith.addi", left, divisor), left}, "", "i32");
}

Value Sign(FunctionText& body, const Value& x) {
  const Value above = body.Op("arith.extui", {body.Compare(x, body.I32(0), kGreater)}, "", "i32");
  const Value below = body.Op("arith.extui", {body.Compare(x, body.I32(0), kLess)}, "", "i32");
  return body.Binary("arith.subi", above, below);
}

// x // y, rounded down.
Value Quotient(FunctionText& body, const Value& x, const Value& y) {
  const Value cut = body.Binary("arith.divsi", x, y);
  const Value of_x = Sign(body, x), of_y = Sign(body, y);
  const Value differ = body.Compare(of_x, of_y, kNotEqual);
  const Value is_left = body.Compare(body.Binary("arith.remsi", x, y), body.I32(0), kNotEqual);
  const Value moves = body.Op("arith.andi", {differ, is_left}, "", "i1");
  return body.Op("arith.select", {moves, body.Binary("arith.subi", cut, body.I32(1)), cut}, "", "i32");
}

// `arguments` of the function: the grid's indices, then the prefetched arrays.
Value TermValue(FunctionText& body, const Kernel& kernel, const Term& term) {
  if (term.kind == TermKind::kConstant || term.axis >= kernel.grid.size()) {
    return body.I32(term.kind == TermKind::kConstant ? term.amount : 0);
  }
  const Value index = body.arguments()[term.axis];
  const uint64_t divisor = std::max<uint64_t>(1, term.amount);
  switch (term.kind) {
    case TermKind::kConstant:
      break;
    case TermKind::kTimes:
      return term.amount == 1 ? index : body.Binary("arith.muli", index, body.I32(term.amount));
    case TermKind::kModulo:
      return Remainder(body, index, body.I32(divisor));
    case TermKind::kDivided:
      return Quotient(body, index, body.I32(divisor));
    case TermKind::kAtMost:
      return body.Binary("arith.minsi", index, body.I32(term.amount));
    case TermKind::kPrefetched: {
      if (term.amount >= kernel.prefetched.size()) break;
      const size_t rank = kernel.prefetched[term.amount].shape.size();
      std::vector<Value> operands = {body.arguments()[kernel.grid.size() + term.amount]};
      if (rank > 0) operands.push_back(body.Op("arith.index_cast", {index}, "", "index"));
      for (size_t i = 1; i < rank; ++i) operands.push_back(body.Constant(0, "index"));
      return body.Op("memref.load", operands, "", "i32");
    }
  }
  return body.I32(0);
}

Value PlaceValue(FunctionText& body, const Kernel& kernel, const Place& place) {
  if (place.empty()) return body.I32(0);
  Value sum = TermValue(body, kernel, place[0]);
  for (size_t i = 1; i < place.size(); ++i) sum = body.Binary("arith.addi", sum, TermValue(body, kernel, place[i]));
  return sum;
}

bool HasElements(const Operand& operand) {
  return std::any_of(operand.block.begin(), operand.block.end(),
                     [](const BlockDimension& dimension) { return dimension.kind == BlockKind::kElement; });
}

uint64_t SizeOf(const BlockDimension& dimension) { return dimension.kind == BlockKind::kSqueezed ? 1 : dimension.size; }

Shape BlockShape(const Operand& operand) {
  if (operand.block.empty()) return operand.array;
  Shape shape;
  for (const BlockDimension& dimension : operand.block) shape.push_back(SizeOf(dimension));
  return shape;
}

// A window of elements counts all of its places in elements.
std::string IndexFunction(const Kernel& kernel, const Operand& operand, size_t index) {
  FunctionText body;
  for (size_t i = 0; i < kernel.grid.size(); ++i) body.Argument("i32");
  for (const Buffer& buffer : kernel.prefetched) body.Argument(MemRef(buffer.shape, "i32", "smem"));
  std::vector<Value> places;
  const size_t rank = operand.block.empty() ? operand.array.size() : operand.block.size();
  const bool elements = HasElements(operand);
  for (size_t i = 0; i < rank; ++i) {
    Value place = PlaceValue(body, kernel, i < operand.map.size() && !operand.block.empty() ? operand.map[i] : Place{});
    if (elements && operand.block[i].kind == BlockKind::kBlocked && operand.block[i].size != 1) {
      place = body.Binary("arith.muli", place, body.I32(operand.block[i].size));
    }
    places.push_back(std::move(place));
  }
  body.Do("func.return", places);
  return body.Function(absl::StrCat("sym_name = \"transform_", index, "\""), std::vector<std::string>(rank, "i32"));
}

// ---- The body ---------------------------------------------------------------------------------------------------------

std::string_view SpaceName(Space space) {
  constexpr std::string_view kNames[] = {"vmem", "any", "hbm", "smem"};
  return kNames[static_cast<size_t>(space)];
}

bool HasWindow(const Operand& operand) { return operand.space == Space::kVmem || operand.space == Space::kSmem; }
Shape RefShape(const Operand& operand) { return HasWindow(operand) ? BlockShape(operand) : operand.array; }

// What the body sees of a block: no squeezed dimensions.
Shape SeenShape(const Operand& operand) {
  if (operand.block.empty()) return operand.array;
  Shape shape;
  for (const BlockDimension& dimension : operand.block) {
    if (dimension.kind != BlockKind::kSqueezed) shape.push_back(dimension.size);
  }
  return shape.empty() ? BlockShape(operand) : shape;
}

// An array that a scratch or scoped buffer is filled from, or written to.
Buffer RelayOf(const Buffer& buffer) {
  Buffer relay = buffer;
  relay.type = InKernel(buffer.type);
  const uint64_t count = std::max<uint64_t>(2, CeilDiv(kRelayBytes, std::max<uint64_t>(1, ArrayBytes(relay.type, relay.shape))));
  if (relay.shape.size() != 1) {
    relay.shape.insert(relay.shape.begin(), count);
  } else if (relay.shape[0] % 1024 == 0 && relay.shape[0] > 0) {
    relay.shape[0] = SaturatingMul(relay.shape[0], count);
  }  // else of the same shape: a part of a tile cannot be sliced
  return relay;
}
bool IsWhole(const Buffer& buffer) { return RelayOf(buffer).shape == buffer.shape; }
std::string RelaySpace(const Buffer& buffer) { return IsWhole(buffer) ? "hbm" : "any"; }

std::vector<Buffer> RelayedBuffers(const Kernel& kernel) {
  std::vector<Buffer> buffers = kernel.scratch;
  for (const ScopedBuffer& scoped : kernel.scoped) buffers.push_back(scoped.buffer);
  return buffers;
}

struct Ref {
  const Operand* operand = nullptr;
  Value value;
};

class BodyWriter {
 public:
  explicit BodyWriter(const Kernel& kernel) : kernel_(kernel) { AddArguments(); }

  std::string Write() {
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i].operand->space == Space::kVmem) WriteOutput(outputs_[i], i);
    }
    const std::vector<Buffer> buffers = RelayedBuffers(kernel_);
    for (size_t i = 0; i < scratch_.size(); ++i) Relay(buffers[i], i, scratch_[i]);
    WriteScopes(buffers);
    body_.Do("func.return", {});
    return body_.Function(Attributes(), {});
  }

 private:
  void AddArguments();
  std::string Attributes() const;
  std::string Windows() const;

  Value Load(const Ref& ref);
  void Store(const Ref& ref, const Value& value);
  Value Seen(const Ref& ref);
  Value AsPred(const Value& value, const Shape& shape);
  void WriteOutput(const Ref& output, size_t index);
  bool IsTaken(size_t output) const;
  Value Copies(const Ref& output, size_t index);
  std::optional<Value> Heavy(const Ref& output);
  Value Softmax(const Value& value, const Shape& shape);
  std::optional<Value> Dot(const Ref& output);
  bool Chain(const Ref& output);

  void Move(const Buffer& buffer, const Value& array, const Value& local, bool out);
  Value Slot(const Buffer& buffer, const Value& array, const std::vector<Value>& first);
  void Relay(const Buffer& buffer, size_t index, const Value& local) {
    Move(buffer, relays_in_[index], local, false);
    Move(buffer, relays_out_[index], local, true);
  }
  void WriteScopes(const std::vector<Buffer>& buffers);

  const Kernel& kernel_;
  FunctionText body_;
  std::vector<Ref> inputs_, outputs_;
  std::vector<Value> relays_in_, relays_out_, scratch_;
};

void BodyWriter::AddArguments() {
  for (size_t i = 0; i < kernel_.grid.size(); ++i) body_.Argument("i32");
  for (const Buffer& buffer : kernel_.prefetched) body_.Argument(MemRef(buffer.shape, "i32", "smem"));
  const auto operand = [&](const Operand& each) {
    return Ref{&each, body_.Argument(MemRef(RefShape(each), ElementType(each.type), SpaceName(each.space)))};
  };
  const auto relay = [&](const Buffer& each) {
    return body_.Argument(MemRef(RelayOf(each).shape, ElementType(each.type), RelaySpace(each)));
  };
  for (const Operand& input : kernel_.inputs) inputs_.push_back(operand(input));
  for (const Buffer& buffer : RelayedBuffers(kernel_)) relays_in_.push_back(relay(buffer));
  for (const Operand& output : kernel_.outputs) outputs_.push_back(operand(output));
  for (const Buffer& buffer : RelayedBuffers(kernel_)) relays_out_.push_back(relay(buffer));
  for (const Buffer& buffer : kernel_.scratch) scratch_.push_back(body_.Argument(MemRef(buffer.shape, ElementType(buffer.type), "vmem")));
}

std::string WindowOf(const Operand& operand, size_t index) {
  if (!HasWindow(operand)) return "{}";
  const bool whole = operand.block.empty() && operand.space == Space::kVmem;
  std::string text = "{";
  if (operand.buffers == 1 || (operand.buffers == 0 && whole)) {
    text += "pipeline_mode = #tpu.pipeline_mode<synchronous>, ";
  } else if (operand.buffers != 0) {
    text += "pipeline_mode = #tpu.pipeline_mode<double_buffered>, ";
  }
  absl::StrAppend(&text, "transform_indices = @transform_", index, ", window_bounds = array<i64: ",
                  absl::StrJoin(BlockShape(operand), ", "), ">");
  if (HasElements(operand)) {
    const std::string zeros = absl::StrJoin(Shape(operand.block.size(), 0), ", ");
    absl::StrAppend(&text, ", window_kind = #tpu.element_window<[", zeros, "], [", zeros, "]>");
  }
  return text + "}";
}

std::string BodyWriter::Windows() const {
  std::vector<std::string> windows;
  const std::vector<std::string> relays(relays_in_.size(), "{}");
  for (const Operand& input : kernel_.inputs) windows.push_back(WindowOf(input, windows.size()));
  windows.insert(windows.end(), relays.begin(), relays.end());
  for (const Operand& output : kernel_.outputs) windows.push_back(WindowOf(output, windows.size()));
  windows.insert(windows.end(), relays.begin(), relays.end());
  return absl::StrJoin(windows, ", ");
}

std::string BodyWriter::Attributes() const {
  constexpr std::string_view kWords[] = {"arbitrary", "arbitrary", "parallel", "core_parallel"};
  std::vector<std::string> semantics, bounds;
  for (const GridDimension& dimension : kernel_.grid) {
    semantics.push_back(absl::StrCat("#tpu.dimension_semantics<", std::string(kWords[static_cast<size_t>(dimension.semantics)]), ">"));
    bounds.push_back(dimension.dynamic ? "-9223372036854775808" : absl::StrCat(dimension.size));
  }
  std::string text = absl::StrCat("dimension_semantics = [", absl::StrJoin(semantics, ", "), "]");
  if (!kernel_.grid.empty()) {
    absl::StrAppend(&text, ", iteration_bounds = array<i64: ", absl::StrJoin(bounds, ", "), ">, window_params = [", Windows(), "]");
  }
  absl::StrAppend(&text, ", scalar_prefetch = ", kernel_.prefetched.size(), " : i64, scratch_operands = ", kernel_.scratch.size(),
                  " : i64, sym_name = \"kernel\", tpu.core_type = #tpu.core_type<tc>");
  return text;
}

// ---- Vectors ----------------------------------------------------------------------------------------------------------

Value BodyWriter::Load(const Ref& ref) {
  const Shape shape = RefShape(*ref.operand);
  std::vector<Value> operands = body_.Zeros(shape.size(), "index");
  operands.insert(operands.begin(), ref.value);
  return body_.Op("vector.load", operands, "", Vector(shape, ElementType(ref.operand->type)));
}

std::string StoreAttributes(size_t rank) {
  return absl::StrCat("add = false, operandSegmentSizes = array<i32: 1, 1, ", rank, ", 0>, strides = array<i32>");
}

// A pred comes as vector of i1.
void BodyWriter::Store(const Ref& ref, const Value& value) {
  const Shape shape = RefShape(*ref.operand), seen = SeenShape(*ref.operand);
  const std::string element = ElementType(ref.operand->type);
  std::vector<Value> places = body_.Zeros(shape.size(), "index");
  std::vector<Value> operands = places;
  operands.insert(operands.begin(), ref.value);
  body_.Op("vector.load", operands, "", Vector(shape, element));  // what Pallas gives back of a store, and nobody reads
  Value wide = value;
  if (ref.operand->type == Type::kPred) wide = body_.Op("arith.extui", {value}, "", Vector(seen, element));
  if (seen != shape) wide = body_.Op("vector.shape_cast", {wide}, "", Vector(shape, element));
  operands.insert(operands.begin(), wide);
  body_.Do("tpu.vector_store", operands, StoreAttributes(shape.size()));
}

Value BodyWriter::AsPred(const Value& value, const Shape& shape) {
  const Value zeros =
      body_.Op("arith.constant", {}, absl::StrCat("value = dense<0> : ", Vector(shape, "i32")), Vector(shape, "i32"));
  return body_.Compare(value, zeros, kNotEqual, Vector(shape, "i1"));
}

// The block without its squeezed dimensions.
Value BodyWriter::Seen(const Ref& ref) {
  const Shape seen = SeenShape(*ref.operand);
  Value value = Load(ref);
  if (seen != RefShape(*ref.operand)) {
    value = body_.Op("vector.shape_cast", {value}, "", Vector(seen, ElementType(ref.operand->type)));
  }
  return ref.operand->type == Type::kPred ? AsPred(value, seen) : value;
}

// Arrays of four bits have tiles of 64 rows where those divide them, else smaller ones: between the two the compiler takes
// memory of its own to copy (s4[1,72,256] to s4[1,64,256] by 64 rows: 36,864 bytes).
bool HasLargeTiles(const Operand& operand) {
  const size_t rank = operand.array.size();
  return hlo::RowOf(operand.type).bits == 4 && rank > 1 && operand.array[rank - 2] % 64 == 0;
}

// The sum of the first two inputs that are like the output, one of them, or a constant, of each output another: no value is
// stored twice, since the compiler may then keep it in memory of its own (u16[3,3,129,128] to two outputs on v4: 483,328 bytes).
Value BodyWriter::Copies(const Ref& output, size_t index) {
  const Shape seen = SeenShape(*output.operand);
  const Type type = output.operand->type;
  std::vector<const Ref*> same;
  const auto is_like = [&](const Ref& other) {
    return other.operand->space == Space::kVmem && other.operand->type == type && SeenShape(*other.operand) == seen &&
           HasLargeTiles(*other.operand) == HasLargeTiles(*output.operand);
  };
  const bool taken = IsTaken(index);
  for (const Ref& input : inputs_) {
    if (!taken && is_like(input)) same.push_back(&input);
  }
  if (same.size() > 1 && IsReckoned(type, seen.size())) {
    const Value a = Seen(*same[0]), b = Seen(*same[1]);
    return body_.Binary(IsFloat(type) ? "arith.addf" : "arith.addi", a, b);
  }
  if (!same.empty()) return Seen(*same[0]);
  const std::string element = type == Type::kPred ? "i1" : ElementType(type);
  const uint64_t number = index % 4 + 1;
  const std::string value = type == Type::kPred ? "true"
                            : IsFloat(type)     ? absl::StrCat(number, ".0 : ", element)
                                                : absl::StrCat(hlo::RowOf(type).bits < 4 ? 1 : number, " : ", element);
  const Value scalar = body_.Op("arith.constant", {}, absl::StrCat("value = ", value), element);
  return body_.Op("vector.broadcast", {scalar}, "", Vector(seen, element));
}

// Whether an output before this one is like it, and has taken what can be made of the inputs.
bool BodyWriter::IsTaken(size_t output) const {
  const Operand& own = *outputs_[output].operand;
  return std::any_of(outputs_.begin(), outputs_.begin() + static_cast<ptrdiff_t>(output), [&](const Ref& other) {
    return other.operand->space == Space::kVmem && other.operand->type == own.type && SeenShape(*other.operand) == SeenShape(own);
  });
}

Value BodyWriter::Softmax(const Value& value, const Shape& shape) {
  Shape reduced = shape, kept = shape;
  reduced.pop_back();
  kept.back() = 1;
  const std::string row = Vector(reduced, "f32"), full = Vector(shape, "f32");
  const auto reduce = [&](const Value& from, const std::string& kind, const std::string& start) {
    const Value initial = body_.Op("arith.constant", {}, absl::StrCat("value = dense<", start, "> : ", row), row);
    return body_.Op("vector.multi_reduction", {from, initial},
                    absl::StrCat("kind = #vector.kind<", kind, ">, reduction_dims = array<i64: ", shape.size() - 1, ">"), row);
  };
  const auto spread = [&](const Value& from) {
    const Value column = body_.Op("vector.shape_cast", {from}, "", Vector(kept, "f32"));
    return body_.Op("vector.broadcast", {column}, "", full);
  };
  const Value highest = reduce(value, "maximumf", "0xFF800000");
  const Value least = body_.Op("arith.constant", {}, "value = 0xFF800000 : f32", "f32");
  const Value bound = body_.Binary("arith.maximumf", body_.Op("vector.broadcast", {least}, "", row), highest);
  const Value powers = body_.Unary("math.exp", body_.Binary("arith.subf", value, spread(bound)));
  return body_.Binary("arith.divf", powers, spread(reduce(powers, "add", "0.000000e+00")));
}

std::optional<Value> BodyWriter::Dot(const Ref& output) {
  if (inputs_.size() < 2) return std::nullopt;
  const Operand &a = *inputs_[0].operand, &b = *inputs_[1].operand, &c = *output.operand;
  const Shape x = SeenShape(a), y = SeenShape(b), z = SeenShape(c);
  const bool shapes = x.size() == 2 && y.size() == 2 && z.size() == 2 && x[1] == y[0] && z[0] == x[0] && z[1] == y[1];
  const bool types = a.type == b.type && (a.type == Type::kF32 || a.type == Type::kBf16) && (c.type == Type::kF32 || c.type == a.type);
  if (!shapes || !types || a.space != Space::kVmem || b.space != Space::kVmem) return std::nullopt;
  const Value left = Seen(inputs_[0]), right = Seen(inputs_[1]);
  const std::string sum = Vector(z, "f32");
  const Value zeros = body_.Op("arith.constant", {}, absl::StrCat("value = dense<0.000000e+00> : ", sum), sum);
  const Value product = body_.Op("tpu.matmul", {left, right, zeros},
                                 "dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, "
                                 "transpose_lhs = false, transpose_lhs_hint = false, transpose_rhs = false",
                                 sum);
  return c.type == Type::kF32 ? product : body_.Op("arith.truncf", {product}, "", Vector(z, "bf16"));
}

// 128 tiles of eight rows, each mixed with two others, three times; stored here.
bool BodyWriter::Chain(const Ref& output) {
  if (inputs_.empty() || inputs_[0].operand->space != Space::kVmem) return false;
  const Shape shape = RefShape(*output.operand);
  if (output.operand->type != Type::kF32 || inputs_[0].operand->type != Type::kF32 || shape.size() != 2 ||
      RefShape(*inputs_[0].operand) != shape || shape[0] < 16) {
    return false;
  }
  const size_t tiles = std::min<uint64_t>(128, shape[0] / 8);
  const std::string type = Vector({8, shape[1]}, "f32");
  const auto place = [&](const Value& ref, size_t i) {
    return std::vector<Value>{ref, body_.Constant(static_cast<int64_t>(8 * i), "index"), body_.Constant(0, "index")};
  };
  std::vector<Value> values;
  for (size_t i = 0; i < tiles; ++i) values.push_back(body_.Op("vector.load", place(inputs_[0].value, i), "", type));
  for (int round = 0; round < 3; ++round) {
    std::vector<Value> mixed;
    for (size_t i = 0; i < tiles; ++i) {
      const Value product = body_.Binary("arith.mulf", values[(i * 7 + 1) % tiles], values[(i * 31 + 5) % tiles]);
      mixed.push_back(body_.Unary("math.tanh", body_.Binary("arith.addf", values[i], product)));
    }
    values = std::move(mixed);
  }
  for (size_t i = 0; i < tiles; ++i) {
    std::vector<Value> operands = place(output.value, i);
    body_.Op("vector.load", operands, "", type);
    operands.insert(operands.begin(), values[i]);
    body_.Do("tpu.vector_store", operands, StoreAttributes(2));
  }
  return true;
}

// What the body says, where the first input and this output are of its shapes and types.
std::optional<Value> BodyWriter::Heavy(const Ref& output) {
  if (kernel_.body == Body::kCopies || inputs_.empty() || inputs_[0].operand->space != Space::kVmem) return std::nullopt;
  if (kernel_.body == Body::kDot) return Dot(output);
  const Operand &in = *inputs_[0].operand, &out = *output.operand;
  const Shape from = SeenShape(in), to = SeenShape(out);
  if (in.type != out.type) return std::nullopt;
  if (kernel_.body == Body::kExp && from == to && IsFloat(in.type) && IsReckoned(in.type, from.size())) {
    return body_.Unary("math.exp", Seen(inputs_[0]));
  }
  if (kernel_.body == Body::kSoftmax && from == to && in.type == Type::kF32 && from.size() > 1) {
    return Softmax(Seen(inputs_[0]), from);
  }
  if (kernel_.body == Body::kTranspose && from.size() == 2 && to == Shape{from[1], from[0]} && in.type != Type::kPred) {
    return body_.Op("tpu.transpose", {Seen(inputs_[0])}, "permutation = array<i64: 1, 0>", Vector(to, ElementType(in.type)));
  }
  return std::nullopt;
}

void BodyWriter::WriteOutput(const Ref& output, size_t index) {
  if (kernel_.body == Body::kChain && Chain(output)) return;
  const std::optional<Value> heavy = IsTaken(index) ? std::nullopt : Heavy(output);
  Store(output, heavy ? *heavy : Copies(output, index));
}

// ---- Scratch and scopes -----------------------------------------------------------------------------------------------

// The part of a relay array that the buffer is filled from.
Value BodyWriter::Slot(const Buffer& buffer, const Value& array, const std::vector<Value>& first) {
  if (IsWhole(buffer)) return array;
  const std::string element = ElementType(buffer.type);
  const bool sliced_alone = buffer.shape.size() == 1;
  std::vector<Value> places = first;
  while (places.size() < buffer.shape.size() + (sliced_alone ? 0 : 1)) places.push_back(body_.I32(0));
  const size_t rank = places.size();
  Shape slice = buffer.shape;
  if (!sliced_alone) slice.insert(slice.begin(), 1);
  places.insert(places.begin(), array);
  const Value part = body_.Op("tpu.memref_slice", places, absl::StrCat("operandSegmentSizes = array<i32: 1, ", rank, ", 0>"),
                              MemRef(slice, element, "any"));
  if (sliced_alone) return part;
  return body_.Op("tpu.memref_squeeze", {part}, "", MemRef(buffer.shape, element, "any"));
}

void BodyWriter::Move(const Buffer& buffer, const Value& array, const Value& local, bool out) {
  std::vector<Value> first;
  if (!IsWhole(buffer) && buffer.shape.size() != 1) first.push_back(body_.I32(0));
  body_.BeginRegion();
  const Value semaphore = body_.Op("tpu.sem_alloc", {}, "", "memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>");
  const Value slot = Slot(buffer, array, first);
  body_.Do("tpu.enqueue_dma", {out ? local : slot, out ? slot : local, semaphore},
           "operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0>, priority = 0 : i32, strict_ordering = false");
  const Value again = Slot(buffer, array, first);
  body_.Do("tpu.wait_dma2", {semaphore, out ? local : again, out ? again : local},
           "operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, strict_ordering = false");
  body_.EndRegion();
}

// Depths that jump are taken as they are: a scope holds what follows deeper.
void BodyWriter::WriteScopes(const std::vector<Buffer>& buffers) {
  std::vector<std::pair<size_t, Value>> open;
  const auto close = [&] {
    const auto [index, local] = open.back();
    open.pop_back();
    const size_t relay = kernel_.scratch.size() + index;
    Move(buffers[relay], relays_out_[relay], local, true);
    body_.EndRegion();
  };
  for (size_t at = 0; at < kernel_.scoped.size(); ++at) {
    while (!open.empty() && kernel_.scoped[open.back().first].depth >= kernel_.scoped[at].depth) close();
    const size_t relay = kernel_.scratch.size() + at;
    const Buffer& buffer = buffers[relay];
    body_.BeginRegion();
    const Value local = body_.Op("memref.alloca", {}, "operandSegmentSizes = array<i32: 0, 0>",
                                 MemRef(buffer.shape, ElementType(buffer.type), "vmem"));
    Move(buffer, relays_in_[relay], local, false);
    open.emplace_back(at, local);
  }
  while (!open.empty()) close();
}

// ---- The module around it ---------------------------------------------------------------------------------------------

std::string HloShape(Type type, const Shape& shape) {
  std::vector<size_t> order;
  for (size_t i = shape.size(); i > 0; --i) order.push_back(i - 1);
  if (shape.empty()) return absl::StrCat(std::string(hlo::RowOf(type).name), "[]");
  return absl::StrCat(std::string(hlo::RowOf(type).name), "[", absl::StrJoin(shape, ","), "]{", absl::StrJoin(order, ","), "}");
}

// Arrays lie as the kernel takes them, row by row: left to itself a compiler chooses other layouts and copies each array into
// another, which takes HBM and time, and a small limit is then exceeded by the copy.
std::string LayoutMode(std::string_view shape) {
  return shape.ends_with("[]") ? "default" : std::string(shape.substr(shape.find('{')));
}

class ModuleWriter {
 public:
  explicit ModuleWriter(const Kernel& kernel) : kernel_(kernel) {}

  std::string Write() {
    for (const GridDimension& dimension : kernel_.grid) {
      if (dimension.dynamic) Add("s32[]");
    }
    for (const Buffer& buffer : kernel_.prefetched) Add(HloShape(Type::kS32, buffer.shape));
    for (const Operand& input : kernel_.inputs) AddInput(input);
    for (const Buffer& buffer : RelayedBuffers(kernel_)) Add(HloShape(InKernel(buffer.type), RelayOf(buffer).shape));
    for (const Operand& output : kernel_.outputs) results_.push_back(HloShape(InKernel(output.type), output.array));
    for (const Buffer& buffer : RelayedBuffers(kernel_)) results_.push_back(HloShape(InKernel(buffer.type), RelayOf(buffer).shape));
    AddCall();
    std::vector<std::string> modes;
    for (size_t i = 0; i < results_.size(); ++i) modes.push_back(LayoutMode(results_[i]));
    return absl::StrCat("HloModule kernel, frontend_attributes={arg_layout_modes=\"", absl::StrJoin(parameter_modes_, ";"),
                        "\", out_layout_modes=\"", absl::StrJoin(modes, ";"), "\"}\n\nENTRY main {\n", text_, "}\n");
  }

 private:
  void Line(const std::string& line) { absl::StrAppend(&text_, "  ", line, "\n"); }
  std::string Parameter(const std::string& shape) {
    std::string name = absl::StrCat("p", parameters_);
    parameter_modes_.push_back(LayoutMode(shape));
    Line(absl::StrCat(name, " = ", shape, " parameter(", parameters_++, ")"));
    return name;
  }
  void Take(std::string name, const std::string& shape) {
    operands_.push_back(std::move(name));
    shapes_.push_back(shape);
  }
  void Add(const std::string& shape) { Take(Parameter(shape), shape); }
  void AddInput(const Operand& input);
  void AddCall();
  std::string Configuration() const;

  const Kernel& kernel_;
  std::string text_;
  size_t parameters_ = 0, derived_ = 0;
  std::vector<std::string> operands_, shapes_, results_, parameter_modes_;
  std::vector<size_t> fused_, in_vmem_;  // operands
};

void ModuleWriter::AddInput(const Operand& input) {
  const std::string shape = HloShape(InKernel(input.type), input.array);
  std::string name = Parameter(shape);
  if (input.fused) {  // its producer, of one operand
    std::string producer = absl::StrCat("d", derived_++);
    Line(absl::StrCat(producer, " = ", shape, " negate(", name, ")"));
    name = std::move(producer);
    fused_.push_back(operands_.size());
  }
  if (input.in_vmem) in_vmem_.push_back(operands_.size());
  Take(std::move(name), shape);
}

std::string ModuleWriter::Configuration() const {
  std::string text = absl::StrCat(R"({"custom_call_config":{"body":")", absl::Base64Escape(PrintMosaic(kernel_)),
                                  R"(","serialization_format":1,"needs_layout_passes":true)");
  if (!fused_.empty()) {
    std::vector<std::string> words(operands_.size(), "false");
    for (const size_t each : fused_) words[each] = "true";
    absl::StrAppend(&text, R"(,"allow_input_fusion":[)", absl::StrJoin(words, ","), "]");
  }
  std::vector<std::string> colors;
  for (size_t i = 0; i < kernel_.outputs.size(); ++i) {
    if (!kernel_.outputs[i].in_vmem) continue;
    colors.push_back(results_.size() == 1 ? std::string(R"({"color":1})") : absl::StrCat(R"({"color":1,"shape_index":[)", i, "]}"));
  }
  if (!colors.empty()) absl::StrAppend(&text, R"(,"output_memory_space_colors":[)", absl::StrJoin(colors, ","), "]");
  colors.clear();
  for (const size_t each : in_vmem_) colors.push_back(absl::StrCat(R"({"operand_index":)", each, R"(,"color":1})"));
  if (!colors.empty()) absl::StrAppend(&text, R"(,"input_memory_space_colors":[)", absl::StrJoin(colors, ","), "]");
  text += "}";
  if (kernel_.limit_bytes) {
    absl::StrAppend(&text, R"(,"scoped_memory_configs":[{"memory_space":1,"offset":0,"size":)", *kernel_.limit_bytes, "}]");
  }
  return text + "}";
}

void ModuleWriter::AddCall() {
  const std::string results = results_.size() == 1 ? results_[0] : absl::StrCat("(", absl::StrJoin(results_, ", "), ")");
  Line(absl::StrCat("ROOT k = ", results, " custom-call(", absl::StrJoin(operands_, ", "),
                    "), custom_call_target=\"tpu_custom_call\", operand_layout_constraints={", absl::StrJoin(shapes_, ", "), "}",
                    results_.empty() ? ", custom_call_has_side_effect=true" : "", ", backend_config=", Configuration()));
}

}  // namespace

// Without a grid, a block that is not its whole array has no text: then there is a grid of one step.
std::string PrintMosaic(const Kernel& given) {
  Kernel kernel = given;
  const auto is_part = [](const Operand& each) { return HasWindow(each) && BlockShape(each) != each.array; };
  if (kernel.grid.empty() && (std::any_of(kernel.inputs.begin(), kernel.inputs.end(), is_part) ||
                              std::any_of(kernel.outputs.begin(), kernel.outputs.end(), is_part))) {
    kernel.grid.emplace_back();
  }
  std::string text = "module attributes {stable_mosaic.version = 15 : i64} {\n";
  text += BodyWriter(kernel).Write();
  if (!kernel.grid.empty()) {
    const size_t relays = kernel.scratch.size() + kernel.scoped.size();
    for (size_t i = 0; i < kernel.inputs.size(); ++i) {
      if (HasWindow(kernel.inputs[i])) text += IndexFunction(kernel, kernel.inputs[i], i);
    }
    for (size_t i = 0; i < kernel.outputs.size(); ++i) {
      if (HasWindow(kernel.outputs[i])) text += IndexFunction(kernel, kernel.outputs[i], kernel.inputs.size() + relays + i);
    }
  }
  return text + "}\n";
}

std::string PrintHloOf(const Kernel& kernel) { return ModuleWriter(kernel).Write(); }

}  // namespace oomph::vmem
