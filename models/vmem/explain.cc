// See explain.h.
#include "models/vmem/explain.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "models/base/words.h"
#include "models/message/number.h"
#include "models/vmem/allocator.h"
#include "models/vmem/answer_text.h"
#include "models/vmem/fit.h"
#include "models/vmem/text.h"

namespace oomph::vmem {
namespace {

// "48 bytes", "8388608 bytes (8.00M)".
std::string Bytes(uint64_t bytes) {
  if (bytes == 1) return "1 byte";
  if (bytes < 10240) return absl::StrCat(bytes, " bytes");
  return absl::StrCat(bytes, " bytes (", FormatBytes(bytes), ")");
}

std::string_view BoundWord(bool at_least, bool at_most) {
  if (at_least && at_most) return "";
  return at_least ? "at least " : at_most ? "at most " : "about ";
}

std::string LimitName(const Kernel& kernel) {
  if (kernel.limit_bytes) return *kernel.limit_bytes > LimitOf(kernel) ? "vmem_limit_bytes, lowered to what the chip has" : "vmem_limit_bytes";
  if (kernel.option_kib && *kernel.option_kib != -1) return "xla_tpu_scoped_vmem_limit_kib";
  return "the default";
}

std::string SizesOf(const std::vector<GridDimension>& grid) {
  std::string text;
  for (const GridDimension& dimension : grid) {
    absl::StrAppend(&text, text.empty() ? "" : ",", dimension.dynamic ? "?" : "", dimension.size);
  }
  return absl::StrCat("(", text, ")");
}

class Explanation {
 public:
  // What was not understood of the kernel counts beside what the model does not know.
  Explanation(const Kernel& kernel, bool at_least, bool at_most) : kernel_(kernel) {
    RunModel(kernel, model_);
    model_.at_least = model_.at_least && at_least;
    model_.at_most = model_.at_most && at_most;
  }

  std::string Write(const Answer& answer) && {
    WriteNeed();
    WriteParts();
    WriteOther(answer);
    WriteDoubts();
    WriteWays();
    return std::move(text_);
  }

 private:
  template <typename... Pieces>
  void Line(const Pieces&... pieces) {
    absl::StrAppend(&text_, pieces..., "\n");
  }

  uint64_t used() const { return model_.used.value_or(0); }
  std::string Bound() const { return std::string(BoundWord(model_.at_least, model_.at_most)); }

  void WriteNeed() {
    const TargetRow& row = RowOf(kernel_.target);
    const int64_t limit = LimitOf(kernel_);
    Line("On ", std::string(row.name), " the kernel needs ", Bound(), Bytes(used()), " of scoped VMEM. Its limit is ",
         limit < 0 ? absl::StrCat(limit, " bytes") : Bytes(static_cast<uint64_t>(limit)), " (", LimitName(kernel_), ").");
    switch (model_.status) {
      case Status::kAccepted:
        Line("It fits: ", Bytes(static_cast<uint64_t>(limit) - used()), " of the limit are left.",
             model_.at_most ? "" : " What the compiler may add to that is not known.");
        break;
      case Status::kOverLimit:
        Line("It does not fit", model_.at_least ? "" : ", as far as known", ": ",
             Bytes(used() - static_cast<uint64_t>(std::clamp<int64_t>(limit, 0, INT64_MAX))), " too much. The compiler says E1001", Printed(), ".");
        break;
      case Status::kOverCapacity:
        Line("It does not fit, whatever the limit: VMEM has ", Bytes(row.usable), ". The compiler says out of memory in memory space vmem", Printed(), ".");
        break;
      default:
        Line(std::string(StatusWord(model_.status)), model_.why.empty() ? "" : ": ", OneLine(model_.why));
    }
  }

  // Of the first check that fails: the scratch, then with the windows, then all.
  std::string Printed() const {
    if (!model_.printed_size || !model_.printed_limit) return "";
    const std::string sign = model_.printed_limit->negative ? "-" : "";
    return absl::StrCat(" with size ", FormatBytes(model_.printed_size->lowest), " and limit ", sign, FormatBytes(model_.printed_limit->lowest));
  }

  // The largest first; what takes nothing is left out.
  void WriteParts() {
    std::vector<PartBytes> parts = model_.parts;
    std::erase_if(parts, [](const PartBytes& part) { return part.bytes == 0; });
    if (parts.empty()) return;
    std::sort(parts.begin(), parts.end(), [](const PartBytes& a, const PartBytes& b) {
      if (a.bytes != b.bytes) return a.bytes > b.bytes;
      return a.part != b.part ? a.part < b.part : a.index < b.index;
    });
    Line("");
    Line("       bytes  buffers  of bytes each");
    for (size_t i = 0; i < std::min(parts.size(), kMostParts); ++i) {
      const PartBytes& part = parts[i];
      Line(absl::StrFormat("%12d  %7d  %13d  ", part.bytes, part.levels, part.padded), What(part));
    }
    if (parts.size() > kMostParts) Line("  and ", parts.size() - kMostParts, " smaller ones");
    const size_t free = static_cast<size_t>(std::count_if(model_.parts.begin(), model_.parts.end(),
                                                          [](const PartBytes& part) { return part.bytes == 0; }));
    if (free > 0) Line("  (", free, " operands take nothing: in another memory, or in VMEM already)");
  }

  std::string What(const PartBytes& part) const {
    switch (part.part) {
      case Part::kInput:
        return absl::StrCat("input ", part.index, ": ", PrintOperand(kernel_.inputs[part.index]));
      case Part::kOutput:
        return absl::StrCat("output ", part.index, ": ", PrintOperand(kernel_.outputs[part.index]));
      case Part::kScratch:
        return absl::StrCat("scratch ", part.index, ": ", PrintBuffer(kernel_.scratch[part.index]));
      case Part::kStack:
        return kernel_.internal_bytes == 0 ? "scoped buffers that are live together"
                                           : absl::StrCat("scoped buffers, and internal scratch as stated: ", kernel_.internal_bytes);
    }
    return "";
  }

