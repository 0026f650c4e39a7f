// What the rules of single instructions see and answer. For the files verify*.cc and infer*.cc, and for reductions
// that ask the table which attributes are needed.
// Not for callers of the verifier (verify.h).
//
// Dynamic sizes and layouts play no part in what is compared, so nothing here infers them: <=8 is 8.
#ifndef OOMPH_MODELS_HLO_INFER_H_
#define OOMPH_MODELS_HLO_INFER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "models/hlo/module.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {

using Sizes = absl::InlinedVector<int64_t, 6>;

// Classes of element types.
enum TypeClass : uint8_t { kPreds = 1, kSigned = 2, kUnsigned = 4, kFloats = 8, kComplexes = 16 };
inline constexpr uint8_t kIntegers = kSigned | kUnsigned;
inline constexpr uint8_t kNumbers = kIntegers | kFloats | kComplexes;
inline constexpr uint8_t kAllTypes = kPreds | kNumbers;
uint8_t ClassOf(Type type);   // 0 for what is no array
Type ComponentOf(Type type);  // f32 for c64; a real type is its own component

// The module's shapes and those that are inferred, with what makes two of them compatible.
class ShapeBook {
 public:
  explicit ShapeBook(const ShapeTable& table);

  bool Known(ShapeId id) const { return id < table_.size(); }
  Type TypeOf(ShapeId id) const { return table_[id].type; }
  bool IsArray(ShapeId id) const { return IsArrayType(TypeOf(id)); }
  bool IsTuple(ShapeId id) const { return TypeOf(id) == Type::kTuple; }
  bool IsToken(ShapeId id) const { return TypeOf(id) == Type::kToken; }
  bool IsScalar(ShapeId id) const { return IsArray(id) && table_[id].count == 0; }
  bool IsScalar(ShapeId id, Type type) const { return IsScalar(id) && TypeOf(id) == type; }
  size_t Rank(ShapeId id) const { return IsArray(id) ? table_[id].count : 0; }
  int64_t Size(ShapeId id, size_t dimension) const { return table_.Dimensions(id)[dimension].size; }
  Sizes SizesOf(ShapeId id) const;
  // Tuples only; none for others.
  size_t Elements(ShapeId id) const { return IsTuple(id) ? table_[id].count : 0; }
  ShapeId Element(ShapeId id, size_t index) const { return table_.Elements(id)[index]; }
  std::optional<ShapeId> At(ShapeId id, std::span<const int64_t> index) const;
  size_t Leaves(ShapeId id);   // of a tuple tree; 1 for what is no tuple
  bool HasBuffer(ShapeId id);  // anywhere in it
  // The number of elements; none where it does not fit.
  std::optional<int64_t> Count(ShapeId id) const;
  const Layout* LayoutOf(ShapeId id) const { return table_.LayoutOf(id); }
  const ShapeTable& table() const { return table_; }

  ShapeId Array(Type type, std::span<const int64_t> sizes) { return table_.AddArray(type, sizes); }
  ShapeId Scalar(Type type) { return table_.AddArray(type, std::span<const int64_t>()); }
  ShapeId Token() { return table_.AddArray(Type::kToken, std::span<const int64_t>()); }
  ShapeId Tuple(std::span<const ShapeId> elements) { return table_.AddTuple(elements); }
  ShapeId WithType(ShapeId array, Type type) { return Array(type, SizesOf(array)); }

  // Equal but for layouts and for which sizes are bounds.
  bool Compatible(ShapeId a, ShapeId b) { return a == b || Plain(a, false) == Plain(b, false); }
  // The same, and any floating type for any other.
  bool CompatibleAnyFloat(ShapeId a, ShapeId b) { return a == b || Plain(a, true) == Plain(b, true); }
  bool SameTypeAnyFloat(ShapeId a, ShapeId b) const;
  bool SameSizes(ShapeId a, ShapeId b) const { return SizesOf(a) == SizesOf(b); }
  // Equal with the layout, where no layout is the usual one; `spaces`: and with the memory space.
  bool SameInMemory(ShapeId a, ShapeId b, bool spaces);

  std::string Text(ShapeId id) const;

 private:
  struct Inside {
    size_t leaves = 0;  // 0: not yet known
    bool buffer = false;
  };

  ShapeId Plain(ShapeId id, bool any_float);
  Inside Look(ShapeId id);

  ShapeTable table_;
  std::vector<Inside> inside_;                 // by id
  std::array<std::vector<ShapeId>, 2> plain_;  // by any_float and id; 0: not yet known
};

struct Failure {
  Rule rule = Rule::kResultShape;
  std::string text;
};
using Check = std::optional<Failure>;

// What an instruction's result must be.
struct Inferred {
  Inferred(ShapeId shape_in) : shape(shape_in) {}  // NOLINT: so that rules can return it as such
  Inferred(Failure failure_in) : failure(std::move(failure_in)) {}  // NOLINT
  static Inferred Anything() { return Inferred(); }

