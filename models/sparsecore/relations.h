// Relations: a program is changed in a way whose effect is known, asked about again, and the two answers must agree but for that
// effect. Not for: judging one answer alone (oracles.h).
#ifndef OOMPH_MODELS_SPARSECORE_RELATIONS_H_
#define OOMPH_MODELS_SPARSECORE_RELATIONS_H_

#include <span>
#include <string_view>

#include "models/base/family.h"
#include "models/sparsecore/answer.h"
#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

struct RelationRow {
  RelationInfo info;
  // Makes the changed program; false where the relation says nothing about this one.
  bool (*relate)(const Program& program, Program& into);
  void (*judge)(std::string_view name, const Program& program, const Answer& answer, const Answer& related, Reasons& reasons);
};

std::span<const RelationRow> Relations();

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_RELATIONS_H_
