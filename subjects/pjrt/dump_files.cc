// FindDumps of dump.h.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "subjects/pjrt/dump.h"

namespace oomph {
namespace {

constexpr size_t kMostFiles = 10000;

// A regular file's text; an error where it is none, or too large.
absl::StatusOr<std::string> ReadFile(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return absl::NotFoundError(absl::StrCat(path.filename().string(), " cannot be opened"));
  std::string text;
  struct stat stats = {};
  bool good = fstat(file, &stats) == 0 && S_ISREG(stats.st_mode) && static_cast<uint64_t>(stats.st_size) <= kMaxDumpBytes;
  if (good) {
    text.resize(static_cast<size_t>(stats.st_size));
    size_t at = 0;
    while (at < text.size()) {
      const ssize_t got = read(file, text.data() + at, text.size() - at);
      if (got <= 0) break;
      at += static_cast<size_t>(got);
    }
    text.resize(at);
  }
  close(file);
  if (!good) return absl::InvalidArgumentError(absl::StrCat(path.filename().string(), " is no dump: not a file, or too large"));
  return text;
}

// The first of the ends that a module's files have wins.
absl::StatusOr<std::string> First(const std::map<std::string, std::filesystem::path>& files, const std::string& prefix,
                                  const std::vector<std::string>& ends) {
  for (const std::string& end : ends) {
    if (const auto found = files.find(prefix + end); found != files.end()) return ReadFile(found->second);
  }
  return std::string();
}

}  // namespace

absl::StatusOr<Dumps> FindDumps(const std::string& folder) {
  static const std::string kAssignment = "-buffer-assignment.txt";
  std::map<std::string, std::filesystem::path> files;
  std::string prefix;  // of the module with the largest assignment
  uintmax_t largest = 0;
  std::error_code error;
  for (auto each = std::filesystem::directory_iterator(folder, error); !error && each != std::filesystem::directory_iterator();
       each.increment(error)) {
    if (files.size() == kMostFiles) return absl::InvalidArgumentError("too many files among the dumps");
    const std::string name = each->path().filename().string();
    files[name] = each->path();
    std::error_code no_size;
    const uintmax_t size = each->file_size(no_size);
    if (no_size || !name.ends_with(kAssignment) || (!prefix.empty() && size < largest)) continue;
    largest = size;
    prefix = name.substr(0, name.size() - kAssignment.size());
  }
  if (error) return absl::NotFoundError(absl::StrCat("no folder of dumps: ", error.message()));
  if (prefix.empty()) return absl::NotFoundError("the compiler left no buffer assignment");
  // "module_0007.main.cl_1.after_optimizations" and "module_0007.main.cpu_after_optimizations".
  std::string stem = prefix.substr(0, prefix.find("after_optimizations"));
  Dumps dumps;
  struct Wanted {
    std::string* text;
    std::string prefix;
    std::vector<std::string> ends;
  };
  const std::array<Wanted, 5> wanted = {{{&dumps.buffer_assignment, prefix, {kAssignment}},
                                         {&dumps.live_range, prefix, {"-live-range.txt"}},
                                         {&dumps.memory_usage, prefix, {"-memory-usage-report.txt"}},
                                         {&dumps.optimized, stem, {"after_codegen.txt"}},
                                         {&dumps.optimized, prefix, {"_after_buffer_assignment.txt", ".txt"}}}};
  for (const Wanted& each : wanted) {
    if (!each.text->empty()) continue;
    absl::StatusOr<std::string> text = First(files, each.prefix, each.ends);
    if (!text.ok()) return text.status();
    *each.text = *std::move(text);
  }
  return dumps;
}

}  // namespace oomph
