// ChildSubject: a subject that lives in a child process, so that its crash, hang or wild write costs
// one case and becomes part of that case's outcome.
// Not for: benchmarks of a subject's own speed (a case costs two context switches).
//
// The child is forked once and serves many cases. Where it does not survive a case, the outcome has
// the rows that it had finished and a last one that says how it ended, and the next case gets a new
// child. Nothing that comes back from a child is believed before it is checked.
#ifndef OOMPH_SUBJECTS_CHILD_CHILD_H_
#define OOMPH_SUBJECTS_CHILD_CHILD_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "subjects/child/journal.h"
#include "subjects/child/process.h"
#include "subjects/subject.h"

namespace oomph {

struct ChildLimits {
  std::chrono::milliseconds start_time{30'000};
  std::chrono::milliseconds case_time{2'000};
  uint64_t memory_bytes = uint64_t{4} << 30;    // beyond what this process has; not under sanitizers
  uint64_t outcome_bytes = uint64_t{1} << 30;   // a longer outcome is damage
  uint64_t journal_bytes = uint64_t{64} << 20;  // rows beyond are lost in a crash
  uint64_t cases = 50'000;                      // of one child: what a subject leaks goes with it
  // The child forks itself once the subject is made, and the copy runs the cases: one that dies costs another copy and no
  // loading. Only for what has a single thread by then.
  bool forks = false;
};

struct ChildSpec {
  const Family* family = nullptr;
  std::string name;  // for messages: the path of a plugin, the name of a model
  // Makes the subject, in the child. It may write what it has done to the journal as it goes.
  std::function<absl::StatusOr<std::unique_ptr<Subject>>(Journal& journal)> make;
  // How a case goes over. Both empty: as text, which will do where the text read back is an equal case.
  std::function<void(const Case& c, std::string& into)> pack_case;
  std::function<bool(std::string_view bytes, Case& into)> unpack_case;
  // The outcome as far as the journal's records tell it; empty: the subject keeps no journal.
  std::function<void(std::string_view records, Outcome& outcome)> read_journal;
  // See Subject::Prepare; empty: nothing to do.
  std::function<void(Case& c)> prepare;
  ChildLimits limits;
};

class ChildSubject final : public Subject {
 public:
  // An error is one line: what `make` said, or how the child ended instead.
  static absl::StatusOr<std::unique_ptr<ChildSubject>> Start(ChildSpec spec);

  const SubjectInfo& info() const override { return info_; }
  void Prepare(Case& c) const override;
  void Run(const Case& c, Outcome& outcome) override;
  void StartAfresh() override { process_.reset(); }

  uint64_t starts() const { return starts_; }  // children so far
  pid_t pid() const { return process_ ? process_->pid() : -1; }

 private:
  explicit ChildSubject(ChildSpec spec, std::unique_ptr<Journal> journal);
  absl::Status StartChild();
  // Talks the case through. False: the child is no more, and `note` says why.
  bool RunInChild(Outcome& outcome, Ending& how, std::string& note);
  void Salvage(const Case& c, Ending how, std::string_view note, Outcome& outcome);
  // What stands in a note after how it ended.
  static std::string Said(std::string_view written);
  std::string EndChild();  // the note: how it ended, and what it last wrote to its standard error

  const ChildSpec spec_;
  const std::unique_ptr<Journal> journal_;
  const std::string empty_outcome_;
  SubjectInfo info_;
  std::unique_ptr<Process> process_;
  uint64_t starts_ = 0;
  uint64_t cases_ = 0;  // number of the case that runs
  uint64_t cases_of_child_ = 0;
  std::string packed_;
  Frame reply_;
};

// What `ask` answers in a short-lived child: for questions to code that this process will not load. If it has
// no answer, "NAME: died DOING: how"; DeadlineExceeded after limits.start_time.
absl::StatusOr<std::string> AskInChild(const std::string& name,
                                       const std::function<absl::StatusOr<std::string>()>& ask,
                                       const ChildLimits& limits = {},
                                       const std::string& doing = "when it was loaded");

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_CHILD_CHILD_H_
