// See compilable.h.
#include "models/vmem/compilable.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/base/units.h"
#include "models/vmem/allocator.h"
#include "models/vmem/promises.h"
#include "models/vmem/target.h"

namespace oomph::vmem {
namespace {

constexpr uint64_t kPrefetchedBelow = 4;
constexpr uint64_t kNoVmemHolds = 300 * kMiB;  // and not half of it
constexpr uint64_t kMostArray = 2 * kGiB;      // HBM holds a dozen
constexpr uint64_t kLanes = 128, kRows = 8, kFlat = 1024;
constexpr uint64_t kLargeFrom = uint64_t{1} << 40;

uint64_t MostOf(const std::vector<GridDimension>& grid, const Term& term) {
  if (term.kind == TermKind::kConstant) return term.amount;
  if (term.axis >= grid.size()) return 0;
  const uint64_t last = SaturatingSub(grid[term.axis].size, 1);
  switch (term.kind) {
    case TermKind::kConstant: break;
    case TermKind::kTimes: return SaturatingMul(last, term.amount);
    case TermKind::kModulo: return std::min(last, SaturatingSub(term.amount, 1));
    case TermKind::kDivided: return last / std::max<uint64_t>(term.amount, 1);
    case TermKind::kAtMost: return std::min(last, term.amount);
    case TermKind::kPrefetched: return kPrefetchedBelow - 1;
  }
  return 0;
}

// What a block of this dimension must be a multiple of where it is not the whole of it (Pallas, TPU lowering).
uint64_t UnitOf(const Operand& operand, size_t dimension) {
  const size_t rank = operand.block.size();
  if (rank == 1) return kFlat;
  if (dimension + 1 == rank) return kLanes;
  return dimension + 2 == rank ? kRows : 1;
}

bool IsWholeOnly(const Operand& operand, size_t dimension) {
  return !IsMultipleOf(operand.block[dimension].size, UnitOf(operand, dimension));
}

bool IsElements(const Operand& operand) {
  return std::any_of(operand.block.begin(), operand.block.end(),
                     [](const BlockDimension& d) { return d.kind == BlockKind::kElement; });
}

// Elements are all dimensions or none, their places multiples of the unit; only leading dimensions are squeezed.
void RepairKinds(Operand& operand) {
  const bool elements = IsElements(operand);
  for (size_t d = 0; d < operand.block.size(); ++d) {
    BlockDimension& dimension = operand.block[d];
    if (elements) dimension.kind = BlockKind::kElement;
    if (dimension.kind == BlockKind::kSqueezed && d + 2 >= operand.block.size()) dimension.kind = BlockKind::kBlocked;
    dimension.size = dimension.kind == BlockKind::kSqueezed ? 1 : std::max<uint64_t>(dimension.size, 1);
    if (!elements) continue;
    for (Term& term : operand.map[d]) {
      if (term.kind != TermKind::kTimes && term.kind != TermKind::kConstant) term = {};
      term.amount = RoundDown(SaturatingAdd(term.amount, UnitOf(operand, d) - 1), UnitOf(operand, d));
    }
    std::erase_if(operand.map[d], [](const Term& term) { return term == Term(); });
  }
}

std::vector<uint64_t> ArrayAround(const std::vector<GridDimension>& grid, const Operand& operand) {
  std::vector<uint64_t> array;
  for (size_t d = 0; d < operand.block.size(); ++d) {
    const BlockDimension& dimension = operand.block[d];
    const uint64_t extent = ExtentOf(grid, operand.map[d]);
    array.push_back(dimension.kind == BlockKind::kElement ? SaturatingAdd(extent - 1, dimension.size)
                                                          : SaturatingMul(extent, dimension.size));
  }
  return array;
}

// Along a dimension that may be longer than the block; where there is none, a squeezed one is put in front.
void Grow(Operand& operand) {
  const uint64_t factor = CeilDiv(kNoVmemHolds, std::max<uint64_t>(ArrayBytes(operand.type, operand.array), 1));
  const size_t rank = operand.array.size();
  size_t dimension = 0;
  if (rank == 2 && IsWholeOnly(operand, 0)) dimension = 1;
  if (rank <= 2 && (rank == 0 || IsWholeOnly(operand, dimension))) {
    const BlockKind kind = IsElements(operand) ? BlockKind::kElement : BlockKind::kSqueezed;
    operand.block.insert(operand.block.begin(), BlockDimension{kind, 1});
    operand.map.insert(operand.map.begin(), Place());
    operand.array.insert(operand.array.begin(), 1);
    dimension = 0;
    if (rank < 2) {  // and one between: only leading dimensions are squeezed
      operand.block.insert(operand.block.begin() + 1, BlockDimension{IsElements(operand) ? BlockKind::kElement : BlockKind::kBlocked, 1});
      operand.map.insert(operand.map.begin() + 1, Place());
      operand.array.insert(operand.array.begin() + 1, 1);
    }
  }
  operand.array[dimension] = SaturatingMul(operand.array[dimension], std::max<uint64_t>(factor, 1));
}

bool IsFourBits(Type type) { return type == Type::kS4 || type == Type::kU4 || type == Type::kF4e2m1fn; }
bool IsTwoBits(Type type) {
  return type == Type::kS2 || type == Type::kU2 || type == Type::kS1 || type == Type::kU1;
}
// Those that a kernel can load, as far as asked.
bool IsKnown(Type type) {
  const uint8_t bits = hlo::RowOf(type).bits;
  return IsArrayType(type) && bits != 0 && bits <= 32 && type != Type::kF8e8m0fnu && type != Type::kF4e2m1fn;
}

bool IsLargeShape(const std::vector<uint64_t>& shape) {
  uint64_t product = 1;
  for (const uint64_t n : shape) product = SaturatingMul(product, n);
  return product >= kLargeFrom;
}
bool HasEmpty(const std::vector<uint64_t>& shape) {
  return std::any_of(shape.begin(), shape.end(), [](uint64_t n) { return n == 0; });
}

void AddOutput(Kernel& kernel) {
  Operand& output = kernel.outputs.emplace_back();
  output.block = {{BlockKind::kBlocked, 8}, {BlockKind::kBlocked, 128}};
  MakeCompilable(kernel.grid, ArraySize::kLarge, output);
}

bool IsCompilable(const std::vector<GridDimension>& grid, const Operand& operand) {
  if (!IsKnown(operand.type) || HasEmpty(operand.array) || operand.array.empty()) return false;
  if (operand.space != Space::kVmem || operand.block.empty()) return operand.block.empty() && operand.map.empty();
  if (operand.block.size() != operand.array.size() || operand.map.size() != operand.array.size()) return false;
  Operand repaired = operand;
  MakeCompilable(grid, ArraySize::kSmall, repaired);
  if (repaired.block != operand.block || repaired.map != operand.map) return false;
  for (size_t d = 0; d < operand.array.size(); ++d) {
    if (operand.array[d] < repaired.array[d]) return false;
    if ((grid.empty() || IsWholeOnly(operand, d)) && operand.array[d] != operand.block[d].size) return false;
  }
  return true;
}
// One of a single element is relayed through a scalar, which takes bytes of its own.
bool IsScalar(const Buffer& buffer) { return buffer.shape == std::vector<uint64_t>{1}; }
bool IsCompilable(const Buffer& buffer) {
  return IsKnown(buffer.type) && !IsScalar(buffer) && buffer.type != Type::kPred && !buffer.shape.empty() && !HasEmpty(buffer.shape);
}

}  // namespace

uint64_t ExtentOf(const std::vector<GridDimension>& grid, const Place& place) {
  uint64_t most = 0;
  for (const Term& term : place) most = SaturatingAdd(most, MostOf(grid, term));
  return SaturatingAdd(most, 1);
}

uint64_t PackedBytes(Type type, const std::vector<uint64_t>& array) {
  uint64_t bits = hlo::RowOf(type).bits;
  if (type == Type::kPred) bits = 8;
  for (const uint64_t n : array) bits = SaturatingMul(bits, n);
  return CeilDiv(bits, 8);
}

bool MayBeMoved(const Kernel& kernel, const Operand& operand) {
  if (operand.space != Space::kVmem || operand.in_vmem) return false;
  const uint64_t limit = static_cast<uint64_t>(std::max<int64_t>(LimitOf(kernel), 0)), usable = RowOf(kernel.target).usable;
  return limit < usable && ArrayBytes(operand.type, operand.array) <= usable - limit;
}

void MakeCompilable(const std::vector<GridDimension>& grid, ArraySize size, Operand& operand) {
  if (operand.space != Space::kVmem || operand.block.empty()) {
    operand.block.clear(), operand.map.clear();
    for (uint64_t& n : operand.array) n = std::max<uint64_t>(n, 1);
    if (operand.array.empty()) operand.array = {1};
    return;
  }
  operand.map.resize(operand.block.size());
  RepairKinds(operand);
  for (size_t d = 0; d < operand.block.size(); ++d) {
    if (grid.empty() || (IsWholeOnly(operand, d) && ExtentOf(grid, operand.map[d]) > 1)) operand.map[d].clear();
  }
  operand.array = ArrayAround(grid, operand);
  if (ArrayBytes(operand.type, operand.array) > kMostArray) {
    for (Place& place : operand.map) place.clear();
    operand.array = ArrayAround(grid, operand);
  }
  if (size == ArraySize::kLarge && !grid.empty()) Grow(operand);  // without a grid blocks are whole arrays
}

bool IsCompilable(const Kernel& kernel) {
  const uint64_t cores = RowOf(kernel.target).cores;
  size_t core_parallel = 0;
  for (const GridDimension& dimension : kernel.grid) {
    if (dimension.size == 0) return false;
    if (dimension.semantics != Semantics::kCoreParallel) continue;
    if (++core_parallel > 1 || dimension.size != cores || dimension.dynamic) return false;
  }
  if (kernel.outputs.empty()) return false;
  for (const std::vector<Operand>* operands : {&kernel.inputs, &kernel.outputs}) {
    for (const Operand& operand : *operands) {
      if (!IsCompilable(kernel.grid, operand) || operand.buffers > 2) return false;
    }
  }
  for (const Operand& output : kernel.outputs) {
    if (output.space != Space::kVmem || output.in_vmem || output.fused || IsElements(output)) return false;
  }
  for (const Buffer& buffer : kernel.scratch) {
    if (!IsCompilable(buffer)) return false;
  }
  for (const ScopedBuffer& scoped : kernel.scoped) {
    if (!IsCompilable(scoped.buffer)) return false;
  }
  return true;
}

Bits64 FeaturesOf(const Kernel& kernel) {
  using namespace feature;
  Bits64 features = BitOf(kernel.target);
  const auto set = [&](int index, bool has) { features |= Bits64{has} << index; };
  const auto set_type = [&](Type type) {
    set(kFourBits, IsFourBits(type));
    set(kTwoBits, IsTwoBits(type));
  };
  set(kOption, kernel.option_kib.has_value());
  set(kLimit, kernel.limit_bytes.has_value());
  set(kOddLimit, kernel.option_kib.value_or(1) <= 0 || kernel.limit_bytes.value_or(1) <= 0);
  set(kOptionZero, kernel.option_kib == 0 && kernel.limit_bytes);
  set(kPrefetch, !kernel.prefetched.empty());
  set(kScratch, !kernel.scratch.empty());
  set(kScoped, !kernel.scoped.empty());
  set(kHeavyBody, IsHeavy(kernel.body));
  set(kInternal, kernel.internal_bytes != 0);
  set(kUncompiled, !IsCompilable(kernel));
  for (const GridDimension& dimension : kernel.grid) {
    set(kDynamicGrid, dimension.dynamic);
    set(kSemantics, dimension.semantics != Semantics::kNone);
    set(kCoreParallel, dimension.semantics == Semantics::kCoreParallel);
    set(kLarge, dimension.size >= kLargeFrom);
  }
  for (const std::vector<Operand>* operands : {&kernel.inputs, &kernel.outputs}) {
    for (const Operand& operand : *operands) {
      set_type(operand.type);
      set(kElements, IsElements(operand));
      set(kMemories, operand.space != Space::kVmem);
      set(kInVmem, operand.in_vmem);
      set(kFused, operand.fused);
      set(kBuffered, operand.buffers != 0);
      set(kSmallArrays, MayBeMoved(kernel, operand));
      set(kLarge, IsLargeShape(operand.array));
      std::vector<uint64_t> block;
      for (const BlockDimension& dimension : operand.block) block.push_back(dimension.size);
      set(kLarge, IsLargeShape(block));
    }
  }
  for (const Buffer& buffer : kernel.scratch) set_type(buffer.type), set(kLarge, IsLargeShape(buffer.shape));
  for (const ScopedBuffer& scoped : kernel.scoped) {
    set_type(scoped.buffer.type), set(kLarge, IsLargeShape(scoped.buffer.shape));
  }
  const Need need = NeedOf(kernel);
  set(kOverCapacity, need.total > RowOf(kernel.target).usable);
  return features;
}

void Restrict(const GenerateOptions& options, Kernel& kernel) {
  using namespace feature;
  const auto can = [&](int index) { return Can(options, index); };
  if ((options.features & BitOf(kernel.target)) == 0) {
    for (size_t t = kTargets; t-- > 0;) {
      if (can(kFirstTarget + static_cast<int>(t))) kernel.target = static_cast<Target>(t);
    }
  }
  const uint64_t cores = RowOf(kernel.target).cores;
  if (!can(kPrefetch)) kernel.prefetched.clear();
  if (!can(kScratch)) kernel.scratch.clear();
  if (!can(kScoped)) kernel.scoped.clear();
  if (!can(kHeavyBody) && IsHeavy(kernel.body)) kernel.body = Body::kCopies;
  if (!can(kInternal)) kernel.internal_bytes = 0;
  bool core_parallel = false;  // there is one at most
  for (GridDimension& dimension : kernel.grid) {
    if (!can(kDynamicGrid)) dimension.dynamic = false;
    if (!can(kSemantics)) dimension.semantics = Semantics::kNone;
    if (dimension.semantics == Semantics::kCoreParallel &&
        (!can(kCoreParallel) || std::exchange(core_parallel, true) || dimension.size != cores || dimension.dynamic)) {
      dimension.semantics = Semantics::kNone;
    }
    if (!can(kUncompiled)) dimension.size = std::max<uint64_t>(dimension.size, 1);
    if (!can(kLarge)) dimension.size = std::min<uint64_t>(dimension.size, 64);
  }
  const auto simple = [&](Type& type) {
    const bool kept = can(kUncompiled) || IsKnown(type);
    if (!kept || (!can(kFourBits) && IsFourBits(type)) || (!can(kTwoBits) && IsTwoBits(type))) type = Type::kS8;
  };
  const auto small = [&](std::vector<uint64_t>& shape) {
    if (!can(kUncompiled)) {
      if (shape.empty()) shape = {1};
      for (uint64_t& n : shape) n = std::max<uint64_t>(n, 1);
    }
    if (can(kLarge) || !IsLargeShape(shape)) return;
    for (uint64_t& n : shape) n = std::min<uint64_t>(n, 128);
    if (shape.size() > 4) shape.resize(4);
  };
  for (std::vector<Operand>* operands : {&kernel.inputs, &kernel.outputs}) {
    for (Operand& operand : *operands) {
      const bool output = operands == &kernel.outputs;
      simple(operand.type);
      if (!can(kMemories) || (output && !can(kUncompiled))) operand.space = Space::kVmem;
      if (!can(kInVmem) || (output && !can(kUncompiled))) operand.in_vmem = false;
      if (!can(kFused) || (output && !can(kUncompiled))) operand.fused = false;
      if (!can(kBuffered)) operand.buffers = 0;
      if (!can(kUncompiled)) operand.buffers = std::min<uint32_t>(operand.buffers, 2);
      for (BlockDimension& dimension : operand.block) {
        if (dimension.kind == BlockKind::kElement && (!can(kElements) || (output && !can(kUncompiled)))) {
          dimension.kind = BlockKind::kBlocked;
        }
        if (!can(kLarge)) dimension.size = std::min<uint64_t>(dimension.size, uint64_t{1} << 20);
      }
      const bool large = !MayBeMoved(kernel, operand);
      small(operand.array);
      if (!can(kUncompiled) && !IsCompilable(kernel.grid, operand)) {
        MakeCompilable(kernel.grid, large ? ArraySize::kLarge : ArraySize::kSmall, operand);
      }
    }
  }
  const auto restrict_buffer = [&](Buffer& buffer) {
    simple(buffer.type);
    small(buffer.shape);
    if (can(kUncompiled)) return;
    if (buffer.type == Type::kPred) buffer.type = Type::kS8;
    if (IsScalar(buffer)) buffer.shape = {2};
  };
  for (Buffer& buffer : kernel.scratch) restrict_buffer(buffer);
  for (ScopedBuffer& scoped : kernel.scoped) restrict_buffer(scoped.buffer);
  if (!can(kUncompiled) && kernel.outputs.empty()) AddOutput(kernel);
  // Limits last: what may be moved depends on them.
  if (!can(kOption)) kernel.option_kib.reset();
  if (!can(kLimit)) kernel.limit_bytes.reset();
  if (!can(kOptionZero) && kernel.option_kib == 0 && kernel.limit_bytes) kernel.option_kib.reset();
  if (!can(kOddLimit)) {
    if (kernel.option_kib) kernel.option_kib = std::max<int64_t>(*kernel.option_kib, 1);
    if (kernel.limit_bytes) kernel.limit_bytes = std::max<int64_t>(*kernel.limit_bytes, 1);
  }
  const auto moved = [&](const Operand& operand) { return MayBeMoved(kernel, operand); };
  if (!can(kSmallArrays)) {
    for (std::vector<Operand>* operands : {&kernel.inputs, &kernel.outputs}) {
      for (Operand& operand : *operands) {
        if (!moved(operand)) continue;
        if (can(kLimit)) {
          kernel.limit_bytes = int64_t{1} << 40;
          if (!can(kOptionZero) && kernel.option_kib == 0) kernel.option_kib.reset();
        } else {
          MakeCompilable(kernel.grid, ArraySize::kLarge, operand);
        }
      }
    }
  }
  if (can(kOverCapacity)) return;
  const auto is_over = [&] { return NeedOf(kernel).total > RowOf(kernel.target).usable; };
  const auto drop = [&](auto& list) {
    while (is_over() && !list.empty()) list.pop_back();
  };
  drop(kernel.inputs), drop(kernel.scratch), drop(kernel.scoped), drop(kernel.outputs);
  if (is_over()) kernel.internal_bytes = 0;
  if (kernel.outputs.empty()) AddOutput(kernel);
}

}  // namespace oomph::vmem
