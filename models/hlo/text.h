// Reads and prints the text form of a module, as XLA's dumps, tests and bug reports have it.
// Not for judging what is read (the verifier), nor for sizes (bytes.h).
//
// Parse then Print then Parse gives an equal module; a text that XLA itself printed comes back byte for byte,
// as far as it holds one module and nothing before or after it. What stands only in the text and says nothing
// is not kept: comments, blanks, the shapes of operands and the signatures of computations (both are printed
// again from the instructions).
#ifndef OOMPH_MODELS_HLO_TEXT_H_
#define OOMPH_MODELS_HLO_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

// Ids are 32 bits, and those of references 30: a text of at most this size has fewer of everything.
inline constexpr size_t kMaxTextBytes = (size_t{1} << 30) - 1;

// Operands may be written as instructions, add(f32[] parameter(0), ...), this deep.
inline constexpr int kMaxNesting = 100;

// Whether the first word that is no comment is HloModule. Looks at no more than the comments before it.
bool LooksLikeModule(std::string_view text);

// `name` is what errors call the text: `name:line:column: expected X, found 'Y'`, then the line and a mark.
// The module keeps nothing of `text`.
absl::StatusOr<Module> Parse(std::string_view name, std::string_view text);

std::string Print(const Module& module);
// With another style than the module's own.
std::string Print(const Module& module, const TextStyle& style);

// One shape, alone: "f32[8,128]{1,0:T(8,128)}". For texts that quote shapes, such as messages.
absl::StatusOr<ShapeId> ParseShape(std::string_view text, ShapeTable& shapes);
std::string PrintShape(const ShapeTable& shapes, ShapeId shape);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_TEXT_H_
