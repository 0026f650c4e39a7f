// How fast a verifier behind subjects/abi/hlo.h reads and prints, for benchmarks that hold ours against it. Not for its
// verdicts.
#ifndef OOMPH_SUBJECTS_HLO_VERIFIER_SPEED_H_
#define OOMPH_SUBJECTS_HLO_VERIFIER_SPEED_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "subjects/child/child.h"

namespace oomph {

struct VerifierSpeed {
  uint64_t texts = 0;  // that it reads; the others do not count
  uint64_t bytes_read = 0, bytes_printed = 0;
  double read_seconds = 0, print_seconds = 0;
};

// Loads the plugin in a child, reads each text and prints it. limits.start_time is the time for all of it.
absl::StatusOr<VerifierSpeed> MeasureVerifier(const std::string& path, std::span<const std::string> texts,
                                              const ChildLimits& limits = {});

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_HLO_VERIFIER_SPEED_H_
