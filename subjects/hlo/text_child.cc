// See text_child.h.
#include "subjects/hlo/text_child.h"

#include <chrono>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/hlo/answer_text.h"
#include "subjects/child/last_words.h"
#include "subjects/hlo/verifier_library.h"

namespace oomph {
namespace {

// The number of a frame from the child.
enum Reply : uint64_t { kFine = 0, kNotMade = 1 };

constexpr uint64_t kMaxErrorBytes = uint64_t{1} << 20;

void Serve(const std::function<absl::StatusOr<TextChild::Function>()>& make, ChildSocket& socket) {
  const absl::StatusOr<TextChild::Function> function = make();
  if (!function.ok()) {
    socket.Send(kNotMade, std::string(function.status().message()));
    return;
  }
  Frame request;
  bool alive = socket.Send(kFine, "");
  while (alive && socket.Receive(request)) alive = socket.Send(kFine, (*function)(request.bytes));
  std::_Exit(0);  // destructors of foreign code are not under test
}

Process::Deadline After(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

}  // namespace

TextChild::TextChild(std::string name, std::function<absl::StatusOr<Function>()> make, const ChildLimits& limits)
    : name_(std::move(name)), make_(std::move(make)), limits_(limits) {}

absl::Status TextChild::Start() {
  auto process = Process::Fork([this](ChildSocket& socket) { Serve(make_, socket); }, limits_.memory_bytes);
  if (!process.ok()) return process.status();
  ++starts_;
  Frame reply;
  const Process::Talk talk = (*process)->Receive(reply, kMaxErrorBytes, After(limits_.start_time));
  if (talk != Process::Talk::kDone) {
    return absl::UnavailableError(absl::StrCat(name_, ": died when it was loaded: ", (*process)->End()));
  }
  if (reply.number != kFine) return absl::UnavailableError(reply.bytes);
  process_ = *std::move(process);
  return absl::OkStatus();
}

absl::StatusOr<std::string> TextChild::Ask(std::string_view text) {
  if (process_ == nullptr) {
    if (const absl::Status status = Start(); !status.ok()) return status;
  }
  const auto deadline = After(limits_.case_time);
  Frame reply;
  Process::Talk talk = process_->Send(0, text, deadline);
  if (talk == Process::Talk::kDone) talk = process_->Receive(reply, limits_.outcome_bytes, deadline);
  if (talk == Process::Talk::kDone) return reply.bytes;
  const std::string end = process_->End();
  const std::string last(LastWords(process_->stderr_tail()));
  process_.reset();
  if (talk == Process::Talk::kDeadline) {
    return absl::DeadlineExceededError(absl::StrCat("no answer within ", limits_.case_time.count(), " ms"));
  }
  return absl::AbortedError(absl::StrCat(end, last.empty() ? "" : ", after writing: ", last));
}

VerifierChild::VerifierChild(const std::string& path, uint32_t wanted, const ChildLimits& limits, const std::string& options)
    : child_(
          path,
          [path, wanted, options]() -> absl::StatusOr<TextChild::Function> {
            const auto library = VerifierLibrary::Load(path);
            if (!library.ok()) return library.status();
            return [library = *library, wanted, options](std::string_view text) {
              hlo::Answer answer;
              library->Ask(text, options, wanted, answer);
              return hlo::PackAnswer(answer);
            };
          },
          limits) {}

hlo::Answer VerifierChild::Ask(std::string_view text) {
  hlo::Answer answer;
  const absl::StatusOr<std::string> bytes = child_.Ask(text);
  if (bytes.ok() && hlo::UnpackAnswer(*bytes, answer)) return answer;
  answer = {};
  answer.why = bytes.ok() ? "its answer came back damaged" : std::string(bytes.status().message());
  answer.status = hlo::Status::kNotRun;
  if (bytes.ok()) answer.status = hlo::Status::kRubbish;
  if (absl::IsAborted(bytes.status())) answer.status = hlo::Status::kDied;
  if (absl::IsDeadlineExceeded(bytes.status())) answer.status = hlo::Status::kHung;
  return answer;
}

}  // namespace oomph
