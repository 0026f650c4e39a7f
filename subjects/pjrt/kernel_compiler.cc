// See kernel_compiler.h.
#include "subjects/pjrt/kernel_compiler.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/message/compile_oom.h"
#include "models/vmem/mosaic.h"
#include "subjects/pjrt/scoped_use.h"

namespace oomph::pjrt {
namespace {

using vmem::Answer;
using vmem::Status;

constexpr std::string_view kOption = "xla_tpu_scoped_vmem_limit_kib";
constexpr std::string_view kKernelTarget = "tpu_custom_call";
constexpr size_t kMaxWhyBytes = 2000;

// One line of a text from outside.
std::string OneLine(std::string text) {
  if (text.size() > kMaxWhyBytes) text.resize(kMaxWhyBytes);
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

Answer Failed(Status status, std::string why) {
  Answer answer;
  answer.status = status;
  answer.why = OneLine(std::move(why));
  return answer;
}

Status StatusOf(WorkerProcess::End end) {
  switch (end) {
    case WorkerProcess::End::kDied:
      return Status::kDied;
    case WorkerProcess::End::kHung:
      return Status::kHung;
    case WorkerProcess::End::kDamaged:
      return Status::kRubbish;
    default:
      return Status::kNotRun;
  }
}

Answer AnswerOfProgram(const std::string& program) {
  const auto uses = ReadScopedUse(program, kKernelTarget);
  if (!uses.ok()) return Failed(Status::kRubbish, absl::StrCat("its program: ", std::string(uses.status().message())));
  if (uses->size() != 1) return Failed(Status::kDeclined, absl::StrCat("the compiled program has ", uses->size(), " kernels"));
  Answer answer;
  answer.status = Status::kAccepted;
  answer.used = (*uses)[0].used.value_or(0);
  if ((*uses)[0].limit) answer.limit = static_cast<int64_t>(*(*uses)[0].limit);
  return answer;
}

}  // namespace

Answer AnswerOfMessage(const std::string& message) {
  const auto oom = ReadCompileOom(message);
  if (!oom.ok() || oom->words.memory != "vmem") return Failed(Status::kDeclined, message);
  // Of another instruction, such as the producer of an operand, it says nothing of the kernel.
  const std::string& opcode = oom->words.opcode;
  const bool over_limit = oom->form == CompileOomForm::kStack && (opcode == "custom-call" || opcode == "fusion");
  if (!over_limit && oom->form != CompileOomForm::kCapacity && oom->form != CompileOomForm::kAllocation) {
    return Failed(Status::kDeclined, message);
  }
  Answer answer;
  answer.status = over_limit ? Status::kOverLimit : Status::kOverCapacity;
  answer.printed_size = oom->needed;
  answer.printed_limit = oom->available;
  answer.message = message;
  return answer;
}

Answer KernelCompiler::AskText(const std::string& text, std::vector<Override> overrides) {
  absl::StatusOr<std::string> proto = proto_->Ask(text);
  if (!proto.ok()) {
    const std::string why(proto.status().message());
    if (absl::IsInvalidArgument(proto.status())) return Failed(Status::kDeclined, absl::StrCat("XLA does not read it: ", why));
    return Failed(Status::kNotRun, why);
  }
  CompileOptions options;
  options.overrides = std::move(overrides);
  options.overrides.insert(options.overrides.end(), overrides_.begin(), overrides_.end());
  Request request;
  request.format = "hlo";
  request.code = *std::move(proto);
  request.options = Serialize(options);
  request.optimized = true;
  const WorkerProcess::Told told = worker_.Ask(request);
  if (told.end != WorkerProcess::End::kReplied) return Failed(StatusOf(told.end), told.why);
  if (told.reply.code == 0) return AnswerOfProgram(told.reply.optimized);
  return AnswerOfMessage(absl::StrCat(CodeName(told.reply.code), ": ", told.reply.message));
}

Answer KernelCompiler::Ask(const vmem::Kernel& kernel) {
  std::vector<Override> overrides;
  if (kernel.option_kib) overrides.push_back({std::string(kOption), absl::StrCat(*kernel.option_kib)});
  return AskText(vmem::PrintHloOf(kernel), std::move(overrides));
}

}  // namespace oomph::pjrt
