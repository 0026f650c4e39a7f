// See deps.h.
#include "subjects/deps.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace oomph {

std::string DepsPath(const std::string& name) {
  const char* const dir = std::getenv("OOMPH_DEPS_DIR");
  return absl::StrCat(dir != nullptr && *dir != '\0' ? dir : OOMPH_DEPS_DIR, "/", name);
}

}  // namespace oomph
