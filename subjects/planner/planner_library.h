// PlannerLibrary: a shared object that keeps the C interface of subjects/abi/planner.h, loaded and checked, and how
// it is asked. Not for: surviving it (see planner_row.h) or judging what it says.
//
// dlopen runs the constructors of the object and of all it is linked with: load what is not trusted in a child. An
// accepted one stays loaded until the process ends, because large libraries do not survive being unloaded.
#ifndef OOMPH_SUBJECTS_PLANNER_PLANNER_LIBRARY_H_
#define OOMPH_SUBJECTS_PLANNER_PLANNER_LIBRARY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/placement/plan.h"
#include "models/placement/problem.h"
#include "subjects/abi/planner.h"

namespace oomph {

class PlannerLibrary {
 public:
  struct Calls {
    decltype(&oomph_planner_query) query = nullptr;
    decltype(&oomph_planner_plan) plan = nullptr;
  };

  // Every error is one line that begins with the path. Unimplemented: it is no planner, but may be something else.
  static absl::StatusOr<std::shared_ptr<const PlannerLibrary>> Load(const std::string& path);
  // What is not in a file: calls of this program. `name` stands for the path.
  static absl::StatusOr<std::shared_ptr<const PlannerLibrary>> Of(const std::string& name, const Calls& calls);

  const std::string& path() const { return path_; }
  const oomph_planner_info& info() const { return info_; }
  std::vector<std::string> Variants() const;  // at least one

  void Plan(const placement::Problem& problem, const std::string& options, placement::Plan& plan) const;

 private:
  PlannerLibrary(std::string path, const Calls& calls, const oomph_planner_info& info)
      : path_(std::move(path)), calls_(calls), info_(info) {}

  const std::string path_;
  const Calls calls_;
  const oomph_planner_info info_;
};

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_PLANNER_PLANNER_LIBRARY_H_
