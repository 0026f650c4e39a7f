// See pjrt_subject.h.
#include "subjects/pjrt/pjrt_subject.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "models/base/chips.h"
#include "models/base/units.h"
#include "models/hlo/inputs.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"
#include "subjects/pjrt/drawn_options.h"
#include "subjects/pjrt/dump.h"
#include "subjects/pjrt/layout_modes.h"

namespace oomph::pjrt {
namespace {

using hlo::Answer;
using hlo::Status;

// A header's number; 1 where it says nothing.
uint64_t HeaderNumber(const hlo::Module& module, hlo::Key key) {
  const auto id = module.Find(module.attributes, key);
  if (!id || module.attribute_table.Numbers(*id).empty()) return 1;
  return static_cast<uint64_t>(std::max<int64_t>(1, module.attribute_table.Numbers(*id)[0]));
}

// A text from outside, of any number of lines.
std::string Plain(std::string text) {
  constexpr size_t kMaxWhyBytes = size_t{256} << 10;
  if (text.size() > kMaxWhyBytes) text.resize(kMaxWhyBytes);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f; }, ' ');
  return text;
}

Answer Failed(Status status, std::string why) {
  Answer answer;
  answer.status = status;
  answer.why = Plain(std::move(why));
  return answer;
}

Answer NoProto(const absl::Status& status) {
  const std::string why(status.message());
  if (absl::IsInvalidArgument(status)) return Failed(Status::kDeclined, absl::StrCat("XLA does not read it: ", why));
  if (absl::IsAborted(status)) return Failed(Status::kNotRun, absl::StrCat("XLA's reader died of it: ", why));
  return Failed(Status::kNotRun, why);
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

DumpTarget DumpTargetOf(const Target& target, const std::vector<Override>& overrides) {
  DumpTarget out;
  out.chip = target.chip.empty() ? nullptr : FindChip(target.chip);
  for (const Override& each : overrides) {
    int64_t kib = 0;
    if (each.name != "xla_tpu_scoped_vmem_limit_kib" || !absl::SimpleAtoi(each.value, &kib) || kib < 0) continue;
    out.scoped_vmem_limit = SaturatingMul(static_cast<uint64_t>(kib), 1024);
  }
  return out;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PjrtSubject>> PjrtSubject::Start(PjrtSpec spec) {
  std::unique_ptr<PjrtSubject> subject(new PjrtSubject(std::move(spec)));
  const absl::StatusOr<Description> description = subject->worker_.Describe();
  if (!description.ok()) return description.status();
  std::string version = description->version.substr(0, description->version.find('\n'));
  subject->info_.version = absl::StrCat(description->platform, " ", version, ", PJRT ", description->api_major, ".",
                                        description->api_minor);
  subject->runs_ = description->runs;
  if (subject->spec_.dumps) {
    auto folder = ScratchFolder::Make();
    if (!folder.ok()) return folder.status();
    subject->folder_ = *std::move(folder);
  }
  return subject;
}

void PjrtSubject::TakeReply(const Reply& reply, Answer& answer) const {
  answer.status = reply.code == 0 ? Status::kValid : Status::kDeclined;
  if (reply.code != 0) {
    const std::string stage(kStageNames[static_cast<size_t>(reply.stage)]);
    answer.why = Plain(absl::StrCat(reply.stage == Stage::kCompile ? "" : stage + ": ", CodeName(reply.code), ": ", reply.message));
  }
  if (FindChip(spec_.target.chip) != nullptr) answer.chip = spec_.target.chip;
  answer.stats = reply.stats;
  answer.results = reply.results;
}

// What cannot be read is no answer: a form that we do not know, or damage.
void PjrtSubject::TakeDumps(const std::vector<Override>& overrides, Answer& answer) const {
  const absl::StatusOr<Dumps> files = FindDumps(folder_->path());
  if (absl::IsNotFound(files.status())) return;  // it did not come so far
  const absl::Status status = files.ok() ? ReadDumps(*files, DumpTargetOf(spec_.target, overrides), answer) : files.status();
  if (!status.ok()) answer = Failed(Status::kRubbish, absl::StrCat("its dump: ", std::string(status.message())));
}

Answer PjrtSubject::Ask(const std::string& format, std::string code, const CompileOptions& options,
                        std::optional<std::vector<hlo::ResultArray>> arguments) {
  Request request;
  request.format = format;
  request.code = std::move(code);
  request.run = arguments.has_value();
  if (arguments) request.arguments = *std::move(arguments);
  CompileOptions all = options;
  all.overrides.insert(all.overrides.end(), spec_.target.overrides.begin(), spec_.target.overrides.end());
  if (folder_ != nullptr) {
    folder_->Empty();
    all.overrides.push_back({"xla_dump_to", folder_->path()});
  }
  request.options = Serialize(all);
  const WorkerProcess::Told told = worker_.Ask(request);
  Answer answer;
  if (told.end == WorkerProcess::End::kReplied) {
    TakeReply(told.reply, answer);
    if (folder_ != nullptr) TakeDumps(all.overrides, answer);
  } else {
    answer = Failed(StatusOf(told.end), told.why);
  }
  if (folder_ != nullptr) folder_->Empty();
  return answer;
}

void PjrtSubject::Run(const Case& c, Outcome& outcome) {
  hlo::Module module = static_cast<const CaseOf<hlo::Module>&>(c).value;
  Answer& answer = static_cast<OutcomeOf<Answer>&>(outcome).value;
  CompileOptions options;
  options.replicas = HeaderNumber(module, hlo::Key::kReplicaCount);
  options.partitions = HeaderNumber(module, hlo::Key::kNumPartitions);
  if (spec_.target.draws_options) options.overrides = DrawnOptions(module);
  std::optional<std::vector<hlo::ResultArray>> arguments;
  // Arguments are of a valid module; one that is not run is compiled all the same.
  if (runs_ && options.replicas == 1 && options.partitions == 1 && hlo::Verify(module).empty()) {
    if (auto drawn = hlo::ArgumentsOf(module); drawn.ok()) arguments = *std::move(drawn);
  }
  AddLayoutModes(module);
  absl::StatusOr<std::string> proto = spec_.proto->Ask(hlo::Print(module));
  answer = proto.ok() ? Ask("hlo", *std::move(proto), options, std::move(arguments)) : NoProto(proto.status());
  if (answer.why.empty()) return;
  for (const Override& each : options.overrides) absl::StrAppend(&answer.why, "\ncompiled with ", each.name, "=", each.value);
}

}  // namespace oomph::pjrt
