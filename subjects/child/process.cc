// See process.h.
#include "subjects/child/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "subjects/child/sanitized.h"

namespace oomph {
namespace {

constexpr int kChildSocket = 3;
constexpr auto kExitTime = std::chrono::milliseconds(500);

struct FrameHead {
  uint64_t number;
  uint64_t bytes;
};

void CloseFd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

// A frame of which part has been sent.
class Outgoing {
 public:
  Outgoing(uint64_t number, std::string_view bytes) : head_{number, bytes.size()}, bytes_(bytes) {}
  bool done() const { return sent_ == sizeof head_ + bytes_.size(); }
  bool SendSome(int fd) {  // false: see errno
    const size_t of_head = std::min(sent_, sizeof head_);
    const size_t of_bytes = sent_ - of_head;
    iovec parts[2] = {{reinterpret_cast<char*>(&head_) + of_head, sizeof head_ - of_head},
                      {const_cast<char*>(bytes_.data()) + of_bytes, bytes_.size() - of_bytes}};
    msghdr message = {};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    if (sent > 0) sent_ += static_cast<size_t>(sent);
    return sent >= 0;
  }

 private:
  FrameHead head_;
  std::string_view bytes_;
  size_t sent_ = 0;
};

absl::Status NoChild(const char* what) {
  return absl::ResourceExhaustedError(
      absl::StrCat("no child process: ", what, ": ", std::strerror(errno)));
}

// --- in the child ---

// The plugin may have failed in ways that make the parent's handlers dangerous: skip them all.
void LeaveAtOnce(int status, void*) { _exit(status); }

void RestoreSignals() {
  for (int signal_number = 1; signal_number < NSIG; ++signal_number) {
    signal(signal_number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void ArrangeFds(int socket, int stderr_pipe) {
  // Above all that is about to be overwritten.
  socket = fcntl(socket, F_DUPFD, 10);
  stderr_pipe = fcntl(stderr_pipe, F_DUPFD, 10);
  const int null = open("/dev/null", O_RDWR);
  if (socket < 0 || stderr_pipe < 0 || null < 0) _exit(1);
  dup2(null, 0);
  dup2(null, 1);
  dup2(stderr_pipe, 2);
  dup2(socket, kChildSocket);
  close_range(kChildSocket + 1, ~0U, 0);
}

// Bytes of data segment and private writable maps, which is what RLIMIT_DATA counts.
uint64_t DataBytes() {
  uint64_t pages = 0;
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    unsigned long long data = 0;
    if (std::fscanf(file, "%*u %*u %*u %*u %*u %llu", &data) == 1) pages = data;
    std::fclose(file);
  }
  return SaturatingMul(pages, static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
}

void Limit(uint64_t memory_bytes) {
  prctl(PR_SET_DUMPABLE, 0);
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (kSanitized) return;
  const rlim_t bytes = SaturatingAdd(DataBytes(), memory_bytes);
  const rlimit data = {bytes, bytes};
  setrlimit(RLIMIT_DATA, &data);
}

[[noreturn]] void RunChild(const std::function<void(ChildSocket&)>& body, int socket,
                           int stderr_pipe, uint64_t memory_bytes, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  RestoreSignals();
  ArrangeFds(socket, stderr_pipe);
  Limit(memory_bytes);
  on_exit(LeaveAtOnce, nullptr);
  try {
    ChildSocket channel(kChildSocket);
    body(channel);
  } catch (const std::exception& error) {
    dprintf(2, "uncaught exception: %s\n", error.what());
    _exit(1);
  } catch (...) {
    dprintf(2, "uncaught exception\n");
    _exit(1);
  }
  _exit(0);
}

// --- in the parent ---

// False: it has not ended yet.
bool HasEnded(pid_t pid, siginfo_t& info, int flags) {
  info = {};
  while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | flags) < 0) {
    if (errno != EINTR) return true;
  }
  return info.si_pid == pid;
}

}  // namespace

std::string HowItEnded(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return absl::StrCat("exit ", info.si_status);
  const char* name = sigabbrev_np(info.si_status);
  return absl::StrCat("signal ", info.si_status, " (SIG", name == nullptr ? "?" : name, ")");
}

bool ChildSocket::Receive(Frame& frame) {
  FrameHead head;
  if (recv(fd_, &head, sizeof head, MSG_WAITALL) != sizeof head) return false;
  frame.number = head.number;
  frame.bytes.resize(head.bytes);
  size_t got = 0;
  while (got < head.bytes) {
    const ssize_t more = recv(fd_, frame.bytes.data() + got, head.bytes - got, MSG_WAITALL);
    if (more <= 0) return false;
    got += static_cast<size_t>(more);
  }
  return true;
}

bool ChildSocket::Send(uint64_t number, std::string_view bytes) {
  Outgoing frame(number, bytes);
  while (!frame.done()) {
    if (!frame.SendSome(fd_)) return false;
  }
  return true;
}

absl::StatusOr<std::unique_ptr<Process>> Process::Fork(
    const std::function<void(ChildSocket&)>& body, uint64_t memory_bytes) {
  int sockets[2];
  int pipes[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return NoChild("socket");
  if (pipe2(pipes, O_CLOEXEC) != 0) {
    const absl::Status status = NoChild("pipe");
    close(sockets[0]);
    close(sockets[1]);
    return status;
  }
  // What is buffered would be written by the child too, if its plugin calls exit.
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) RunChild(body, sockets[1], pipes[1], memory_bytes, parent);
  const absl::Status status = pid < 0 ? NoChild("fork") : absl::OkStatus();
  close(sockets[1]);
  close(pipes[1]);
  if (!status.ok()) {
    close(sockets[0]);
    close(pipes[0]);
    return status;
  }
  setpgid(pid, pid);  // both do it, so that it is done whoever comes first
  fcntl(sockets[0], F_SETFL, O_NONBLOCK);
  fcntl(pipes[0], F_SETFL, O_NONBLOCK);
  // A child of the child may keep the socket open after its death.
  const int life = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  return std::unique_ptr<Process>(new Process(pid, life, sockets[0], pipes[0]));
}

Process::~Process() {
  if (pid_ > 0) End();
}

Process::Talk Process::Wait(short events, Deadline deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now() + std::chrono::microseconds(999));
    if (left.count() <= 0) return Talk::kDeadline;
    pollfd polled[3] = {{socket_, events, 0}, {stderr_pipe_, POLLIN, 0}, {life_, POLLIN, 0}};
    const int timeout = static_cast<int>(std::min<int64_t>(left.count(), 1 << 30));
    const int ready = poll(polled, 3, timeout);
    if (ready < 0 && errno != EINTR) return Talk::kClosed;
    if (ready <= 0) continue;
    if (polled[1].revents != 0) DrainStderr();
    if (polled[0].revents != 0) return Talk::kDone;  // what it said before it ended counts
    if (polled[2].revents != 0) return Talk::kClosed;
  }
}

