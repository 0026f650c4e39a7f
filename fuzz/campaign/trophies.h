// The known faults of real systems, read from the case files of a folder: `oomph expect`, `oomph owner`,
// `oomph upstream`. Not for: what campaigns found here (see store/).
#ifndef OOMPH_FUZZ_CAMPAIGN_TROPHIES_H_
#define OOMPH_FUZZ_CAMPAIGN_TROPHIES_H_

#include <map>
#include <string>
#include <vector>

#include "fuzz/store/records.h"
#include "models/base/family.h"

namespace oomph {

struct Trophy {
  std::string owner;
  std::string upstream;
};

// By signature. A folder that is not there has none; what cannot be read is left out and, if `unread` is
// given, named there.
std::map<std::string, Trophy> ReadTrophies(const std::string& folder, const std::vector<const Family*>& families,
                                           std::vector<std::string>* unread = nullptr);

// Whether the finding is one of them, and whose.
void NoteTrophy(const std::map<std::string, Trophy>& trophies, Finding& finding);

}  // namespace oomph

#endif  // OOMPH_FUZZ_CAMPAIGN_TROPHIES_H_
