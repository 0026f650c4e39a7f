// See allocator.h. One pass over the buffers; a kernel is only read, nothing is allocated for its sums. The rules and
// their sources stand in specification.cc.
#include "models/vmem/allocator.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "models/base/units.h"
#include "models/vmem/refusal.h"
#include "models/vmem/target.h"

namespace oomph::vmem {
namespace {

constexpr uint64_t kLanes = 128;
constexpr uint64_t kWindowGranule = 1024, kScratchGranule = 512, kScopedGranule = 1024;  // bytes
constexpr size_t kNone = std::numeric_limits<size_t>::max();

// Of a type: bits of an element in a tile and as scratch, and how many pack in 32 bits, a power of two.
struct TypeBits {
  uint32_t tile = 32, scratch = 32, packing = 1;
};

std::array<TypeBits, hlo::kTypes> MakeTypeBits() {
  std::array<TypeBits, hlo::kTypes> table;
  for (size_t i = 0; i < table.size(); ++i) {
    TypeBits& row = table[i];
    row.tile = static_cast<Type>(i) == Type::kPred ? 32 : hlo::RowOf(static_cast<Type>(i)).bits;
    row.scratch = std::max(row.tile, uint32_t{8});
    row.packing = row.tile == 0 || row.tile > 32 ? 1 : 32 / row.tile;
  }
  return table;
}

const TypeBits& BitsOf(Type type) {
  static const std::array<TypeBits, hlo::kTypes> kTable = MakeTypeBits();
  return kTable[static_cast<size_t>(type)];
}

// `multiple` is a power of two.
uint64_t RoundUp(uint64_t n, uint64_t multiple) {
  uint64_t sum = 0;
  if (__builtin_add_overflow(n, multiple - 1, &sum)) return kMaxBytes;
  return sum & ~(multiple - 1);
}

uint64_t BytesOfBits(uint64_t elements, uint64_t bits) {
  if (elements == kMaxBytes) [[unlikely]]
    return kMaxBytes;
  const auto bytes = static_cast<unsigned __int128>(elements) * bits / 8;
  return bytes > kMaxBytes ? kMaxBytes : static_cast<uint64_t>(bytes);
}

uint64_t SizeOf(uint64_t dimension) { return dimension; }
uint64_t SizeOf(const BlockDimension& dimension) { return dimension.kind == BlockKind::kSqueezed ? 1 : dimension.size; }

// Elements of a shape in tiles.
template <typename Dimension>
uint64_t Padded(std::span<const Dimension> shape, uint64_t packing) {
  const size_t rank = shape.size();
  if (rank < 2) return rank == 0 ? kLanes * packing : RoundUp(SizeOf(shape[0]), kLanes * packing);
  const uint64_t rows = SizeOf(shape[rank - 2]);
  const uint64_t tile = std::max(packing, std::bit_ceil(std::min<uint64_t>(rows, 8)));
  uint64_t elements = SaturatingMul(RoundUp(rows, tile), RoundUp(SizeOf(shape[rank - 1]), kLanes));
  for (size_t i = 0; i + 2 < rank; ++i) elements = SaturatingMul(elements, SizeOf(shape[i]));
  return elements;
}

uint64_t WindowBlock(const Operand& operand) {
  const TypeBits& bits = BitsOf(operand.type);
  const uint64_t elements = operand.block.empty()
                                ? Padded(std::span<const uint64_t>(operand.array), bits.packing)
                                : Padded(std::span<const BlockDimension>(operand.block), bits.packing);
  return BytesOfBits(elements, bits.tile);
}

uint64_t ScratchBlock(const Buffer& buffer) {
  const TypeBits& bits = BitsOf(buffer.type);
  return BytesOfBits(Padded(std::span<const uint64_t>(buffer.shape), bits.packing), bits.scratch);
}

uint64_t ScopedBlock(const Buffer& buffer) {
  const TypeBits& bits = BitsOf(buffer.type);
  if (bits.tile != 32 || buffer.shape.size() < 2 || buffer.shape.back() > kLanes) {
    return BytesOfBits(Padded(std::span<const uint64_t>(buffer.shape), bits.packing), bits.tile);
  }
  uint64_t elements = RoundUp(buffer.shape.back(), kLanes);  // rows as they are
  for (size_t i = 0; i + 1 < buffer.shape.size(); ++i) elements = SaturatingMul(elements, buffer.shape[i]);
  return BytesOfBits(elements, 32);
}

bool IsParallel(const GridDimension& dimension) {
  return dimension.semantics == Semantics::kParallel || dimension.semantics == Semantics::kCoreParallel;
}
bool HasSteps(const GridDimension& dimension) { return dimension.dynamic || dimension.size > 1; }

// The grid as the cores of a device see it.
class Grid {
 public:
  explicit Grid(const Kernel& kernel) : grid_(kernel.grid) {
    if (RowOf(kernel.target).cores != 2) return;
    size_t with_steps = 0, last = kNone;
    for (size_t i = 0; i < grid_.size(); ++i) {
      if (HasSteps(grid_[i])) ++with_steps, last = i;
    }
    // The one dimension there is, of two steps: one for each core.
    if (with_steps == 1 && IsParallel(grid_[last]) && !grid_[last].dynamic && grid_[last].size == 2) split_ = last;
  }
  bool Varies(size_t axis) const { return axis < grid_.size() && axis != split_ && HasSteps(grid_[axis]); }

