// See placement_child.h.
#include "subjects/planner/placement_child.h"

#include <string>
#include <string_view>

#include "models/placement/problem.h"
#include "subjects/planner/problem_pack.h"

namespace oomph {

ChildSpec PlacementChildSpec(const Family& family) {
  ChildSpec spec;
  spec.family = &family;
  spec.pack_case = [](const Case& c, std::string& into) {
    placement::PackProblem(static_cast<const CaseOf<placement::Problem>&>(c).value, into);
  };
  spec.unpack_case = [](std::string_view bytes, Case& into) {
    return placement::UnpackProblem(bytes, static_cast<CaseOf<placement::Problem>&>(into).value);
  };
  return spec;
}

}  // namespace oomph
