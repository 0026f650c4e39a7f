// See bench.h. A new family adds its header and its call.
#include "fuzz/bench/bench.h"

#include <algorithm>

#include "fuzz/bench/generic.h"
#include "fuzz/bench/hbm.h"
#include "fuzz/bench/hlo.h"
#include "fuzz/bench/minimize.h"
#include "fuzz/bench/placement.h"
#include "fuzz/bench/sparsecore.h"
#include "fuzz/bench/sparsecore_mlir.h"
#include "fuzz/bench/vmem.h"

namespace oomph {

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::span<const BenchRow> Benches() {
  static const std::vector<BenchRow> table = [] {
    std::vector<BenchRow> all;
    for (const auto& rows :
         {GenericBenches(), HbmBenches(), PlacementBenches(), HloBenches(), VmemBenches(), SparseCoreBenches(),
          SparseCoreMlirBenches(), MinimizeBenches()}) {
      all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
  }();
  return table;
}

}  // namespace oomph
