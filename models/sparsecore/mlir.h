// SparseCore programs in MLIR, both ways: allocas and scopes as they are written, dumps of the compiler before planning
// (*_unoptimized.mlir), the numbered form of the published message. Not for: reading MLIR (models/mlir), the Mosaic kernel that
// a compiler gets (mosaic.h).
#ifndef OOMPH_MODELS_SPARSECORE_MLIR_H_
#define OOMPH_MODELS_SPARSECORE_MLIR_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "models/mlir/module.h"
#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

// What a module has besides: allocations that no memory of a SparseCore holds, sizes that are not known.
struct FromMlir {
  std::string function;  // "main.1"
  Program program;
  std::vector<std::string> left_out;  // "f.mlir:3:5: memref<?xf32> has no size", at most a hundred
};

// Whether a text is MLIR that allocates in the memories of a SparseCore, by what it begins with and what it names.
bool LooksLikeMlir(std::string_view text);
// One program a function with allocations. Allocations without layout are physical. `name` is the file, for places: a place
// is the name without folders and without .mlir, the line and the column of the result. `target` where the text does not say.
absl::StatusOr<std::vector<FromMlir>> ReadPrograms(std::string_view name, const mlir::Module& module, Target target);

// The first that has buffers, of a text, in the form that Normalize gives it.
absl::Status ReadFirstProgram(std::string_view name, std::string_view text, Target target, Program& into);

// In generic form with spaces by number, as in the published message; mlir-opt reads it. Physical shapes.
std::string PrintMlir(const Program& program);

// The number of a space (0, 201, 202, 203, 204), and the spaces of one.
int NumberOf(Space space);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_MLIR_H_
