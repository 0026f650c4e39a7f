// ScratchFolder: a folder of this process for the dumps of compilers, gone with it. In memory (/dev/shm) where there is,
// else in TMPDIR. Those that a killed process left behind are removed by the next one. Not for: what is kept.
#ifndef OOMPH_SUBJECTS_PJRT_SCRATCH_FOLDER_H_
#define OOMPH_SUBJECTS_PJRT_SCRATCH_FOLDER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace oomph::pjrt {

class ScratchFolder {
 public:
  // `root`: where it is to lie; empty: as above.
  static absl::StatusOr<std::unique_ptr<ScratchFolder>> Make(const std::string& root = "");
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  void Empty() const;
  // The names of the files in it, sorted; no folder below it is entered.
  std::vector<std::string> Names() const;
  // A file's first `max_bytes`.
  std::string Read(const std::string& name, uint64_t max_bytes) const;

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  const std::string path_;
};

// The files of an XLA dump that tell what was planned; empty where there is none. Of several modules in one dump, of which
// a plugin may make helpers, the one with the largest assignment.
struct DumpFiles {
  std::string buffer_assignment, live_range, memory_usage, optimized;
};
DumpFiles ReadDumpFiles(const ScratchFolder& folder);

}  // namespace oomph::pjrt

#endif  // OOMPH_SUBJECTS_PJRT_SCRATCH_FOLDER_H_
