// The inside of the generator: what it knows of the values that it has built, and the forms that it can add.
// Not for users of the generator (generate.h).
#ifndef OOMPH_MODELS_HLO_GENERATE_SCOPE_H_
#define OOMPH_MODELS_HLO_GENERATE_SCOPE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "models/hlo/builder.h"
#include "models/hlo/generate.h"

namespace oomph::hlo::generate {

inline constexpr uint32_t kNothing = UINT32_MAX;
inline constexpr size_t kMaxRank = 6;
// An array has no more elements: far above any memory, far below what overflows (times 16 bytes, times a
// tile).
inline constexpr int64_t kMaxElements = int64_t{1} << 34;

struct Dims {
  std::array<int64_t, kMaxRank> size = {};
  uint8_t rank = 0;

  Dims() = default;
  Dims(std::initializer_list<int64_t> sizes) {
    for (const int64_t s : sizes) push(s);
  }
  void push(int64_t s) { size[rank++] = s; }  // the caller sees to the rank
  const int64_t* begin() const { return size.data(); }
  const int64_t* end() const { return size.data() + rank; }
  int64_t& operator[](size_t i) { return size[i]; }
  int64_t operator[](size_t i) const { return size[i]; }
  std::span<const int64_t> span() const { return {size.data(), rank}; }
  bool operator==(const Dims& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }
  // Above kMaxElements it may be any number above that.
  int64_t Elements() const {
    int64_t product = 1;
    for (const int64_t s : *this) {
      if (s == 0) return 0;
      product = product > kMaxElements || s > kMaxElements ? kMaxElements + 1 : product * s;
    }
    return product;
  }
};

struct Array {
  Type type = Type::kF32;
  Dims dims;
  bool operator==(const Array&) const = default;
};

struct Value : Array {
  uint32_t index = 0;
  ShapeId shape = 0;
};

// Types, by what XLA's shape inference asks of them.
inline bool IsFloat(Type t) { return t >= Type::kF4e2m1fn && t <= Type::kF64; }
inline bool IsComplex(Type t) { return t == Type::kC64 || t == Type::kC128; }
inline bool IsSigned(Type t) { return t >= Type::kS1 && t <= Type::kS64; }
inline bool IsUnsigned(Type t) { return t >= Type::kU1 && t <= Type::kU64; }
inline bool IsInteger(Type t) { return IsSigned(t) || IsUnsigned(t); }
inline bool IsArithmetic(Type t) { return t != Type::kPred && IsArrayType(t); }
inline bool IsLarge(Type t) { return t == Type::kF32 || t == Type::kF64; }  // what linear algebra is done in

// An operation of one or two operands of this type with a result of the same type.
Opcode DrawUnary(Choices& choices, Type type);
Opcode DrawBinary(Choices& choices, Type type);
bool IsUnary(Opcode opcode);
bool IsBinary(Opcode opcode);
// Texts of scalar constants of this type, the simplest first.
std::span<const std::string_view> LiteralsOf(Type type);

// A computation that is being built.
struct Scope {
  int depth = 0;
  bool fused = false;
  uint32_t parameters = 0;
  absl::InlinedVector<Value, 24> arrays;     // usable operands
  absl::InlinedVector<uint32_t, 8> tuples;   // usable as well
  absl::InlinedVector<uint32_t, 4> tokens;
  absl::InlinedVector<uint32_t, 4> pending;  // asynchronous operations without an end
  absl::InlinedVector<uint8_t, 64> used;     // by index
};

enum class Class : uint8_t {
  kElementwise,
  kShape,
  kSlice,
  kReduce,
  kDot,
  kGather,
  kChoice,
  kSource,
  kTuple,
  kControl,
  kFusion,
  kAsync,
  kCustom,
  kCollective,
  kTransfer,
  kRare
};
inline constexpr size_t kClasses = static_cast<size_t>(Class::kRare) + 1;

enum class LayoutMode : uint8_t { kNone, kDefault, kPermuted, kTiled };

class Generator {
 public:
  Generator(Choices& choices, const GenerateOptions& options, Module& module)
      : choices_(choices), options_(options), build_(module), shapes_(module.shapes) {}
  void Run();

