// See plugin.h.
#include "subjects/plugin/plugin.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "subjects/child/sanitized.h"

namespace oomph {
namespace {

constexpr int kLoadFlags = RTLD_NOW | RTLD_LOCAL | (kSanitized ? 0 : RTLD_DEEPBIND);

absl::Status CheckFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::NotFoundError(absl::StrCat(path, ": ", std::strerror(errno)));
  char magic[4] = {};
  const ssize_t got = read(fd, magic, sizeof magic);
  const int error = errno;
  close(fd);
  if (got < 0) return RefusePlugin(path, std::strerror(error));
  if (got != sizeof magic || std::memcmp(magic, "\177ELF", sizeof magic) != 0) {
    return RefusePlugin(path, "not a shared object (no ELF header)");
  }
  return absl::OkStatus();
}

// The loader's own words, without the path that it begins with.
std::string LoaderError(const std::string& path) {
  const char* text = dlerror();
  std::string_view reason = text == nullptr ? "the loader gives no reason" : text;
  if (reason.starts_with(path)) reason.remove_prefix(path.size());
  while (reason.starts_with(":") || reason.starts_with(" ")) reason.remove_prefix(1);
  return "cannot be loaded: " + std::string(reason);
}

template <typename Call>
void Find(void* library, const char* name, Call& call) {
  call = reinterpret_cast<Call>(dlsym(library, name));
}

Plugin::Calls FindCalls(void* library) {
  Plugin::Calls calls;
  Find(library, "oomph_query", calls.query);
  Find(library, "oomph_create", calls.create);
  Find(library, "oomph_destroy", calls.destroy);
  Find(library, "oomph_alloc", calls.alloc);
  Find(library, "oomph_free", calls.free);
  Find(library, "oomph_realloc", calls.realloc);
  Find(library, "oomph_free_after", calls.free_after);
  Find(library, "oomph_fence", calls.fence);
  Find(library, "oomph_get_stats", calls.get_stats);
  Find(library, "oomph_validate", calls.validate);
  Find(library, "oomph_enumerate_free", calls.enumerate_free);
  Find(library, "oomph_state_hash", calls.state_hash);
  Find(library, "oomph_address", calls.address);
  Find(library, "oomph_evict_scan", calls.evict_scan);
  Find(library, "oomph_defrag", calls.defrag);
  Find(library, "oomph_run_case", calls.run_case);
  return calls;
}

// Asks for the plugin's description. A plugin of another version may believe it to be longer.
absl::StatusOr<oomph_info> Query(const std::string& path, decltype(&oomph_query) query) {
  union {
    oomph_info info;
    char room[4096];
  } answer;
  std::memset(&answer, 0, sizeof answer);
  const int result = query(&answer.info);
  const oomph_info& info = answer.info;
  if (result != OOMPH_OK) {
    const bool says_why = info.abi == OOMPH_ABI_VERSION && info.version != nullptr;
    return RefusePlugin(path, absl::StrCat("oomph_query returned ", result, says_why ? ": " : "", says_why ? info.version : ""));
  }
  if (info.abi != OOMPH_ABI_VERSION) {
    return RefusePlugin(path, absl::StrCat("built for interface version ", info.abi, ", this oomph has ",
                                     OOMPH_ABI_VERSION, ": build it again"));
  }
  if (info.struct_bytes != sizeof(oomph_info)) {
    return RefusePlugin(path, absl::StrCat("its oomph_info has ", info.struct_bytes, " bytes, not ",
                                     sizeof(oomph_info), ": build it with this oomph.h"));
  }
  if (info.name == nullptr || *info.name == '\0') return RefusePlugin(path, "oomph_query gives no name");
  if (info.promises == nullptr && info.num_promises != 0) {
    return RefusePlugin(path, absl::StrCat("oomph_query counts ", info.num_promises,
                                     " promises and lists none"));
  }
  if (info.variants == nullptr && info.num_variants != 0) {
    return RefusePlugin(path, absl::StrCat("oomph_query counts ", info.num_variants,
                                     " variants and lists none"));
  }
  return info;
}

struct Need {
  const char* name;
  bool there;
  uint64_t cap;  // the capability that needs it; 0: every online plugin needs it
  const char* cap_name;
};

absl::Status CheckCalls(const std::string& path, const Plugin::Calls& calls, uint64_t caps) {
  const bool online = calls.create != nullptr || calls.destroy != nullptr ||
                      calls.alloc != nullptr || calls.free != nullptr;
  if (!online && calls.run_case != nullptr) return absl::OkStatus();
  const Need needs[] = {
      {"oomph_create", calls.create != nullptr, 0, ""},
      {"oomph_destroy", calls.destroy != nullptr, 0, ""},
      {"oomph_alloc", calls.alloc != nullptr, 0, ""},
      {"oomph_free", calls.free != nullptr, 0, ""},
      {"oomph_realloc", calls.realloc != nullptr, OOMPH_CAP_REALLOC, "REALLOC"},
      {"oomph_free_after", calls.free_after != nullptr, OOMPH_CAP_FREE_LATER, "FREE_LATER"},
      {"oomph_fence", calls.fence != nullptr, OOMPH_CAP_FREE_LATER, "FREE_LATER"},
      {"oomph_evict_scan", calls.evict_scan != nullptr, OOMPH_CAP_EVICT, "EVICT"},
      {"oomph_defrag", calls.defrag != nullptr, OOMPH_CAP_DEFRAG, "DEFRAG"},
      {"oomph_enumerate_free", calls.enumerate_free != nullptr, OOMPH_CAP_ENUM_FREE, "ENUM_FREE"},
      {"oomph_validate", calls.validate != nullptr, OOMPH_CAP_VALIDATE, "VALIDATE"},
      {"oomph_address", calls.address != nullptr, OOMPH_CAP_INBAND, "INBAND"},
      {"oomph_state_hash", calls.state_hash != nullptr, OOMPH_CAP_STATE_HASH, "STATE_HASH"},
  };
  for (const Need& need : needs) {
    if (need.there) continue;
    if (need.cap == 0) return RefusePlugin(path, absl::StrCat("does not define ", need.name));
    if ((caps & need.cap) != 0) {
      return RefusePlugin(path, absl::StrCat("claims OOMPH_CAP_", need.cap_name,
                                       " but does not define ", need.name));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<oomph_info> Inspect(const std::string& path, const Plugin::Calls& calls) {
  if (calls.query == nullptr) return RefusePlugin(path, "not a plugin: does not define oomph_query");
  absl::StatusOr<oomph_info> info = Query(path, calls.query);
  if (!info.ok()) return info.status();
  const absl::Status status = CheckCalls(path, calls, info->caps);
  if (!status.ok()) return status;
  return info;
}

}  // namespace

absl::Status RefusePlugin(const std::string& path, std::string reason) {
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", reason));
}

std::vector<std::string> ListedVariants(const char* const* variants, size_t count) {
  std::vector<std::string> listed;
  for (size_t i = 0; i < count; ++i) {
    if (variants[i] != nullptr) listed.push_back(variants[i]);
  }
  if (listed.empty()) listed.push_back("");
  return listed;
}

absl::StatusOr<void*> LoadLibrary(const std::string& path) {
  if (absl::Status status = CheckFile(path); !status.ok()) return status;
  // Without a slash the loader would look for it elsewhere.
  const std::string place = path.find('/') == std::string::npos ? absl::StrCat("./", path) : path;
  void* library = dlopen(place.c_str(), kLoadFlags);
  if (library == nullptr) return RefusePlugin(path, LoaderError(place));
  return library;
}

absl::StatusOr<std::shared_ptr<const Plugin>> Plugin::Load(const std::string& path) {
  const absl::StatusOr<void*> library = LoadLibrary(path);
  if (!library.ok()) return library.status();
  const Calls calls = FindCalls(*library);
  const absl::StatusOr<oomph_info> info = Inspect(path, calls);
  if (info.ok()) return std::shared_ptr<const Plugin>(new Plugin(path, calls, *info));
  dlclose(*library);
  return info.status();
}

std::shared_ptr<const Plugin> Plugin::Of(const std::string& name, const Calls& calls,
                                         const oomph_info& info) {
  return std::shared_ptr<const Plugin>(new Plugin(name, calls, info));
}

std::vector<std::string> Plugin::Variants() const { return ListedVariants(info_.variants, info_.num_variants); }

}  // namespace oomph
