// Which statements of a program belong together: what an end closes, what is visible where, how long a buffer lives by the text
// alone. Knows no rule of planning. Not for: the canonical form that is planned (specification.h, planner.h).
#ifndef OOMPH_MODELS_SPARSECORE_STRUCTURE_H_
#define OOMPH_MODELS_SPARSECORE_STRUCTURE_H_

#include <cstdint>
#include <vector>

#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

inline constexpr uint32_t kNowhere = UINT32_MAX;

struct Structure {
  // By statement. Of what opens: its end, or the number of statements. Of an end or else: what it closes, or kNowhere.
  std::vector<uint32_t> partner;
  // By statement: the innermost that is open there; kNowhere: the body. Of an end or else as of what it is of.
  std::vector<uint32_t> parent;
  // By statement: the end or else that closes its region, or the number of statements.
  std::vector<uint32_t> region_end;
  // By buffer. The statement that allocates it, or kNowhere; up to where it lives by the text, exclusive.
  std::vector<uint32_t> allocated, lives_to;

  // Allocated before, and its region is still open; or kernel-level.
  bool IsVisible(const Program& program, uint32_t buffer, size_t statement) const;
  bool IsScratch(const Program& program, uint32_t buffer) const {
    return buffer < allocated.size() && allocated[buffer] != kNowhere && program.statements[allocated[buffer]].kind == Kind::kScratch;
  }
};

// Never recursive.
void FindStructure(const Program& program, Structure& into);
// By buffer: something writes it where it is visible. Statements in loops of no trips do not count.
std::vector<bool> WrittenBuffers(const Program& program, const Structure& structure);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_STRUCTURE_H_
