// See command_run.h.
#include "fuzz/minimize/command_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace oomph {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kStopPollMs = 50;    // how often `stop` is asked
constexpr int kNoPidfdPollMs = 2;  // where the kernel does not tell of ends
constexpr std::string_view kCutLine = "\n... (cut) ...\n";

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void RemoveAll(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
}

void CloseFd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

// What this process ignores or blocks is no matter of a command.
void RestoreSignals() {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void Exec(const std::string& command, const std::string& folder, int out, uint64_t memory_bytes) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  RestoreSignals();
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, 0);
  dup2(out, 1);
  dup2(out, 2);
  close_range(3, ~0U, 0);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (memory_bytes > 0) {
    const rlimit memory = {memory_bytes, memory_bytes};
    setrlimit(RLIMIT_AS, &memory);
  }
  setenv("TMPDIR", folder.c_str(), 1);
  execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  _exit(127);
}

// ---- The guard ----

struct GuardNote {
  uint32_t slot = 0;
  int32_t group = 0;  // 0: none runs there
};

// Nothing but a kill that spares nobody ends it before the other end of the socket is closed.
[[noreturn]] void Guard(int notes, const std::string& folder, size_t count) {
  setsid();
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_IGN);
  dup2(notes, 3);
  const int null = open("/dev/null", O_RDWR);
  for (const int fd : {0, 1, 2}) dup2(null, fd);
  close_range(4, ~0U, 0);
  std::vector<pid_t> groups(count);
  GuardNote note;
  while (true) {
    const ssize_t got = read(3, &note, sizeof note);
    if (got < 0 && errno == EINTR) continue;
    if (got != sizeof note) break;
    if (note.slot < count) groups[note.slot] = note.group;
  }
  for (const pid_t group : groups) {
    if (group > 0) kill(-group, SIGKILL);
  }
  RemoveAll(folder);
  _exit(0);
}

}  // namespace

// ---- What was printed ----

void BoundedOutput::Add(std::string_view bytes) {
  const size_t to_head = std::min(bytes.size(), kOutputHead - head_.size());
  head_.append(bytes.substr(0, to_head));
  bytes.remove_prefix(to_head);
  tail_.append(bytes);
  if (tail_.size() <= 2 * kOutputTail) return;
  tail_.erase(0, tail_.size() - kOutputTail);
  cut_ = true;
}

std::string BoundedOutput::Take() {
  if (tail_.size() > kOutputTail) {
    tail_.erase(0, tail_.size() - kOutputTail);
    cut_ = true;
  }
  if (cut_) head_.append(kCutLine);
  return std::move(head_.append(tail_));
}

// ---- One that runs ----

class CommandSlots::Running {
 public:
  Running(const std::string& command, const std::string& folder, uint64_t memory_bytes) : start_(Clock::now()) {
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC) != 0) return;
    pid_ = fork();
    if (pid_ == 0) Exec(command, folder, pipes[1], memory_bytes);
    close(pipes[1]);
    if (pid_ < 0) {
      close(pipes[0]);
      return;
    }
    setpgid(pid_, pid_);  // both do it, so that it is done whoever comes first
    out_ = pipes[0];
    fcntl(out_, F_SETFL, O_NONBLOCK);
    life_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  }

  pid_t pid() const { return pid_; }
  bool running() const { return pid_ > 0; }
  int out() const { return out_; }
  int life() const { return life_; }
  double seconds() const { return SecondsSince(start_); }

  void Read() {
    for (int rounds = 0; rounds < 16 && out_ >= 0; ++rounds) {  // others want to be read too
      const ssize_t got = read(out_, buffer_.data(), buffer_.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return;
      if (got == 0) return CloseFd(out_);
      output_.Add({buffer_.data(), static_cast<size_t>(got)});
    }
  }

  bool HasEnded() const {
    siginfo_t info = {};
    return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | WNOHANG) != 0 || info.si_pid == pid_;
  }

  // Kills it and what it left running, if it has not ended.
  void End(CommandRan& ran) {
    ran.seconds = seconds();
    kill(-pid_, SIGKILL);  // nobody else has this number before it is reaped
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    ran.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    Read();  // what is in the pipe still
    CloseFd(out_);
    CloseFd(life_);
    ran.output = output_.Take();
  }

 private:
  const Clock::time_point start_;
  pid_t pid_ = -1;
  int out_ = -1, life_ = -1;
  BoundedOutput output_;
  std::vector<char> buffer_ = std::vector<char>(size_t{64} << 10);
};

