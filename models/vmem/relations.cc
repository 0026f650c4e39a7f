// See relations.h.
#include "models/vmem/relations.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/vmem/answer_text.h"
#include "models/vmem/compilable.h"
#include "models/vmem/promises.h"
#include "models/vmem/target.h"

namespace oomph::vmem {
namespace {

constexpr uint64_t kLarge = uint64_t{1} << 40;
constexpr uint64_t kGranule = 1024;

bool Decides(const Answer& answer) {
  return answer.status == Status::kAccepted || answer.status == Status::kOverLimit || answer.status == Status::kOverCapacity;
}
// Only then do two answers have to agree.
bool Known(const Answer& answer) { return Decides(answer) && answer.exact(); }

void Differ(std::string_view name, std::string_view detail, const Answer& answer, const Answer& related, Reasons& reasons) {
  reasons.Add(name, detail, 0, absl::StrCat(Summary(answer), "; of the changed kernel ", Summary(related)));
}

// A grid that cores may split: what its dimensions are then matters.
bool MayBeSplit(const Kernel& kernel) {
  return RowOf(kernel.target).cores > 1 && std::any_of(kernel.grid.begin(), kernel.grid.end(), [](const GridDimension& d) {
           return d.semantics == Semantics::kParallel || d.semantics == Semantics::kCoreParallel;
         });
}

template <typename AnyKernel, typename F>
void EachOperand(AnyKernel& kernel, F f) {
  for (auto& operand : kernel.inputs) f(operand);
  for (auto& operand : kernel.outputs) f(operand);
}
template <typename AnyKernel, typename F>
void EachBuffer(AnyKernel& kernel, F f) {
  for (auto& buffer : kernel.scratch) f(buffer);
  for (auto& scoped : kernel.scoped) f(scoped.buffer);
}

// ---- What two answers must have in common ----

void JudgeRepeated(std::string_view name, const Kernel&, const Answer& answer, const Answer& related, Reasons& reasons) {
  if (!Decides(answer) || !Decides(related) || answer == related) return;
  Differ(name, "answer", answer, related, reasons);
}

// The need and the verdict. Which buffer is named in a text, and which sum is printed, may differ.
void JudgeEqual(std::string_view name, const Kernel&, const Answer& answer, const Answer& related, Reasons& reasons) {
  if (!Known(answer) || !Known(related)) return;
  if (answer.status != related.status) return Differ(name, "status", answer, related, reasons);
  if (answer.used && related.used && *answer.used != *related.used) Differ(name, "used", answer, related, reasons);
}

// A higher limit: the same need; no failure in place of a fit, no lower size in print.
void JudgeHigherLimit(std::string_view name, const Kernel&, const Answer& answer, const Answer& related, Reasons& reasons) {
  if (!Known(answer) || !Known(related)) return;
  if (answer.status == Status::kAccepted && related.status != Status::kAccepted) return Differ(name, "status", answer, related, reasons);
  if (answer.used && related.used && *answer.used != *related.used) return Differ(name, "used", answer, related, reasons);
  if (answer.status != related.status || !answer.printed_size || !related.printed_size) return;
  if (related.printed_size->highest < answer.printed_size->lowest) Differ(name, "printed_size", answer, related, reasons);
}

// An easier kernel: no failure in place of a fit, no more bytes.
void JudgeEasier(std::string_view name, const Kernel&, const Answer& answer, const Answer& related, Reasons& reasons) {
  if (!Known(answer) || !Known(related)) return;
  if (answer.status == Status::kAccepted && related.status != Status::kAccepted) return Differ(name, "status", answer, related, reasons);
  if (answer.used && related.used && *answer.used < *related.used) Differ(name, "used", answer, related, reasons);
}

// Twice the bytes, but that each buffer is rounded once.
void JudgeDoubled(std::string_view name, const Kernel& kernel, const Answer& answer, const Answer& related, Reasons& reasons) {
  if (!Known(answer) || !Known(related) || !answer.used || !related.used || *answer.used >= kLarge) return;
  const uint64_t buffers = kernel.inputs.size() + kernel.outputs.size() + kernel.scratch.size() + kernel.scoped.size();
  const uint64_t most = 2 * *answer.used, least = SaturatingSub(most, 2 * kGranule * buffers);
  if (*related.used > most) Differ(name, "more", answer, related, reasons);
  if (*related.used < least) Differ(name, "less", answer, related, reasons);
}

// ---- How a kernel is changed ----

bool Same(const Kernel& kernel, Kernel& into) {
  into = kernel;
  return true;
}

// The last first, of each kind.
bool ReverseOperands(const Kernel& kernel, Kernel& into) {
  into = kernel;
  std::reverse(into.inputs.begin(), into.inputs.end());
  std::reverse(into.outputs.begin(), into.outputs.end());
  std::reverse(into.scratch.begin(), into.scratch.end());
  return !IsHeavy(kernel.body) && !(into == kernel);
}

// Half as much again, and a byte.
bool RaiseLimit(const Kernel& kernel, Kernel& into) {
  into = kernel;
  if (kernel.limit_bytes && *kernel.limit_bytes > 0 && *kernel.limit_bytes < static_cast<int64_t>(kLarge)) {
    into.limit_bytes = *kernel.limit_bytes + *kernel.limit_bytes / 2 + 1;
  } else if (!kernel.limit_bytes && kernel.option_kib.value_or(0) > 0 && *kernel.option_kib < static_cast<int64_t>(kMiB)) {
    into.option_kib = *kernel.option_kib + *kernel.option_kib / 2 + 1;
  } else {
    return false;
  }
  return true;
}

// The dimension of the largest block or scratch is shorter, by a unit that tiles divide where they must.
bool Shrink(const Kernel& kernel, Kernel& into) {
  into = kernel;
  Operand* operand = nullptr;
  uint64_t largest = 0;
  EachOperand(into, [&](Operand& o) {
    const uint64_t bytes = PackedBytes(o.type, o.array);
    if (o.space == Space::kVmem && !o.in_vmem && !o.block.empty() && bytes > largest) operand = &o, largest = bytes;
  });
  if (!into.scratch.empty() && largest % 2 == into.scratch[0].shape.size() % 2) operand = nullptr;  // now the one, now the other
  if (operand == nullptr) {
    if (into.scratch.empty() || into.scratch[0].shape.empty()) return false;
    uint64_t& last = into.scratch[0].shape.back();
    if (last < 2) return false;
    --last;
    return true;
  }
  if (IsHeavy(kernel.body)) return false;
  const size_t rank = operand->block.size();
  for (size_t d = rank; d-- > 0;) {
    BlockDimension& dimension = operand->block[d];
    const uint64_t unit = rank == 1 ? 1024 : d + 1 == rank ? 128 : d + 2 == rank ? 8 : 1;
    if (dimension.kind == BlockKind::kSqueezed || dimension.size < 2) continue;
    const bool whole = dimension.size % unit != 0;
    if (!whole && dimension.size <= unit) continue;
    if (whole && operand->array.size() == rank && operand->array[d] != dimension.size) continue;
    dimension.size -= whole ? 1 : unit;
    if (whole && operand->array.size() == rank) operand->array[d] -= 1;
    return IsCompilable(into) == IsCompilable(kernel);
  }
  return false;
}

// Without the last input, scratch or scoped buffer.
bool Drop(const Kernel& kernel, Kernel& into) {
  into = kernel;
  if (!into.scoped.empty()) {
    into.scoped.pop_back();
  } else if (!into.scratch.empty()) {
    into.scratch.pop_back();
  } else if (into.inputs.size() > 1 && !IsHeavy(kernel.body)) {
    into.inputs.pop_back();
  } else {
    return false;
  }
  return true;
}

// Every block and buffer has one more dimension, of 2, in front. What has one dimension is padded by another rule.
bool Double(const Kernel& kernel, Kernel& into) {
  into = kernel;
  if (kernel.internal_bytes != 0 || IsHeavy(kernel.body)) return false;
  bool possible = true;
  EachOperand(into, [&](Operand& o) {
    possible = possible && o.space == Space::kVmem && !o.in_vmem && !o.fused && o.array.size() >= 2 &&
               (o.block.empty() || o.block.size() == o.array.size()) && o.map.size() == o.block.size();
    o.array.insert(o.array.begin(), 2);
    if (o.block.empty()) return;
    const BlockKind kind = o.block[0].kind == BlockKind::kElement ? BlockKind::kElement : BlockKind::kBlocked;
    o.block.insert(o.block.begin(), BlockDimension{kind, 2});
    o.map.insert(o.map.begin(), Place());
  });
  EachBuffer(into, [&](Buffer& b) {
    possible = possible && b.shape.size() >= 2;
    b.shape.insert(b.shape.begin(), 2);
  });
  return possible;
}

// The last grid dimension first; who names them goes along.
bool ReverseGrid(const Kernel& kernel, Kernel& into) {
  const size_t rank = kernel.grid.size();
  if (rank < 2 || MayBeSplit(kernel)) return false;
  into = kernel;
  std::reverse(into.grid.begin(), into.grid.end());
  EachOperand(into, [&](Operand& o) {
    for (Place& place : o.map) {
      for (Term& term : place) {
        if (term.axis < rank) term.axis = static_cast<uint32_t>(rank - 1 - term.axis);
      }
    }
  });
  return true;
}

// A type of as many bits. A truth value is not what it looks like.
Type OtherOf(Type type) {
  switch (type) {
    case Type::kF32: return Type::kS32;
    case Type::kS32: return Type::kU32;
    case Type::kU32: return Type::kF32;
    case Type::kBf16: return Type::kS16;
    case Type::kS16: return Type::kU16;
    case Type::kU16: return Type::kBf16;
    case Type::kS8: return Type::kF8e4m3fn;
    case Type::kU8: return Type::kS8;
    case Type::kF8e4m3fn: return Type::kF8e5m2;
    case Type::kF8e5m2: return Type::kU8;
    case Type::kS4: return Type::kU4;
    case Type::kU4: return Type::kS4;
    default: return type;
  }
}
bool ChangeTypes(const Kernel& kernel, Kernel& into) {
  into = kernel;
  if (kernel.body != Body::kCopies) return false;
  EachOperand(into, [](Operand& o) { o.type = OtherOf(o.type); });
  EachBuffer(into, [](Buffer& b) { b.type = OtherOf(b.type); });
  return !(into == kernel);
}

// The last dimension of a grid has one step, and nobody reads it.
bool AddGridDimension(const Kernel& kernel, Kernel& into) {
  if (kernel.grid.empty() || kernel.grid.size() > 4 || MayBeSplit(kernel)) return false;
  into = kernel;
  GridDimension& last = into.grid.emplace_back();
  if (kernel.grid[0].semantics != Semantics::kNone) last.semantics = Semantics::kArbitrary;
  // A term that named it was the constant 0, and is so still.
  return true;
}

constexpr std::array kRelations = {
    RelationRow{{"the_same_twice", "promise determinism: nothing but the kernel may decide", promise::kDeterminism}, Same, JudgeRepeated},
    RelationRow{{"operands_have_no_order", "promise symmetry: a sum does not depend on order", promise::kSymmetry}, ReverseOperands,
                JudgeEqual},
    RelationRow{{"grid_dimensions_have_no_order", "promise symmetry: whether a block changes does not depend on which dimension is first",
                 promise::kSymmetry}, ReverseGrid, JudgeEqual},
    RelationRow{{"a_type_is_its_bits", "promise symmetry: memory does not know what it holds", promise::kSymmetry}, ChangeTypes,
                JudgeEqual},
    RelationRow{{"one_step_is_none", "promise symmetry: a grid dimension of one step changes no block", promise::kSymmetry},
                AddGridDimension, JudgeEqual},
    RelationRow{{"a_higher_limit_is_no_worse", "promise sweep: the need does not depend on the limit, the checks have one order",
                 promise::kSweep}, RaiseLimit, JudgeHigherLimit},
    RelationRow{{"a_smaller_buffer_is_no_worse", "promise monotony: padding grows with what is padded", promise::kMonotony}, Shrink,
                JudgeEasier},
    RelationRow{{"fewer_buffers_are_no_worse", "promise monotony: a sum of fewer sizes", promise::kMonotony}, Drop, JudgeEasier},
    RelationRow{{"twice_the_tiles_take_twice", "promise linear: leading dimensions are not padded", promise::kLinear}, Double,
                JudgeDoubled},
};

}  // namespace

std::span<const RelationRow> Relations() { return kRelations; }

}  // namespace oomph::vmem
