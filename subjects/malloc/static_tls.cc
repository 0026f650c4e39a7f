// See static_tls.h.
#include "subjects/malloc/static_tls.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace oomph {

void MakeRoomForThreadLocals(char** argv) {
  constexpr const char* kVariable = "GLIBC_TUNABLES";
  const std::string tunable = "glibc.rtld.optional_static_tls";
  const char* const set = std::getenv(kVariable);
  std::string tunables = set == nullptr ? "" : set;
  if (tunables.find(tunable) != tunables.npos) return;  // by the user, or by us
  if (!tunables.empty()) tunables += ":";
  tunables += tunable + "=16384";
  if (setenv(kVariable, tunables.c_str(), 1) != 0) return;
  execv("/proc/self/exe", argv);
}

}  // namespace oomph
