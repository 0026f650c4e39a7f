// The rows of the models of scoped VMEM that are built in: the fast one and the specification that it must equal.
// Not for: the models themselves (models/vmem).
#ifndef OOMPH_SUBJECTS_BUILTIN_VMEM_H_
#define OOMPH_SUBJECTS_BUILTIN_VMEM_H_

#include <vector>

#include "subjects/subject.h"

namespace oomph {

std::vector<SubjectRow> BuiltinVmemRows();

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_BUILTIN_VMEM_H_
