// See generate.h. The order of draws is the format of tapes: a change here makes old tapes mean something else, which
// is why stored cases are text.
#include "models/vmem/generate.h"

#include <algorithm>
#include <array>

#include "models/base/units.h"
#include "models/vmem/allocator.h"
#include "models/vmem/compilable.h"
#include "models/vmem/draw_parts.h"
#include "models/vmem/promises.h"
#include "models/vmem/target.h"

namespace oomph::vmem {
namespace {

constexpr std::array<uint32_t, kTargets> kTargetShares = {3, 2, 6, 3, 6, 3};

class Generator {
 public:
  Generator(Choices& choices, const GenerateOptions& options, Kernel& into)
      : choices_(choices), options_(options), kernel_(into) {}

  void Run() {
    kernel_ = Kernel();
    DrawTarget();
    DrawProfile();
    DrawGrid();
    DrawSemantics();
    if (heavy_) {
      DrawHeavy();
    } else {
      DrawOperands();
    }
    DrawBuffers();
    DrawRare();
    DrawTheLimits();
    if (Can(feature::kUncompiled) && choices_.Chance(1, 48)) Spoil();
    if (options_.features != ~Bits64{0} && (FeaturesOf(kernel_) & ~options_.features) != 0) Restrict(options_, kernel_);
  }

 private:
  bool Can(int index) const { return vmem::Can(options_, index); }
  ArraySize Arrays() const { return small_ ? ArraySize::kSmall : ArraySize::kLarge; }
  void DrawTarget();
  void DrawProfile();
  void DrawGrid();
  void DrawSemantics();
  void DrawHeavy();
  void DrawOperands();
  void DrawInput();
  void DrawOutput();
  void DrawBuffers();
  void DrawRare();
  void DrawTheLimits();
  void Spoil();
  void AddBlock(std::vector<Operand>& operands, uint64_t rows, uint64_t columns);

