// The dumps that XLA's compilers write of a compilation (option xla_dump_to), read into a plan: where the compiler placed
// each value of each memory, when it is live, and what its instructions reserve of scoped VMEM.
// For libtpu and for XLA's CPU compiler, whose files differ in form. Not for making a compiler write them, nor for judging
// what they say (models/hlo/plan_oracles.h).
//
//   module_0007.main.cl_1.after_optimizations-buffer-assignment.txt     allocations, values, offsets
//                        …-live-range.txt                               the order of the instructions, live ranges; the
//                                                                       CPU compiler has them in the file above
//                        …-memory-usage-report.txt                      totals a memory; used to check the first file
//                        …after_codegen.txt                             the module itself; limits and use of scoped VMEM
//
// All of it is the text of another program: untrusted, bounded, errors are "file:line:column: expected …".
#ifndef OOMPH_SUBJECTS_PJRT_DUMP_H_
#define OOMPH_SUBJECTS_PJRT_DUMP_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "models/base/chips.h"
#include "models/base/units.h"
#include "models/hlo/answer.h"

namespace oomph {

// The texts. One that is not there is empty: a compilation that failed wrote fewer.
struct Dumps {
  std::string buffer_assignment, live_range, memory_usage, optimized;
};

// What the dumps leave out.
struct DumpTarget {
  const Chip* chip = nullptr;                // null: no TPU
  std::optional<uint64_t> scoped_vmem_limit;  // bytes, where xla_tpu_scoped_vmem_limit_kib was given; else the chip's own
};

inline constexpr size_t kMaxDumpBytes = 256 * kMiB;  // of each text

// The files of the module that a folder has, by the ends of their names; the largest module where there are several.
// NotFound where there is no buffer assignment: the compiler did not come so far. Links are not followed.
absl::StatusOr<Dumps> FindDumps(const std::string& folder);

// Adds a plan, "buffer_assignment", and the module that it speaks of to the answer. Nothing is added where it fails.
// The plan's sequence has only instructions that the module's text has: get-tuple-element instructions that the text
// writes as %tuple#1 are left out, and live ranges are told in the steps that remain. Addresses in VMEM are absolute:
// where no instruction of the module states a limit, the compiler counts from the default limit on, which is added.
absl::Status ReadDumps(const Dumps& files, const DumpTarget& target, hlo::Answer& into);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_PJRT_DUMP_H_
