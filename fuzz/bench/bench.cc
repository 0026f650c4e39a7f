// See bench.h. A new family adds its header and its call.
#include "fuzz/bench/bench.h"

#include "fuzz/bench/generic.h"
#include "fuzz/bench/hbm.h"
#include "fuzz/bench/hlo.h"
#include "fuzz/bench/minimize.h"
#include "fuzz/bench/placement.h"

namespace oomph {

std::span<const BenchRow> Benches() {
  static const std::vector<BenchRow> table = [] {
    std::vector<BenchRow> all;
    for (const auto& rows : {GenericBenches(), HbmBenches(), PlacementBenches(), HloBenches(), MinimizeBenches()}) {
      all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
  }();
  return table;
}

}  // namespace oomph