// ---- Slots ----

absl::StatusOr<std::unique_ptr<CommandSlots>> CommandSlots::Make(size_t count) {
  std::error_code error;
  std::string folder = (std::filesystem::temp_directory_path(error) / "oomph-XXXXXX").string();
  if (error || mkdtemp(folder.data()) == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat(folder, ": cannot be made"));
  }
  for (size_t slot = 0; slot < count; ++slot) {
    if (!std::filesystem::create_directory(absl::StrCat(folder, "/", slot), error)) {
      RemoveAll(folder);
      return absl::ResourceExhaustedError(absl::StrCat(folder, ": no folder can be made in it"));
    }
  }
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
    RemoveAll(folder);
    return absl::ResourceExhaustedError("no socket can be made");
  }
  const pid_t guard = fork();
  if (guard == 0) Guard(sockets[0], folder, count);
  close(sockets[0]);
  if (guard < 0) {
    close(sockets[1]);
    RemoveAll(folder);
    return absl::ResourceExhaustedError("no process can be started");
  }
  return std::unique_ptr<CommandSlots>(new CommandSlots(count, folder, sockets[1], guard));
}

CommandSlots::~CommandSlots() {
  close(guard_);  // it removes the folder
  while (waitpid(guard_pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  RemoveAll(folder_);  // unless it was killed
}

std::string CommandSlots::Folder(size_t slot) const { return absl::StrCat(folder_, "/", slot); }

void CommandSlots::TellGuard(size_t slot, pid_t group) const {
  const GuardNote note{static_cast<uint32_t>(slot), static_cast<int32_t>(group)};
  while (send(guard_, &note, sizeof note, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

void CommandSlots::EmptyFolder(size_t slot, std::string_view keep) const {
  std::error_code error;
  std::filesystem::create_directory(Folder(slot), error);  // a test may have removed it
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(Folder(slot), error)) {
    if (entry.path().filename().string() != keep) left.push_back(entry.path().string());
  }
  for (const std::string& path : left) RemoveAll(path);
}

std::vector<CommandRan> CommandSlots::Run(std::span<const std::string> commands, std::string_view keep,
                                          const CommandLimits& limits, const std::function<bool()>& stop) {
  std::vector<CommandRan> all(commands.size());
  std::vector<std::unique_ptr<Running>> running;
  for (size_t i = 0; i < commands.size(); ++i) {
    running.push_back(std::make_unique<Running>(commands[i], Folder(i), limits.memory_bytes));
    if (running[i]->running()) TellGuard(i, running[i]->pid());
  }
  std::vector<pollfd> polled;
  while (true) {
    polled.clear();
    double left = limits.seconds;
    bool blind = false;
    for (const auto& each : running) {
      if (!each->running()) continue;
      polled.push_back({each->out(), POLLIN, 0});  // a negative one is passed over
      polled.push_back({each->life(), POLLIN, 0});
      left = std::min(left, limits.seconds - each->seconds());
      blind = blind || each->life() < 0;
    }
    if (polled.empty()) return all;
    int wait = blind ? kNoPidfdPollMs : kStopPollMs;
    if (limits.seconds > 0) wait = std::clamp(static_cast<int>(std::min(left, 1.0) * 1000) + 1, 0, wait);
    poll(polled.data(), polled.size(), wait);
    const bool stopped = stop && stop();
    for (size_t i = 0; i < running.size(); ++i) {
      Running& each = *running[i];
      if (!each.running()) continue;
      each.Read();
      const bool ended = each.HasEnded();
      const bool late = limits.seconds > 0 && each.seconds() > limits.seconds;
      if (!ended && !late && !stopped) continue;
      all[i].timed_out = !ended && late;
      all[i].stopped = !ended && !late && stopped;
      each.End(all[i]);
      TellGuard(i, 0);
      EmptyFolder(i, keep);
    }
  }
}

}  // namespace oomph
