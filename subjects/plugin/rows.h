// Rows of an HBM outcome as records of a journal, and back.
// Not for: whole outcomes between processes (see Family::PackOutcome).
#ifndef OOMPH_SUBJECTS_PLUGIN_ROWS_H_
#define OOMPH_SUBJECTS_PLUGIN_ROWS_H_

#include <string_view>

#include "models/hbm/outcome.h"
#include "subjects/child/journal.h"

namespace oomph::hbm {

// Appends the last row of `outcome` with its events; nothing where the journal is full.
void RecordLastRow(const TraceOutcome& outcome, Journal& journal);

// Fills `outcome` from `records`, as far as they can be understood: every enumerator in its range,
// every event inside the outcome. The numbers are the subject's and may be anything.
void ReadRows(std::string_view records, TraceOutcome& outcome);

}  // namespace oomph::hbm

#endif  // OOMPH_SUBJECTS_PLUGIN_ROWS_H_
