// Reads MLIR text into its structure. Tolerant: what an operation, attribute or type means is not asked, and what is not
// known is passed by its brackets. Generic operations, "dialect.name"(%operands) ..., and those of a form of their own,
// `memref.load %m[%i] : memref<8xf32>`: their regions, results, attributes in braces, and the values they name. A text may hold
// several modules, aliases in between and resources. Not for: bytecode.
#ifndef OOMPH_MODELS_MLIR_READ_H_
#define OOMPH_MODELS_MLIR_READ_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "models/mlir/module.h"

namespace oomph::mlir {

inline constexpr size_t kMaxTextBytes = size_t{256} << 20;
// Of regions in one another. They are no calls in one another: this only bounds what a text of nothing else takes.
inline constexpr size_t kMaxDepth = 1'000'000;

// Whether the first word that is no comment, alias or location begins an MLIR module, an operation in generic form, or a
// function.
bool LooksLikeModule(std::string_view text);
// Whether these bytes are MLIR's binary form.
bool LooksLikeBytecode(std::string_view bytes);

// Errors read `name:line:column: expected X, found 'Y'`, then the line and a mark.
absl::StatusOr<Module> Read(std::string_view name, std::string text);

}  // namespace oomph::mlir

#endif  // OOMPH_MODELS_MLIR_READ_H_
