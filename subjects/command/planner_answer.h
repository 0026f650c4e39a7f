// What an external planner's program left behind, as a plan: its file of offsets, its words, how it ended.
// Not for: running it (see planner_command.h).
#ifndef OOMPH_SUBJECTS_COMMAND_PLANNER_ANSWER_H_
#define OOMPH_SUBJECTS_COMMAND_PLANNER_ANSWER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "models/placement/plan.h"

namespace oomph::placement {

struct ProgramEnd {
  int wait_status = 0;               // as waitpid gives it
  std::string said;                  // the last of what it wrote to standard output and error
  std::optional<std::string> offsets;  // the file that it was to write; nothing: there is none
};

// The buffers of a problem as an external planner sees them: "b0", "b1", ….
std::string NameForPlanner(size_t index);

// Reads CSV with the columns id and offset, in any order and beside any others. Buffers may be missing.
absl::Status ReadOffsets(std::string_view text, size_t num_buffers, Plan& plan);

// The status that a program's words claim; the weakest of several. Nothing: none of the words is there.
std::optional<Status> ClaimOf(std::string_view said);

void ReadAnswer(const ProgramEnd& end, size_t num_buffers, Plan& plan);

}  // namespace oomph::placement

#endif  // OOMPH_SUBJECTS_COMMAND_PLANNER_ANSWER_H_
