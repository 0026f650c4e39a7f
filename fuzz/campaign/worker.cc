// See worker.h.
#include "fuzz/campaign/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "fuzz/campaign/pair_runner.h"

namespace oomph {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

// The life of a worker: answers commands until the pipe ends.
class Servant {
 public:
  Servant(const WorkerContext& context, int from, int to, WorkerSlot& slot)
      : context_(context), from_(from), to_(to), slot_(slot), runners_(context.pairs.size()) {}

  void Serve() {
    while (const auto command = ReceiveMessage(from_)) {
      json answer = Answer(*command);
      answer["do"] = (*command)["do"];
      if (!SendMessage(to_, answer)) return;
    }
  }

 private:
  json Answer(const json& command) {
    const size_t pair = command["pair"];
    if (runners_[pair] == nullptr) {
      const auto of = [&](const auto& table) -> const auto& {
        static const typename std::decay_t<decltype(table)>::mapped_type kNone;
        const auto found = table.find(KeyOf(context_.pairs[pair]));
        return found == table.end() ? kNone : found->second;
      };
      auto made = PairRunner::Make(*context_.table, context_.pairs[pair], context_.seed, of(context_.corpus), of(context_.answers));
      if (!made.ok()) return {{"error", made.status().ToString()}};
      runners_[pair] = *std::move(made);
    }
    PairRunner& runner = *runners_[pair];
    if (command["do"] == "run") return RunChunk(runner, command);
    if (command["do"] == "text") return {{"text", runner.TextOf(command["number"])}};
    const bool bounded = command.contains("seconds");
    const auto until = Clock::now() + std::chrono::duration<double>(bounded ? command["seconds"].get<double>() : 0.0);
    return {{"finding", ToJson(runner.Shrink(FindingFromJson(command["finding"]), [&] {
               ++slot_.beats;
               return slot_.stop.load() || (bounded && Clock::now() >= until);
             }))}};
  }

  json RunChunk(PairRunner& runner, const json& command) {
    const auto deadline = Clock::now() + std::chrono::duration<double>(command["seconds"].get<double>());
    PairRunner::Hooks hooks;
    hooks.begin = [&](uint64_t number) {
      slot_.number = number;
      ++slot_.beats;
    };
    hooks.stop = [&] { return slot_.stop.load() || Clock::now() >= deadline; };
    hooks.found = [&](const Finding& finding) {
      SendMessage(to_, {{"do", "found"}, {"pair", command["pair"]}, {"finding", ToJson(finding)}});
    };
    return {{"chunk", ToJson(runner.Run(command["first"], command["count"], hooks))}};
  }

  const WorkerContext& context_;
  const int from_;
  const int to_;
  WorkerSlot& slot_;
  std::vector<std::unique_ptr<PairRunner>> runners_;
};

// A child must not keep the pipes of its siblings or the store's lock and database open.
void CloseOthers(int from, int to) {
  for (int fd = 3; fd < 1024; ++fd) {
    if (fd != from && fd != to) close(fd);
  }
}

[[noreturn]] void Live(const WorkerContext& context, pid_t parent, int from, int to, WorkerSlot& slot) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  // Its own group: Ctrl-C reaches the parent only, which lets the current case end.
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_IGN);
  CloseOthers(from, to);
  {
    Servant servant(context, from, to, slot);
    servant.Serve();
  }
  _exit(0);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Worker>> Worker::Start(const WorkerContext& context) {
  int down[2], up[2];
  if (pipe2(down, O_CLOEXEC) != 0) return absl::ResourceExhaustedError("no pipe for a worker");
  if (pipe2(up, O_CLOEXEC) != 0) return absl::ResourceExhaustedError("no pipe for a worker");
  void* memory = mmap(nullptr, sizeof(WorkerSlot), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return absl::ResourceExhaustedError("no shared memory for a worker");
  auto* slot = new (memory) WorkerSlot{};
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return absl::ResourceExhaustedError(absl::StrCat("no worker: ", std::strerror(errno)));
  if (pid == 0) Live(context, parent, down[0], up[1], *slot);
  close(down[0]);
  close(up[1]);
  return std::unique_ptr<Worker>(new Worker(pid, down[1], up[0], slot));
}

Worker::~Worker() {
  close(to_);  // a living worker ends at the end of its commands
  close(from_);
  if (pid_ > 0) {
    // It may be in the middle of a case that nobody waits for.
    for (int i = 0; i < 100; ++i, usleep(10000)) {
      if (waitpid(pid_, nullptr, WNOHANG) != 0) pid_ = -1;
      if (pid_ < 0) break;
    }
    Kill();
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
  }
  munmap(slot_, sizeof(WorkerSlot));
}

bool Worker::Send(const json& command) { return SendMessage(to_, command); }

void Worker::Kill() {
  if (pid_ > 0) kill(pid_, SIGKILL);
}

std::string Worker::Wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  if (WIFSIGNALED(status)) {
    return absl::StrCat("signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)), ")");
  }
  return absl::StrCat("exit code ", WEXITSTATUS(status));
}

}  // namespace oomph
