// Relations: a problem is changed in a way whose effect is known, planned again, and the two plans must agree but
// for that effect. Not for: judging one plan alone (see oracles.h).
#ifndef OOMPH_MODELS_PLACEMENT_RELATIONS_H_
#define OOMPH_MODELS_PLACEMENT_RELATIONS_H_

#include <span>
#include <string_view>

#include "models/base/family.h"
#include "models/placement/plan.h"
#include "models/placement/problem.h"

namespace oomph::placement {

struct RelationRow {
  RelationInfo info;
  // Makes the changed problem; false where the relation says nothing about this one.
  bool (*relate)(const Problem& problem, Problem& into);
  void (*judge)(std::string_view name, const Problem& problem, const Plan& plan, const Problem& related,
                const Plan& related_plan, Reasons& reasons);
};

std::span<const RelationRow> Relations();

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_RELATIONS_H_
