// The rows of the HBM models that are built in: the fast model and the specification it must equal.
// Not for: the models themselves (see models/hbm).
#ifndef OOMPH_SUBJECTS_BUILTIN_HBM_H_
#define OOMPH_SUBJECTS_BUILTIN_HBM_H_

#include <vector>

#include "subjects/subject.h"

namespace oomph {

std::vector<SubjectRow> BuiltinHbmRows();

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_BUILTIN_HBM_H_
