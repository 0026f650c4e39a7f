// A test by the signature that a subject shows, in several processes side by side: each has a subject of its own and is
// sent the texts of cases. One that dies or hangs says no, and another takes its place.
// Not for: one process, which needs no texts (FunctionTest with SameSignature).
#ifndef OOMPH_FUZZ_MINIMIZE_BY_SUBJECT_H_
#define OOMPH_FUZZ_MINIMIZE_BY_SUBJECT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "fuzz/judge.h"
#include "fuzz/minimize/test.h"
#include "fuzz/subject_table.h"
#include "subjects/child/process.h"

namespace oomph {

struct SubjectTestOptions {
  std::string signature;  // that a case must show
  size_t jobs = 2;
  double timeout = 10;    // seconds for a case
  uint64_t memory_bytes = uint64_t{1} << 40;  // what a process may take
  std::function<bool()> stop;
  // In each process, before the first case: makes the subject, null if that cannot be; and what its judge is told.
  std::function<absl::StatusOr<Loaded>()> load;
  std::function<void(Judge&)> instruct;
};

class SubjectTest final : public CaseTest {
 public:
  // Fork from a process with one thread only.
  SubjectTest(const Family& family, SubjectTestOptions options);

  size_t jobs() const override { return processes_.size(); }
  std::vector<bool> Ask(std::span<const Case* const> cases) override;
  bool StartAfresh() override;

  size_t timed_out() const { return timed_out_; }
  size_t crashed() const { return crashed_; }
  // Why no process could be started, if none could.
  const absl::Status& status() const { return status_; }

 private:
  Process* Started(size_t job);
  bool Answer(size_t job, Process::Deadline deadline);

  const Family& family_;
  const SubjectTestOptions options_;
  std::vector<std::unique_ptr<Process>> processes_;
  size_t timed_out_ = 0, crashed_ = 0;
  absl::Status status_;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_MINIMIZE_BY_SUBJECT_H_
