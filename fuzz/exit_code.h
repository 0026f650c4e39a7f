// The exit codes of the command, and which of them an error ends in.
#ifndef OOMPH_FUZZ_EXIT_CODE_H_
#define OOMPH_FUZZ_EXIT_CODE_H_

#include "absl/status/status.h"

namespace oomph {

enum ExitCode : int {
  kNothingFound = 0,
  kBadUsage = 64,       // or unreadable input
  kBroken = 70,         // the harness itself, or the machine under it (full disk)
  kInterrupted = 75,    // the same command goes on
  kFindings = 77,
};

inline int ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kNothingFound;
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kUnknown:
      return kBroken;
    default:
      return kBadUsage;
  }
}

}  // namespace oomph

#endif  // OOMPH_FUZZ_EXIT_CODE_H_