  // Each adds one form and gives its value, or kNothing where it does not apply to what is there.
  // generate_elementwise.cc
  uint32_t Unary();
  uint32_t Binary();
  uint32_t Compare();
  uint32_t Select();
  uint32_t Clamp();
  uint32_t Convert();
  uint32_t BitcastConvert();
  uint32_t IsFinite();
  uint32_t Part();
  uint32_t Complex();
  uint32_t ReducePrecision();
  uint32_t StochasticConvert();
  // generate_shape.cc
  uint32_t Broadcast();
  uint32_t Reshape();
  uint32_t Transpose();
  uint32_t Reverse();
  uint32_t Bitcast();
  uint32_t Copy();
  uint32_t Slice();
  uint32_t DynamicSlice();
  uint32_t DynamicUpdateSlice();
  uint32_t Concatenate();
  uint32_t Pad();
  uint32_t GetDimensionSize();
  uint32_t SetDimensionSize();
  // generate_reduce.cc
  uint32_t Reduce();
  uint32_t ReduceWindow();
  uint32_t SelectAndScatter();
  uint32_t Sort();
  uint32_t TopK();
  uint32_t Gather();
  uint32_t Scatter();
  // generate_linear.cc
  uint32_t Dot();
  uint32_t Convolution();
  uint32_t Cholesky();
  uint32_t TriangularSolve();
  uint32_t Fft();
  uint32_t BatchNormTraining();
  uint32_t BatchNormInference();
  uint32_t BatchNormGrad();
  uint32_t Rng();
  uint32_t RngBitGenerator();
  uint32_t RngState();
  // generate_values.cc
  uint32_t Parameter();
  uint32_t Iota();
  uint32_t ConstantArray();
  // generate_control.cc
  uint32_t Tuple();
  uint32_t Element();
  uint32_t Barrier();
  uint32_t Call();
  uint32_t While();
  uint32_t Conditional();
  uint32_t Map();
  uint32_t Fusion();
  uint32_t CustomCall();
  // generate_async.cc
  uint32_t CopyStart();
  uint32_t AsyncStart();
  uint32_t AsyncShort();
  uint32_t AllReduceStart();
  uint32_t AllGatherStart();
  uint32_t CollectivePermuteStart();
  uint32_t AsyncEnd();
  uint32_t AllReduce();
  uint32_t AllGather();
  uint32_t AllToAll();
  uint32_t ReduceScatter();
  uint32_t CollectivePermute();
  uint32_t CollectiveBroadcast();
  uint32_t Id();
  uint32_t Send();
  uint32_t Receive();
  uint32_t Infeed();
  uint32_t Outfeed();
  uint32_t AfterAll();
  uint32_t AddDependency();
  uint32_t Domain();

 private:
  bool Can(int feature) const { return (options_.features >> feature & 1) != 0; }

  // The module's character, drawn once.
  void DrawProfile();
  Type DrawAnyType();
  Type DrawType() { return types_[choices_.Below(types_.size())]; }
  int64_t DrawSize() { return sizes_[choices_.Below(sizes_.size())]; }
  Dims DrawDims(size_t low_rank = 0, size_t high_rank = 4);

  // Adds forms until the module has `until` instructions.
  void Grow(size_t until);
  void Step();

  // Shapes. Result draws a layout; Like takes that of another value.
  ShapeId Result(const Array& array);
  ShapeId Like(const Value& value, Type type);
  ShapeId Scalar(Type type) { return Shape({type, {}}, {}); }
  ShapeId Shape(const Array& array, std::span<const int64_t> order, bool fast_memory = false);
  LayoutId LayoutOf(Type type, std::span<const int64_t> order, bool fast_memory);
  ShapeId TupleOf(std::initializer_list<ShapeId> elements) {
    return shapes_.AddTuple(std::span(elements.begin(), elements.size()));
  }

  // Adds an instruction and knows its value from then on.
  uint32_t Emit(Opcode opcode, ShapeId shape, std::span<const uint32_t> operands,
                std::span<const AttributeId> attributes = {}, uint32_t payload = 0);
  uint32_t Emit(Opcode opcode, ShapeId shape, std::initializer_list<uint32_t> operands,
                std::initializer_list<AttributeId> attributes = {}) {
    return Emit(opcode, shape, std::span(operands.begin(), operands.size()),
                std::span(attributes.begin(), attributes.size()));
  }
  uint32_t Register(uint32_t index, std::span<const uint32_t> operands);
  uint32_t Pending(uint32_t index);  // an asynchronous start

