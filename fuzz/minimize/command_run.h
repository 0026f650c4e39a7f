// Shell commands side by side, none of which can do harm: each in a process group of its own, what it prints caught and
// bounded, its time and memory limited, its folder emptied after it.
// Not for: what its end or its words mean (see expectation.h).
//
//   this process --- pipe of each command: what it prints, the first and the last of it
//        |
//        +---------- guard: a process that outlives this one by a moment. Should this one be killed, it kills the
//                    commands that run and removes their folders.
#ifndef OOMPH_FUZZ_MINIMIZE_COMMAND_RUN_H_
#define OOMPH_FUZZ_MINIMIZE_COMMAND_RUN_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace oomph {

// Of what is printed, this much is kept from the beginning and from the end; what lies between is read and forgotten.
inline constexpr size_t kOutputHead = size_t{1} << 20;
inline constexpr size_t kOutputTail = size_t{64} << 10;

class BoundedOutput {
 public:
  void Add(std::string_view bytes);
  // With a line that says so where something was left out.
  std::string Take();

 private:
  std::string head_, tail_;
  bool cut_ = false;
};

struct CommandLimits {
  double seconds = 0;         // 0: none
  uint64_t memory_bytes = 0;  // of address space; 0: none
};

struct CommandRan {
  int status = -1;         // the exit status, or 128 + the signal that ended it, as shells count
  bool timed_out = false;  // killed for its time
  bool stopped = false;    // killed because `stop` said so
  double seconds = 0;
  std::string output;      // standard output and error, in the order of their coming
};

class CommandSlots {
 public:
  // `count` folders below the one for temporary files. Fork from a process with one thread only.
  static absl::StatusOr<std::unique_ptr<CommandSlots>> Make(size_t count);
  ~CommandSlots();
  CommandSlots(const CommandSlots&) = delete;
  CommandSlots& operator=(const CommandSlots&) = delete;

  size_t count() const { return count_; }
  // Of a command's own, which finds it as TMPDIR too. All but `keep` is removed from it after each run.
  std::string Folder(size_t slot) const;

  // commands[i] in slot i; at most count() commands. Returns when all have ended.
  std::vector<CommandRan> Run(std::span<const std::string> commands, std::string_view keep, const CommandLimits& limits,
                              const std::function<bool()>& stop);

 private:
  class Running;
  CommandSlots(size_t count, std::string folder, int guard, pid_t guard_pid)
      : count_(count), folder_(std::move(folder)), guard_(guard), guard_pid_(guard_pid) {}
  void TellGuard(size_t slot, pid_t group) const;
  void EmptyFolder(size_t slot, std::string_view keep) const;

  const size_t count_;
  const std::string folder_;
  const int guard_;  // a socket to it
  const pid_t guard_pid_;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_MINIMIZE_COMMAND_RUN_H_
