// See sparsecore_compiler.h.
#include "subjects/pjrt/sparsecore_compiler.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "models/message/sparsecore_oom.h"
#include "models/sparsecore/mosaic.h"

namespace oomph::pjrt {
namespace {

using sparsecore::Answer;
using sparsecore::Core;
using sparsecore::Program;
using sparsecore::Space;
using sparsecore::Status;

constexpr size_t kMaxWhyBytes = 2000;
// The module's attributes stand in the first lines of a dump.
constexpr size_t kHeadBytes = size_t{1} << 16;

// One line of a text from outside.
std::string OneLine(std::string text) {
  if (text.size() > kMaxWhyBytes) text.resize(kMaxWhyBytes);
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

Answer Ended(Status status, std::string why) {
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

// What stands behind E3000, and what it means (measured: docs/FACTS.md).
struct OtherText {
  std::string_view words;
  Status status;
};
constexpr OtherText kOtherTexts[] = {
    {"Smem high-water mark exceeds memory capacity", Status::kOverHighWater},
    {"exceeds the user allocatable high limit", Status::kOverHighWater},
    {"Ran out of memory in memory space sparse_core_tile_sflag", Status::kOverHighWater},
    {"Ran out of memory in memory space sparse_core_sequencer_sflag", Status::kOverHighWater},
    {"execute core allocation doesn't refer to a core or tile-view memory space", Status::kNotHere},
};

// Its names of memories.
struct HighWaterWord {
  std::string_view word;
  Space space;
  std::optional<Core> absent_is_none;  // of this core it is left out where it is 0
};
constexpr HighWaterWord kHighWaterWords[] = {
    {"hbm_words", Space::kHbm, std::nullopt},
    {"tilespmem_words", Space::kTileSpmem, Core::kVector},
    {"tec_smem_words", Space::kSmemTile, Core::kVector},
    {"tec_sflag_words", Space::kSflagTile, Core::kVector},
    {"scs_smem_words", Space::kSmemScs, std::nullopt},
    {"scs_sflag_words", Space::kSflagScs, std::nullopt},
};

std::string ReadHead(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return "";
  std::string head(kHeadBytes, '\0');
  size_t at = 0;
  while (at < head.size()) {
    const ssize_t got = read(file, head.data() + at, head.size() - at);
    if (got <= 0) break;
    at += static_cast<size_t>(got);
  }
  close(file);
  head.resize(at);
  return head;
}

WorkerSpec WithDumps(WorkerSpec spec, const ScratchFolder* dumps) {
  // A user's own words stand behind, and win.
  if (dumps != nullptr) spec.prefixed.push_back({"LIBTPU_INIT_ARGS", absl::StrCat("--xla_sc_dump_mlir_to=", dumps->path())});
  return spec;
}

}  // namespace

SparseCoreCompiler::SparseCoreCompiler(WorkerSpec spec, std::shared_ptr<ProtoChild> proto, std::vector<Override> overrides,
                                       std::unique_ptr<ScratchFolder> dumps)
    : proto_(std::move(proto)), overrides_(std::move(overrides)), dumps_(std::move(dumps)), worker_(WithDumps(std::move(spec), dumps_.get())) {}

void ReadHighWater(std::string_view dump, Core core, Answer& into) {
  constexpr std::string_view kBegin = "alloc_high_water_mark<";
  const size_t begin = dump.find(kBegin);
  if (begin == dump.npos) return;
  std::string_view words = dump.substr(begin + kBegin.size());
  const size_t end = words.find('>');
  if (end == words.npos) return;
  words = words.substr(0, end);
  for (const HighWaterWord& row : kHighWaterWords) {
    std::optional<uint64_t>& used = into.high_water[static_cast<size_t>(row.space)];
    const std::string name = absl::StrCat(std::string(row.word), "=");
    size_t at = words.find(name);
    while (at != words.npos && at > 0 && words[at - 1] != ' ' && words[at - 1] != ',') at = words.find(name, at + 1);
    if (at == words.npos) {
      if (row.absent_is_none == core) used = 0;
      continue;
    }
    const std::string_view rest = words.substr(at + name.size());
    uint64_t value = 0;
    if (absl::SimpleAtoi(std::string(rest.substr(0, rest.find(','))), &value)) used = value;
  }
}

Answer AnswerOfSparseCoreMessage(const std::string& message) {
  const auto oom = ReadSparseCoreOom(message);
  if (oom.ok() && oom->memory) {
    Answer answer;
    answer.status = Status::kOverBound;
    // What is printed wrapped stays so.
    answer.overrun = sparsecore::Overrun{*oom->memory, static_cast<uint64_t>(oom->bound), static_cast<uint64_t>(oom->limit),
                                         static_cast<uint64_t>(oom->words), sparsecore::kNoBuffer};
    answer.message = message;
    return answer;
  }
  for (const OtherText& row : kOtherTexts) {
    if (message.find(row.words) == message.npos) continue;
    Answer answer;
    answer.status = row.status;
    answer.message = message;
    return answer;
  }
  return Ended(Status::kDeclined, message);
}

Answer SparseCoreCompiler::AnswerOfDumps(Core core) const {
  Answer answer;
  answer.status = Status::kPlanned;
  if (dumps_ == nullptr) return answer;
  std::error_code error;
  for (std::filesystem::directory_iterator each(dumps_->path(), error), end; !error && each != end; each.increment(error)) {
    const std::string path = each->path().string();
    if (path.ends_with("_optimized.mlir")) ReadHighWater(ReadHead(path), core, answer);
  }
  return answer;
}

Answer SparseCoreCompiler::Ask(const Program& program) {
  if (const std::string why = sparsecore::WhyNoKernel(program); !why.empty()) {
    return Ended(Status::kDeclined, absl::StrCat("no kernel says that: ", why));
  }
  absl::StatusOr<std::string> proto = proto_->Ask(sparsecore::PrintHloOf(program));
  if (!proto.ok()) {
    const std::string why(proto.status().message());
    if (absl::IsInvalidArgument(proto.status())) return Ended(Status::kDeclined, absl::StrCat("XLA does not read it: ", why));
    return Ended(Status::kNotRun, why);
  }
  CompileOptions options;
  options.overrides = overrides_;
  Request request;
  request.format = "hlo";
  request.code = *std::move(proto);
  request.options = Serialize(options);
  const WorkerProcess::Told told = worker_.Ask(request);
  Answer answer;
  if (told.end != WorkerProcess::End::kReplied) {
    answer = Ended(StatusOf(told.end), told.why);
  } else if (told.reply.code == 0) {
    answer = AnswerOfDumps(program.core);
  } else {
    answer = AnswerOfSparseCoreMessage(absl::StrCat(CodeName(told.reply.code), ": ", told.reply.message));
  }
  if (dumps_ != nullptr) dumps_->Empty();
  return answer;
}

}  // namespace oomph::pjrt
