// Rows of the table of subjects for verifiers behind subjects/abi/hlo.h: where they lie, what their variants are, how to
// start them in a child or in this process. Not for: loading (see verifier_library.h).
#ifndef OOMPH_SUBJECTS_HLO_VERIFIER_ROW_H_
#define OOMPH_SUBJECTS_HLO_VERIFIER_ROW_H_

#include "absl/status/statusor.h"
#include "subjects/plugin/foreign_row.h"
#include "subjects/subject.h"

namespace oomph {

using VerifierRowSpec = ForeignRowSpec;

// See FindForeign.
absl::StatusOr<SubjectRow> FindVerifier(const VerifierRowSpec& spec);
SubjectRow VerifierRow(const VerifierRowSpec& spec);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_HLO_VERIFIER_ROW_H_
