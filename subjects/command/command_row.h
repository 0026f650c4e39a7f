// The row of a command that serves an allocator over JSON lines: `cmd:TEMPLATE`.
// Not for: the protocol (see command.h).
#ifndef OOMPH_SUBJECTS_COMMAND_COMMAND_ROW_H_
#define OOMPH_SUBJECTS_COMMAND_COMMAND_ROW_H_

#include <string>

#include "subjects/child/child.h"
#include "subjects/subject.h"

namespace oomph {

// Starts the command once to ask for its name; one that does not answer gives a row that says so in `absent`.
SubjectRow CommandRow(const Family& family, const std::string& command_line, const ChildLimits& limits = {});

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_COMMAND_COMMAND_ROW_H_
