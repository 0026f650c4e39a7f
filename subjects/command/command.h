// Command: a program that serves an allocator over JSON lines on its standard input and output, run by
// /bin/sh and seen as a plugin. The protocol is in docs/HOWTO.md, "Test a program over JSON lines". Not for:
// surviving it. It lives in a child of ours, which ends as the program ends (see subjects/child): whoever
// waits for the child bounds time and memory, and kills both.
//
//     campaign <-- frames --> child: driver, Command <-- lines of JSON --> sh -c TEMPLATE
#ifndef OOMPH_SUBJECTS_COMMAND_COMMAND_H_
#define OOMPH_SUBJECTS_COMMAND_COMMAND_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "subjects/plugin/plugin.h"

namespace oomph {

class Command {
 public:
  // Starts the program and asks it who it is. One that ends instead ends this process in the same way.
  static absl::StatusOr<std::shared_ptr<Command>> Start(const std::string& command_line);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  // Its calls; the object that they take is this.
  std::shared_ptr<const Plugin> AsPlugin();
  // The program forgets everything. Null: it does not take this capacity.
  void* Reset(const oomph_config& config);

  // Sends one line, waits for one, and takes it apart: OOMPH_OK, or what its "error" says. What is no answer
  // ends this process with a word on standard error.
  int Ask(const nlohmann::json& request, nlohmann::json& answer);
  // A number that must be there.
  uint64_t NumberOf(const nlohmann::json& answer, const char* key) const;
  [[noreturn]] void NoAnswer(const std::string& why) const;
  uint64_t NewId() { return next_id_++; }

 private:
  Command(pid_t pid, int to, int from) : pid_(pid), to_(to), from_(from) {}
  absl::Status Hello();
  void Send(const std::string& line);
  int Look(int milliseconds) const;
  std::string ReceiveLine();
  [[noreturn]] void EndLikeIt();

  const pid_t pid_;
  const int to_, from_;
  std::string name_, version_;
  uint64_t caps_ = 0;
  bool has_stats_ = false;
  std::vector<std::string> promise_texts_;
  std::vector<oomph_promise> promises_;
  std::string received_;  // beyond the last line
  std::string last_request_;
  uint64_t next_id_ = 1;
};

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_COMMAND_COMMAND_H_
