// See child.h.
#include "subjects/child/child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "models/base/pack.h"
#include "subjects/child/last_words.h"

namespace oomph {
namespace {

constexpr uint64_t kMaxInfoBytes = uint64_t{1} << 20;

// The number of a frame from the child.
enum Reply : uint64_t { kFine = 0, kNotRead = 1, kNotMade = 2, kCopyEnded = 3 };

Process::Deadline After(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

std::string PackInfo(const SubjectInfo& info) {
  Packer packer;
  packer.Text(info.name);
  packer.Text(info.variant);
  packer.Text(info.version);
  packer.Number(info.promises);
  packer.Number(info.features);
  packer.Texts(info.promise_sources);
  return packer.bytes();
}

bool UnpackInfo(std::string_view bytes, SubjectInfo& info) {
  Unpacker unpacker(bytes);
  return unpacker.Text(info.name) && unpacker.Text(info.variant) && unpacker.Text(info.version) &&
         unpacker.Number(info.promises) && unpacker.Number(info.features) &&
         unpacker.Texts(info.promise_sources) && unpacker.AtEnd();
}

// A status as bytes, so that its code survives the way.
std::string PackStatus(const absl::Status& status) {
  Packer packer;
  packer.Number(static_cast<uint64_t>(status.code()));
  packer.Text(std::string(status.message()));
  return packer.bytes();
}

absl::Status UnpackStatus(std::string_view bytes) {
  Unpacker unpacker(bytes);
  uint64_t code = 0;
  std::string message;
  if (!unpacker.Number(code) || !unpacker.Text(message) || code == 0 || code > 16) {
    return absl::InternalError("the child's error cannot be read");
  }
  return absl::Status(static_cast<absl::StatusCode>(code), message);
}

// --- in the child ---

absl::Status ReadCase(const ChildSpec& spec, std::string_view bytes, Case& into) {
  if (!spec.unpack_case) return spec.family->Parse("case", bytes, into);
  if (spec.unpack_case(bytes, into)) return absl::OkStatus();
  return absl::DataLossError("its bytes are damaged");
}

// Runs case after case, until nobody asks any more.
[[noreturn]] void RunCases(const ChildSpec& spec, Subject& subject, Journal& journal, ChildSocket& socket) {
  const std::unique_ptr<Case> c = spec.family->NewCase();
  const std::unique_ptr<Outcome> outcome = spec.family->NewOutcome();
  Frame request;
  bool alive = true;
  while (alive && socket.Receive(request)) {
    if (const absl::Status status = ReadCase(spec, request.bytes, *c); !status.ok()) {
      alive = socket.Send(kNotRead, PackStatus(status));
      continue;
    }
    journal.Begin(request.number);
    subject.Run(*c, *outcome);
    alive = socket.Send(kFine, spec.family->PackOutcome(*outcome));
  }
  std::_Exit(0);  // the subject's destructor is not under test
}

// Copies of this process run the cases, one after the other: the next when one has died, which is told.
[[noreturn]] void RunCasesInCopies(const ChildSpec& spec, Subject& subject, Journal& journal, ChildSocket& socket) {
  for (;;) {
    const pid_t self = getpid(), copy = fork();
    if (copy == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != self) std::_Exit(1);
      RunCases(spec, subject, journal, socket);
    }
    siginfo_t info = {};
    while (copy > 0 && waitid(P_PID, static_cast<id_t>(copy), &info, WEXITED) < 0 && errno == EINTR) {
    }
    // One that nobody asked any more has exited; so does one that cannot be.
    if (copy < 0 || (info.si_code == CLD_EXITED && info.si_status == 0)) std::_Exit(copy < 0 ? 1 : 0);
    if (!socket.Send(kCopyEnded, HowItEnded(info))) std::_Exit(0);
  }
}

void Serve(const ChildSpec& spec, Journal& journal, ChildSocket& socket) {
  absl::StatusOr<std::unique_ptr<Subject>> made = spec.make(journal);
  if (!made.ok()) {
    socket.Send(kNotMade, PackStatus(made.status()));
    return;
  }
  Subject& subject = **made;
  if (!socket.Send(kFine, PackInfo(subject.info()))) std::_Exit(0);
  if (spec.limits.forks) RunCasesInCopies(spec, subject, journal, socket);
  RunCases(spec, subject, journal, socket);
}

void Answer(const std::function<absl::StatusOr<std::string>()>& ask, ChildSocket& socket) {
  const absl::StatusOr<std::string> answer = ask();
  if (answer.ok()) {
    socket.Send(kFine, *answer);
  } else {
    socket.Send(kNotMade, PackStatus(answer.status()));
  }
}

// --- in the parent ---

// Why a child that was just forked did not say what it should; `process` is over then.
absl::Status DidNotStart(const std::string& name, Process::Talk talk, Process& process,
                         std::chrono::milliseconds time, const std::string& doing = "when it was loaded") {
  std::string how = process.End();
  if (talk == Process::Talk::kDeadline) how = absl::StrCat("no answer within ", time.count(), " ms");
  if (talk == Process::Talk::kTooLong) how = "its answer is damaged";
  std::string line = absl::StrCat(name, ": died ", doing, ": ", how);
  const std::string_view last = LastWords(process.stderr_tail());
  if (!last.empty()) absl::StrAppend(&line, ", after writing: ", std::string(last));
  return talk == Process::Talk::kDeadline ? absl::DeadlineExceededError(line) : absl::AbortedError(line);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChildSubject>> ChildSubject::Start(ChildSpec spec) {
  absl::StatusOr<std::unique_ptr<Journal>> journal = Journal::Make(spec.limits.journal_bytes);
  if (!journal.ok()) return journal.status();
  std::unique_ptr<ChildSubject> subject(new ChildSubject(std::move(spec), *std::move(journal)));
  if (absl::Status status = subject->StartChild(); !status.ok()) return status;
  return subject;
}

ChildSubject::ChildSubject(ChildSpec spec, std::unique_ptr<Journal> journal)
    : spec_(std::move(spec)),
      journal_(std::move(journal)),
      empty_outcome_(spec_.family->PackOutcome(*spec_.family->NewOutcome())) {}

void ChildSubject::Prepare(Case& c) const {
  if (spec_.prepare) spec_.prepare(c);
}

absl::Status ChildSubject::StartChild() {
  cases_of_child_ = 0;
  absl::StatusOr<std::unique_ptr<Process>> process = Process::Fork(
      [this](ChildSocket& socket) { Serve(spec_, *journal_, socket); }, spec_.limits.memory_bytes);
  if (!process.ok()) return process.status();
  ++starts_;
  const auto deadline = After(spec_.limits.start_time);
  const Process::Talk talk = (*process)->Receive(reply_, kMaxInfoBytes, deadline);
  if (talk != Process::Talk::kDone) {
    return DidNotStart(spec_.name, talk, **process, spec_.limits.start_time);
  }
  if (reply_.number != kFine) return UnpackStatus(reply_.bytes);
  SubjectInfo info;
  if (!UnpackInfo(reply_.bytes, info)) {
    return DidNotStart(spec_.name, Process::Talk::kTooLong, **process, spec_.limits.start_time);
  }
  info.family = spec_.family;
  info.in_child = true;
  info_ = std::move(info);
  process_ = *std::move(process);
  return absl::OkStatus();
}

void ChildSubject::Run(const Case& c, Outcome& outcome) {
  if (spec_.pack_case) {
    spec_.pack_case(c, packed_);
  } else {
    packed_ = spec_.family->Print(c);
  }
  // A child that dies between two cases, before it has begun this one, is no fault of this one.
  for (int attempt = 0;; ++attempt) {
    if (process_ == nullptr || cases_of_child_ >= spec_.limits.cases) {
      process_.reset();
      if (const absl::Status status = StartChild(); !status.ok()) {
        const std::string note = absl::StrCat("did not start again: ", status.message());
        spec_.family->UnpackOutcome(empty_outcome_, outcome);
        return spec_.family->MarkEnded(outcome, 0, Ending::kDied, note);
      }
    }
    Ending how = Ending::kDied;
    std::string note;
    if (RunInChild(outcome, how, note)) return;
    const bool began = journal_->number() == cases_;
    if (began || attempt > 0 || how != Ending::kDied) return Salvage(c, how, note, outcome);
  }
}

bool ChildSubject::RunInChild(Outcome& outcome, Ending& how, std::string& note) {
  ++cases_;
  ++cases_of_child_;
  const auto deadline = After(spec_.limits.case_time);
  Process::Talk talk = process_->Send(cases_, packed_, deadline);
  if (talk == Process::Talk::kDone) {
    talk = process_->Receive(reply_, spec_.limits.outcome_bytes, deadline);
  }
  if (talk == Process::Talk::kDone && reply_.number == kFine &&
      spec_.family->UnpackOutcome(reply_.bytes, outcome)) {
    if (journal_->retired()) process_.reset();
    return true;
  }
  how = Ending::kDied;
  if (talk == Process::Talk::kDone && reply_.number == kCopyEnded && spec_.limits.forks) {
    note = reply_.bytes + Said(process_->TakeStderr());
    if (journal_->retired()) process_.reset();
    return false;
  }
  if (talk == Process::Talk::kDeadline) {
    how = Ending::kTimedOut;
    note = absl::StrCat("no answer within ", spec_.limits.case_time.count(), " ms; ");
  } else if (talk == Process::Talk::kDone && reply_.number == kNotRead) {
    how = Ending::kNotRun;
    note = absl::StrCat("the case could not be sent: ", UnpackStatus(reply_.bytes).message(), "; ");
  } else if (talk != Process::Talk::kClosed) {
    note = "the outcome came back damaged; ";
  }
  note += EndChild();
  return false;
}

void ChildSubject::Salvage(const Case& c, Ending how, std::string_view note, Outcome& outcome) {
  spec_.family->UnpackOutcome(empty_outcome_, outcome);
  const size_t steps = spec_.family->Size(c);
  size_t step = 0;
  if (how != Ending::kNotRun && journal_->number() == cases_) {
    if (spec_.read_journal) spec_.read_journal(journal_->Copy(), outcome);
    step = steps == 0 ? 0 : std::min<uint64_t>(journal_->step(), steps - 1);
  }
  spec_.family->MarkEnded(outcome, step, how, note);
}

std::string ChildSubject::Said(std::string_view written) {
  const std::string_view last = LastWords(written);
  return last.empty() ? "" : absl::StrCat(", after writing: ", std::string(last), "\n", std::string(written));
}

std::string ChildSubject::EndChild() {
  std::string note = process_->End();
  note += Said(process_->stderr_tail());
  process_.reset();
  return note;
}

absl::StatusOr<std::string> AskInChild(const std::string& name,
                                       const std::function<absl::StatusOr<std::string>()>& ask,
                                       const ChildLimits& limits, const std::string& doing) {
  absl::StatusOr<std::unique_ptr<Process>> process = Process::Fork(
      [&ask](ChildSocket& socket) { Answer(ask, socket); }, limits.memory_bytes);
  if (!process.ok()) return process.status();
  Frame reply;
  const Process::Talk talk =
      (*process)->Receive(reply, kMaxInfoBytes, After(limits.start_time));
  if (talk != Process::Talk::kDone) return DidNotStart(name, talk, **process, limits.start_time, doing);
  if (reply.number != kFine) return UnpackStatus(reply.bytes);
  return reply.bytes;
}

}  // namespace oomph
