// See by_command.h.
#include "fuzz/minimize/by_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_replace.h"
#include "fuzz/store/files.h"

namespace oomph {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The exit code, or -1 if it was killed or took longer than `limit` seconds (0: no limit).
int RunShell(const std::string& command, double limit) {
  const auto start = Clock::now();
  const pid_t pid = fork();
  if (pid < 0) return -1;
  if (pid == 0) {
    setpgid(0, 0);
    sigset_t none;  // what waits here for the end of a test is no matter of the test
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const int null = open("/dev/null", O_RDWR);
    for (const int fd : {0, 1, 2}) dup2(null, fd);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  for (useconds_t pause = 200; waitpid(pid, &status, WNOHANG) == 0; pause = std::min<useconds_t>(pause * 2, 20000)) {
    if (limit > 0 && SecondsSince(start) > limit) {
      kill(-pid, SIGKILL);
      waitpid(pid, &status, 0);
      return -1;
    }
    usleep(pause);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

CommandTest::CommandTest(const Family& family, std::string folder, std::string path, std::string command)
    : family_(family), folder_(std::move(folder)), path_(std::move(path)), command_(std::move(command)) {}

CommandTest::~CommandTest() {
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

absl::StatusOr<std::unique_ptr<CommandTest>> CommandTest::Make(const Family& family, const std::string& command) {
  if (command.find("{}") == std::string::npos) {
    return absl::InvalidArgumentError("--test: expected {} where the case file goes, as in --test 'mytest {}'");
  }
  std::string folder = (std::filesystem::temp_directory_path() / "oomph-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return absl::ResourceExhaustedError(folder + ": cannot be made");
  const std::string path = folder + "/case" + std::string(family.extension());
  std::string in_place = absl::StrReplaceAll(command, {{"{}", path}});
  return std::unique_ptr<CommandTest>(new CommandTest(family, folder, path, std::move(in_place)));
}

bool CommandTest::Run(const Case& c) {
  if (!WriteFileAtomically(path_, family_.Print(c)).ok()) return false;
  const auto start = Clock::now();
  const int code = RunShell(command_, limit_);
  if (limit_ == 0) limit_ = std::max(10.0, 10 * SecondsSince(start));
  return code == 0;
}

}  // namespace oomph
