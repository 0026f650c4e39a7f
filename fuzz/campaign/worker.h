// A worker process: runs chunks of cases, shrinks findings, and reports over a pipe. It never touches
// the store, and dies with its parent.
// Not for: choosing what to run (see campaign.h).
#ifndef OOMPH_FUZZ_CAMPAIGN_WORKER_H_
#define OOMPH_FUZZ_CAMPAIGN_WORKER_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "fuzz/campaign/wire.h"
#include "fuzz/subject_table.h"

namespace oomph {

// What a worker tells without a message, so that it is known even after a crash. In shared memory.
struct WorkerSlot {
  std::atomic<uint64_t> number;  // of the case it runs
  std::atomic<uint64_t> beats;   // grows with each run of a subject
  std::atomic<bool> stop;        // set by the parent: end after the current case
};

// What workers are born with.
struct WorkerContext {
  const SubjectTable* table = nullptr;
  std::span<const Pair> pairs;
  uint64_t seed = 0;
  std::map<PairKey, std::vector<CorpusEntry>> corpus;
  std::map<PairKey, std::vector<AnswerRecord>> answers;
};

class Worker {
 public:
  static absl::StatusOr<std::unique_ptr<Worker>> Start(const WorkerContext& context);
  ~Worker();  // kills the process if it still runs
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Commands. Answers come as messages with the same "do", findings in between with "do": "found".
  //   run: pair, first, count, seconds     shrink: pair, finding     text: pair, number
  bool Send(const nlohmann::json& command);
  int fd() const { return from_; }
  MessageReader& reader() { return reader_; }
  WorkerSlot& slot() { return *slot_; }
  void Kill();
  // After the pipe ended: how the process ended, e.g. "signal 11 (Segmentation fault)".
  std::string Wait();

 private:
  Worker(pid_t pid, int to, int from, WorkerSlot* slot) : pid_(pid), to_(to), from_(from), slot_(slot) {}

  pid_t pid_;
  const int to_;
  const int from_;
  WorkerSlot* const slot_;
  MessageReader reader_;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_CAMPAIGN_WORKER_H_
