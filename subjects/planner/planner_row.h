// Rows of the table of subjects for planners behind subjects/abi/planner.h: where they lie, what their variants
// are, how to start them in a child or in this process. Not for: loading (see planner_library.h).
#ifndef OOMPH_SUBJECTS_PLANNER_PLANNER_ROW_H_
#define OOMPH_SUBJECTS_PLANNER_PLANNER_ROW_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "subjects/child/child.h"
#include "subjects/subject.h"

namespace oomph {

struct PlannerRowSpec {
  const Family* family = nullptr;
  std::string name;
  std::string spec;  // see SubjectRow
  std::string path;
  std::string title;  // empty: the plugin's own words
  // Given: the plugin is not loaded to ask it for them; what keeps it from loading is told when it is started.
  std::vector<std::string> variants;
  std::string reference;
  std::function<std::string(const std::string& variant)> reference_variant;  // see SubjectRow
  std::string how_to_get;  // said if the file is not there
  // See Subject::Prepare; empty: nothing to do.
  std::function<void(const std::string& variant, Case& c)> prepare;
  ChildLimits limits;
};

// Asks the plugin for its variants in a short-lived child. An error if it is not there or does not load;
// Unimplemented: it is no planner.
absl::StatusOr<SubjectRow> FindPlanner(const PlannerRowSpec& spec);
// The same for a row of the table: what is wrong stands in `absent`.
SubjectRow PlannerRow(const PlannerRowSpec& spec);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_PLANNER_PLANNER_ROW_H_
