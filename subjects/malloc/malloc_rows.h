// The rows of the allocators that are tested through the calls of malloc.
// Not for: the calls themselves (see heap.h), or a malloc without a row: its plugin is run by its path.
#ifndef OOMPH_SUBJECTS_MALLOC_MALLOC_ROWS_H_
#define OOMPH_SUBJECTS_MALLOC_MALLOC_ROWS_H_

#include <vector>

#include "models/hbm/trace.h"
#include "subjects/subject.h"

namespace oomph {

std::vector<SubjectRow> MallocRows();

// Gives `trace` the capacity that its blocks may have, and the defaults for all else: a malloc has no memory line.
void PrepareForMalloc(hbm::Trace& trace);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_MALLOC_MALLOC_ROWS_H_
