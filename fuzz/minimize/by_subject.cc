// See by_subject.h.
#include "fuzz/minimize/by_subject.h"

#include <algorithm>
#include <utility>

namespace oomph {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kNo = 0, kYes = 1;  // answers
constexpr auto kStopPause = std::chrono::milliseconds(50);

Clock::duration Seconds(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// The loop of a process: a text comes, and whether it shows the fault goes.
void JudgeTexts(const Family& family, const SubjectTestOptions& options, ChildSocket& socket) {
  auto loaded = options.load();
  if (!loaded.ok()) return;
  Judge judge(family, *loaded->subject, loaded->reference.get());
  if (options.instruct) options.instruct(judge);
  const Shows shows = SameSignature(judge, options.signature);
  const auto c = family.NewCase();
  Frame frame;
  while (socket.Receive(frame)) {
    const bool yes = family.Parse("case", frame.bytes, *c).ok() && shows(*c);
    if (!socket.Send(yes ? kYes : kNo, "")) return;
  }
}

}  // namespace

SubjectTest::SubjectTest(const Family& family, SubjectTestOptions options)
    : family_(family), options_(std::move(options)), processes_(std::max<size_t>(options_.jobs, 1)) {}

Process* SubjectTest::Started(size_t job) {
  if (processes_[job] != nullptr) return processes_[job].get();
  auto process = Process::Fork([this](ChildSocket& socket) { JudgeTexts(family_, options_, socket); }, options_.memory_bytes);
  if (!process.ok()) {
    status_ = process.status();
    return nullptr;
  }
  processes_[job] = *std::move(process);
  return processes_[job].get();
}

std::vector<bool> SubjectTest::Ask(std::span<const Case* const> cases) {
  const auto deadline = Clock::now() + Seconds(options_.timeout);
  std::vector<bool> sent;
  for (size_t i = 0; i < cases.size(); ++i) {
    Process* process = Started(i);
    const std::string text = family_.Print(*cases[i]);
    sent.push_back(process != nullptr && process->Send(0, text, deadline) == Process::Talk::kDone);
    if (process == nullptr || sent.back()) continue;
    processes_[i] = nullptr;
    ++crashed_;
  }
  std::vector<bool> answers;
  for (size_t i = 0; i < cases.size(); ++i) answers.push_back(sent[i] && Answer(i, deadline));
  return answers;
}

bool SubjectTest::Answer(size_t job, Process::Deadline deadline) {
  Process& process = *processes_[job];
  Process::Talk talk = Process::Talk::kDeadline;
  bool stopped = false;
  while (talk == Process::Talk::kDeadline && !stopped && Clock::now() < deadline) {
    talk = process.Await(std::min(deadline, Clock::now() + kStopPause));
    stopped = talk == Process::Talk::kDeadline && options_.stop && options_.stop();
  }
  Frame frame;
  if (talk == Process::Talk::kDone) talk = process.Receive(frame, 0, deadline);
  if (talk == Process::Talk::kDone) return frame.number == kYes;
  if (!stopped) ++(talk == Process::Talk::kDeadline ? timed_out_ : crashed_);
  processes_[job] = nullptr;
  return false;
}

bool SubjectTest::StartAfresh() {
  for (auto& process : processes_) process = nullptr;
  return true;
}

}  // namespace oomph
