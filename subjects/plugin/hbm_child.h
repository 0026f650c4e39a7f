// What a child process needs to know of the HBM family: how a trace and the rows of a lost case go
// from one process to the other.
// Not for: what runs in the child.
#ifndef OOMPH_SUBJECTS_PLUGIN_HBM_CHILD_H_
#define OOMPH_SUBJECTS_PLUGIN_HBM_CHILD_H_

#include <string>
#include <string_view>

#include "models/hbm/trace.h"
#include "subjects/child/child.h"

namespace oomph {

// The family and its forms; the rest is for the caller to fill in.
ChildSpec HbmChildSpec();

namespace hbm {

// A trace as bytes for another process of this program, and back exactly. Its text would not do: read
// back it has the same names under other numbers. False: the bytes are not from PackTrace.
void PackTrace(const Trace& trace, std::string& into);
bool UnpackTrace(std::string_view bytes, Trace& into);

}  // namespace hbm
}  // namespace oomph

#endif  // OOMPH_SUBJECTS_PLUGIN_HBM_CHILD_H_
