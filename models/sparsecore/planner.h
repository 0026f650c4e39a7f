// The fast model of SparseCore's static planning: canonical form, hoisting, frames, bumps, limits. Written twice: naive and
// citing its rules in specification.h; both must give equal answers. Not for: words of one buffer (words.h).
#ifndef OOMPH_MODELS_SPARSECORE_PLANNER_H_
#define OOMPH_MODELS_SPARSECORE_PLANNER_H_

#include <memory>

#include "models/sparsecore/answer.h"
#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

// Keeps its memory from one program to the next: 1 microsecond a program of 20 allocations.
class Planner {
 public:
  Planner();
  ~Planner();
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;
  // Status, overrun, high water; no texts, no places. Deterministic, linear, never recursive.
  void Plan(const Program& program, Answer& into);

 protected:
  struct Work;
  std::unique_ptr<Work> work_;
};

// With places and message. Equal programs get equal answers.
void RunModel(const Program& program, Answer& into);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_PLANNER_H_
