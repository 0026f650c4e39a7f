// The generator's main line: the character of a module, the draw of forms, and the values that are there. The
// order of draws is the format of tapes: a change here makes old tapes mean something else.
#include "models/hlo/generate.h"

#include <algorithm>

#include "models/hlo/generate_scope.h"

namespace oomph::hlo {
namespace generate {
namespace {

// Types from the simplest on. f32, bf16, s32 and pred are half of all.
constexpr std::array kTypes = {Type::kF32,
                               Type::kBf16,
                               Type::kS32,
                               Type::kPred,
                               Type::kF16,
                               Type::kU32,
                               Type::kS8,
                               Type::kU8,
                               Type::kS4,
                               Type::kU4,
                               Type::kF8e4m3fn,
                               Type::kF8e5m2,
                               Type::kS16,
                               Type::kU16,
                               Type::kS64,
                               Type::kU64,
                               Type::kF64,
                               Type::kC64,
                               Type::kC128,
                               Type::kS2,
                               Type::kU2,
                               Type::kS1,
                               Type::kU1,
                               Type::kF4e2m1fn,
                               Type::kF8e3m4,
                               Type::kF8e4m3,
                               Type::kF8e5m2fnuz,
                               Type::kF8e4m3fnuz,
                               Type::kF8e4m3b11fnuz,
                               Type::kF8e8m0fnu};
constexpr size_t kCommonTypes = 4;

// Sizes from the simplest on: small, edges of lanes and sublanes, 2^k and its neighbours.
constexpr std::array<int64_t, 32> kSizes = {2,   1,   8,    128,  4,    3,    16,  7,  9,    127, 129,
                                            5,   6,   64,   32,   256,  31,   33,  63, 65,   255, 257,
                                            512, 511, 1024, 1023, 1025, 2048, 100, 17, 4096, 384};

// The forms, by class; the first of a class is its simplest.
struct Form {
  Class klass;
  uint32_t (Generator::*make)();
  int feature;  // -1: none
  bool fused;   // may stand in a fusion
};
using G = Generator;
constexpr Form kForms[] = {
    {Class::kElementwise, &G::Unary, -1, true},
    {Class::kElementwise, &G::Unary, -1, true},  // twice as often as others: each is many operations
    {Class::kElementwise, &G::Binary, -1, true},
    {Class::kElementwise, &G::Binary, -1, true},
    {Class::kElementwise, &G::Convert, -1, true},
    {Class::kShape, &G::Reshape, -1, true},
    {Class::kShape, &G::Broadcast, -1, true},
    {Class::kShape, &G::Transpose, -1, true},
    {Class::kShape, &G::Reverse, -1, true},
    {Class::kShape, &G::Bitcast, -1, true},
    {Class::kShape, &G::Copy, -1, true},
    {Class::kSlice, &G::Slice, -1, true},
    {Class::kSlice, &G::DynamicSlice, -1, true},
    {Class::kSlice, &G::DynamicUpdateSlice, -1, true},
    {Class::kSlice, &G::Concatenate, -1, true},
    {Class::kSlice, &G::Pad, -1, true},
    {Class::kReduce, &G::Reduce, -1, true},
    {Class::kReduce, &G::ReduceWindow, -1, true},
    {Class::kReduce, &G::SelectAndScatter, -1, false},
    {Class::kReduce, &G::Sort, -1, false},
    {Class::kDot, &G::Dot, -1, true},
    {Class::kDot, &G::Convolution, -1, true},
    {Class::kGather, &G::Gather, -1, true},
    {Class::kGather, &G::Scatter, -1, true},
    {Class::kChoice, &G::Select, -1, true},
    {Class::kChoice, &G::Compare, -1, true},
    {Class::kChoice, &G::Clamp, -1, true},
    {Class::kSource, &G::Parameter, -1, false},
    {Class::kSource, &G::ConstantArray, -1, true},
    {Class::kSource, &G::Iota, -1, true},
    {Class::kTuple, &G::Tuple, -1, true},
    {Class::kTuple, &G::Element, -1, true},
    {Class::kTuple, &G::Barrier, -1, false},
    {Class::kControl, &G::Call, feature::kControlFlow, false},
    {Class::kControl, &G::While, feature::kControlFlow, false},
    {Class::kControl, &G::Conditional, feature::kControlFlow, false},
    {Class::kControl, &G::Map, feature::kControlFlow, false},
    {Class::kFusion, &G::Fusion, feature::kFusions, false},
    {Class::kAsync, &G::CopyStart, feature::kAsync, false},
    {Class::kAsync, &G::AsyncEnd, feature::kAsync, false},
    {Class::kAsync, &G::AsyncShort, feature::kAsync, false},
    {Class::kAsync, &G::AsyncStart, feature::kAsync, false},
    {Class::kCustom, &G::CustomCall, feature::kCustomCalls, false},
    {Class::kCollective, &G::AllReduce, feature::kCollectives, false},
    {Class::kCollective, &G::AllGather, feature::kCollectives, false},
    {Class::kCollective, &G::AllToAll, feature::kCollectives, false},
    {Class::kCollective, &G::ReduceScatter, feature::kCollectives, false},
    {Class::kCollective, &G::CollectivePermute, feature::kCollectives, false},
    {Class::kCollective, &G::CollectiveBroadcast, feature::kCollectives, false},
    {Class::kCollective, &G::AllReduceStart, feature::kCollectives, false},
    {Class::kCollective, &G::AllGatherStart, feature::kCollectives, false},
    {Class::kCollective, &G::CollectivePermuteStart, feature::kCollectives, false},
    {Class::kCollective, &G::Id, feature::kCollectives, false},
    {Class::kCollective, &G::Domain, feature::kCollectives, false},
    {Class::kTransfer, &G::AfterAll, feature::kTransfers, false},
    {Class::kTransfer, &G::Send, feature::kTransfers, false},
    {Class::kTransfer, &G::Receive, feature::kTransfers, false},
    {Class::kTransfer, &G::Infeed, feature::kTransfers, false},
    {Class::kTransfer, &G::Outfeed, feature::kTransfers, false},
    {Class::kTransfer, &G::AddDependency, feature::kTransfers, false},
    {Class::kRare, &G::IsFinite, -1, true},
    {Class::kRare, &G::BitcastConvert, -1, true},
    {Class::kRare, &G::Part, feature::kWideTypes, true},
    {Class::kRare, &G::Complex, feature::kWideTypes, true},
    {Class::kRare, &G::ReducePrecision, -1, true},
    {Class::kRare, &G::StochasticConvert, -1, true},
    {Class::kRare, &G::GetDimensionSize, -1, false},
    {Class::kRare, &G::SetDimensionSize, feature::kDynamicShapes, false},
    {Class::kRare, &G::TopK, -1, false},
    {Class::kRare, &G::Cholesky, feature::kLinearAlgebra, false},
    {Class::kRare, &G::TriangularSolve, feature::kLinearAlgebra, false},
    {Class::kRare, &G::Fft, feature::kLinearAlgebra, false},
    {Class::kRare, &G::BatchNormTraining, feature::kLinearAlgebra, false},
    {Class::kRare, &G::BatchNormInference, feature::kLinearAlgebra, false},
    {Class::kRare, &G::BatchNormGrad, feature::kLinearAlgebra, false},
    {Class::kRare, &G::Rng, feature::kRandomNumbers, false},
    {Class::kRare, &G::RngBitGenerator, feature::kRandomNumbers, false},
    {Class::kRare, &G::RngState, feature::kRandomNumbers, false},
};

struct Stretch {
  size_t begin = 0, end = 0;
};
constexpr std::array<Stretch, kClasses> MakeStretches() {
  std::array<Stretch, kClasses> stretches = {};
  for (size_t i = 0; i < std::size(kForms); ++i) {
    Stretch& stretch = stretches[static_cast<size_t>(kForms[i].klass)];
    if (stretch.end == 0) stretch.begin = i;
    stretch.end = i + 1;
  }
  return stretches;
}
constexpr std::array<Stretch, kClasses> kStretches = MakeStretches();

// By the order of Class. Collectives are in a third of the modules, and there they are many: so each of them is in one
// module of a hundred.
constexpr std::array<uint32_t, kClasses> kWeights = {60, 24, 18, 12, 10, 6, 12, 12, 5, 8, 8, 6, 4, 36, 3, 10};

constexpr size_t kMostDepth = 2;

}  // namespace

// ---- the character of a module ----

Type Generator::DrawAnyType() {
  const Type type =
      choices_.Chance(1, 2) ? kTypes[choices_.Below(kTypes.size())] : kTypes[choices_.Below(kCommonTypes)];
  const int bits = RowOf(type).bits;
  if (bits > 32 && !Can(feature::kWideTypes)) return Type::kF32;
  if (bits <= 8 && type != Type::kPred && !Can(feature::kNarrowTypes)) return Type::kF32;
  return type;
}

void Generator::DrawProfile() {
  for (uint64_t n = 1 + choices_.Below(3); n > 0; --n) types_.push_back(DrawAnyType());
  for (uint64_t n = 1 + choices_.Below(4); n > 0; --n)
    sizes_.push_back(kSizes[choices_.Below(kSizes.size())]);
  if (Can(feature::kZeroSized) && choices_.Chance(1, 24)) sizes_.push_back(0);
  static constexpr std::array<uint32_t, 4> kLayoutWeights = {8, 2, 3, 3};
  layout_mode_ = static_cast<LayoutMode>(choices_.Weighted(kLayoutWeights));
  if (layout_mode_ == LayoutMode::kTiled && !Can(feature::kTiles)) layout_mode_ = LayoutMode::kDefault;
  if (layout_mode_ == LayoutMode::kPermuted && !Can(feature::kLayouts)) layout_mode_ = LayoutMode::kDefault;
  scalar_tiles_ = layout_mode_ == LayoutMode::kTiled && choices_.Chance(1, 2);
  scheduled_ = Can(feature::kSchedule) && choices_.Chance(1, 2);
  collectives_ = Can(feature::kCollectives) && choices_.Chance(1, 3);
  weights_ = kWeights;
  if (!collectives_) weights_[static_cast<size_t>(Class::kCollective)] = 0;
  SwarmWeights(choices_, weights_);
}

Dims Generator::DrawDims(size_t low_rank, size_t high_rank) {
  Dims dims;
  const size_t rank = choices_.Between(low_rank, std::max(low_rank, high_rank));
  for (size_t i = 0; i < rank; ++i) {
    const int64_t size = DrawSize();
    // What would be too large goes on with ones.
    dims.push(dims.Elements() * size > most_drawn_ ? 1 : size);
  }
  return dims;
}

// ---- the draw of forms ----

void Generator::Step() {
  const size_t klass = choices_.Weighted(weights_);
  const Stretch stretch = kStretches[klass];
  const Form& form = kForms[stretch.begin + choices_.Below(stretch.end - stretch.begin)];
  const bool deep = form.klass == Class::kControl || form.klass == Class::kFusion;
  const bool may = (form.feature < 0 || Can(form.feature)) && (form.fused || !scope_->fused) &&
                   (!deep || scope_->depth < static_cast<int>(kMostDepth));
  if (may && (this->*form.make)() != kNothing) return;
  Unary();
}

void Generator::Grow(size_t until) {
  // A step may come to nothing new; then the next one counts for it.
  for (size_t steps = until - std::min(until, build_.total()); steps > 0 && build_.total() < until; --steps) {
    if (choices_.exhausted()) break;
    choices_.BeginSpan();
    Step();
    choices_.EndSpan();
  }
}

void Generator::Run() {
  if (Can(kSmallArrays) && !Can(kAnyArrays) && !choices_.Chance(1, 32)) most_drawn_ = most_elements_ = kSmallElements;
  DrawProfile();
  limit_ = options_.steps != 0 ? options_.steps : 1 + choices_.Below(choices_.Chance(1, 4) ? 64 : 24);
  Scope scope;
  scope_ = &scope;
  build_.Begin("main");
  // Room for what the root takes, and for the ends of what is pending.
  Grow(limit_ > 4 ? limit_ - 1 : limit_);
  EndPending();
  const uint32_t root = FreeRoot();

  absl::InlinedVector<AttributeId, 4> header;
  if (scheduled_) header.push_back(build_.Numbers(Key::kIsScheduled, {1}));
  if (choices_.Chance(1, 3)) Donate(root, header);
  if (layout_mode_ != LayoutMode::kNone || choices_.Chance(1, 4)) {
    absl::InlinedVector<ShapeId, 16> program(scope.parameters);
    for (const Instruction& instruction : build_.instructions()) {
      if (instruction.opcode == Opcode::kParameter) program[instruction.payload] = instruction.shape;
    }
    program.push_back(build_.ShapeOf(root));
    header.push_back(build_.Shapes(Key::kEntryComputationLayout, program));
  }
  if (collectives_) header.push_back(build_.Numbers(Key::kReplicaCount, {2}));
  build_.Finish(build_.End(root), "module", header);
  scope_ = nullptr;
}

// Results take the place of parameters of the same shape.
void Generator::Donate(uint32_t root, absl::InlinedVector<AttributeId, 4>& header) {
  const ShapeId shape = build_.ShapeOf(root);
  const bool tuple = shapes_[shape].type == Type::kTuple;
  const std::span<const ShapeId> results = tuple ? shapes_.Elements(shape) : std::span(&shape, 1);
  absl::InlinedVector<uint8_t, 16> taken(results.size());
  std::vector<Alias> aliases;
  for (const Instruction& parameter : build_.instructions()) {
    if (parameter.opcode != Opcode::kParameter || !IsArrayType(shapes_[parameter.shape].type)) continue;
    for (size_t i = 0; i < results.size(); ++i) {
      if (taken[i] != 0 || results[i] != parameter.shape) continue;
      taken[i] = 1;
      Alias& alias = aliases.emplace_back();
      if (tuple) alias.output.push_back(static_cast<int64_t>(i));
      alias.parameter = parameter.payload;
      alias.kind = choices_.Chance(1, 4) ? kMustAlias : kMayAlias;
      break;
    }
  }
  if (!aliases.empty()) header.push_back(build_.Numbers(Key::kInputOutputAlias, NumbersOf(aliases)));
}

}  // namespace generate

void GenerateModule(Choices& choices, const GenerateOptions& options, Module& into) {
  generate::Generator(choices, options, into).Run();
}

std::span<const Omission> Omissions() {
  static constexpr Omission kOmissions[] = {
      {Opcode::kDynamicReshape, "its dynamic sizes need operands that the generator does not follow"},
      {Opcode::kMulhi, "newer than the parsers that modules are compared with"},
      {Opcode::kRaggedDot, "no frequent operation; its group sizes are data"},
      {Opcode::kRaggedAllToAll, "its offsets and sizes are data"},
      {Opcode::kScaledDot, "newer than the parsers that modules are compared with"},
      {Opcode::kScan, "newer than the parsers that modules are compared with"},
  };
  return kOmissions;
}

}  // namespace oomph::hlo
