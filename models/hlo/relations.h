// Relations: a module is rewritten so that it computes the same (rewrite.h), asked again, and the two answers must agree.
// Not for: judging one answer alone (oracles.h).
#ifndef OOMPH_MODELS_HLO_RELATIONS_H_
#define OOMPH_MODELS_HLO_RELATIONS_H_

#include <span>
#include <string_view>

#include "models/base/family.h"
#include "models/hlo/answer.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

struct RelationRow {
  RelationInfo info;
  // Makes the changed module; false where the relation says nothing about this one. The same each time.
  bool (*relate)(const Module& module, Module& into);
  void (*judge)(std::string_view name, const Module& module, const Answer& answer, const Module& related,
                const Answer& related_answer, Reasons& reasons);
};

// The first is asked of a module twice; then one for each row of kRewriteRows, in its order.
std::span<const RelationRow> Relations();

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_RELATIONS_H_
