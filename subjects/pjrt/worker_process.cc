// See worker_process.h.
#include "subjects/pjrt/worker_process.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "subjects/child/last_words.h"

extern char** environ;

namespace oomph::pjrt {
namespace {

constexpr uint64_t kMaxGreetingBytes = uint64_t{1} << 20;
constexpr size_t kStderrBytes = size_t{64} << 10;  // the stack traces of libtpu have some 10 KiB

Process::Deadline After(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

// What execve takes, made before the fork.
class Words {
 public:
  void Add(std::string word) { words_.push_back(std::move(word)); }
  char* const* pointers() {
    pointers_.clear();
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
    return pointers_.data();
  }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

Words EnvironmentOf(const WorkerSpec& spec) {
  Words words;
  const auto is_prefixed = [&](std::string_view word) {
    return std::any_of(spec.prefixed.begin(), spec.prefixed.end(),
                       [&](const auto& each) { return word.starts_with(each.first) && word.substr(each.first.size()).starts_with('='); });
  };
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    if (!is_prefixed(*each)) words.Add(*each);
  }
  for (const auto& [name, value] : spec.prefixed) {
    const char* own = std::getenv(name.c_str());
    words.Add(absl::StrCat(name, "=", value, own == nullptr || *own == '\0' ? "" : " ", own == nullptr ? "" : own));
  }
  for (const auto& [name, value] : spec.environment) {
    if (std::getenv(name.c_str()) == nullptr) words.Add(absl::StrCat(name, "=", value));
  }
  return words;
}

Words ArgumentsOf(const WorkerSpec& spec) {
  Words words;
  words.Add(spec.program);
  words.Add(spec.plugin);
  words.Add(spec.target);
  for (const std::string& option : spec.options) words.Add(option);
  return words;
}

}  // namespace

std::string WorkerProgram() {
  if (const char* program = std::getenv("OOMPH_PJRT_WORKER"); program != nullptr && *program != '\0') return program;
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / "oomph-pjrt-worker").string();
}

absl::Status WorkerProcess::Start() {
  Words arguments = ArgumentsOf(spec_), environment = EnvironmentOf(spec_);
  char* const* const argv = arguments.pointers();
  char* const* const envp = environment.pointers();
  const auto execute = [&](ChildSocket&) {
    execve(spec_.program.c_str(), argv, envp);
    dprintf(2, "cannot execute %s: %s\n", spec_.program.c_str(), std::strerror(errno));
    _exit(127);
  };
  auto process = Process::Fork(execute, spec_.limits.memory_bytes);
  if (!process.ok()) return process.status();
  process_ = *std::move(process);
  process_->ExpectSeveral();
  process_->KeepStderr(kStderrBytes);
  ++starts_;
  requests_ = 0;
  Frame frame;
  const Process::Talk talk = process_->Receive(frame, kMaxGreetingBytes, After(spec_.limits.start_time));
  if (talk == Process::Talk::kDone && frame.number == kReady && Unpack(frame.bytes, description_)) return absl::OkStatus();
  std::string how = talk == Process::Talk::kDone ? "its greeting is damaged" : "";
  if (talk == Process::Talk::kDone && frame.number == kNotMade) how = frame.bytes;
  const std::string end = EndWorker();
  if (talk == Process::Talk::kDeadline) how = absl::StrCat("not ready within ", spec_.limits.start_time.count(), " ms");
  if (talk == Process::Talk::kTooLong) how = "its greeting is damaged";
  return absl::UnavailableError(
      absl::StrCat(spec_.plugin, ", target ", spec_.target, ": ", how.empty() ? absl::StrCat("died when it was started: ", end) : how));
}

std::string WorkerProcess::EndWorker() {
  const std::string end = process_->End();
  const std::string last(LastWords(process_->stderr_tail()));
  process_.reset();
  return absl::StrCat(end, last.empty() ? "" : ", after writing: ", last);
}

absl::StatusOr<Description> WorkerProcess::Describe() {
  if (process_ == nullptr) {
    if (const absl::Status status = Start(); !status.ok()) return status;
  }
  return description_;
}

void WorkerProcess::TakeFrame(const Frame& frame, Stage& stage, bool& done, Told& told) {
  if (frame.number == kStage && frame.bytes.size() == 1 && static_cast<unsigned char>(frame.bytes[0]) < kStages) {
    stage = static_cast<Stage>(frame.bytes[0]);
    return;
  }
  done = true;
  told.end = frame.number == kReply && Unpack(frame.bytes, told.reply) ? End::kReplied : End::kDamaged;
}

void WorkerProcess::Await(Process::Deadline deadline, Told& told) {
  Frame frame;
  Stage stage = Stage::kCompile;
  Process::Talk talk = Process::Talk::kDone;
  for (bool done = false; !done && talk == Process::Talk::kDone;) {
    talk = process_->Receive(frame, spec_.limits.reply_bytes, deadline);
    if (talk == Process::Talk::kDone) TakeFrame(frame, stage, done, told);
  }
  if (talk == Process::Talk::kDone && told.end == End::kReplied) return;
  const std::string at(kStageNames[static_cast<size_t>(stage)]);
  const std::string end = EndWorker();
  told.reply = {};
  if (talk == Process::Talk::kDeadline) {
    told.end = End::kHung;
    told.why = absl::StrCat(at, ": no answer within ", spec_.limits.request_time.count(), " ms");
  } else if (talk == Process::Talk::kClosed) {
    told.end = End::kDied;
    told.why = absl::StrCat(at, ": ", end);
  } else {
    told.end = End::kDamaged;
    told.why = absl::StrCat(at, ": its reply is damaged");
  }
}

WorkerProcess::Told WorkerProcess::Ask(const Request& request) {
  Told told;
  if (process_ == nullptr) {
    if (const absl::Status status = Start(); !status.ok()) {
      told.why = std::string(status.message());
      return told;
    }
  }
  process_->ForgetStderr();
  ++requests_;
  const Process::Deadline deadline = After(spec_.limits.request_time);
  const Process::Talk talk = process_->Send(0, Pack(request), deadline);
  if (talk == Process::Talk::kDone || talk == Process::Talk::kClosed) {
    Await(deadline, told);  // of one that has died, too: its end is to be told
  } else {
    EndWorker();
    told.end = End::kHung;
    told.why = absl::StrCat("does not read its request within ", spec_.limits.request_time.count(), " ms");
  }
  if (process_ != nullptr &&
      (requests_ >= spec_.limits.requests || told.reply.resident_bytes > spec_.limits.resident_bytes)) {
    process_.reset();
  }
  return told;
}

}  // namespace oomph::pjrt
