// The rows of the planners that are built in: the fast ones and the specification that they must equal, a variant for
// each planner. Not for: the planners themselves (see models/placement).
#ifndef OOMPH_SUBJECTS_BUILTIN_PLACEMENT_H_
#define OOMPH_SUBJECTS_BUILTIN_PLACEMENT_H_

#include <vector>

#include "models/placement/planner.h"
#include "subjects/subject.h"

namespace oomph {

std::vector<SubjectRow> BuiltinPlacementRows();

// What a planner keeps, and what may be asked of it: also of the planted faults that are made from it.
Bits64 PlannerPromises(placement::Planner planner);
Bits64 PlannerFeatures(placement::Planner planner);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_BUILTIN_PLACEMENT_H_
