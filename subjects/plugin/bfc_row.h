// The row of tsl::BFCAllocator, as shipped in the tensorflow-cpu wheel, and how a trace is made
// comparable with it. Not for: the allocator itself (see subjects/bfc).
#ifndef OOMPH_SUBJECTS_PLUGIN_BFC_ROW_H_
#define OOMPH_SUBJECTS_PLUGIN_BFC_ROW_H_

#include <string>

#include "models/hbm/trace.h"
#include "subjects/subject.h"

namespace oomph {

SubjectRow BfcRow();

// Makes the policy of `trace` the BFC one with the settings of `variant`, so that the models follow
// what the shipped allocator does; all else in the policy goes, but for a capacity that it takes.
void PrepareForBfc(const std::string& variant, hbm::Trace& trace);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_PLUGIN_BFC_ROW_H_
