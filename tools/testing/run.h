// Runs the command, or any other, as a user does in a shell, for tests.
#ifndef OOMPH_TOOLS_TESTING_RUN_H_
#define OOMPH_TOOLS_TESTING_RUN_H_

#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace oomph {

struct Ran {
  int code = 0;     // -1: ended by a signal
  std::string out;  // both streams
};

inline Ran RunShell(const std::string& command) {
  Ran ran;
  std::FILE* pipe = popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  char buffer[4096];
  while (const size_t n = std::fread(buffer, 1, sizeof(buffer), pipe)) ran.out.append(buffer, n);
  const int status = pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

// The command that was built beside the test.
inline Ran RunOomph(const std::string& arguments) {
  return RunShell(std::string(OOMPH_BINARY_DIR) + "/oomph " + arguments);
}

}  // namespace oomph

#endif  // OOMPH_TOOLS_TESTING_RUN_H_