  std::optional<ShapeId> shape;  // none: the rule has compared all there is to compare
  Check failure;

 private:
  Inferred() = default;
};

struct Signature {
  std::vector<ShapeId> parameters;
  ShapeId result = 0;
};

// What is looked up for all rules once.
struct Facts {
  const Module& module;
  ShapeBook shapes;
  std::vector<Signature> signatures;  // of the computations seen so far
  std::vector<std::vector<ShapeId>>
      results;  // of their instructions: as written, or inferred where a text says none
  int64_t replicas = 1, partitions = 1;
};

// One instruction, or the one that an async-start in its short form wraps.
class Context {
 public:
  Context(Facts& facts, uint32_t computation, uint32_t instruction);

  Facts& facts;
  ShapeBook& shapes;
  Opcode opcode;
  uint32_t computation = 0, instruction = 0;
  std::vector<ShapeId> operands;
  ShapeId result = 0;
  ListRange attributes;

  ShapeId operand(size_t i) const { return operands[i]; }
  const Instruction& self() const { return facts.module.computations[computation].instructions[instruction]; }
  // call-start(...) rather than async-start(...), calls=...
  bool IsShortAsync() const { return opcode == Opcode::kAsyncStart && self().wrapped != opcode; }
  std::optional<AttributeId> Find(Key key) const { return facts.module.Find(attributes, key); }
  bool Has(Key key) const { return Find(key).has_value(); }
  int64_t Int(Key key, int64_t otherwise) const;
  bool Flag(Key key) const { return Int(key, 0) != 0; }
  std::span<const int64_t> Ints(Key key) const;                                   // empty where it is absent
  std::string_view Word(Key key) const;                                           // empty where it is absent
  std::optional<std::string_view> FrontendAttribute(std::string_view key) const;  // without its quotes
  // The one computation of the attribute. The table asks for the attribute before a rule runs.
  uint32_t Called(Key key) const;
  std::vector<uint32_t> CalledList(Key key) const;
  const Signature& SignatureOf(uint32_t called) const { return facts.signatures[called]; }

  std::string Text(size_t i) const { return shapes.Text(operands[i]); }
};

// --- the table
// ------------------------------------------------------------------------------------------------

// A set of attribute keys.
struct KeySet {
  uint64_t low = 0, high = 0;
  constexpr KeySet() = default;
  constexpr KeySet(std::initializer_list<Key> keys) {
    for (const Key key : keys) Add(key);
  }
  constexpr void Add(Key key) {
    const unsigned bit = static_cast<unsigned>(key);
    (bit < 64 ? low : high) |= uint64_t{1} << (bit % 64);
  }
  constexpr bool Has(Key key) const {
    const unsigned bit = static_cast<unsigned>(key);
    return (((bit < 64 ? low : high) >> (bit % 64)) & 1) != 0;
  }
  constexpr bool HasAllOf(const KeySet& other) const { return (other.low & ~low) == 0 && (other.high & ~high) == 0; }
};
static_assert(kKeys <= 128);

enum class Match : uint8_t {
  kAnyFloat,  // the result may have another floating type than the inferred one
  kExact,
  kReplaced,  // the written shape says nothing: XLA's reader puts the inferred one in its place
};

struct OpcodeRule {
  Opcode opcode;
  Inferred (*infer)(Context&);
  uint8_t types = kAllTypes;  // of the operands, where the rule asks for it
  Match match = Match::kAnyFloat;
  KeySet required = {}, optional = {};
};
const OpcodeRule& RuleOf(Opcode opcode);

// Attributes that the operation needs, that it cannot have, or whose form is not understood.
Check CheckAttributes(const Context& context);
// The rule of the instruction's opcode, and whether its result is what the rule infers. Where the text gives
// no shape, the context gets the inferred one.
Check CheckInstruction(Context& context);

// --- for the rules
// --------------------------------------------------------------------------------------------

Failure Wrong(Rule rule, std::string text);
Check ExpectArrays(const Context& context);
Check ExpectArray(const Context& context, size_t operand);
Check ExpectToken(const Context& context, size_t operand);
Check ExpectType(const Context& context, size_t operand, uint8_t classes);
Check ExpectCount(const Context& context, size_t count);
bool AllInRange(std::span<const int64_t> numbers, size_t limit);
bool AllDifferent(std::span<const int64_t> numbers);
bool IsPermutation(std::span<const int64_t> numbers, size_t rank);
bool Contains(std::span<const int64_t> numbers, int64_t number);
std::string List(std::span<const int64_t> numbers);

// Whether the computation takes what the operands are.
Check ExpectParameters(Context& context, uint32_t called, std::span<const ShapeId> arguments);
// Whether it folds values of these types into accumulators that begin with these scalars.
Check ExpectReducer(Context& context, uint32_t called, std::span<const ShapeId> initial,
                    std::span<const Type> values);

