// Reads what a plugin with oomph_run_case wrote about a trace: one line a step (see subjects/abi/oomph.h).
// Not for: outcomes as a person reads them (models/hbm/outcome_text.h).
#ifndef OOMPH_SUBJECTS_PLUGIN_ANSWER_H_
#define OOMPH_SUBJECTS_PLUGIN_ANSWER_H_

#include <string_view>

#include "absl/status/status.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

// Errors read "answer:line:column: expected ..., found ...".
absl::Status ReadAnswer(std::string_view text, const Trace& trace, TraceOutcome& into);

}  // namespace oomph::hbm

#endif  // OOMPH_SUBJECTS_PLUGIN_ANSWER_H_
