// See scratch_folder.h.
#include "subjects/pjrt/scratch_folder.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace oomph::pjrt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "oomph-dumps-";

std::string Root() {
  if (access("/dev/shm", W_OK | X_OK) == 0) return "/dev/shm";
  const char* root = std::getenv("TMPDIR");
  return root == nullptr || *root == '\0' ? "/tmp" : root;
}

// Of processes that are no more: kill -9 leaves no time to tidy up.
void RemoveStale(const std::string& root) {
  std::error_code error;
  for (fs::directory_iterator it(root, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    const std::string rest = name.substr(kPrefix.size());
    int64_t pid = 0;
    if (!absl::SimpleAtoi(rest.substr(0, rest.find('-')), &pid) || pid <= 0 || pid > INT32_MAX) continue;
    std::error_code ignored;
    if (kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) fs::remove_all(it->path(), ignored);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<ScratchFolder>> ScratchFolder::Make(const std::string& root) {
  const std::string where = root.empty() ? Root() : root;
  RemoveStale(where);
  std::string path = absl::StrCat(where, "/", std::string(kPrefix), getpid(), "-XXXXXX");
  if (mkdtemp(path.data()) == nullptr) {
    return absl::UnavailableError(absl::StrCat("no folder for dumps in ", where, ": ", std::strerror(errno)));
  }
  return std::unique_ptr<ScratchFolder>(new ScratchFolder(path));
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void ScratchFolder::Empty() const {
  std::error_code error, ignored;
  for (fs::directory_iterator it(path_, error), end; !error && it != end; it.increment(error)) {
    fs::remove_all(it->path(), ignored);
  }
}

}  // namespace oomph::pjrt
