// See mosaic.h. Operations as Pallas of jax 0.10.2 lowers them, but for what an access is: arrays of any shape and type must
// do, so tile memory is written by one vector of a constant, and shared memory and HBM are copied to themselves.
//
// Which of several scopes is hoisted first depends on constants: the compiler has a zero of its own in front of the kernel, so
// the kernel's zero is replaced, and with it all operations that take it are looked at again, the last first, and what is around
// them. So that the order is one of the statements, each access takes the zero, in a region of its own, in which no equal
// operation stands for it; and no other constant that the compiler may have (1, 2, 4) is taken by anything.
#include "models/sparsecore/mosaic.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "models/sparsecore/structure.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

using Shape = std::vector<uint64_t>;

constexpr std::string_view kDialect = "stable_mosaic.";
// Regions in regions: MLIR reads them by recursion.
constexpr size_t kMostDepth = 200;
constexpr uint64_t kSubcores = 16;
constexpr uint32_t kWordBits = 32;
// Conditions and bounds differ from each other, or equal ones would be merged before planning.
constexpr uint64_t kConditionBound = 100;
constexpr uint64_t kStep = 3;  // of loops and counters
constexpr uint64_t kMostTrips = INT32_MAX / kStep;

bool IsSemaphore(Space space) { return space == Space::kSflagTile || space == Space::kSflagScs; }
bool IsSmem(Space space) { return space == Space::kSmemTile || space == Space::kSmemScs; }
// What no operation of a core reads or writes: a copy alone does.
bool IsCopiedOnly(Space space) { return space == Space::kSpmem || space == Space::kHbm; }
bool IsOf(Core core, Space space) {
  if (IsCopiedOnly(space)) return true;
  return (space == Space::kSmemScs || space == Space::kSflagScs) == (core == Core::kScalar);
}

// ---- Types ------------------------------------------------------------------------------------------------------------

// Lanes of a vector register of a subcore, and the SparseCores of a kernel's mesh.
struct Machine {
  uint64_t lanes, cores;
};
Machine MachineOf(Target target) {
  switch (target) {
    case Target::kV5p:
      return {8, 4};
    case Target::kV6e:
      return {8, 2};
    case Target::kV7x:
      return {16, 2};
  }
  return {8, 2};
}

uint32_t BitsOf(Type type) { return type == Type::kPred ? kWordBits : hlo::RowOf(type).bits; }

// Empty: no element of a kernel's arrays.
std::string ElementType(Type type) {
  const std::string_view name = hlo::RowOf(type).name;
  const uint32_t bits = BitsOf(type);
  if (type == Type::kPred) return "i32";
  if (bits != 4 && bits != 8 && bits != 16 && bits != 32) return "";
  if (name.starts_with('s') || name.starts_with('u')) return absl::StrCat("i", std::string(name.substr(1)));
  if (type == Type::kF32 || type == Type::kBf16 || type == Type::kF16) return std::string(name);
  if (type == Type::kF8e4m3fn) return "f8E4M3FN";
  if (type == Type::kF8e5m2) return "f8E5M2";
  return "";
}
bool IsFloat(std::string_view element) { return !element.starts_with('i'); }

std::string Dimensions(const Shape& shape) {
  std::string text;
  for (const uint64_t size : shape) absl::StrAppend(&text, size, "x");
  return text;
}
std::string MemRef(const Shape& shape, std::string_view element, std::string_view space) {
  return absl::StrCat("memref<", Dimensions(shape), std::string(element), ", #tpu.memory_space<", std::string(space), ">>");
}

constexpr std::string_view kSemaphore = "!tpu.semaphore", kDmaSemaphore = "!tpu.dma_semaphore", kSemaphores = "semaphore_mem";

std::string_view MosaicSpace(Space space) {
  switch (space) {
    case Space::kSpmem:
      return "vmem_shared";
    case Space::kTileSpmem:
      return "vmem";
    case Space::kSmemTile:
    case Space::kSmemScs:
      return "smem";
    case Space::kSflagTile:
    case Space::kSflagScs:
      return kSemaphores;
    case Space::kHbm:
      return "hbm";
  }
  return "";
}