  Choices& choices_;
  const GenerateOptions& options_;
  Kernel& kernel_;
  bool small_ = false;  // arrays
  bool tiny_ = false;   // blocks
  bool heavy_ = false;
};

void Generator::DrawTarget() {
  std::array<uint32_t, kTargets> shares = kTargetShares;
  for (size_t t = 0; t < kTargets; ++t) {
    if (!Can(feature::kFirstTarget + static_cast<int>(t))) shares[t] = 0;
  }
  kernel_.target = static_cast<Target>(choices_.Weighted(shares));
}

void Generator::DrawProfile() {
  tiny_ = !choices_.Chance(2, 5);
  small_ = vmem::Can(options_, feature::kLimit) && choices_.Chance(1, 5);
  heavy_ = Can(feature::kHeavyBody) && choices_.Chance(1, 128);
  small_ = small_ && !heavy_;
}

void Generator::DrawGrid() {
  static constexpr std::array<uint32_t, 5> kRanks = {8, 6, 3, 1, 1};
  uint64_t rank = 1 + choices_.Weighted(kRanks);
  if (small_ && choices_.Chance(1, 4)) rank = 0;
  if (rank == 0) return;
  static constexpr uint64_t kSizes[] = {2, 1, 3, 4, 8};
  for (uint64_t d = 0; d < std::min<uint64_t>(rank, 4); ++d) {
    GridDimension& dimension = kernel_.grid.emplace_back();
    dimension.size = choices_.Chance(1, 16) ? 1 + choices_.Below(32) : kSizes[choices_.Below(5)];
    dimension.dynamic = Can(feature::kDynamicGrid) && choices_.Chance(1, 24);
  }
  if (Can(feature::kPrefetch) && choices_.Chance(1, 8)) {
    uint64_t most = 1;
    for (const GridDimension& dimension : kernel_.grid) most = std::max(most, dimension.size);
    for (uint64_t n = 1 + choices_.Below(2); n > 0; --n) kernel_.prefetched.push_back({Type::kS32, {most}});
  }
}

// On a chip that splits a grid over two cores often the one that is split: two parallel steps.
void Generator::DrawSemantics() {
  if (!Can(feature::kSemantics) || kernel_.grid.empty() || !choices_.Chance(1, 3)) return;
  const uint64_t cores = RowOf(kernel_.target).cores;
  for (GridDimension& dimension : kernel_.grid) {
    dimension.semantics = choices_.Chance(1, 2) ? Semantics::kParallel : Semantics::kArbitrary;
  }
  GridDimension& first = kernel_.grid[0];
  if (cores == 2 && kernel_.grid.size() == 1 && choices_.Chance(2, 3)) first = {2, false, Semantics::kParallel};
  if (Can(feature::kCoreParallel) && kernel_.grid.size() == 1 && first.size == cores && !first.dynamic &&
      choices_.Chance(1, 6)) {
    first.semantics = Semantics::kCoreParallel;
  }
}

void Generator::AddBlock(std::vector<Operand>& operands, uint64_t rows, uint64_t columns) {
  Operand& operand = operands.emplace_back();
  operand.block = {{BlockKind::kBlocked, rows}, {BlockKind::kBlocked, columns}};
  operand.map = {{{TermKind::kTimes, 0, 1}}, {}};
  MakeCompilable(kernel_.grid, ArraySize::kLarge, operand);
}

// Bodies that may need scratch of the compiler's own, f32 blocks of tiles.
void Generator::DrawHeavy() {
  static constexpr Body kHeavy[] = {Body::kSoftmax, Body::kTranspose, Body::kDot, Body::kChain};
  kernel_.body = kHeavy[choices_.Below(4)];
  const uint64_t rows = 8 << choices_.Below(6), columns = 128 << choices_.Below(3), inner = 128 << choices_.Below(3);
  AddBlock(kernel_.inputs, rows, kernel_.body == Body::kDot ? inner : columns);
  if (kernel_.body == Body::kDot) {
    AddBlock(kernel_.inputs, inner, columns);
    kernel_.inputs.back().map[0].clear();
  }
  if (kernel_.body == Body::kTranspose) {
    AddBlock(kernel_.outputs, columns, std::max<uint64_t>(rows, 128));
    kernel_.inputs[0].block[0].size = std::max<uint64_t>(rows, 128);
    MakeCompilable(kernel_.grid, ArraySize::kLarge, kernel_.inputs[0]);
  } else {
    AddBlock(kernel_.outputs, rows, columns);
  }
}

void Generator::DrawInput() {
  Operand operand = DrawOperand(choices_, options_, kernel_, tiny_);
  if (Can(feature::kMemories) && choices_.Chance(1, 18)) {
    static constexpr Space kSpaces[] = {Space::kAny, Space::kHbm, Space::kSmem};
    operand.space = kSpaces[choices_.Below(3)];
    operand.array = operand.space == Space::kSmem ? std::vector<uint64_t>{16} : std::vector<uint64_t>{19200, 64, 128};
    if (operand.space == Space::kSmem) operand.type = Type::kS32;
    operand.buffers = 0;
  }
  if (small_ && choices_.Chance(1, 96)) {  // one element
    for (BlockDimension& dimension : operand.block) dimension.size = 1;
    for (Place& place : operand.map) place.clear();
  }
  MakeCompilable(kernel_.grid, Arrays(), operand);
  if (Can(feature::kFused) && !operand.block.empty() && choices_.Chance(1, 256)) operand.fused = true;
  kernel_.inputs.push_back(std::move(operand));
}

// Mostly what an input can be copied to.
void Generator::DrawOutput() {
  Operand operand = DrawOperand(choices_, options_, kernel_, tiny_);
  if (!kernel_.inputs.empty() && choices_.Chance(3, 5)) {
    const Operand& input = kernel_.inputs[choices_.Below(kernel_.inputs.size())];
    if (!input.block.empty()) {
      operand.type = input.type;
      operand.block = input.block;
      operand.map.resize(operand.block.size());
    }
  }
  for (BlockDimension& dimension : operand.block) {
    if (dimension.kind == BlockKind::kElement) dimension.kind = BlockKind::kBlocked;
  }
  MakeCompilable(kernel_.grid, Arrays(), operand);
  kernel_.outputs.push_back(std::move(operand));
}

void Generator::DrawOperands() {
  const uint64_t inputs = options_.steps != 0 ? options_.steps : 1 + choices_.Below(4);
  for (uint64_t n = 0; n < inputs && !(n > 0 && choices_.exhausted()); ++n) {
    choices_.BeginSpan();
    DrawInput();
    choices_.EndSpan();
  }
  for (uint64_t n = 1 + choices_.Below(3) / 2; n > 0; --n) DrawOutput();
  if (choices_.Chance(1, 12)) kernel_.body = Body::kExp;
}

void Generator::DrawBuffers() {
  static constexpr uint64_t kCounts[] = {0, 0, 0, 1, 1, 2, 3};
  if (Can(feature::kScratch)) {
    for (uint64_t n = kCounts[choices_.Below(7)]; n > 0; --n) {
      kernel_.scratch.push_back(DrawBuffer(choices_, options_, tiny_));
    }
  }
  if (Can(feature::kScoped) && choices_.Chance(1, 4)) DrawScoped(choices_, options_, tiny_, kernel_.scoped);
}

void Generator::DrawRare() {
  if (Can(feature::kInternal) && choices_.Chance(1, 24)) kernel_.internal_bytes = 4096 * (1 + choices_.Below(64));
  if (Can(feature::kInVmem) && choices_.Chance(1, 40) && !kernel_.inputs.empty()) {
    Operand& operand = kernel_.inputs[choices_.Below(kernel_.inputs.size())];
    if (operand.space == Space::kVmem && !operand.fused) {
      MakeCompilable(kernel_.grid, ArraySize::kSmall, operand);
      operand.in_vmem = PackedBytes(operand.type, operand.array) < 4 * kMiB;
      if (!operand.in_vmem) MakeCompilable(kernel_.grid, Arrays(), operand);
    }
  }
  if (!Can(feature::kOverCapacity) || !choices_.Chance(1, 24)) return;
  // One window that VMEM cannot hold, or two that it holds alone; nothing reads them.
  const uint64_t usable = RowOf(kernel_.target).usable, row = 1024 * 4;
  const uint64_t windows = 1 + choices_.Below(2);
  for (uint64_t n = 0; n < windows; ++n) {
    const uint64_t eighths = windows == 2 ? 5 + choices_.Below(3) : 8 + choices_.Below(4);
    Operand& huge = kernel_.inputs.emplace_back();
    huge.block = {{BlockKind::kBlocked, RoundDown(usable / row * eighths / 8, 8) + 8 * choices_.Below(2)}, {BlockKind::kBlocked, 1024}};
    huge.map.resize(2);
    if (windows == 1) huge.map[0] = DrawPlace(choices_, kernel_);
    MakeCompilable(kernel_.grid, ArraySize::kLarge, huge);
  }
}

// Small arrays stay where they are only if the limit leaves no room for them.
void Generator::DrawTheLimits() {
  const auto moved = [&](const Operand& operand) { return MayBeMoved(kernel_, operand); };
  DrawLimits(choices_, options_, kernel_);
  const bool may_move = std::any_of(kernel_.inputs.begin(), kernel_.inputs.end(), moved) ||
                        std::any_of(kernel_.outputs.begin(), kernel_.outputs.end(), moved);
  if (!may_move || (Can(feature::kSmallArrays) && choices_.Chance(1, 16))) return;
  kernel_.option_kib.reset();
  if (Can(feature::kLimit)) kernel_.limit_bytes = kAboveEveryClamp;
}

// What no compiler takes: models have an answer all the same.
void Generator::Spoil() {
  const auto any = [&](std::vector<uint64_t>& shape, uint64_t value) {
    if (!shape.empty()) shape[choices_.Below(shape.size())] = value;
  };
  const uint64_t edge = Can(feature::kLarge) && choices_.Below(2) == 1 ? UINT64_MAX >> choices_.Below(34) : choices_.Below(3);
  const bool outputs = choices_.Below(2) == 1;
  std::vector<Operand>& operands = outputs ? kernel_.outputs : kernel_.inputs;
  switch (choices_.Below(6)) {
    case 0:
      if (!kernel_.grid.empty()) kernel_.grid[choices_.Below(kernel_.grid.size())].size = edge;
      return;
    case 1:
      if (!kernel_.scratch.empty()) any(kernel_.scratch[0].shape, edge);
      return;
    case 2:
      if (!kernel_.scoped.empty()) any(kernel_.scoped[0].buffer.shape, edge);
      return;
    case 3:
      if (!operands.empty()) any(operands[0].array, edge);
      return;
    case 4:
      if (!operands.empty()) operands[0].buffers = static_cast<uint32_t>(edge);
      return;
    default:
      if (!operands.empty() && !operands[0].block.empty()) {
        BlockDimension& dimension = operands[0].block[choices_.Below(operands[0].block.size())];
        dimension.kind = static_cast<BlockKind>(choices_.Below(3));
        dimension.size = dimension.kind == BlockKind::kSqueezed ? 1 : edge;
      }
      return;
  }
}

}  // namespace

void GenerateKernel(Choices& choices, const GenerateOptions& options, Kernel& into) {
  Generator(choices, options, into).Run();
}

}  // namespace oomph::vmem