Process::Talk Process::Send(uint64_t number, std::string_view bytes, Deadline deadline) {
  Outgoing frame(number, bytes);
  while (!frame.done()) {
    if (frame.SendSome(socket_) || errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return Talk::kClosed;
    if (const Talk talk = Wait(POLLOUT, deadline); talk != Talk::kDone) return talk;
  }
  return Talk::kDone;
}

Process::Talk Process::Receive(Frame& frame, uint64_t max_bytes, Deadline deadline) {
  FrameHead head = {};
  size_t got = 0;  // head and bytes together
  frame.bytes.clear();
  while (got < sizeof head || got - sizeof head < head.bytes) {
    if (const Talk talk = Wait(POLLIN, deadline); talk != Talk::kDone) return talk;
    // Memory is taken as bytes arrive, not as they are announced.
    const size_t of_head = sizeof head - std::min(got, sizeof head);
    const uint64_t expected = of_head > 0 ? 0 : head.bytes - (got - sizeof head);
    const size_t room = several_ ? std::min<uint64_t>(received_.size(), expected) : received_.size();
    const iovec vectors[2] = {{reinterpret_cast<char*>(&head) + (sizeof head - of_head), of_head},
                              {received_.data(), room}};
    const ssize_t more = readv(socket_, vectors, 2);
    if (more < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) continue;
    if (more <= 0) return Talk::kClosed;
    got += static_cast<size_t>(more);
    if (got < sizeof head) continue;
    if (head.bytes > max_bytes || got - sizeof head > head.bytes) return Talk::kTooLong;
    frame.bytes.append(received_.data(), got - sizeof head - frame.bytes.size());
  }
  frame.number = head.number;
  return Talk::kDone;
}

Process::Talk Process::Await(Deadline deadline) { return Wait(POLLIN, deadline); }

void Process::DrainStderr() {
  if (stderr_pipe_ < 0) return;
  char buffer[4096];
  for (int rounds = 0; rounds < 1024; ++rounds) {  // a child may write without end
    const ssize_t got = read(stderr_pipe_, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) CloseFd(stderr_pipe_);
    if (got <= 0) return;
    tail_.append(buffer, static_cast<size_t>(got));
    if (tail_.size() > tail_bytes_) tail_.erase(0, tail_.size() - tail_bytes_);
  }
}

std::string Process::TakeStderr() {
  DrainStderr();
  return std::exchange(tail_, {});
}

std::string Process::End() {
  siginfo_t info;
  // One that closed its socket is about to end by itself; how, is what we want to know.
  bool ended = HasEnded(pid_, info, WNOHANG);
  pollfd closed = {socket_, POLLIN, 0};
  if (!ended && poll(&closed, 1, 0) == 1 && (closed.revents & POLLHUP) != 0) {
    const auto give_up = std::chrono::steady_clock::now() + kExitTime;
    while (!ended && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      DrainStderr();
      ended = HasEnded(pid_, info, WNOHANG);
    }
  }
  kill(-pid_, SIGKILL);  // its own children too; nobody else has this number before it is reaped
  if (!ended) {
    kill(pid_, SIGKILL);
    HasEnded(pid_, info, 0);
  }
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  DrainStderr();
  CloseFd(stderr_pipe_);
  CloseFd(socket_);
  CloseFd(life_);
  pid_ = -1;
  return HowItEnded(info);
}

}  // namespace oomph
