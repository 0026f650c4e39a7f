// What a plugin says of itself, checked before it is believed: for the interfaces whose info has a name, a version, words
// for features, promises and variants (planner.h, hlo.h). Not for oomph.h, which has capabilities for features.
#ifndef OOMPH_SUBJECTS_PLUGIN_DESCRIPTION_H_
#define OOMPH_SUBJECTS_PLUGIN_DESCRIPTION_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "subjects/plugin/plugin.h"
#include "subjects/subject.h"

namespace oomph {

// What `query` gives. `kind` is the word in the names of its interface: "planner" of oomph_planner_query.
template <typename Info>
absl::StatusOr<Info> QueryDescription(const std::string& path, const std::string& kind, uint32_t abi,
                                      int (*query)(Info*)) {
  // A plugin of another version may believe it to be longer.
  union {
    Info info;
    char room[4096];
  } answer;
  std::memset(&answer, 0, sizeof answer);
  const int result = query(&answer.info);
  const Info& info = answer.info;
  if (result != 0) {
    const bool says_why = info.abi == abi && info.version != nullptr;
    return RefusePlugin(path, absl::StrCat("oomph_", kind, "_query returned ", result, says_why ? ": " : "",
                                           says_why ? info.version : ""));
  }
  if (info.abi != abi) {
    return RefusePlugin(path, absl::StrCat("built for ", kind, " interface version ", info.abi, ", this oomph has ",
                                           abi, ": build it again"));
  }
  if (info.struct_bytes != sizeof info) {
    return RefusePlugin(path, absl::StrCat("its oomph_", kind, "_info has ", info.struct_bytes, " bytes, not ",
                                           sizeof info, ": build it with this ", kind, ".h"));
  }
  if (info.name == nullptr || *info.name == '\0') {
    return RefusePlugin(path, absl::StrCat("oomph_", kind, "_query gives no name"));
  }
  const std::pair<const char*, bool> lists[] = {
      {"promises", info.promises == nullptr && info.num_promises != 0},
      {"features", info.features == nullptr && info.num_features != 0},
      {"variants", info.variants == nullptr && info.num_variants != 0},
  };
  for (const auto& [what, missing] : lists) {
    if (missing) return RefusePlugin(path, absl::StrCat("oomph_", kind, "_query counts ", what, " and lists none"));
  }
  return info;
}

// The position of `name` among the names that a family has for it; an error that lists them.
absl::StatusOr<size_t> FindName(const std::string& path, const char* what, const char* name,
                                const std::vector<std::string>& known);
std::vector<std::string> PromiseNames(const Family& family);
std::vector<std::string> FeatureNames(const Family& family);

// Into info.promises and their sources, and info.features, of the family info.family.
template <typename Info>
absl::Status TakeDescription(const std::string& path, const Info& plugin, SubjectInfo& info) {
  const std::vector<std::string> promises = PromiseNames(*info.family), features = FeatureNames(*info.family);
  std::vector<std::string> sources(promises.size());
  for (size_t i = 0; i < plugin.num_promises; ++i) {
    const auto& promise = plugin.promises[i];
    const auto index = FindName(path, "promise", promise.name, promises);
    if (!index.ok()) return index.status();
    info.promises |= Bits64{1} << *index;
    sources[*index] =
        absl::StrCat(promise.name, ": ", promise.source == nullptr ? "no source given" : promise.source);
  }
  for (std::string& source : sources) {
    if (!source.empty()) info.promise_sources.push_back(std::move(source));
  }
  info.features = 0;
  for (size_t i = 0; i < plugin.num_features; ++i) {
    const auto index = FindName(path, "feature", plugin.features[i], features);
    if (!index.ok()) return index.status();
    info.features |= Bits64{1} << *index;
  }
  return absl::OkStatus();
}

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_PLUGIN_DESCRIPTION_H_
