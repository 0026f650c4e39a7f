// See oracles.h. Each is simpler than the models: it knows no rule of padding, only what follows from what memory is.
#include "models/vmem/oracles.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "models/base/units.h"
#include "models/base/words.h"
#include "models/hlo/crash_site.h"
#include "models/message/compile_oom.h"
#include "models/vmem/answer_text.h"
#include "models/vmem/compilable.h"
#include "models/vmem/promises.h"
#include "models/vmem/target.h"

namespace oomph::vmem {
namespace {

constexpr uint64_t kRowBytes = 512;      // of a tile: 128 lanes of 4 bytes
constexpr uint64_t kWindowBytes = 1024;  // windows and the stack are counted in

bool Refused(const Answer& answer) {
  return answer.status == Status::kOverLimit || answer.status == Status::kOverCapacity;
}
bool Decides(const Answer& answer) { return Refused(answer) || answer.status == Status::kAccepted; }
bool FitsIn(uint64_t bytes, int64_t limit) { return limit >= 0 && bytes <= static_cast<uint64_t>(limit); }

template <typename... Args>
void Say(Reasons& reasons, std::string_view oracle, std::string_view detail, const absl::FormatSpec<Args...>& text,
         const Args&... args) {
  reasons.Add(oracle, detail, 0, absl::StrFormat(text, args...));
}

const Operand* OperandOf(const Kernel& kernel, const PartBytes& part) {
  if (part.part != Part::kInput && part.part != Part::kOutput) return nullptr;
  const std::vector<Operand>& operands = part.part == Part::kInput ? kernel.inputs : kernel.outputs;
  return part.index < operands.size() ? &operands[part.index] : nullptr;
}

// ---- The answer as such ----

// Whoever is asked ends, by itself and in time. Where it says it died: crashes of two places are two faults.
void Ends(const Kernel&, const Answer& answer, Reasons& reasons) {
  if (answer.status == Status::kDied) Say(reasons, "ends", hlo::DeathOf(answer.why), "it died: %s", OneLine(answer.why));
  if (answer.status == Status::kHung) Say(reasons, "ends", "hung", "it did not end: %s", OneLine(answer.why));
}

// What it answers can be read, and refuses or accepts, not both.
void AnswerIsReadable(const Kernel&, const Answer& answer, Reasons& reasons) {
  if (answer.status == Status::kRubbish) {
    Say(reasons, "answer_is_readable", "rubbish", "the answer cannot be read: %s", OneLine(answer.why));
  } else if (answer.status == Status::kAccepted && (answer.printed_size || !answer.message.empty())) {
    Say(reasons, "answer_is_readable", "both", "it accepts the kernel, and prints a refusal");
  }
}

// It answers every kernel that compilers take.
void TakesWhatItPromised(const Kernel& kernel, const Answer& answer, Reasons& reasons) {
  if (answer.status != Status::kDeclined || !IsCompilable(kernel)) return;
  Say(reasons, "takes_what_it_promised", "declined", "a kernel that it promised to answer is declined: %s", OneLine(answer.why));
}

// It says what the kernel needs and what it may have.
void SizesAreTold(const Kernel&, const Answer& answer, Reasons& reasons) {
  if (!Decides(answer) || (answer.used && answer.limit)) return;
  Say(reasons, "sizes_are_told", answer.used ? "limit" : "used", "the %s is not told", answer.used ? "limit" : "need");
}

// ---- Each buffer ----

// Scratch, inputs and outputs are told one by one, in their order; then what is on the stack, if anything is.
void PartsAreTheKernels(const Kernel& kernel, const Answer& answer, Reasons& reasons) {
  if (!Decides(answer)) return;
  const size_t counts[] = {kernel.scratch.size(), kernel.inputs.size(), kernel.outputs.size()};
  size_t at = 0;
  for (size_t part = 0; part < std::size(counts); ++part) {
    for (size_t i = 0; i < counts[part]; ++i, ++at) {
      if (at < answer.parts.size() && answer.parts[at].part == static_cast<Part>(part) && answer.parts[at].index == i) continue;
      Say(reasons, "parts_are_the_kernels", PartWord(static_cast<Part>(part)), "%s %u is not told in its place",
          PartWord(static_cast<Part>(part)), i);
      return;
    }
  }
  if (at == answer.parts.size() || (at + 1 == answer.parts.size() && answer.parts[at].part == Part::kStack)) return;
  Say(reasons, "parts_are_the_kernels", "more", "%u parts more than the kernel has", answer.parts.size() - at);
}

// Calls `f(part)` until it says something.
template <typename F>
void EachTaken(const Answer& answer, Reasons& reasons, F f) {
  for (const PartBytes& part : answer.parts) {
    if (part.levels > 0) f(part);
    if (!reasons.empty()) return;
  }
}

// A buffer has room for all elements of its block, at every level.
void APartHoldsItsBlock(const Kernel& kernel, const Answer& answer, Reasons& reasons) {
  EachTaken(answer, reasons, [&](const PartBytes& part) {
    uint64_t least = 0;
    if (const Operand* operand = OperandOf(kernel, part)) {
      std::vector<uint64_t> block;
      for (const BlockDimension& d : operand->block) block.push_back(d.kind == BlockKind::kSqueezed ? 1 : d.size);
      least = PackedBytes(operand->type, operand->block.empty() ? operand->array : block);
    } else if (part.part == Part::kScratch && part.index < kernel.scratch.size()) {
      least = PackedBytes(kernel.scratch[part.index].type, kernel.scratch[part.index].shape);
    }
    if (part.padded < least) {
      Say(reasons, "a_part_holds_its_block", "block", "%s takes %u bytes, its elements %u", NameOf(kernel, part), part.padded, least);
    } else if (part.bytes < SaturatingMul(part.padded, part.levels)) {
      Say(reasons, "a_part_holds_its_block", "levels", "%s takes %u bytes, %u times %u are needed", NameOf(kernel, part), part.bytes,
          part.levels, part.padded);
    }
  });
}

// Registers are moved as rows of lanes: no buffer has a part of one.
void APartIsWholeRows(const Kernel& kernel, const Answer& answer, Reasons& reasons) {
  EachTaken(answer, reasons, [&](const PartBytes& part) {
    if (part.part == Part::kStack || part.padded == kMaxBytes || part.padded % kRowBytes == 0) return;
    Say(reasons, "a_part_is_whole_rows", PartWord(part.part), "%s takes %u bytes, no whole rows of 512", NameOf(kernel, part),
        part.padded);
  });
}

// Scratch is handed out by rows, windows by 1,024 bytes, and not by more.
void BytesAreGranules(const Kernel& kernel, const Answer& answer, Reasons& reasons) {
  EachTaken(answer, reasons, [&](const PartBytes& part) {
    if (part.part == Part::kStack || part.bytes == kMaxBytes) return;
    const uint64_t granule = part.part == Part::kScratch ? kRowBytes : kWindowBytes;
    const uint64_t net = SaturatingMul(part.padded, part.levels);
    if (part.bytes % granule != 0) {
      Say(reasons, "bytes_are_granules", PartWord(part.part), "%s takes %u bytes, no multiple of %u", NameOf(kernel, part), part.bytes,
          granule);
    } else if (part.bytes >= SaturatingAdd(net, granule)) {
      Say(reasons, "bytes_are_granules", "more", "%s takes %u bytes, %u would do", NameOf(kernel, part), part.bytes, net);
    }
  });
}

// Two buffers only where the next block can be fetched meanwhile: within a grid, and not if one was asked for.
void LevelsHaveAReason(const Kernel& kernel, const Answer& answer, Reasons& reasons) {
  EachTaken(answer, reasons, [&](const PartBytes& part) {
    const Operand* operand = OperandOf(kernel, part);
    const bool may_be_two = operand != nullptr && !kernel.grid.empty() && !operand->block.empty() && operand->buffers != 1;
    if (part.levels > (may_be_two ? std::max<uint64_t>(operand->buffers, 2) : 1)) {
      Say(reasons, "levels_have_a_reason", PartWord(part.part), "%s has %u buffers", NameOf(kernel, part), part.levels);
    }
  });
}

// Nothing is taken for what lies in another memory.
void OtherMemoriesTakeNothing(const Kernel& kernel, const Answer& answer, Reasons& reasons) {
  EachTaken(answer, reasons, [&](const PartBytes& part) {
    const Operand* operand = OperandOf(kernel, part);
    if (operand == nullptr || operand->space == Space::kVmem || part.bytes == 0) return;
    Say(reasons, "other_memories_take_nothing", "bytes", "%s is in another memory and takes %u bytes", NameOf(kernel, part), part.bytes);
  });
}

// ---- The whole ----

// What is used is all parts together.
void UsedIsTheSum(const Kernel&, const Answer& answer, Reasons& reasons) {
  if (!Decides(answer) || !answer.used) return;
  uint64_t sum = 0;
  for (const PartBytes& part : answer.parts) sum = SaturatingAdd(sum, part.bytes);
  if (sum == *answer.used) return;
  Say(reasons, "used_is_the_sum", *answer.used < sum ? "low" : "high", "%u bytes are used, the parts take %u", *answer.used, sum);
}

// The limit is what the kernel asks for, at most all of VMEM; else the option; else that of the chip.
void LimitIsWhatIsAsked(const Kernel& kernel, const Answer& answer, Reasons& reasons) {
  if (!answer.limit) return;
  const TargetRow& target = RowOf(kernel.target);
  const bool has_option = kernel.option_kib && *kernel.option_kib >= 0 && *kernel.option_kib < INT64_MAX / 1024;
  if (!kernel.limit_bytes && kernel.option_kib && *kernel.option_kib != -1 && !has_option) return;  // nobody knows
  const int64_t asked = kernel.limit_bytes ? std::min<int64_t>(*kernel.limit_bytes, static_cast<int64_t>(target.clamp))
                        : has_option       ? *kernel.option_kib * 1024
                                           : static_cast<int64_t>(target.default_limit);
  if (*answer.limit == asked) return;
  const std::string_view detail = kernel.limit_bytes ? "kernel" : has_option ? "option" : "default";
  Say(reasons, "limit_is_what_is_asked", detail, "the limit is %d, asked for is %d", *answer.limit, asked);
}

// It fits its limit, or is refused for it.
void LimitDecides(const Kernel&, const Answer& answer, Reasons& reasons) {
  if (!answer.used || !answer.limit) return;
  const bool fits = FitsIn(*answer.used, *answer.limit);
  if (answer.status == Status::kAccepted && answer.at_least && !fits) {
    Say(reasons, "limit_decides", "accepted", "%u bytes are accepted under a limit of %d", *answer.used, *answer.limit);
  } else if (answer.status == Status::kOverLimit && answer.at_most && fits) {
    Say(reasons, "limit_decides", "refused", "%u bytes are refused under a limit of %d", *answer.used, *answer.limit);
  }
}

// Capacity is the reason only where VMEM is too small, for all or for one.
void CapacityIsTheReason(const Kernel& kernel, const Answer& answer, Reasons& reasons) {
  if (!answer.used || answer.status != Status::kOverCapacity) return;
  const TargetRow& target = RowOf(kernel.target);
  if (*answer.used > std::min(target.usable, target.memory)) return;
  Say(reasons, "capacity_is_the_reason", "fits", "%u bytes are refused, VMEM has %u", *answer.used, target.usable);
}

// What is printed of a kernel over its limit is over it, and no more than all that it needs.
void PrintsWhatIsOver(const Kernel&, const Answer& answer, Reasons& reasons) {
  if (answer.status != Status::kOverLimit || !answer.printed_size) return;
  if (answer.limit && FitsIn(answer.printed_size->highest, *answer.limit)) {
    Say(reasons, "prints_what_is_over", "fits", "a size of at most %u is printed, the limit is %d", answer.printed_size->highest,
        *answer.limit);
  } else if (answer.used && answer.printed_size->lowest > *answer.used) {
    Say(reasons, "prints_what_is_over", "more", "a size of at least %u is printed, %u are needed", answer.printed_size->lowest,
        *answer.used);
  }
}

// The text of a refusal is read back to its numbers.
void TextReadsBack(const Kernel&, const Answer& answer, Reasons& reasons) {
  if (!Refused(answer)) return;
  const absl::StatusOr<CompileOom> oom = ReadCompileOom(answer.message);
  if (!oom.ok()) return Say(reasons, "text_reads_back", "unknown", "no known form of a refusal: %s", OneLine(answer.message));
  const auto differ = [](const std::optional<PrintedBytes>& told, const std::optional<PrintedBytes>& read) {
    return told && read && (told->lowest > read->highest || read->lowest > told->highest);
  };
  if (differ(answer.printed_size, oom->needed)) {
    Say(reasons, "text_reads_back", "size", "another size stands in the text: %s", OneLine(answer.message));
  } else if (differ(answer.printed_limit, oom->available)) {
    Say(reasons, "text_reads_back", "limit", "another limit stands in the text: %s", OneLine(answer.message));
  } else if (!SumsUp(*oom)) {
    Say(reasons, "text_reads_back", "sum", "its numbers are no sum: %s", OneLine(answer.message));
  }
}

constexpr std::array kRows = {
    OracleRow{{"ends", "every compiler's contract"}, Ends},
    OracleRow{{"answer_is_readable", "a status, and a text of a refusal only with one (answer.h)"}, AnswerIsReadable},
    OracleRow{{"takes_what_it_promised", "promise total: every kernel of the features that it has", promise::kTotal},
              TakesWhatItPromised},
    OracleRow{{"sizes_are_told", "promise sizes", promise::kSizes}, SizesAreTold},
    OracleRow{{"parts_are_the_kernels", "promise parts: one for each buffer of the kernel", promise::kParts}, PartsAreTheKernels},
    OracleRow{{"a_part_holds_its_block", "every element lies somewhere"}, APartHoldsItsBlock},
    OracleRow{{"a_part_is_whole_rows", "VMEM is addressed by rows of 128 lanes (docs/FACTS.md)"}, APartIsWholeRows},
    OracleRow{{"bytes_are_granules", "windows are handed out by 1,024 bytes, scratch by 512 (docs/FACTS.md)"}, BytesAreGranules},
    OracleRow{{"levels_have_a_reason", "a second buffer is for the next block"}, LevelsHaveAReason},
    OracleRow{{"other_memories_take_nothing", "the kernel asked for them to be elsewhere"}, OtherMemoriesTakeNothing},
    OracleRow{{"used_is_the_sum", "promise parts: nothing else takes bytes", promise::kParts}, UsedIsTheSum},
    OracleRow{{"limit_is_what_is_asked", "the kernel's limit wins over the option (docs/FACTS.md)"}, LimitIsWhatIsAsked},
    OracleRow{{"limit_decides", "what E1001 says"}, LimitDecides},
    OracleRow{{"capacity_is_the_reason", "what the error of capacity says"}, CapacityIsTheReason},
    OracleRow{{"prints_what_is_over", "the size in E1001 is the sum that is over the limit (docs/FACTS.md)"}, PrintsWhatIsOver},
    OracleRow{{"text_reads_back", "promise text: people read the numbers from it", promise::kText}, TextReadsBack},
};

}  // namespace

std::span<const OracleRow> Oracles() { return kRows; }

void JudgeAnswer(const Kernel& kernel, const Answer& answer, Bits64 promises, Reasons& reasons) {
  if (answer.status == Status::kNotRun) return;
  Reasons one;  // oracles look only at their own
  for (const OracleRow& row : kRows) {
    if (row.info.promise != 0 && (row.info.promise & promises) == 0) continue;
    one.clear();
    row.ask(kernel, answer, one);
    for (const Reason& reason : one.list()) reasons.Add(reason.oracle, reason.detail, reason.step, reason.text);
  }
}

}  // namespace oomph::vmem
