// A folder for a benchmark, gone with all that is in it when this is.
// Not for: tests (fuzz/testing/scratch_folder.h).
#ifndef OOMPH_FUZZ_BENCH_TEMPORARY_FOLDER_H_
#define OOMPH_FUZZ_BENCH_TEMPORARY_FOLDER_H_

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace oomph {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string pattern = (std::filesystem::temp_directory_path(error) / "oomph-bench-XXXXXX").string();
    if (!error && mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (ok()) std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  bool ok() const { return !path_.empty(); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_BENCH_TEMPORARY_FOLDER_H_
