// The last campaign of a report as JUnit XML, for servers that show test results: one test case a pair.
// Not for: findings of earlier campaigns.
#ifndef OOMPH_FUZZ_REPORT_JUNIT_H_
#define OOMPH_FUZZ_REPORT_JUNIT_H_

#include <string>

#include "nlohmann/json.hpp"

namespace oomph {

// A pair in which something was found has failed; with `new_only`, if something was found that is not known.
std::string ReportJunit(const nlohmann::json& report, bool new_only = false);

}  // namespace oomph

#endif  // OOMPH_FUZZ_REPORT_JUNIT_H_
