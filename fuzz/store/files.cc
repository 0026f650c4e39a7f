// See files.h.
#include "fuzz/store/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "models/base/units.h"

namespace oomph {
namespace {

constexpr size_t kMaxFileBytes = 64 * kMiB;

absl::Status ErrnoError(const std::string& path, const char* what) {
  const int code = errno;
  const std::string text = absl::StrCat(path, ": ", what, ": ", std::strerror(code));
  if (code == ENOSPC || code == EFBIG || code == EDQUOT || code == EIO) return absl::ResourceExhaustedError(text);
  if (code == ENOENT) return absl::NotFoundError(text);
  return absl::PermissionDeniedError(text);
}

// "name:line:column: ..." of the byte at `at`.
absl::Status BinaryError(const std::string& name, std::string_view text, size_t at) {
  const size_t line = 1 + static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
  const size_t newline = text.substr(0, at).rfind('\n');
  const size_t column = newline == std::string_view::npos ? at + 1 : at - newline;
  return absl::InvalidArgumentError(
      absl::StrCat(name, ":", line, ":", column, ": expected text, found a NUL byte"));
}

absl::Status WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return absl::UnknownError("");
    text.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

void SyncFolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int fd = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

absl::StatusOr<std::string> ReadFile(const std::string& path, bool is_text) {
  const bool standard_input = path == "-";
  const std::string name = standard_input ? "<stdin>" : path;
  const int fd = standard_input ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return ErrnoError(name, "cannot be read");
  const auto closer = absl::MakeCleanup([&] {
    if (!standard_input) close(fd);
  });
  struct stat info;
  if (fstat(fd, &info) != 0) return ErrnoError(name, "cannot be read");
  if (S_ISDIR(info.st_mode)) return absl::InvalidArgumentError(name + ": expected a file, found a folder");
  if (S_ISREG(info.st_mode) && static_cast<uint64_t>(info.st_size) > kMaxFileBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ":1:1: expected at most 64 MiB, found ", info.st_size, " bytes"));
  }
  std::string text;
  char buffer[1 << 16];
  while (true) {
    const ssize_t n = read(fd, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(name, "cannot be read");
    if (n == 0) break;
    text.append(buffer, static_cast<size_t>(n));
    const size_t searched = text.size() - static_cast<size_t>(n);
    const size_t nul = text.find('\0', searched);
    if (is_text && nul != std::string::npos) return BinaryError(name, text, nul);
    if (text.size() > kMaxFileBytes) {
      return absl::InvalidArgumentError(name + ":1:1: expected at most 64 MiB, found more");
    }
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> ReadTextFile(const std::string& path) { return ReadFile(path, true); }
absl::StatusOr<std::string> ReadBytes(const std::string& path) { return ReadFile(path, false); }

namespace {

// A device or a pipe: it must not be replaced by a file, as the superuser could replace /dev/null.
absl::Status WriteInPlace(const std::string& path, std::string_view text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoError(path, "cannot be written");
  const absl::Status status = WriteAll(fd, text).ok() ? absl::OkStatus() : ErrnoError(path, "cannot be written");
  close(fd);
  return status;
}

}  // namespace

absl::Status WriteFileAtomically(const std::string& to, std::string_view text) {
  struct stat info = {};
  std::string path = to;
  if (stat(to.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return absl::InvalidArgumentError(to + ": is a folder");
    if (!S_ISREG(info.st_mode)) return WriteInPlace(to, text);
    std::error_code error;  // of a link, what it leads to is replaced
    const std::filesystem::path real = std::filesystem::canonical(to, error);
    if (!error) path = real.string();
  }
  const std::string temporary = absl::StrCat(path, ".", getpid(), ".tmp");
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return ErrnoError(path, "cannot be written");
  const bool written = WriteAll(fd, text).ok() && fsync(fd) == 0;
  absl::Status status = written ? absl::OkStatus() : ErrnoError(path, "cannot be written");
  close(fd);
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0) status = ErrnoError(path, "cannot be written");
  if (!status.ok()) {
    unlink(temporary.c_str());
    return status;
  }
  SyncFolderOf(path);
  return absl::OkStatus();
}

absl::Status MakeWritableFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error && !std::filesystem::is_directory(path)) {
    return absl::PermissionDeniedError(absl::StrCat(path, ": cannot be made: ", error.message()));
  }
  if (!std::filesystem::is_directory(path)) return absl::InvalidArgumentError(path + ": expected a folder");
  if (access(path.c_str(), W_OK | X_OK) != 0) return ErrnoError(path, "cannot be written to");
  return absl::OkStatus();
}

}  // namespace oomph