// The sizes that are left when the window of the attribute runs over an array.
struct WindowSizes {
  Sizes sizes;
  Check failure;
};
WindowSizes RunWindow(const Context& context, const Window& window, std::span<const int64_t> base);
// The type of a product or convolution: the one that the text says, for accumulating in another is told in no
// other way; else the wider one of the two operands. None where the result is no array.
std::optional<Type> ProductType(const Context& context);
Window WindowAt(const Context& context);  // without dimensions where the attribute is absent

// --- the rules, by file
// ---------------------------------------------------------------------------------------

// infer_elementwise.cc
Inferred InferUnary(Context&);
Inferred InferPart(Context&);  // abs, real, imag
Inferred InferIsFinite(Context&);
Inferred InferCopy(Context&);
Inferred InferBinary(Context&);
Inferred InferCompare(Context&);
Inferred InferComplex(Context&);
Inferred InferClamp(Context&);
Inferred InferSelect(Context&);
Inferred InferConvert(Context&);
Inferred InferBitcastConvert(Context&);
Inferred InferStochasticConvert(Context&);
Inferred InferReducePrecision(Context&);
Inferred InferAnything(Context&);

// infer_array.cc
Inferred InferBroadcast(Context&);
Inferred InferReshape(Context&);
Inferred InferDynamicReshape(Context&);
Inferred InferTranspose(Context&);
Inferred InferReverse(Context&);
Inferred InferSlice(Context&);
Inferred InferPad(Context&);
Inferred InferConcatenate(Context&);
Inferred InferIota(Context&);
Inferred InferConstant(Context&);
Inferred InferTuple(Context&);
Inferred InferGetTupleElement(Context&);
Inferred InferGetDimensionSize(Context&);
Inferred InferSetDimensionSize(Context&);
Inferred InferTopk(Context&);

// infer_index.cc
Inferred InferDynamicSlice(Context&);
Inferred InferDynamicUpdateSlice(Context&);
Inferred InferGather(Context&);
Inferred InferScatter(Context&);

// infer_reduce.cc
Inferred InferReduce(Context&);
Inferred InferReduceWindow(Context&);
Inferred InferSelectAndScatter(Context&);
Inferred InferMap(Context&);
Inferred InferSort(Context&);
Inferred InferScan(Context&);

// infer_linear.cc
Inferred InferDot(Context&);
Inferred InferRaggedDot(Context&);
Inferred InferScaledDot(Context&);
Inferred InferFft(Context&);
Inferred InferTriangularSolve(Context&);
Inferred InferCholesky(Context&);
Inferred InferBatchNormTraining(Context&);
Inferred InferBatchNormInference(Context&);
Inferred InferBatchNormGrad(Context&);

// infer_convolution.cc
Inferred InferConvolution(Context&);
bool AreLabels(std::string_view text);  // bf01_01io->bf01

// infer_call.cc
Inferred InferCall(Context&);
Inferred InferFusion(Context&);
Inferred InferWhile(Context&);
Inferred InferConditional(Context&);
Inferred InferCustomCall(Context&);
Inferred InferAsync(Context&);

// infer_other.cc
Inferred InferAfterAll(Context&);
Inferred InferAddDependency(Context&);
Inferred InferCopyStart(Context&);
Inferred InferCopyDone(Context&);
Inferred InferSend(Context&);
Inferred InferSendDone(Context&);
Inferred InferRecv(Context&);
Inferred InferRecvDone(Context&);
Inferred InferInfeed(Context&);
Inferred InferOutfeed(Context&);
Inferred InferRng(Context&);
Inferred InferRngBitGenerator(Context&);
Inferred InferRngState(Context&);
Inferred InferIndexOfDevice(Context&);

// infer_collective.cc
Inferred InferAllGather(Context&);
Inferred InferAllGatherDone(Context&);
Inferred InferAllReduce(Context&);
Inferred InferReduceScatter(Context&);
Inferred InferAllToAll(Context&);
Inferred InferRaggedAllToAll(Context&);
Inferred InferCollectiveBroadcast(Context&);
Inferred InferCollectivePermute(Context&);
Inferred InferCollectivePermuteStart(Context&);
Inferred InferCollectivePermuteDone(Context&);

// --- the other parts of the verifier, by file
// -----------------------------------------------------------------

using Problems = std::vector<Problem>;
void Report(Problems& problems, uint32_t computation, uint32_t instruction, Failure failure);

// verify_structure.cc: order, parameters, names; false where nothing else can be asked of the module
bool VerifyStructure(const Module& module, Problems& problems);
// verify_flow.cc: fusions, async pairs, channels, threads, buffers
void VerifyFlow(Facts& facts, Problems& problems);
// verify_module.cc: the attributes of the header
void VerifyHeader(Facts& facts, Problems& problems);
// verify_sharding.cc
Check CheckSharding(Context& context);
void VerifySharding(Facts& facts, Problems& problems);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_INFER_H_
