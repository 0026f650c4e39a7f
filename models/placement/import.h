// Placement problems made from what other tools write: XLA's tables of buffer assignment with its live
// ranges, and the calls that drive its heap simulator. Not for: JSON (see tools/import_instances.h), nor
// minimalloc's and idealloc's CSV (see text.h).
#ifndef OOMPH_MODELS_PLACEMENT_IMPORT_H_
#define OOMPH_MODELS_PLACEMENT_IMPORT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/placement/problem.h"

namespace oomph::placement {

struct ImportOptions {
  std::optional<uint64_t> capacity;  // in place of the one that is told
  size_t part = 0;                   // which allocation or instance, from 1; 0: chosen by the importer
};

struct Imported {
  Problem problem;
  std::vector<std::string> notes;  // what was chosen, and what the problem does not say; a sentence each
};

inline constexpr size_t kMaxImported = size_t{1} << 21;  // buffers, values, calls

// Whether some line is `allocation N: size S`.
bool LooksLikeBufferAssignment(std::string_view text);

// XLA's -buffer-assignment.txt, with the -live-range.txt of the same module behind it in one text. One
// allocation becomes a problem: each value that the live ranges name is a buffer, and what the table calls
// its offset stands in a column of its own. Values of one offset that are live together are one buffer of
// XLA's, hence a group. Without live ranges a table tells only which allocations there are: they become the
// buffers, all live at once.
absl::StatusOr<Imported> ImportBufferAssignment(std::string_view file_name, std::string_view text,
                                                const ImportOptions& options);

// A call of XLA's heap simulator. Each takes a moment: a buffer is live from its kAlloc or kShare up to and
// with its kFree.
struct HeapCall {
  enum Kind : uint8_t { kAlloc, kFree, kShare } kind = kAlloc;
  std::string buffer;
  std::string with;   // of kShare: whose memory it takes
  uint64_t size = 0;  // not of kFree
};
// What is never freed lives to the end. A buffer that is freed or shared without having been made is left
// out, and counted in the notes.
Imported ProblemOfHeapCalls(std::span<const HeapCall> calls, uint64_t alignment);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_IMPORT_H_
