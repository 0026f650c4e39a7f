// See faults.h. A new family adds its header and its call.
#include "fuzz/faults/faults.h"

#include "fuzz/faults/hbm.h"
#include "fuzz/faults/hlo.h"
#include "fuzz/faults/placement.h"
#include "fuzz/faults/sparsecore.h"
#include "fuzz/faults/vmem.h"

namespace oomph {

std::span<const FaultRow> Faults() {
  static const std::vector<FaultRow> table = [] {
    std::vector<FaultRow> all;
    for (const auto& family : {HbmFaults(), PlacementFaults(), HloFaults(), VmemFaults(), SparseCoreFaults()}) {
      all.insert(all.end(), family.begin(), family.end());
    }
    return all;
  }();
  return table;
}

}  // namespace oomph
