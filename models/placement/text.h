// Placement problems as CSV, in the form that minimalloc reads and writes, both ways; the words of statuses.
// Not for: other tools' forms (see import.h).
//
//   # oomph capacity 4096
//   id,lower,upper,size,alignment,gaps
//   a,0,9,1024,1,3-5
//   b,3,5,512,64,
//
// The header names the columns, in any order. Times are half-open under `upper`; a column named `end` means the
// same plus one (inclusive). Offsets that must hold stand under `offset`.
#ifndef OOMPH_MODELS_PLACEMENT_TEXT_H_
#define OOMPH_MODELS_PLACEMENT_TEXT_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "models/placement/plan.h"
#include "models/placement/problem.h"

namespace oomph::placement {

bool LooksLikeProblem(std::string_view text);
// `name` is for messages, and NAME.4096.csv gives the capacity where the text does not.
absl::Status ParseProblem(std::string_view name, std::string_view text, Problem& into);
// Only columns that some buffer needs. ParseProblem reads it back to an equal problem.
std::string PrintProblem(const Problem& problem);
// The problem with an `offset` column filled from the plan: what a planner writes.
std::string PrintPlanned(const Problem& problem, const Plan& plan);

std::string_view StatusWord(Status status);  // "optimal", "not_found"

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_TEXT_H_
