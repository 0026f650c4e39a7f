// The rows of the readers and verifiers of HLO that are built in: the model, through the text, and the specification.
// Not for: what they do (see models/hlo).
#ifndef OOMPH_SUBJECTS_BUILTIN_HLO_H_
#define OOMPH_SUBJECTS_BUILTIN_HLO_H_

#include <vector>

#include "subjects/subject.h"

namespace oomph {

// One variant is listed; others, such as "order=least-memory", count the memory of modules without a schedule in
// another order than that of the text.
std::vector<SubjectRow> BuiltinHloRows();

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_BUILTIN_HLO_H_
