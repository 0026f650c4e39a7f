// What a child process needs to know of the placement family: how a problem goes over, and how long and large a
// planner may grow. Not for: what runs in the child.
#ifndef OOMPH_SUBJECTS_PLANNER_PLACEMENT_CHILD_H_
#define OOMPH_SUBJECTS_PLANNER_PLACEMENT_CHILD_H_

#include "subjects/child/child.h"

namespace oomph {

// The family and its forms; the rest is for the caller to fill in.
ChildSpec PlacementChildSpec(const Family& family);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_PLANNER_PLACEMENT_CHILD_H_
