// The row of XLA's own reader, verifier and printer of HLO. Not for: what it does (see xla_hlo_plugin.cc).
#ifndef OOMPH_SUBJECTS_XLA_XLA_HLO_ROW_H_
#define OOMPH_SUBJECTS_XLA_XLA_HLO_ROW_H_

#include "subjects/subject.h"

namespace oomph {

// Compared with "model": the verdict, and the peak where it tells one.
SubjectRow XlaHloRow(const Family& family);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_XLA_XLA_HLO_ROW_H_
