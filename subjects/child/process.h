// Process: a forked child behind a socket, its standard error caught, its resources limited.
// Not for: what is said over the socket (see child.h). The child runs a function of this program,
// nothing is executed: fork from a process with one thread only. It dies with the thread that forked it.
//
//     parent                      child (own process group, dies with the parent)
//       socket  <--- frames --->  fd 3
//       tail    <---- pipe -----  fd 2          fd 0, 1: /dev/null, all others closed
#ifndef OOMPH_SUBJECTS_CHILD_PROCESS_H_
#define OOMPH_SUBJECTS_CHILD_PROCESS_H_

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace oomph {

// What goes over the socket: a number whose meaning is the sender's, and bytes.
struct Frame {
  uint64_t number = 0;
  std::string bytes;
};

// "signal 11 (SIGSEGV)", "exit 3".
std::string HowItEnded(const siginfo_t& info);

// The child's end: blocking, and any trouble means that the parent is gone.
class ChildSocket {
 public:
  explicit ChildSocket(int fd) : fd_(fd) {}
  bool Receive(Frame& frame);
  bool Send(uint64_t number, std::string_view bytes);

 private:
  const int fd_;
};

class Process {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  enum class Talk : uint8_t { kDone, kClosed, kDeadline, kTooLong };

  // Runs `body` in a child that exits when it returns. `memory_bytes` is what the child may add to
  // the writable memory of this process; it is not limited under sanitizers.
  static absl::StatusOr<std::unique_ptr<Process>> Fork(
      const std::function<void(ChildSocket&)>& body, uint64_t memory_bytes);
  ~Process();  // kills and reaps
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  Talk Send(uint64_t number, std::string_view bytes, Deadline deadline);
  // Nothing from the child is believed: a frame of more than `max_bytes` is kTooLong at once.
  Talk Receive(Frame& frame, uint64_t max_bytes, Deadline deadline);

  // The child may send several frames before it is asked again; else what follows a frame at once is damage.
  void ExpectSeveral() { several_ = true; }
  // Until something can be received.
  Talk Await(Deadline deadline);

  // Ends the child and its own children if they have not ended, and tells how it ended:
  // "signal 11 (SIGSEGV)", "exit 3". Nothing else may be called afterwards.
  std::string End();
  std::string_view stderr_tail() const { return tail_; }  // the last 16 KiB, or what is kept; complete after End
  // So many bytes at the end of what is written: a failed check comes before the stack trace that it prints.
  void KeepStderr(size_t bytes) { tail_bytes_ = bytes; }
  // What was written so far belongs to what is over.
  void ForgetStderr() {
    DrainStderr();
    tail_.clear();
  }
  // What the child has written to its standard error since the last call, as far as stderr_tail keeps it.
  std::string TakeStderr();
  pid_t pid() const { return pid_; }

 private:
  Process(pid_t pid, int life, int socket, int stderr_pipe)
      : pid_(pid), life_(life), socket_(socket), stderr_pipe_(stderr_pipe) {}
  Talk Wait(short events, Deadline deadline);
  void DrainStderr();

  pid_t pid_;
  int life_;  // readable once the child has ended; -1 where the kernel has no such thing
  int socket_;
  int stderr_pipe_;
  bool several_ = false;
  size_t tail_bytes_ = 16384;  // a stack trace that comes after what tells why fits
  std::string tail_;
  std::vector<char> received_ = std::vector<char>(size_t{64} << 10);
};

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_CHILD_PROCESS_H_
