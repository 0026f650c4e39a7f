// Where a SparseCore program's buffers go, in a person's words: what is live at the one that does not fit, and what would.
// Not for: judging, nor pictures (draw.h).
#ifndef OOMPH_MODELS_SPARSECORE_EXPLAIN_H_
#define OOMPH_MODELS_SPARSECORE_EXPLAIN_H_

#include <span>
#include <string>

#include "models/message/sparsecore_oom.h"
#include "models/sparsecore/answer.h"
#include "models/sparsecore/mlir.h"
#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

// The places are those of the model; where the answer, of whoever was asked, says another thing, that is told.
std::string Explain(const Program& program, const Answer& answer);
// The programs of an MLIR text, one after another.
std::string ExplainPrograms(std::span<const FromMlir> programs);

// Which allocation of a dump a message of the compiler is about: by the place where the text has it, else by memory, words and
// base as the model plans them, else by memory and words. `program` is an index of `programs`, the buffer one of it.
struct Found {
  enum class By : uint8_t { kPlace, kPlan, kWords } by = By::kPlan;
  size_t program = 0;
  uint32_t buffer = kNoBuffer;
  size_t others = 0;  // that have the same words, of kWords
};
std::optional<Found> FindInDump(const SparseCoreOom& oom, std::span<const FromMlir> programs);
// What was found, and the explanation of that program; `name` of the file.
std::string ExplainFound(const SparseCoreOom& oom, std::string_view name, std::span<const FromMlir> programs, const Found& found);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_EXPLAIN_H_
