// A placement problem as bytes for another process of this program, and back exactly.
// Not for: files (see models/placement/text.h), plans (see Family::PackOutcome).
#ifndef OOMPH_SUBJECTS_PLANNER_PROBLEM_PACK_H_
#define OOMPH_SUBJECTS_PLANNER_PROBLEM_PACK_H_

#include <string>
#include <string_view>

#include "models/placement/problem.h"

namespace oomph::placement {

void PackProblem(const Problem& problem, std::string& into);
// False: the bytes are not from PackProblem. What it takes of memory is bounded by their length.
bool UnpackProblem(std::string_view bytes, Problem& into);

}  // namespace oomph::placement

#endif  // OOMPH_SUBJECTS_PLANNER_PROBLEM_PACK_H_