 private:
  const std::span<const GridDimension> grid_;
  size_t split_ = kNone;
};

bool TermVaries(const Kernel& kernel, const Grid& grid, const Term& term) {
  if (term.kind == TermKind::kConstant || !grid.Varies(term.axis)) return false;
  if (term.kind == TermKind::kTimes) return term.amount != 0;
  if (term.kind == TermKind::kModulo) return term.amount > 1;
  return term.kind != TermKind::kPrefetched || term.amount < kernel.prefetched.size();
}

bool BlockVaries(const Kernel& kernel, const Grid& grid, const Operand& operand) {
  const size_t places = std::min(operand.map.size(), operand.block.size());
  for (size_t i = 0; i < places; ++i) {
    for (const Term& term : operand.map[i]) {
      if (TermVaries(kernel, grid, term)) return true;
    }
  }
  return false;
}

bool IsContiguous(const Operand& operand) {
  const size_t rank = operand.array.size();
  if (operand.block.empty()) return true;
  if (operand.block.size() != rank) return false;
  size_t cut = rank;  // one more than the last dimension that is not whole
  while (cut > 0 && SizeOf(operand.block[cut - 1]) == operand.array[cut - 1]) --cut;
  if (cut == rank && rank > 1) return false;
  for (size_t i = 0; i + 1 < cut; ++i) {
    if (SizeOf(operand.block[i]) != 1) return false;
  }
  return true;
}

bool IsWhole(const Operand& operand) {
  if (operand.block.empty()) return true;
  return std::equal(operand.block.begin(), operand.block.end(), operand.array.begin(), operand.array.end(),
                    [](const BlockDimension& block, uint64_t size) { return SizeOf(block) == size; });
}

bool IsScalar(const Operand& input) {
  return !input.in_vmem && std::all_of(input.array.begin(), input.array.end(), [](uint64_t size) { return size == 1; });
}

// Whether an array can lie in what the limit leaves of VMEM.
bool Fits(const Operand& operand, uint64_t room) { return ArrayBytes(operand.type, operand.array) <= room; }

// Hands each buffer to `take(part, index, padded, levels, bytes)`, scratch first, the stack last; the flags go to
// `need`.
template <typename Take>
void Walk(const Kernel& kernel, Need& need, Take take) {
  const TargetRow& row = RowOf(kernel.target);
  const uint64_t limit = static_cast<uint64_t>(std::max<int64_t>(LimitOf(kernel), 0));
  const Grid grid(kernel);
  need.at_most = !IsHeavy(kernel.body) || kernel.internal_bytes != 0;
  for (size_t i = 0; i < kernel.scratch.size(); ++i) {
    const uint64_t padded = ScratchBlock(kernel.scratch[i]);
    take(Part::kScratch, i, padded, 1, RoundUp(padded, kScratchGranule));
  }
  const auto operands = [&](Part part, const std::vector<Operand>& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      const Operand& operand = list[i];
      const uint64_t padded = WindowBlock(operand);
      if (operand.buffers > 2) need.at_least = need.at_most = false;
      if (operand.fused) need.at_most = false;
      if (operand.space != Space::kVmem) {
        take(part, i, padded, 0, 0);
        continue;
      }
      if (operand.in_vmem && IsContiguous(operand)) {
        if (BitsOf(operand.type).tile < 32 && !IsWhole(operand)) need.at_most = false;
        take(part, i, padded, 0, 0);
        continue;
      }
      if (limit < row.usable && need.at_least && Fits(operand, row.usable - limit)) need.at_least = false;
      if (part == Part::kInput && IsScalar(operand)) need.at_least = false;
      const uint64_t levels = !BlockVaries(kernel, grid, operand) ? 1 : operand.buffers == 0 ? 2 : operand.buffers;
      take(part, i, padded, levels, RoundUp(SaturatingMul(padded, levels), kWindowGranule));
    }
  };
  operands(Part::kInput, kernel.inputs);
  operands(Part::kOutput, kernel.outputs);
  if (kernel.scoped.empty() && kernel.internal_bytes == 0) return;
  struct Open {
    uint32_t depth;
    uint64_t total;  // with what is around
  };
  absl::InlinedVector<Open, 16> open;
  uint64_t peak = 0;
  for (const ScopedBuffer& scoped : kernel.scoped) {
    while (!open.empty() && open.back().depth >= scoped.depth) open.pop_back();
    const uint64_t bytes = RoundUp(ScopedBlock(scoped.buffer), kScopedGranule);
    const uint64_t total = SaturatingAdd(open.empty() ? 0 : open.back().total, bytes);
    peak = std::max(peak, total);
    open.push_back({scoped.depth, total});
  }
  const uint64_t stack = SaturatingAdd(peak, kernel.internal_bytes);
  if (stack > 0) take(Part::kStack, size_t{0}, stack, 1, stack);
}

void AddTo(Need& need, Part part, uint64_t bytes) {
  uint64_t& sum = part == Part::kScratch ? need.scratch : part == Part::kStack ? need.stack : need.windows;
  sum = SaturatingAdd(sum, bytes);
  need.largest = std::max(need.largest, bytes);
}

void AddUp(Need& need) { need.total = SaturatingAdd(SaturatingAdd(need.scratch, need.windows), need.stack); }

bool IsDeclined(const Kernel& kernel, Answer& into) {
  const uint64_t cores = RowOf(kernel.target).cores;
  size_t core_parallel = 0;
  for (size_t i = 0; i < kernel.grid.size() && into.why.empty(); ++i) {
    const GridDimension& dimension = kernel.grid[i];
    if (dimension.semantics != Semantics::kCoreParallel) continue;
    if (++core_parallel > 1 || dimension.dynamic || dimension.size != cores) {
      into.why = DeclinedForCores(dimension, i, core_parallel, cores);
    }
  }
  if (into.why.empty()) return false;
  into.status = Status::kDeclined;
  return true;
}

void Refuse(Status status, uint64_t size, PrintedBytes limit, Answer& into) {
  into.status = status;
  into.printed_size = ExactlyBytes(size);
  into.printed_limit = limit;
}

// Of scoped buffers that follow one another the last is placed first, each with what is inside it. `below`: what lies
// under the stack. The first that ends above the limit, with what it lies on; none: what ends there is the compiler's
// own.
std::optional<uint64_t> FirstAbove(std::span<const ScopedBuffer> scoped, uint64_t below, uint64_t limit) {
  struct Next {
    size_t begin, end;  // one of the buffers, and what is inside it
    uint64_t around;
  };
  std::vector<Next> next;
  const auto add = [&](size_t begin, size_t end, uint64_t around) {
    for (size_t at = begin; at < end;) {
      const size_t first = at++;
      while (at < end && scoped[at].depth > scoped[first].depth) ++at;
      next.push_back({first, at, around});
    }
  };
  add(0, scoped.size(), below);
  while (!next.empty()) {
    const Next each = next.back();
    next.pop_back();
    const uint64_t total = SaturatingAdd(each.around, RoundUp(ScopedBlock(scoped[each.begin].buffer), kScopedGranule));
    if (total > limit) return total;
    add(each.begin + 1, each.end, total);
  }
  return std::nullopt;
}

void CheckLimit(const Kernel& kernel, const Need& need, Answer& into) {
  const PrintedBytes printed = PrintedLimit(*into.limit);
  if (*into.limit < 0) {
    return Refuse(Status::kOverLimit, RowOf(kernel.target).cores == 2 ? 0 : need.scratch, printed, into);
  }
  const auto limit = static_cast<uint64_t>(*into.limit);
  if (need.scratch > limit) return Refuse(Status::kOverLimit, need.scratch, printed, into);
  const uint64_t with_windows = SaturatingAdd(need.scratch, need.windows);
  if (with_windows > limit) return Refuse(Status::kOverLimit, with_windows, printed, into);
  if (need.total <= limit) {
    into.status = Status::kAccepted;
    return;
  }
  const std::optional<uint64_t> above = FirstAbove(kernel.scoped, with_windows, limit);
  Refuse(Status::kOverLimit, above.value_or(need.total), printed, into);
}

void Check(const Kernel& kernel, const Need& need, Answer& into) {
  if (IsDeclined(kernel, into)) return;
  const TargetRow& row = RowOf(kernel.target);
  if (need.largest > row.memory) {
    const auto first = std::find_if(into.parts.begin(), into.parts.end(),
                                    [&](const PartBytes& part) { return part.bytes > row.memory; });
    return Refuse(Status::kOverCapacity, first->bytes, ExactlyBytes(row.memory), into);
  }
  if (need.total > row.usable) return Refuse(Status::kOverCapacity, need.total, ExactlyBytes(row.usable), into);
  CheckLimit(kernel, need, into);
}

}  // namespace

