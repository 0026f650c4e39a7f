// Rows of the table of subjects for planners behind subjects/abi/planner.h: where they lie, what their variants
// are, how to start them in a child or in this process. Not for: loading (see planner_library.h).
#ifndef OOMPH_SUBJECTS_PLANNER_PLANNER_ROW_H_
#define OOMPH_SUBJECTS_PLANNER_PLANNER_ROW_H_

#include "absl/status/statusor.h"
#include "subjects/plugin/foreign_row.h"
#include "subjects/subject.h"

namespace oomph {

using PlannerRowSpec = ForeignRowSpec;

// See FindForeign.
absl::StatusOr<SubjectRow> FindPlanner(const PlannerRowSpec& spec);
SubjectRow PlannerRow(const PlannerRowSpec& spec);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_PLANNER_PLANNER_ROW_H_
