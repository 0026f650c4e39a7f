// Reads placement instances that come as JSON, one object a line: lists of buffers, repacker blocks, calls of
// a heap simulator, or the operands of a kernel. Not for: what a planner is expected to answer to them; that
// is kept as a column or a note.
//
//   {"name": "n", "fields": ["size", "start", "end"], "time": "inclusive", "buffers": [[10, 1, 5]]}
//   {"test": "n", "memory_size": 100, "alignment": 1, "next_colocated": [[0, 1], [1, 0]],
//    "blocks": [{"start": 0, "end": 2, "size": 10, "initial_offset": -1, "slices": [[size, offset, start],
//    ...]}]}
//   {"test": "n", "alignment": 1, "size_limit_per_heap": null,
//    "events": [["alloc", "a", 10], ["share", "b", "a", 8], ["free", "a", 10]], "expect": {"offset": {"a":
//    0}}}
//   {"name": "n", "elem_bytes": 4, "operands": [{"block": [128, 1152], "n": 3, "buffers": 2}], "fits_limit":
//   16777216}
#ifndef OOMPH_TOOLS_IMPORT_INSTANCES_H_
#define OOMPH_TOOLS_IMPORT_INSTANCES_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "models/placement/import.h"

namespace oomph::placement {

// Whether the first line is an object with one of those lists.
bool LooksLikeInstances(std::string_view text);
// The instance of line options.part, by default the first. Errors read "file:line:1: expected ...".
absl::StatusOr<Imported> ImportInstance(std::string_view file_name, std::string_view text,
                                        const ImportOptions& options);

}  // namespace oomph::placement

#endif  // OOMPH_TOOLS_IMPORT_INSTANCES_H_
