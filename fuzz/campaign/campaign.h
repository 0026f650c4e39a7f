// A campaign: deals cases of every pair to worker processes, keeps what they find, and goes on where it
// stopped. Not for: reading the command line (see tools/fuzz.cc).
#ifndef OOMPH_FUZZ_CAMPAIGN_CAMPAIGN_H_
#define OOMPH_FUZZ_CAMPAIGN_CAMPAIGN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/subject_table.h"

namespace oomph {

struct CampaignOptions {
  std::vector<std::string> families;  // names; empty: all
  std::vector<std::string> subjects;  // specs; empty: all that are present and no planted fault
  std::string reference;              // a name: compared with this subject; empty: with that of each row
  double seconds = 0;                 // 0: no end
  uint64_t cases = 0;                 // of each pair; 0: no end
  std::optional<uint64_t> seed;       // drawn if not given
  int jobs = 0;                       // 0: as many as cores
  std::string store = "findings";
  std::string trophies;               // folder
  std::string program = "oomph";      // as it was called, for the commands it proposes
  bool new_only = false;              // known findings do not count for the exit code
  bool json = false;                  // the report to stdout as JSON, everything else to stderr
  bool reach = false;                 // the whole table of what was reached
};

// Runs it to its end or until SIGINT or SIGTERM; prints verdicts, progress and the report. An exit code.
int RunCampaign(const SubjectTable& table, const CampaignOptions& options);

}  // namespace oomph

#endif  // OOMPH_FUZZ_CAMPAIGN_CAMPAIGN_H_
