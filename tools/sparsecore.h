// SparseCore programs in the files that a user has: MLIR of any form, and what E3000 and E3001 say, with the compiler's dumps.
// Not for: planning (models/sparsecore).
#ifndef OOMPH_TOOLS_SPARSECORE_H_
#define OOMPH_TOOLS_SPARSECORE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/sparsecore/mlir.h"

namespace oomph {

// `chip`: of --chip; v6e where it is empty and the text does not say.
absl::StatusOr<std::vector<sparsecore::FromMlir>> SparseCoreProgramsIn(const std::string& name, const std::string& text,
                                                                      const std::string& chip);

// Whether it is what the compiler wrote after it planned: no allocation has a name in it, nor a scope.
bool IsDumpAfterPlanning(std::string_view text);

// What a text of any kind says of SparseCore allocations, in words; empty: nothing. `dump` is a folder of the compiler's
// (--xla_sc_dump_mlir_to), or empty: the allocation is looked for in it.
absl::StatusOr<std::string> ExplainSparseCoreMessagesIn(std::string_view text, const std::string& dump);

}  // namespace oomph

#endif  // OOMPH_TOOLS_SPARSECORE_H_
