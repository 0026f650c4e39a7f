// Relations: a kernel is changed in a way whose effect is known, asked about again, and the two answers must agree but for that
// effect. Not for: judging one answer alone (oracles.h).
#ifndef OOMPH_MODELS_VMEM_RELATIONS_H_
#define OOMPH_MODELS_VMEM_RELATIONS_H_

#include <span>
#include <string_view>

#include "models/base/family.h"
#include "models/vmem/answer.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

struct RelationRow {
  RelationInfo info;
  // Makes the changed kernel; false where the relation says nothing about this one.
  bool (*relate)(const Kernel& kernel, Kernel& into);
  void (*judge)(std::string_view name, const Kernel& kernel, const Answer& answer, const Answer& related, Reasons& reasons);
};

std::span<const RelationRow> Relations();

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_RELATIONS_H_
