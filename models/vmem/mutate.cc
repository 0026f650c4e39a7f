// Changes a kernel by a few edits that a model or a compiler may trip over. See generate.h.
#include <algorithm>
#include <vector>

#include "models/base/units.h"
#include "models/vmem/compilable.h"
#include "models/vmem/draw_parts.h"
#include "models/vmem/generate.h"
#include "models/vmem/promises.h"
#include "models/vmem/target.h"

namespace oomph::vmem {
namespace {

constexpr size_t kMostOperands = 12, kMostBuffers = 16;

class Mutator {
 public:
  Mutator(Choices& choices, const GenerateOptions& options, Kernel& kernel, const Kernel& other)
      : choices_(choices), options_(options), kernel_(kernel), other_(other) {}

  void Run() {
    for (uint64_t edits = 1 + choices_.Below(4); edits > 0; --edits) {
      switch (choices_.Below(6)) {
        case 0: EditOperands(); break;
        case 1: EditOperand(); break;
        case 2: EditGrid(); break;
        case 3: EditBuffers(); break;
        case 4: EditLimit(); break;
        default: EditWords(); break;
      }
    }
    Repair();
  }

 private:
  void EditOperands();
  void EditOperand();
  void EditGrid();
  void EditBuffers();
  void EditLimit();
  void EditWords();
  void Repair();
  uint64_t Nudged(uint64_t n) {
    switch (choices_.Below(6)) {
      case 0: return SaturatingAdd(n, 1);
      case 1: return std::max<uint64_t>(SaturatingSub(n, 1), 1);
      case 2: return SaturatingMul(n, 2);
      case 3: return std::max<uint64_t>(n / 2, 1);
      case 4: return 1 + choices_.Below(9);
      default: return 128 * (1 + choices_.Below(4));
    }
  }
  std::vector<Operand>& AnyOperands() { return choices_.Below(3) == 0 ? kernel_.outputs : kernel_.inputs; }