uint64_t ArrayBytes(Type type, std::span<const uint64_t> array) {
  const TypeBits& bits = BitsOf(type);
  return BytesOfBits(Padded(array, bits.packing), bits.tile);
}

Need NeedOf(const Kernel& kernel) {
  Need need;
  Walk(kernel, need, [&](Part part, size_t, uint64_t, uint64_t, uint64_t bytes) { AddTo(need, part, bytes); });
  AddUp(need);
  return need;
}

int64_t LimitOf(const Kernel& kernel) {
  const TargetRow& row = RowOf(kernel.target);
  if (kernel.limit_bytes) return std::min(*kernel.limit_bytes, static_cast<int64_t>(row.clamp));
  if (!kernel.option_kib || *kernel.option_kib == -1) return static_cast<int64_t>(row.default_limit);
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 1024,
                    kLeast = std::numeric_limits<int64_t>::min() / 1024;
  if (*kernel.option_kib > kMost) return std::numeric_limits<int64_t>::max();
  if (*kernel.option_kib < kLeast) return std::numeric_limits<int64_t>::min();
  return *kernel.option_kib * 1024;
}

void RunModel(const Kernel& kernel, Answer& into) {
  into = Answer();
  Need need;
  Walk(kernel, need, [&](Part part, size_t index, uint64_t padded, uint64_t levels, uint64_t bytes) {
    into.parts.push_back({part, static_cast<uint32_t>(index), padded, levels, bytes});
    AddTo(need, part, bytes);
  });
  AddUp(need);
  into.at_least = need.at_least;
  into.at_most = need.at_most;
  into.used = need.total;
  into.limit = LimitOf(kernel);
  Check(kernel, need, into);
  into.message = PrintRefusal(kernel, into);
}

}  // namespace oomph::vmem
