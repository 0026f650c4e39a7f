// See scratch_folder.h.
#include "subjects/pjrt/scratch_folder.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace oomph::pjrt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "oomph-dumps-";

// A dump of a module of the largest text; more is cut off, and then cannot be read.
constexpr uint64_t kMaxFileBytes = uint64_t{256} << 20;

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

std::vector<std::string> ScratchFolder::Names() const {
  std::vector<std::string> names;
  std::error_code error, ignored;
  for (fs::directory_iterator it(path_, error), end; !error && it != end; it.increment(error)) {
    if (it->is_regular_file(ignored) && !it->is_symlink(ignored)) names.push_back(it->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string ScratchFolder::Read(const std::string& name, uint64_t max_bytes) const {
  std::ifstream in(path_ + "/" + name, std::ios::binary);
  std::string bytes;
  char buffer[size_t{64} << 10];
  while (in && bytes.size() < max_bytes) {
    in.read(buffer, static_cast<std::streamsize>(std::min<uint64_t>(sizeof buffer, max_bytes - bytes.size())));
    bytes.append(buffer, static_cast<size_t>(in.gcount()));
  }
  return bytes;
}

DumpFiles ReadDumpFiles(const ScratchFolder& folder) {
  constexpr std::string_view kAssignment = "-buffer-assignment.txt";
  const std::vector<std::string> names = folder.Names();
  DumpFiles files;
  std::string stem;  // of all files of the module
  for (const std::string& name : names) {
    if (!name.ends_with(kAssignment)) continue;
    std::string text = folder.Read(name, kMaxFileBytes);
    if (!stem.empty() && text.size() <= files.buffer_assignment.size()) continue;
    files.buffer_assignment = std::move(text);
    stem = name.substr(0, name.size() - kAssignment.size());
  }
  if (stem.empty()) return files;
  const auto read = [&](std::string_view suffix) { return folder.Read(absl::StrCat(stem, std::string(suffix)), kMaxFileBytes); };
  files.live_range = read("-live-range.txt");
  files.memory_usage = read("-memory-usage-report.txt");
  files.optimized = read(".txt");
  return files;
}

}  // namespace oomph::pjrt