std::string ElementOf(const Buffer& buffer) {
  return IsSemaphore(buffer.space) ? std::string(kSemaphore) : ElementType(buffer.type);
}
std::string TypeOf(const Buffer& buffer) { return MemRef(buffer.shape, ElementOf(buffer), MosaicSpace(buffer.space)); }

// ---- What a kernel can hold -------------------------------------------------------------------------------------------

std::string WhyNoBuffer(const Program& program, const Buffer& buffer) {
  if (buffer.tile) return "a tile of its own";
  if (!IsOf(program.core, buffer.space)) return "a memory of the other core";
  if (IsSemaphore(buffer.space) ? buffer.type != Type::kS32 : ElementType(buffer.type).empty()) return "a type that no kernel holds";
  if (IsSmem(buffer.space) && BitsOf(buffer.type) != kWordBits) return "a type of less than 32 bits in smem";
  if (BitsOf(buffer.type) == 4 && (buffer.space != Space::kTileSpmem || buffer.shape.size() != 2)) {
    return "four bits in what cannot be copied to itself";
  }
  for (const uint64_t size : buffer.shape) {
    if (size == 0) return "no elements";
    if (size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return "a size beyond 2^63 - 1";
  }
  return "";
}

std::string WhyNoUse(const Buffer& buffer) {
  if (IsCopiedOnly(buffer.space)) return "spmem and hbm are reached by copies alone";
  if (buffer.space != Space::kTileSpmem) return "";
  if (buffer.shape.empty()) return "a scalar in tile_spmem is reached by copies alone";
  return BitsOf(buffer.type) == 4 ? "four bits are reached by copies alone" : "";
}

// ---- Text -------------------------------------------------------------------------------------------------------------

struct Value {
  std::string name, type;
};

// Operations one a line, in MLIR's generic form. Results are numbered through, whatever region they are in.
class BodyText {
 public:
  Value Op(std::string_view name, const std::vector<Value>& operands, std::string_view attributes, std::string type) {
    Value result = Fresh(std::move(type));
    Line(absl::StrCat(result.name, " = ", Call(name, operands, attributes), " -> ", result.type));
    return result;
  }
  void Do(std::string_view name, const std::vector<Value>& operands, std::string_view attributes = "") {
    Line(absl::StrCat(Call(name, operands, attributes), " -> ()"));
  }
  // `"x"(operands) ({`, with a result in front where there is one.
  void Open(std::string_view name, const std::vector<Value>& operands, const Value* result = nullptr) {
    Line(absl::StrCat(result == nullptr ? "" : result->name + " = ", "\"", std::string(kDialect), std::string(name), "\"(",
                      Names(operands), ") ({"));
    ++depth_;
  }
  void Block(const Value& argument) { Line(absl::StrCat("^bb0(", argument.name, ": ", argument.type, "):")); }
  void NextRegion() {
    --depth_;
    Line("}, {");
    ++depth_;
  }
  void Close(const std::vector<Value>& operands, std::string_view results = "()") {
    --depth_;
    Line(absl::StrCat("}) : (", Types(operands), ") -> ", std::string(results)));
  }
  Value Fresh(std::string type) { return {absl::StrCat("%", next_++), std::move(type)}; }

  Value Constant(std::string_view value, std::string_view type) {
    return Op("arith.constant", {}, absl::StrCat("value = ", std::string(value), " : ", std::string(type)), std::string(type));
  }
  Value I32(uint64_t value) { return Constant(absl::StrCat(value), "i32"); }
  Value Index() { return Constant("0", "index"); }
  Value Sum(const Value& a, const Value& b) {
    return Op("arith.addi", {a, b}, "overflowFlags = #arith.overflow<none>", a.type);
  }
  // The first `sizes` of an array.
  Value Slice(const Value& array, const Shape& sizes, std::string_view element, std::string_view space) {
    std::vector<Value> operands = {array};
    for (size_t i = 0; i < sizes.size(); ++i) operands.push_back(I32(0));
    return Op("tpu.memref_slice", operands, absl::StrCat("operandSegmentSizes = array<i32: 1, ", sizes.size(), ", 0>"),
              MemRef(sizes, element, space));
  }
  Value Squeeze(const Value& array, const Shape& sizes, std::string_view element, std::string_view space) {
    return Op("tpu.memref_squeeze", {array}, "", MemRef(sizes, element, space));
  }

  const std::string& text() const { return text_; }

  static std::string Names(const std::vector<Value>& values) {
    return absl::StrJoin(values, ", ", [](std::string* out, const Value& value) { out->append(value.name); });
  }
  static std::string Types(const std::vector<Value>& values) {
    return absl::StrJoin(values, ", ", [](std::string* out, const Value& value) { out->append(value.type); });
  }

 private:
  static std::string Call(std::string_view name, const std::vector<Value>& operands, std::string_view attributes) {
    return absl::StrCat("\"", std::string(kDialect), std::string(name), "\"(", Names(operands), ")",
                        attributes.empty() ? "" : absl::StrCat(" {", std::string(attributes), "}"), " : (", Types(operands), ")");
  }
  void Line(const std::string& line) { absl::StrAppend(&text_, std::string(2 * depth_, ' '), line, "\n"); }

  std::string text_;
  size_t next_ = 0, depth_ = 2;
};

// ---- The body ---------------------------------------------------------------------------------------------------------

class BodyWriter {
 public:
  explicit BodyWriter(const Program& program) : program_(program), machine_(MachineOf(program.target)) {
    FindStructure(program, structure_);
    values_.resize(program.buffers.size());
    AddArguments();
  }

  std::string Write() {
    row_ = body_.Op("arith.index_cast", {index_}, "", "index");
    for (uint32_t i = 0; i < program_.statements.size(); ++i) WriteStatement(i);
    while (!open_.empty()) End();
    body_.Do("func.return", {});
    std::vector<std::string> named;
    for (const Value& argument : arguments_) named.push_back(absl::StrCat(argument.name, ": ", argument.type));
    return absl::StrCat("  \"", std::string(kDialect), "func.func\"() ({\n  ^bb0(", absl::StrJoin(named, ", "), "):\n", body_.text(),
                        "  }) {", Attributes(), "} : () -> ()\n");
  }

 private:
  // A region that is open: which statement opened it, and what its end needs.
  struct Open {
    uint32_t statement;
    std::vector<Value> operands;
    Value counter;  // of a while: in its body
    bool has_else = false;
  };

  void AddArguments();
  std::string Attributes() const;
  void WriteStatement(uint32_t i);
  void OpenRegion(uint32_t i);
  void OpenWhile(uint32_t i);
  void End();

  Value Condition();
  void Use(uint32_t buffer);
  void Access(uint32_t buffer);
  void Work();
  void Load(uint32_t buffer);
  void Copy(uint32_t buffer);
  void StoreVector(const Buffer& buffer, const Value& array);
  void AddToWord(const Buffer& buffer, const Value& array);
  Value OneSemaphore(const Buffer& buffer, const Value& array);
  std::vector<Value> Indices(const Buffer& buffer);
  // The type of one register of elements.
  std::string VectorType(const Buffer& buffer) const;
  Value SelfCopied(const Buffer& buffer, const Value& array);

  const Program& program_;
  const Machine machine_;
  Structure structure_;
  BodyText body_;
  std::vector<Value> arguments_, values_;  // values_ by buffer
  Value index_, row_;                      // the innermost index of the mesh, i32 and index
  Value in_, out_;                         // f32[8,128] each, in HBM
  std::vector<Open> open_;
  uint64_t conditions_ = 0;
  size_t scratch_ = 0;
};

void BodyWriter::AddArguments() {
  const auto add = [&](std::string type) {
    return arguments_.emplace_back(Value{absl::StrCat("%arg", arguments_.size()), std::move(type)});
  };
  for (int i = program_.core == Core::kVector ? 0 : 1; i < 2; ++i) index_ = add("i32");
  in_ = add(MemRef({8, 128}, "f32", "hbm"));
  out_ = add(in_.type);
  for (uint32_t i = 0; i < program_.statements.size(); ++i) {
    const Statement& statement = program_.statements[i];
    if (statement.kind != Kind::kScratch || statement.buffer >= values_.size() || structure_.allocated[statement.buffer] != i) continue;
    values_[statement.buffer] = add(TypeOf(program_.buffers[statement.buffer]));
    ++scratch_;
  }
}

std::string BodyWriter::Attributes() const {
  const bool vector = program_.core == Core::kVector;
  const std::string parallel = "#tpu.dimension_semantics<core_parallel>";
  return absl::StrCat(
      "dimension_semantics = [", parallel, vector ? ", #tpu.dimension_semantics<subcore_parallel>" : "", "], function_type = (",
      BodyText::Types(arguments_), ") -> (), iteration_bounds = array<i64: ", machine_.cores,
      vector ? absl::StrCat(", ", kSubcores) : "", ">, scalar_prefetch = 0 : i64, scratch_operands = ", scratch_,
      " : i64, sym_name = \"k\", tpu.core_type = #tpu.core_type<", vector ? "sc_vector_subcore" : "sc_scalar_subcore",
      ">, window_params = [{transform_indices = #map}, {transform_indices = #map}]");
}

void BodyWriter::WriteStatement(uint32_t i) {
  const Statement& statement = program_.statements[i];
  const bool visible = structure_.IsVisible(program_, statement.buffer, i);
  switch (statement.kind) {
    case Kind::kScratch:
      break;
    case Kind::kAllocate: {
      if (statement.buffer >= values_.size() || structure_.allocated[statement.buffer] != i) break;
      const Buffer& buffer = program_.buffers[statement.buffer];
      const bool semaphore = IsSemaphore(buffer.space);
      values_[statement.buffer] = body_.Op(semaphore ? "tpu.sem_alloc" : "memref.alloca", {},
                                           semaphore ? "" : "operandSegmentSizes = array<i32: 0, 0>", TypeOf(buffer));
      break;
    }
    case Kind::kUse:
      if (visible) Use(statement.buffer);
      break;
    case Kind::kLoad:
      if (visible) Load(statement.buffer);
      break;
    case Kind::kCopy:
      Copy(visible ? statement.buffer : kNoBuffer);
      break;
    case Kind::kWork:
      Work();
      break;
    case Kind::kElse:
      if (structure_.partner[i] == kNowhere || open_.empty()) break;
      body_.Do("scf.yield", {});
      body_.NextRegion();
      open_.back().has_else = true;
      break;
    case Kind::kEnd:
      if (structure_.partner[i] != kNowhere && !open_.empty()) End();
      break;
    case Kind::kScope:
    case Kind::kFor:
    case Kind::kIf:
      OpenRegion(i);
      break;
    case Kind::kWhile:
      OpenWhile(i);
      break;
  }
}

void BodyWriter::OpenRegion(uint32_t i) {
  const Statement& statement = program_.statements[i];
  Open open{i, {}, {}};
  if (statement.kind == Kind::kScope) {
    body_.Open("tpu.region", {});
  } else if (statement.kind == Kind::kIf) {
    open.operands = {Condition()};
    body_.Open("scf.if", open.operands);
  } else {
    const Value from = body_.I32(0);
    // Of a subcore's number, so that nobody knows how many; else at most what 32 bits hold, which changes nothing.
    const Value to = statement.trips == kUnknownTrips ? body_.Sum(index_, body_.I32(2 * kConditionBound + conditions_++))
                                                      : body_.I32(kStep * std::min(statement.trips, kMostTrips));
    open.operands = {from, to, body_.I32(kStep)};
    body_.Open("scf.for", open.operands);
    body_.Block(body_.Fresh("i32"));
  }
  open_.push_back(std::move(open));
}

void BodyWriter::OpenWhile(uint32_t i) {
  const Value result = body_.Fresh("i32"), before = body_.Fresh("i32");
  body_.Open("scf.while", {index_}, &result);
  body_.Block(before);
  const Value bound = body_.I32(kConditionBound + conditions_++);
  body_.Do("scf.condition", {body_.Op("arith.cmpi", {before, bound}, "predicate = 2 : i64", "i1"), before});
  body_.NextRegion();
  Open open{i, {index_}, body_.Fresh("i32")};
  body_.Block(open.counter);
  open_.push_back(std::move(open));
}

void BodyWriter::End() {
  const Open open = std::move(open_.back());
  open_.pop_back();
  switch (program_.statements[open.statement].kind) {
    case Kind::kScope:
      body_.Do("tpu.yield", {});
      body_.Close({});
      break;
    case Kind::kWhile:
      body_.Do("scf.yield", {body_.Sum(open.counter, body_.I32(kStep))});
      body_.Close(open.operands, "i32");
      break;
    default:
      body_.Do("scf.yield", {});
      if (program_.statements[open.statement].kind == Kind::kIf && !open.has_else) {
        body_.NextRegion();
        body_.Do("scf.yield", {});
      }
      body_.Close(open.operands);
  }
}

// index * (an odd number of its own) < 100
Value BodyWriter::Condition() {
  const Value product = body_.Op("arith.muli", {index_, body_.I32(2 * conditions_++ + 3)}, "overflowFlags = #arith.overflow<none>", "i32");
  return body_.Op("arith.cmpi", {product, body_.I32(kConditionBound)}, "predicate = 2 : i64", "i1");
}

// ---- Accesses ---------------------------------------------------------------------------------------------------------

std::vector<Value> BodyWriter::Indices(const Buffer& buffer) {
  std::vector<Value> indices;
  for (size_t i = 0; i < buffer.shape.size(); ++i) indices.push_back(body_.Index());
  return indices;
}

std::string BodyWriter::VectorType(const Buffer& buffer) const {
  Shape shape(buffer.shape.size(), 1);
  shape.back() = machine_.lanes * (kWordBits / BitsOf(buffer.type));
  return absl::StrCat("vector<", Dimensions(shape), ElementType(buffer.type), ">");
}

// It may reach beyond the array, which nobody checks.
void BodyWriter::StoreVector(const Buffer& buffer, const Value& array) {
  const std::string type = VectorType(buffer);
  const std::vector<Value> indices = Indices(buffer);
  std::vector<Value> operands = {
      body_.Op("arith.constant", {}, absl::StrCat("value = dense<", IsFloat(ElementType(buffer.type)) ? "1.0" : "1", "> : ", type), type),
      array};
  operands.insert(operands.end(), indices.begin(), indices.end());
  body_.Do("tpu.vector_store", operands,
           absl::StrCat("add = false, operandSegmentSizes = array<i32: 1, 1, ", indices.size(), ", 0>, strides = array<i32>"));
}

// What is stored and never loaded would be taken away.
void BodyWriter::AddToWord(const Buffer& buffer, const Value& array) {
  const std::string type = ElementType(buffer.type);
  const std::vector<Value> indices = Indices(buffer);
  std::vector<Value> operands = {array};
  operands.insert(operands.end(), indices.begin(), indices.end());
  const Value word = body_.Op("memref.load", operands, "", type);
  const Value sum = IsFloat(type) ? body_.Op("arith.addf", {word, body_.Constant("3.0", type)}, "fastmath = #arith.fastmath<none>", type)
                                  : body_.Sum(word, body_.Constant(absl::StrCat(kStep), type));
  operands.insert(operands.begin(), sum);
  body_.Do("memref.store", operands);
}

Value BodyWriter::OneSemaphore(const Buffer& buffer, const Value& array) {
  if (buffer.shape.empty()) return array;
  const Value slice = body_.Slice(array, Shape(buffer.shape.size(), 1), kSemaphore, kSemaphores);
  return body_.Squeeze(slice, {}, kSemaphore, kSemaphores);
}

void BodyWriter::Access(uint32_t index) {
  const Buffer& buffer = program_.buffers[index];
  const Value& array = values_[index];
  if (IsSmem(buffer.space)) return AddToWord(buffer, array);
  if (!IsSemaphore(buffer.space)) return StoreVector(buffer, array);
  const Value semaphore = OneSemaphore(buffer, array), amount = body_.I32(kStep);
  body_.Do("tpu.sem_signal", {semaphore, amount}, "operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>");
  body_.Do("tpu.sem_wait", {semaphore, amount});
}

void BodyWriter::Use(uint32_t index) {
  const Buffer& buffer = program_.buffers[index];
  body_.Open("tpu.region", {});
  Access(index);
  if (IsSemaphore(buffer.space) || buffer.shape.empty()) Work();  // has taken no zero
  body_.Do("tpu.yield", {});
  body_.Close({});
}

// What stays, takes the zero and no memory.
void BodyWriter::Work() {
  body_.Open("tpu.region", {});
  const Value condition = body_.Op("arith.cmpi", {row_, body_.Index()}, "predicate = 4 : i64", "i1");
  body_.Open("scf.if", {condition});
  body_.Do("tpu.delay", {body_.I32(5)});
  body_.Do("scf.yield", {});
  body_.NextRegion();
  body_.Do("scf.yield", {});
  body_.Close({condition});
  body_.Do("tpu.yield", {});
  body_.Close({});
}

void BodyWriter::Load(uint32_t index) {
  const Buffer& buffer = program_.buffers[index];
  if (IsSemaphore(buffer.space)) {
    body_.Op("tpu.sem_read", {OneSemaphore(buffer, values_[index])}, "", "i32");
    return Work();
  }
  const std::vector<Value> indices = Indices(buffer);
  std::vector<Value> operands = {values_[index]};
  operands.insert(operands.end(), indices.begin(), indices.end());
  if (IsSmem(buffer.space)) {
    body_.Op("memref.load", operands, "", ElementType(buffer.type));
  } else {
    body_.Op("tpu.vector_load", operands, absl::StrCat("operandSegmentSizes = array<i32: 1, ", indices.size(), ", 0>, strides = array<i32>"),
             VectorType(buffer));
  }
}

// Of more than two dimensions one slice.
Value BodyWriter::SelfCopied(const Buffer& buffer, const Value& array) {
  if (buffer.shape.size() < 3) return array;
  Shape sizes(buffer.shape.size(), 1);
  std::copy(buffer.shape.end() - 2, buffer.shape.end(), sizes.end() - 2);
  return body_.Slice(array, sizes, ElementOf(buffer), MosaicSpace(buffer.space));
}

// A scope with the semaphore of one transfer. Where no transfer fits the buffer one of HBM stands for it, and the buffer is
// used beside it.
void BodyWriter::Copy(uint32_t index) {
  const Buffer* buffer = index == kNoBuffer ? nullptr : &program_.buffers[index];
  body_.Open("tpu.region", {});
  const Value semaphore = body_.Op("tpu.sem_alloc", {}, "", MemRef({}, kDmaSemaphore, kSemaphores));
  Value from = in_, to = out_;
  bool beside = false;
  if (buffer != nullptr) {
    if (IsCopiedOnly(buffer->space) || (!IsSemaphore(buffer->space) && BitsOf(buffer->type) == 4)) {
      from = to = SelfCopied(*buffer, values_[index]);
    } else if (buffer->space == Space::kTileSpmem && buffer->shape.empty()) {
      from = body_.Squeeze(body_.Slice(in_, {1, 1}, "f32", "hbm"), {}, "f32", "hbm");
      to = values_[index];
    } else {
      beside = true;
    }
  }
  body_.Do("tpu.enqueue_dma", {from, to, semaphore},
           "operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0>, priority = 0 : i32, strict_ordering = false");
  body_.Do("tpu.wait_dma2", {semaphore, from, to}, "operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, strict_ordering = false");
  beside ? Use(index) : Work();
  body_.Do("tpu.yield", {});
  body_.Close({});
}

std::string_view TilingName(Tiling tiling) { return tiling == Tiling::kLinear ? "TILING_SPARSE_CORE" : "TILING_COMPACT"; }

}  // namespace

