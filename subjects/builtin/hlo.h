// The rows of the readers and verifiers of HLO that are built in: the model, through the text, and the specification.
// Not for: what they do (see models/hlo).
#ifndef OOMPH_SUBJECTS_BUILTIN_HLO_H_
#define OOMPH_SUBJECTS_BUILTIN_HLO_H_

#include <vector>

#include "subjects/subject.h"

namespace oomph {

// A variant for each order in which a module without a schedule may run: it becomes a scheduled one before it is asked.
std::vector<SubjectRow> BuiltinHloRows();

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_BUILTIN_HLO_H_