  Choices& choices_;
  const GenerateOptions& options_;
  Kernel& kernel_;
  const Kernel& other_;
};

// One more, one less, one of the other kernel's.
void Mutator::EditOperands() {
  std::vector<Operand>& operands = AnyOperands();
  const std::vector<Operand>& others = &operands == &kernel_.outputs ? other_.outputs : other_.inputs;
  const uint64_t kind = choices_.Below(4);
  if (kind == 0 && operands.size() > 1) {
    operands.erase(operands.begin() + static_cast<ptrdiff_t>(choices_.Below(operands.size())));
  } else if (kind == 1 && !operands.empty() && operands.size() < kMostOperands) {
    operands.push_back(operands[choices_.Below(operands.size())]);
  } else if (kind == 2 && !others.empty() && operands.size() < kMostOperands) {
    operands.push_back(others[choices_.Below(others.size())]);
  } else if (operands.size() < kMostOperands) {
    operands.push_back(DrawOperand(choices_, options_, kernel_, /*tiny=*/choices_.Below(2) == 0));
  }
}

void Mutator::EditOperand() {
  std::vector<Operand>& operands = AnyOperands();
  if (operands.empty()) return;
  Operand& operand = operands[choices_.Below(operands.size())];
  if (operand.block.empty()) return;
  const size_t d = choices_.Below(operand.block.size());
  operand.map.resize(operand.block.size());
  switch (choices_.Below(6)) {
    case 0: operand.block[d].size = Nudged(operand.block[d].size); return;
    case 1: operand.map[d] = DrawPlace(choices_, kernel_); return;
    case 2: operand.type = DrawType(choices_, options_); return;
    case 3: operand.buffers = static_cast<uint32_t>(choices_.Below(3)); return;
    case 4:
      operand.block[d].kind = operand.block[d].kind == BlockKind::kSqueezed ? BlockKind::kBlocked : BlockKind::kSqueezed;
      return;
    default:
      if (operand.block.size() > 2 && choices_.Below(2) == 0) {
        operand.block.erase(operand.block.begin());
        operand.map.erase(operand.map.begin());
      } else if (operand.block.size() < 5) {
        operand.block.insert(operand.block.begin(), BlockDimension{BlockKind::kBlocked, DrawLeading(choices_, true)});
        operand.map.insert(operand.map.begin(), DrawPlace(choices_, kernel_));
      }
      return;
  }
}

void Mutator::EditGrid() {
  std::vector<GridDimension>& grid = kernel_.grid;
  const uint64_t kind = choices_.Below(5);
  if (kind == 0 && grid.size() < 5) {
    grid.insert(grid.begin() + static_cast<ptrdiff_t>(choices_.Below(grid.size() + 1)), GridDimension{1 + choices_.Below(4)});
    return;
  }
  if (grid.empty()) return;
  const size_t d = choices_.Below(grid.size());
  if (kind == 1 && grid.size() > 1) {
    grid.erase(grid.begin() + static_cast<ptrdiff_t>(d));
  } else if (kind == 2) {
    grid[d].dynamic = !grid[d].dynamic;
  } else if (kind == 3) {
    grid[d].semantics = static_cast<Semantics>(choices_.Below(4));
  } else {
    grid[d].size = choices_.Below(3) == 0 ? 1 : 1 + choices_.Below(9);
  }
}

void Mutator::EditBuffers() {
  const auto edit = [&](Buffer& buffer) {
    if (choices_.Below(3) == 0) {
      buffer = DrawBuffer(choices_, options_, /*tiny=*/true);
    } else if (!buffer.shape.empty()) {
      uint64_t& n = buffer.shape[choices_.Below(buffer.shape.size())];
      n = Nudged(n);
    }
  };
  std::vector<Buffer>& scratch = kernel_.scratch;
  std::vector<ScopedBuffer>& scoped = kernel_.scoped;
  switch (choices_.Below(6)) {
    case 0:
      if (scratch.size() < kMostBuffers) scratch.push_back(DrawBuffer(choices_, options_, true));
      return;
    case 1:
      if (!scratch.empty()) scratch.erase(scratch.begin() + static_cast<ptrdiff_t>(choices_.Below(scratch.size())));
      return;
    case 2:
      if (!scratch.empty()) edit(scratch[choices_.Below(scratch.size())]);
      return;
    case 3:
      if (scoped.size() < kMostBuffers) DrawScoped(choices_, options_, true, scoped);
      return;
    case 4:
      if (scoped.empty()) return;
      edit(scoped[choices_.Below(scoped.size())].buffer);
      return;
    default:
      if (scoped.empty()) return;
      scoped[choices_.Below(scoped.size())].depth = static_cast<uint32_t>(choices_.Below(4));
      return;
  }
}

void Mutator::EditLimit() {
  switch (choices_.Below(4)) {
    case 0: kernel_.limit_bytes.reset(); return;
    case 1: kernel_.option_kib.reset(); return;
    default: DrawLimits(choices_, options_, kernel_); return;
  }
}

void Mutator::EditWords() {
  switch (choices_.Below(4)) {
    case 0: kernel_.target = static_cast<Target>(choices_.Below(kTargets)); return;
    case 1: kernel_.body = static_cast<Body>(choices_.Below(2)); return;
    case 2: kernel_.internal_bytes = choices_.Below(2) * 4096; return;
    default:
      if (!kernel_.inputs.empty()) {
        Operand& operand = kernel_.inputs[choices_.Below(kernel_.inputs.size())];
        (choices_.Below(2) == 0 ? operand.fused : operand.in_vmem) ^= true;
      }
      return;
  }
}

// Rarely what no compiler takes, what it may move to VMEM, or what two cores may split.
void Mutator::Repair() {
  GenerateOptions options = options_;
  const auto rarely = [&](int index, uint64_t of) {
    if (!choices_.Chance(1, of)) options.features &= ~feature::Bit(index);
  };
  rarely(feature::kUncompiled, 16);
  rarely(feature::kSmallArrays, 32);
  rarely(feature::kFused, 4);
  rarely(feature::kInVmem, 4);
  rarely(feature::kHeavyBody, 2);
  uint32_t depth = 0;  // a scope is inside the one before it, or beside it
  for (ScopedBuffer& scoped : kernel_.scoped) {
    scoped.depth = std::min(scoped.depth, depth);
    depth = scoped.depth + 1;
  }
  Restrict(options, kernel_);
  if (RowOf(kernel_.target).cores == 1 || choices_.Chance(1, 16)) return;
  for (GridDimension& dimension : kernel_.grid) {
    const bool known = kernel_.grid.size() == 1 && !dimension.dynamic;
    if (!known && dimension.semantics > Semantics::kArbitrary) dimension.semantics = Semantics::kArbitrary;
  }
}

}  // namespace

void MutateKernel(Choices& choices, const GenerateOptions& options, Kernel& kernel, const Kernel& other) {
  Mutator(choices, options, kernel, other).Run();
}

}  // namespace oomph::vmem