std::string WhyNoKernel(const Program& program) {
  if (program.tiling == Tiling::kNone) return "physical shapes: a kernel's are tiled";
  if (!program.limits.empty()) return "limits of its own";
  Structure structure;
  FindStructure(program, structure);
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    if (structure.allocated[b] == kNowhere) continue;
    if (const std::string why = WhyNoBuffer(program, program.buffers[b]); !why.empty()) {
      return absl::StrCat(program.buffers[b].name, " ", PrintBuffer(program.buffers[b]), ": ", why);
    }
  }
  size_t depth = 0;
  for (uint32_t i = 0; i < program.statements.size(); ++i) {
    const Statement& statement = program.statements[i];
    if (Opens(statement.kind) && ++depth > kMostDepth) return absl::StrCat("more than ", kMostDepth, " regions in each other");
    if (statement.kind == Kind::kEnd && depth > 0) --depth;
    if ((statement.kind != Kind::kUse && statement.kind != Kind::kLoad && statement.kind != Kind::kCopy) ||
        !structure.IsVisible(program, statement.buffer, i)) {
      continue;
    }
    const Buffer& buffer = program.buffers[statement.buffer];
    const bool scalar = buffer.space == Space::kTileSpmem && buffer.shape.empty() && buffer.type != Type::kF32;
    const std::string why = statement.kind != Kind::kCopy ? WhyNoUse(buffer) : scalar ? "a scalar that is no f32" : "";
    if (!why.empty()) return absl::StrCat(buffer.name, " ", PrintBuffer(buffer), ": ", why);
  }
  return "";
}

