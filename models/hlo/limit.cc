// See limit.h.
#include "models/hlo/limit.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "models/base/limit.h"
#include "models/hlo/answer_text.h"
#include "models/hlo/crash_site.h"
#include "models/hlo/explain.h"
#include "models/message/compile_oom.h"
#include "models/message/number.h"

namespace oomph::hlo {
namespace {

// Sums of any buffers are exact in 128 bits.
using Sum = unsigned __int128;

std::vector<Sum> LiveBytes(const Liveness& liveness) {
  const size_t steps = liveness.flat.steps.size() + 1;  // the last is after the end
  std::vector<Sum> more(steps + 1, 0), less(steps + 1, 0);
  for (const LiveBuffer& buffer : liveness.buffers) {
    for (const StepRange& range : buffer.ranges) {
      more[range.begin] += buffer.bytes;
      less[range.end] += buffer.bytes;
    }
  }
  for (size_t step = 1; step <= steps; ++step) more[step] += more[step - 1] - less[step];
  return more;
}

std::string MoreThan(uint64_t bytes, uint64_t limit) {
  return absl::StrCat(", ", AmountOfBytes(bytes - limit), " more than the limit of ", AmountOfBytes(limit));
}

}  // namespace

std::optional<uint32_t> FirstStepOver(const Liveness& liveness, uint64_t limit) {
  const std::vector<Sum> live = LiveBytes(liveness);
  for (uint32_t step = 0; step < live.size(); ++step) {
    if (live[step] > limit) return step;
  }
  return std::nullopt;
}

namespace {

// A compiler that refuses it for lack of memory says which error that is, of which memory, and for which operation.
std::optional<OverLimit> RefusedForMemory(const Module& module, const Answer& answer) {
  if (answer.status != Status::kDeclined) return std::nullopt;
  const absl::StatusOr<CompileOom> oom = ReadCompileOom(answer.why);
  if (!oom.ok()) return std::nullopt;
  OverLimit over;
  over.identity = absl::AsciiStrToLower(oom->words.code);  // all of it: its number tells the errors apart
  for (const std::string& word : {oom->words.memory, std::string(CompileOomWord(oom->form)), oom->words.opcode, oom->words.target}) {
    const std::string plain = MessageWord(word);
    if (!plain.empty()) absl::StrAppend(&over.identity, over.identity.empty() ? "" : ":", plain);
  }
  const size_t count = InstructionCount(module);
  over.step = count == 0 ? 0 : count - 1;
  over.text = Summary(answer);
  return over;
}

}  // namespace

std::optional<OverLimit> ExceedsLimit(const Module& module, const Answer& answer, uint64_t limit) {
  if (limit == kOwnLimit) return RefusedForMemory(module, answer);
  if (!answer.total_peak && answer.stats && answer.stats->peak > limit) {  // a compiler's, of the module that it made
    OverLimit over;
    over.text = absl::StrCat("a compiled peak of ", AmountOfBytes(answer.stats->peak), MoreThan(answer.stats->peak, limit));
    return over;
  }
  if (!answer.total_peak || *answer.total_peak <= limit) return std::nullopt;
  OverLimit over;
  over.text = absl::StrCat(AmountOfBytes(*answer.total_peak), " are live at the peak", MoreThan(*answer.total_peak, limit));
  LivenessOptions options = CountedOptions();
  options.order = answer.order;
  const absl::StatusOr<Liveness> liveness = LivenessOf(module, options);
  if (!liveness.ok() || liveness->total_peak != *answer.total_peak) return over;
  const std::vector<Sum> live = LiveBytes(*liveness);
  const std::optional<uint32_t> step = FirstStepOver(*liveness, limit);
  if (!step || *step >= liveness->flat.steps.size()) return over;
  const Module& counted = liveness->Counted(module);
  const Instruction& instruction = InstructionOf(counted, liveness->flat, *step);
  const std::string opcode = OpcodeText(instruction);
  const std::string target(CustomCallTarget(counted, instruction));
  const auto bytes = static_cast<uint64_t>(live[*step]);  // at most the peak, which is counted in 64 bits
  over.identity = target.empty() ? opcode : absl::StrCat(opcode, ":", target);
  over.step = *step;
  over.text = absl::StrCat(AmountOfBytes(bytes), " are live at ", BriefName(LivenessNames(counted, *liveness).OfStep(*step)), " (",
                           opcode, target.empty() ? "" : absl::StrCat(" \"", BriefName(target), "\""), ")",
                           MoreThan(bytes, limit));
  return over;
}

}  // namespace oomph::hlo