  void WriteOther(const Answer& answer) {
    const bool other = answer.used && answer.used != model_.used;
    const bool refused = answer.status != model_.status && answer.status != Status::kNotRun;
    if (!other && !refused) return;
    Line("");
    Line("Who was asked says otherwise: ", OneLine(Summary(answer)), other ? absl::StrCat("; it uses ", Bytes(*answer.used)) : "", ".");
  }

  void WriteDoubts() {
    if (model_.exact()) return;
    Line("");
    if (!model_.at_least) {
      Line("It may be less: the compiler may keep small arrays in VMEM (their windows then take nothing), split a grid over its "
           "cores, or know more of an index map.");
      if (kernel_.limit_bytes.value_or(0) < static_cast<int64_t>(RowOf(kernel_.target).clamp)) {
        Line("With vmem_limit_bytes of all VMEM (", RowOf(kernel_.target).clamp, ") it keeps none there.");
      }
    }
    if (!model_.at_most) {
      Line("It may be more: for such a body (", std::string(BodyWord(kernel_.body)), ") or fused input the compiler takes scratch "
           "of its own, how much nobody knows before it is compiled.");
    }
  }

  void WriteWays() {
    if (model_.status != Status::kOverLimit && model_.status != Status::kOverCapacity) return;
    const std::vector<Way> ways = WaysToFit(kernel_);
    Line("");
    if (ways.empty()) {
      Line("Nothing that was tried fits: smaller blocks, one buffer instead of two, operands in VMEM, a higher limit.",
           kernel_.grid.empty() ? " The kernel has no grid: with one it would take its arrays in blocks." : "");
      return;
    }
    Line("What would fit (each was evaluated; whether the kernel still computes what it should is yours to see):");
    for (const Way& way : ways) WriteWay(way);
  }

  void WriteWay(const Way& way) {
    switch (way.kind) {
      case WayKind::kBlocks:
        Line("* blocks, with a grid of ", SizesOf(way.kernel.grid), ": ", Bytes(way.need.total));
        return WriteChanged(way.kernel);
      case WayKind::kRagged:
        Line("* blocks, of which the last reach over the end, with a grid of ", SizesOf(way.kernel.grid), ": ", Bytes(way.need.total));
        return WriteChanged(way.kernel);
      case WayKind::kOneBuffer:
        Line("* one buffer, pl.Buffered(1), so that fetching waits for computing: ", Bytes(way.need.total));
        return WriteChanged(way.kernel);
      case WayKind::kInVmem:
        Line("* an operand in VMEM (with_memory_space_constraint): ", Bytes(way.need.total), ", and the program keeps ",
             Bytes(way.taken), " of VMEM for the array");
        return WriteChanged(way.kernel);
      case WayKind::kLimit:
        Line("* vmem_limit_bytes=", *way.kernel.limit_bytes, " (pltpu.CompilerParams): ", Bytes(way.taken),
             " less of VMEM for values that are live across the kernel; what then has no room goes through HBM, without a word");
        return;
    }
  }

  void WriteChanged(const Kernel& changed) {
    const auto each = [&](std::string_view what, const std::vector<Operand>& before, const std::vector<Operand>& after) {
      for (size_t i = 0; i < before.size(); ++i) {
        if (before[i] == after[i]) continue;
        Line("    ", std::string(what), " ", i, ": ", PrintOperand(after[i]));
      }
    };
    each("input", kernel_.inputs, changed.inputs);
    each("output", kernel_.outputs, changed.outputs);
  }

  static constexpr size_t kMostParts = 24;

  const Kernel& kernel_;
  Answer model_;
  std::string text_;
};

void ExplainOne(const ModuleKernel& kernel, std::string& text) {
  absl::StrAppend(&text, "Kernel ", OneLine(kernel.instruction));
  if (kernel.mosaic && !kernel.mosaic->name.empty()) absl::StrAppend(&text, " (", OneLine(kernel.mosaic->name), ")");
  absl::StrAppend(&text, "\n");
  if (kernel.used) {
    absl::StrAppend(&text, "The compiler's own figure: ", Bytes(*kernel.used), " used",
                    kernel.kept ? absl::StrCat(", ", Bytes(*kernel.kept), " kept for it") : "", ".\n");
  }
  if (!kernel.mosaic) {
    absl::StrAppend(&text, "The kernel itself cannot be read: ", OneLine(kernel.missing), "\n");
    return;
  }
  const MosaicKernel& mosaic = *kernel.mosaic;
  absl::StrAppend(&text, Explanation(mosaic.kernel, mosaic.at_least, mosaic.at_most).Write(Answer()));
  const Need need = NeedOf(mosaic.kernel);
  if (kernel.used && *kernel.used > need.total) {
    absl::StrAppend(&text, "The compiler uses ", Bytes(*kernel.used - need.total), " more: spills and values of its own.\n");
  }
  for (const std::string& note : mosaic.notes) absl::StrAppend(&text, "Note: ", OneLine(note), ".\n");
}

}  // namespace

std::string Explain(const Kernel& kernel, const Answer& answer) { return Explanation(kernel, true, true).Write(answer); }

std::string ExplainKernels(std::span<const ModuleKernel> kernels) {
  std::string text;
  for (const ModuleKernel& kernel : kernels) {
    if (!text.empty()) text += "\n";
    ExplainOne(kernel, text);
  }
  return text;
}

}  // namespace oomph::vmem
