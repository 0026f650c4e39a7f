// VerifierLibrary: a shared object that keeps the C interface of subjects/abi/hlo.h, loaded and checked, and how it
// is asked. Not for: surviving it (see verifier_row.h) or judging what it says.
//
// dlopen runs the constructors of the object and of all it is linked with: load what is not trusted in a child. An
// accepted one stays loaded until the process ends, because large libraries do not survive being unloaded.
#ifndef OOMPH_SUBJECTS_HLO_VERIFIER_LIBRARY_H_
#define OOMPH_SUBJECTS_HLO_VERIFIER_LIBRARY_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "models/hlo/answer.h"
#include "subjects/abi/hlo.h"

namespace oomph {

class VerifierLibrary {
 public:
  struct Calls {
    decltype(&oomph_hlo_query) query = nullptr;
    decltype(&oomph_hlo_ask) ask = nullptr;
  };
  static constexpr uint32_t kEverything = OOMPH_HLO_VERIFY | OOMPH_HLO_PRINT | OOMPH_HLO_PEAK | OOMPH_HLO_PLAN;

  // Whether modules are to be run under these options: what draws arguments for each is not asked of the others.
  static bool Runs(std::string_view options) { return options.starts_with("evaluate"); }

  // Every error is one line that begins with the path. Unimplemented: it is no verifier, but may be something else.
  static absl::StatusOr<std::shared_ptr<const VerifierLibrary>> Load(const std::string& path);
  // What is not in a file: calls of this program. `name` stands for the path.
  static absl::StatusOr<std::shared_ptr<const VerifierLibrary>> Of(const std::string& name, const Calls& calls);

  const std::string& path() const { return path_; }
  const oomph_hlo_info& info() const { return info_; }
  std::vector<std::string> Variants() const;  // at least one

  // Reads `text`, and does what is wanted: bits as in oomph_hlo_request, none to read alone. `arguments`: of the module
  // where it is to be run.
  void Ask(std::string_view text, const std::string& options, uint32_t wanted, hlo::Answer& answer,
           std::span<const hlo::ResultArray> arguments = {}) const;
  // Reads once and prints so often; false: it is not read. For benchmarks of its reader (0 prints) and printer.
  bool ReadAndPrint(std::string_view text, uint32_t prints) const;

 private:
  VerifierLibrary(std::string path, const Calls& calls, const oomph_hlo_info& info)
      : path_(std::move(path)), calls_(calls), info_(info) {}

  const std::string path_;
  const Calls calls_;
  const oomph_hlo_info info_;
};

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_HLO_VERIFIER_LIBRARY_H_
