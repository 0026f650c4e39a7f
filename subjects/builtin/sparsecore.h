// The rows of the models of SparseCore that are built in: the fast one and the specification that it must equal.
// Not for: the models themselves (models/sparsecore).
#ifndef OOMPH_SUBJECTS_BUILTIN_SPARSECORE_H_
#define OOMPH_SUBJECTS_BUILTIN_SPARSECORE_H_

#include <vector>

#include "subjects/subject.h"

namespace oomph {

std::vector<SubjectRow> BuiltinSparseCoreRows();

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_BUILTIN_SPARSECORE_H_
