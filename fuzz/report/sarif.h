// The findings of a report as SARIF 2.1.0, for tools that show and compare results of analyses.
// Not for: what was reached, skipped or not comparable.
#ifndef OOMPH_FUZZ_REPORT_SARIF_H_
#define OOMPH_FUZZ_REPORT_SARIF_H_

#include <vector>

#include "models/base/family.h"
#include "nlohmann/json.hpp"

namespace oomph {

// A rule for each oracle or relation that found something, a result for each finding; known ones are suppressed.
// Write it with DumpJson.
nlohmann::json ReportSarif(const nlohmann::json& report, const std::vector<const Family*>& families);

}  // namespace oomph

#endif  // OOMPH_FUZZ_REPORT_SARIF_H_