void CopyWhatIsCopiedOnly(Program& program) {
  for (Statement& statement : program.statements) {
    if ((statement.kind != Kind::kUse && statement.kind != Kind::kLoad) || statement.buffer >= program.buffers.size()) continue;
    if (!WhyNoUse(program.buffers[statement.buffer]).empty()) statement.kind = Kind::kCopy;
  }
  for (Buffer& buffer : program.buffers) {
    if (buffer.space == Space::kTileSpmem && buffer.shape.empty()) buffer.type = Type::kF32;
  }
}

std::string PrintMosaic(const Program& program) {
  return absl::StrCat("#map = affine_map<", program.core == Core::kVector ? "(d0, d1)" : "(d0)",
                      " -> (0, 0)>\nmodule attributes {stable_mosaic.version = 15 : i64} {\n", BodyWriter(program).Write(), "}\n");
}

std::string PrintHloOf(const Program& program) {
  return absl::StrCat(
      "HloModule m\n\nENTRY e {\n  x = f32[8,128]{1,0} parameter(0)\n  ROOT k = f32[8,128]{1,0} custom-call(x), "
      "custom_call_target=\"tpu_custom_call\", operand_layout_constraints={f32[8,128]{1,0}}, backend_config={\"custom_call_config\": "
      "{\"body\": \"",
      absl::Base64Escape(PrintMosaic(program)),
      "\", \"serialization_format\": 1, \"needs_layout_passes\": true}, \"sparse_core_config\": {\"tiling\": \"",
      std::string(TilingName(program.tiling)), "\"}, \"device_type\": \"DEVICE_TYPE_SPARSECORE\"}\n}\n");
}

}  // namespace oomph::sparsecore
