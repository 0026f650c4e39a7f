// Buffer assignments, live ranges and memory usage reports as XLA prints them: each file as a plain value.
// Not for what they mean together (dump.h).
#ifndef OOMPH_SUBJECTS_PJRT_DUMP_ASSIGNMENT_H_
#define OOMPH_SUBJECTS_PJRT_DUMP_ASSIGNMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "models/hlo/plan.h"

namespace oomph {

struct DumpedRange {
  std::string name;            // of the instruction
  std::vector<int64_t> index;  // where in its result
  uint64_t first = 0, last = 0;  // steps, both included; `last` is the number of steps where it outlives the module
};

struct DumpedLiveRanges {
  std::vector<std::string> sequence;
  std::vector<DumpedRange> ranges;
  std::optional<uint64_t> peak;  // the sum of the list at the peak, by the sizes that the printer takes: without padding
};

struct DumpedAssignment {
  std::vector<hlo::Allocation> allocations;
  std::optional<DumpedLiveRanges> live;  // where the file goes on with them
};

struct DumpedUsage {
  uint32_t space = 0;
  uint64_t bytes = 0;
  size_t line = 0;  // where it says so
};

absl::StatusOr<DumpedAssignment> ReadBufferAssignment(std::string_view name, std::string_view text);
absl::StatusOr<DumpedLiveRanges> ReadLiveRanges(std::string_view name, std::string_view text);
// The totals a memory; of a report that tells all memories together, none.
absl::StatusOr<std::vector<DumpedUsage>> ReadMemoryUsage(std::string_view name, std::string_view text);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_PJRT_DUMP_ASSIGNMENT_H_
