// A test for the minimizer that is a shell command of the user: exit code 0 says "still interesting".
// Not for: commands named in files; only the command line may give one.
#ifndef OOMPH_FUZZ_MINIMIZE_BY_COMMAND_H_
#define OOMPH_FUZZ_MINIMIZE_BY_COMMAND_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "models/base/family.h"

namespace oomph {

class CommandTest {
 public:
  // `command` names the case file as {}.
  static absl::StatusOr<std::unique_ptr<CommandTest>> Make(const Family& family, const std::string& command);
  ~CommandTest();

  // Writes the case to a file of its own and runs the command, at most ten times as long as the first run
  // took (and 10 s at least).
  bool Run(const Case& c);

 private:
  CommandTest(const Family& family, std::string folder, std::string path, std::string command);

  const Family& family_;
  const std::string folder_;
  const std::string path_;
  const std::string command_;  // with the path in place
  double limit_ = 0;           // seconds; 0: not known yet
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_MINIMIZE_BY_COMMAND_H_