  // Values that are there.
  template <typename Predicate>
  const Value* Find(const Predicate& predicate) {
    const size_t n = scope_->arrays.size();
    if (n == 0) return nullptr;
    // The latest first, so that zeros make a chain.
    size_t at = n - 1 - choices_.Below(n);
    for (size_t i = 0; i < n; ++i, at = at == 0 ? n - 1 : at - 1) {
      if (predicate(scope_->arrays[at])) return &scope_->arrays[at];
    }
    return nullptr;
  }
  // One that is there, or a new one of a type of which `type` holds. By value: later ones may move it.
  template <typename Predicate>
  Value PickType(const Predicate& type, Type otherwise, size_t low_rank = 0) {
    const Value* found =
        Find([&](const Value& value) { return type(value.type) && value.dims.rank >= low_rank; });
    if (found != nullptr) return *found;
    Type drawn = DrawType();
    if (!type(drawn)) drawn = otherwise;
    return Source({drawn, DrawDims(low_rank)});
  }
  Value Pick(size_t low_rank = 0) { return PickType(IsArrayType, Type::kF32, low_rank); }
  Value Need(const Array& array);               // one that is there, or a new one
  Value Source(const Array& array);             // a new one
  Value Broadcasted(const Array& array, ShapeId shape);  // from a constant
  uint32_t ConstantScalar(Type type);
  std::string_view DrawLiteral(Type type);
  uint32_t Number(Type type, int64_t value);    // a scalar constant
  const Value& Last() const { return scope_->arrays.back(); }
  uint32_t Token();

  // Nested computations.
  struct Inner {
    uint32_t computation = 0;
    ShapeId result = 0;
  };
  // A computation of these parameters with some steps of its own. With a result asked for, it gives that.
  Inner Nested(std::string_view name, std::span<const ShapeId> parameters, std::optional<ShapeId> result,
               bool fused);
  uint32_t Produce(ShapeId shape);
  uint32_t FreeRoot();
  uint32_t FusedRoot();
  void EndPending();
  void Donate(uint32_t root, absl::InlinedVector<AttributeId, 4>& header);
  // (a, b) -> a op b; more pairs give a tuple, each element with its own pair: (a0, a1, b0, b1) -> (a0 op b0,
  // ...).
  uint32_t Combiner(std::span<const Type> types);
  uint32_t Comparator(std::span<const Type> types);
  Opcode DrawCombination(Type type);

  bool WindowFits(const Array& array, Window& window, Dims& result);
  absl::InlinedVector<uint32_t, 4> Captures(size_t most);
  AttributeId Groups() { return build_.Numbers(Key::kReplicaGroups, {2, 0, 1}); }
  AttributeId Channel() { return build_.Numbers(Key::kChannelId, {++channel_}); }

  Choices& choices_;
  const GenerateOptions& options_;
  Builder build_;
  ShapeTable& shapes_;
  Scope* scope_ = nullptr;

  absl::InlinedVector<Type, 4> types_;
  absl::InlinedVector<int64_t, 6> sizes_;
  std::array<uint32_t, kClasses> weights_ = {};
  LayoutMode layout_mode_ = LayoutMode::kNone;
  bool scalar_tiles_ = false;
  bool scheduled_ = false;
  bool collectives_ = false;
  size_t limit_ = 0;     // instructions in all
  int64_t most_drawn_ = int64_t{1} << 30;  // elements of an array whose sizes are drawn
  int64_t most_elements_ = kMaxElements;   // of one that is computed
  int64_t channel_ = 0;  // the last one given out
  // What was made once and serves again.
  struct Known {
    uint64_t key;
    uint32_t id;
  };
  absl::InlinedVector<Known, 8> layouts_;
  absl::InlinedVector<Known, 4> combiners_;
};

}  // namespace oomph::hlo::generate

#endif  // OOMPH_MODELS_HLO_GENERATE_SCOPE_H_
