// Plugin: a shared object that keeps the C interface of subjects/abi/oomph.h, loaded and checked.
// Not for: running a case (see driver.h) or surviving it (see subjects/child).
//
// dlopen runs the constructors of the object and of all it is linked with: load what is not trusted
// in a child. An accepted plugin stays loaded until the process ends, because large libraries do not
// survive being unloaded.
#ifndef OOMPH_SUBJECTS_PLUGIN_PLUGIN_H_
#define OOMPH_SUBJECTS_PLUGIN_PLUGIN_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "subjects/abi/oomph.h"

namespace oomph {

// What dlopen gives for a shared object, whatever interface it keeps. An error is one line that begins with the path.
absl::StatusOr<void*> LoadLibrary(const std::string& path);
// Why a plugin cannot be used, in one line that begins with its path.
absl::Status RefusePlugin(const std::string& path, std::string reason);
// What a plugin lists; one that lists nothing has the one variant with empty options.
std::vector<std::string> ListedVariants(const char* const* variants, size_t count);

class Plugin {
 public:
  // nullptr where the plugin does not have the call.
  struct Calls {
    decltype(&oomph_query) query = nullptr;
    decltype(&oomph_create) create = nullptr;
    decltype(&oomph_destroy) destroy = nullptr;
    decltype(&oomph_alloc) alloc = nullptr;
    decltype(&oomph_free) free = nullptr;
    decltype(&oomph_realloc) realloc = nullptr;
    decltype(&oomph_free_after) free_after = nullptr;
    decltype(&oomph_fence) fence = nullptr;
    decltype(&oomph_get_stats) get_stats = nullptr;
    decltype(&oomph_validate) validate = nullptr;
    decltype(&oomph_enumerate_free) enumerate_free = nullptr;
    decltype(&oomph_state_hash) state_hash = nullptr;
    decltype(&oomph_address) address = nullptr;
    decltype(&oomph_evict_scan) evict_scan = nullptr;
    decltype(&oomph_defrag) defrag = nullptr;
    decltype(&oomph_run_case) run_case = nullptr;
  };

  // Every error is one line that begins with the path and says what is wrong with the file.
  static absl::StatusOr<std::shared_ptr<const Plugin>> Load(const std::string& path);

  // What is not in a file: calls of this program. `name` stands for the path.
  static std::shared_ptr<const Plugin> Of(const std::string& name, const Calls& calls,
                                          const oomph_info& info);

  const std::string& path() const { return path_; }
  const Calls& calls() const { return calls_; }
  const oomph_info& info() const { return info_; }
  bool Can(uint64_t caps) const { return (info_.caps & caps) == caps; }
  bool online() const { return calls_.create != nullptr; }  // else it has oomph_run_case only
  std::vector<std::string> Variants() const;                // at least one

 private:
  Plugin(std::string path, const Calls& calls, const oomph_info& info)
      : path_(std::move(path)), calls_(calls), info_(info) {}

  const std::string path_;
  const Calls calls_;
  const oomph_info info_;
};

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_PLUGIN_PLUGIN_H_
