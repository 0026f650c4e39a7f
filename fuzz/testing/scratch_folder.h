// A folder for a test, gone with all that is in it when the test is over.
#ifndef OOMPH_FUZZ_TESTING_SCRATCH_FOLDER_H_
#define OOMPH_FUZZ_TESTING_SCRATCH_FOLDER_H_

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace oomph {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "oomph-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~ScratchFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_TESTING_SCRATCH_FOLDER_H_
