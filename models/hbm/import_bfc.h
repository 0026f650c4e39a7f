// Reads what tsl's (before: TensorFlow's) BFC allocator writes when it runs out of memory: a line for each
// chunk, in use or free. The state becomes the trace that builds it: after its last step but the query the
// BFC model has the same chunks at the same offsets from the beginning of the region. Not for: how the
// program came to that state, or other lines of such a log.
#ifndef OOMPH_MODELS_HBM_IMPORT_BFC_H_
#define OOMPH_MODELS_HBM_IMPORT_BFC_H_

#include "models/hbm/import.h"

namespace oomph::hbm {

// Whether some line tells of a chunk.
bool LooksLikeBfcDump(std::string_view text);

// A stretch of chunks without a gap, as the log shows it.
struct BfcRegion {
  struct Chunk {
    uint64_t offset = 0, size = 0;  // from the beginning of the region
    bool in_use = false;
    bool operator==(const Chunk&) const = default;
  };
  uint64_t address = 0;
  std::vector<Chunk> chunks;
  uint64_t size() const { return chunks.empty() ? 0 : chunks.back().offset + chunks.back().size; }
};

struct BfcDump {
  std::vector<BfcRegion> regions;
  uint64_t wanted = 0;  // bytes of the request that was refused, rounded as it was; 0: not told
};
// Errors read "file:line:column: expected ..., found ...".
absl::StatusOr<BfcDump> ReadBfcDump(std::string_view file_name, std::string_view text);

absl::StatusOr<Imported> ImportBfcDump(std::string_view file_name, std::string_view text,
                                       const ImportOptions& options);

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_IMPORT_BFC_H_
