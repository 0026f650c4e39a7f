// Relations: a trace is changed in a way whose effect is known, run again, and the two outcomes must
// agree but for that effect. Not for: judging one outcome alone (see oracles.h).
#ifndef OOMPH_MODELS_HBM_RELATIONS_H_
#define OOMPH_MODELS_HBM_RELATIONS_H_

#include <span>

#include "models/base/family.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

struct RelationRow {
  RelationInfo info;
  // Makes the changed trace; false where the relation says nothing about this one.
  bool (*relate)(const Trace& trace, Trace& into);
  void (*judge)(std::string_view name, const Trace& trace, const TraceOutcome& outcome, const Trace& related,
                const TraceOutcome& related_outcome, Reasons& reasons);
};

std::span<const RelationRow> Relations();

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_RELATIONS_H_
