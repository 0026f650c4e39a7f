// Reads the CSV log of RAPIDS rmm's logging adaptor: Thread,Time,Action,Pointer,Size,Stream.
// Not for: threads and streams, which a trace does not have; the order of the lines is that of the calls.
#ifndef OOMPH_MODELS_HBM_IMPORT_RMM_H_
#define OOMPH_MODELS_HBM_IMPORT_RMM_H_

#include "models/hbm/import.h"

namespace oomph::hbm {

// Whether the first line is the header of such a log.
bool LooksLikeRmmLog(std::string_view text);

// Columns are found by their names. Errors read "file:line:column: expected ..., found ...".
absl::StatusOr<Imported> ImportRmmLog(std::string_view file_name, std::string_view text,
                                      const ImportOptions& options);

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_IMPORT_RMM_H_
