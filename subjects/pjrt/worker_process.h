// WorkerProcess: a PJRT plugin in a program of its own (worker/main.cc), executed and not forked: a plugin has threads from
// the moment it is initialized, and a fork of it hangs. Started when it is first asked, and again after each death, hang
// or damage, after so many requests, or when it has grown. Not for: what is asked (exchange.h, pjrt_subject.h).
#ifndef OOMPH_SUBJECTS_PJRT_WORKER_PROCESS_H_
#define OOMPH_SUBJECTS_PJRT_WORKER_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "subjects/child/process.h"
#include "subjects/pjrt/exchange.h"

namespace oomph::pjrt {

struct WorkerLimits {
  std::chrono::milliseconds start_time{60'000};
  std::chrono::milliseconds request_time{60'000};
  uint64_t memory_bytes = uint64_t{6} << 30;    // beyond that it gets none; not under sanitizers
  uint64_t resident_bytes = uint64_t{2} << 30;  // one that holds more after a request is started again before the next
  uint64_t reply_bytes = uint64_t{1} << 30;     // a longer reply is damage
  uint64_t requests = 500;                      // of one worker: what a plugin leaks goes with it
};

struct WorkerSpec {
  std::string program;  // oomph-pjrt-worker
  std::string plugin;
  std::string target;                // "client", or the name of a topology
  std::vector<std::string> options;  // of the topology, "name=value"
  // Set where the harness's own environment does not say otherwise.
  std::vector<std::pair<std::string, std::string>> environment;
  // Words that stand in front of what the harness's own environment has of a name.
  std::vector<std::pair<std::string, std::string>> prefixed;
  WorkerLimits limits;
};

// The worker's program, where it was built: beside this program, or at OOMPH_PJRT_WORKER.
std::string WorkerProgram();

class WorkerProcess {
 public:
  enum class End : uint8_t {
    kReplied,
    kNotStarted,  // there is no worker to ask, and `why` says why
    kDied,        // of the request
    kHung,
    kDamaged,     // what it said is no reply
  };
  struct Told {
    End end = End::kNotStarted;
    std::string why;  // one line: the stage, how it ended, its last words
    Reply reply;
  };

  explicit WorkerProcess(WorkerSpec spec) : spec_(std::move(spec)) {}

  // Starts it if there is none.
  absl::StatusOr<Description> Describe();
  Told Ask(const Request& request);
  void Stop() { process_.reset(); }

  uint64_t starts() const { return starts_; }  // workers so far
  pid_t pid() const { return process_ ? process_->pid() : -1; }

 private:
  absl::Status Start();
  // Receives the reply. What is not a reply ends the worker.
  void Await(Process::Deadline deadline, Told& told);
  void TakeFrame(const Frame& frame, Stage& stage, bool& done, Told& told);
  // How the worker ended and what it last wrote.
  std::string EndWorker();

  const WorkerSpec spec_;
  std::unique_ptr<Process> process_;
  Description description_;
  uint64_t starts_ = 0;
  uint64_t requests_ = 0;  // of this worker
};

}  // namespace oomph::pjrt

#endif  // OOMPH_SUBJECTS_PJRT_WORKER_PROCESS_H_
