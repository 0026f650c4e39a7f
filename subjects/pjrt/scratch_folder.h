// ScratchFolder: a folder of this process for the dumps of compilers, gone with it. In memory (/dev/shm) where there is,
// else in TMPDIR. Those that a killed process left behind are removed by the next one. Not for: what is kept.
#ifndef OOMPH_SUBJECTS_PJRT_SCRATCH_FOLDER_H_
#define OOMPH_SUBJECTS_PJRT_SCRATCH_FOLDER_H_

#include <memory>
#include <string>
#include <utility>

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

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  const std::string path_;
};

}  // namespace oomph::pjrt

#endif  // OOMPH_SUBJECTS_PJRT_SCRATCH_FOLDER_H_
