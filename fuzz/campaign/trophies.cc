// See trophies.h.
#include "fuzz/campaign/trophies.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "fuzz/store/case_file.h"
#include "fuzz/store/files.h"

namespace oomph {

std::map<std::string, Trophy> ReadTrophies(const std::string& folder, const std::vector<const Family*>& families,
                                           std::vector<std::string>* unread) {
  std::map<std::string, Trophy> trophies;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
    if (!entry.is_regular_file() || entry.path().extension() == ".md") continue;
    auto text = ReadTextFile(entry.path().string());
    absl::Status status = text.status();
    if (text.ok()) {
      auto file = ParseCaseFile(entry.path().string(), *std::move(text), families);
      status = file.status();
      if (file.ok() && !file->expect.empty()) trophies[file->expect] = {file->owner, file->upstream};
    }
    if (!status.ok() && unread != nullptr) unread->push_back(std::string(status.message()));
  }
  return trophies;
}

void NoteTrophy(const std::map<std::string, Trophy>& trophies, Finding& finding) {
  const auto trophy = trophies.find(finding.signature);
  finding.known = trophy != trophies.end();
  if (!finding.known) return;
  finding.owner = trophy->second.owner;
  finding.upstream = trophy->second.upstream;
}

}  // namespace oomph
