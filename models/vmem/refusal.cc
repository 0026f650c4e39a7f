// See refusal.h. The forms of the texts are those of models/message/compile_oom.h.
#include "models/vmem/refusal.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/message/compile_oom.h"

namespace oomph::vmem {
namespace {

constexpr size_t kFirstAllocation = 3;  // the number of a kernel's first buffer: three are taken before

std::string ShapeText(Type type, const std::vector<uint64_t>& shape) {
  std::string text(hlo::RowOf(type).name);
  text += '[';
  for (size_t i = 0; i < shape.size(); ++i) absl::StrAppend(&text, i == 0 ? "" : ",", shape[i]);
  return text + ']';
}

// In tiles: "bf16[9,128]{1,0:T(8,128)(2,1)}".
std::string LayoutText(Type type, const std::vector<uint64_t>& shape) {
  const uint64_t bits = type == Type::kPred ? 32 : std::max<uint64_t>(hlo::RowOf(type).bits, 1);
  const uint64_t packing = bits > 32 ? 1 : 32 / bits;
  std::string text = ShapeText(type, shape) + "{";
  for (size_t i = shape.size(); i > 0; --i) absl::StrAppend(&text, i == shape.size() ? "" : ",", i - 1);
  if (shape.size() < 2) {
    absl::StrAppend(&text, ":T(", 128 * packing, ")");
  } else {
    uint64_t rows = packing;
    while (rows < std::min<uint64_t>(shape[shape.size() - 2], 8)) rows *= 2;
    absl::StrAppend(&text, ":T(", rows, ",128)");
  }
  if (packing > 1) absl::StrAppend(&text, "(", packing, ",1)");
  return text + "}";
}

uint64_t UnpaddedBytes(const Buffer& buffer) {
  uint64_t bits = hlo::RowOf(buffer.type).bits;
  for (const uint64_t size : buffer.shape) bits = SaturatingMul(bits, size);
  return bits == kMaxBytes ? kMaxBytes : CeilDiv(bits, 8);
}

std::vector<uint64_t> WindowShape(const Operand& operand) {
  if (operand.block.empty()) return operand.array;
  std::vector<uint64_t> shape;
  for (const BlockDimension& each : operand.block) {
    shape.push_back(each.kind == BlockKind::kSqueezed ? 1 : each.size);
  }
  return shape;
}

// As XLA prints it in texts: its results, then the operands by their places.
std::string Instruction(const Kernel& kernel, bool with_shape) {
  std::string text = with_shape ? "%kernel.1 = " : "kernel.1 = ";
  if (with_shape) {
    if (kernel.outputs.size() != 1) text += '(';
    for (size_t i = 0; i < kernel.outputs.size(); ++i) {
      absl::StrAppend(&text, i == 0 ? "" : ", ", LayoutText(kernel.outputs[i].type, kernel.outputs[i].array));
    }
    text += kernel.outputs.size() != 1 ? ") " : " ";
  }
  text += "custom-call(";
  for (size_t i = 0; i < kernel.prefetched.size() + kernel.inputs.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", with_shape ? "%" : "", "in.", i);
  }
  return text + "), custom_call_target=\"tpu_custom_call\"";
}

ScopedAllocation AllocationOf(const Kernel& kernel, const PartBytes& part, std::string_view instruction) {
  ScopedAllocation allocation;
  allocation.bytes = allocation.unpadded = part.bytes;
  allocation.shape = absl::StrCat("u8[", part.bytes, "]{0}");
  if (part.part == Part::kScratch) {
    const Buffer& buffer = kernel.scratch[part.index];
    allocation.unpadded = UnpaddedBytes(buffer);
    allocation.shape = LayoutText(buffer.type, buffer.shape);
    allocation.tag = kScratchTag;
  } else if (part.part == Part::kStack) {
    allocation.tag = ScopedTag(instruction);
  } else {
    const bool input = part.part == Part::kInput;
    const Operand& operand = (input ? kernel.inputs : kernel.outputs)[part.index];
    allocation.tag = WindowTag(input, part.index, ShapeText(operand.type, WindowShape(operand)),
                               ShapeText(operand.type, operand.array), part.levels);
  }
  return allocation;
}

std::string PrintOverCapacity(const Kernel& kernel, const Answer& answer) {
  const std::string instruction = Instruction(kernel, false);
  const uint64_t memory = RowOf(kernel.target).memory;
  VmemOom oom;
  oom.instruction = instruction;
  oom.used = *answer.used;
  oom.capacity = RowOf(kernel.target).usable;
  for (const PartBytes& part : answer.parts) {
    if (part.bytes == 0) continue;
    ScopedAllocation allocation = AllocationOf(kernel, part, instruction);
    if (part.bytes > memory) {
      return PrintAllocationOom(
          {"vmem", instruction, memory, kFirstAllocation + oom.allocations.size(), std::move(allocation)});
    }
    oom.allocations.push_back(std::move(allocation));
  }
  return PrintVmemOom(oom);
}

}  // namespace

PrintedBytes PrintedLimit(int64_t limit) {
  const uint64_t bytes = static_cast<uint64_t>(limit);
  return limit < 0 ? PrintedBytes{~bytes + 1, ~bytes + 1, true} : ExactlyBytes(bytes);
}

std::string DeclinedForCores(const GridDimension& dimension, size_t axis, size_t count, uint64_t cores) {
  if (count > 1) return "A single Mosaic subkernel cannot contain multiple core sharding dimensions";
  if (dimension.dynamic) {
    return absl::StrCat("The iteration bound corresponding to the core-parallel dimension ", axis,
                        " must be statically known.");
  }
  if (dimension.size < cores) return "Core-parallel dimension must be less than or equal to the number of active cores.";
  return absl::StrCat("Core-parallel dimension ", axis, " has iteration bound: ", dimension.size,
                      ", which is greater than the number of active cores: ", cores, ".");
}

std::string PrintRefusal(const Kernel& kernel, const Answer& answer) {
  if (answer.status == Status::kOverCapacity && answer.used) return PrintOverCapacity(kernel, answer);
  if (answer.status != Status::kOverLimit || !answer.printed_size || !answer.limit) return "";
  const std::string instruction = Instruction(kernel, true);
  return PrintStackOom({instruction, answer.printed_size->lowest, *answer.limit}, OomEnvelope::kFactory);
}

}  // namespace oomph::vmem
