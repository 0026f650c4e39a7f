// The row of XLA's own heap, and what makes a problem one that it can be compared on.
// Not for: what it does (see xla_plugin.cc).
#ifndef OOMPH_SUBJECTS_XLA_XLA_ROW_H_
#define OOMPH_SUBJECTS_XLA_XLA_ROW_H_

#include <string>

#include "models/placement/problem.h"
#include "subjects/subject.h"

namespace oomph {

// One alignment for all buffers, the largest of them: a heap of XLA's has one. Nothing else is changed, so what it
// does not take it refuses.
void PrepareForXla(placement::Problem& problem);

// The planner of the models that claims to do what this variant does.
std::string ModelOfXla(const std::string& variant);

// Compared with "model" buffer by buffer.
SubjectRow XlaRow(const Family& family);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_XLA_XLA_ROW_H_
