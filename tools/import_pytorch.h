// Reads a PyTorch memory snapshot that was turned into JSON (docs/HOWTO.md has the line that does it).
// Not for: the pickle that PyTorch writes. Reading a pickle runs what is in it, so none is ever read here.
#ifndef OOMPH_TOOLS_IMPORT_PYTORCH_H_
#define OOMPH_TOOLS_IMPORT_PYTORCH_H_

#include "models/hbm/import.h"

namespace oomph::hbm {

// A pickle, or the archive that torch.save makes of one.
bool LooksLikePickle(std::string_view bytes);
// In one line: why it is refused, and what to type instead.
absl::Status RefusePickle(std::string_view file_name);

// From "device_traces": alloc, free_requested, free_completed, oom. Whatever else is in the file is passed
// over and not kept. Errors read "file:line:column: expected ..., found ...".
absl::StatusOr<Imported> ImportPytorchSnapshot(std::string_view file_name, std::string_view text,
                                               const ImportOptions& options);

}  // namespace oomph::hbm

#endif  // OOMPH_TOOLS_IMPORT_PYTORCH_H_
