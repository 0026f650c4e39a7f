// See description.h.
#include "subjects/plugin/description.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"

namespace oomph {

absl::StatusOr<size_t> FindName(const std::string& path, const char* what, const char* name,
                                const std::vector<std::string>& known) {
  const std::string word = name == nullptr ? "" : name;
  const auto found = std::find(known.begin(), known.end(), word);
  if (found != known.end()) return static_cast<size_t>(found - known.begin());
  return absl::InvalidArgumentError(absl::StrCat(path, ": names the ", what, " \"", word,
                                                 "\", which is none of ", absl::StrJoin(known, ", ")));
}

std::vector<std::string> PromiseNames(const Family& family) {
  std::vector<std::string> names;
  for (const PromiseInfo& promise : family.promises()) names.emplace_back(promise.name);
  return names;
}

std::vector<std::string> FeatureNames(const Family& family) {
  std::vector<std::string> names;
  for (const std::string_view feature : family.features()) names.emplace_back(feature);
  return names;
}

}  // namespace oomph
