// Report: what a store says of its last campaign and of all findings, as JSON and as text made from it.
// Not for: HTML, JUnit, SARIF.
#ifndef OOMPH_FUZZ_REPORT_REPORT_H_
#define OOMPH_FUZZ_REPORT_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "fuzz/store/store.h"
#include "models/base/family.h"
#include "nlohmann/json.hpp"

namespace oomph {

// Of the given campaign; without one, of the newest.
absl::StatusOr<nlohmann::json> ReportJson(Store& store, const std::vector<const Family*>& families,
                                          std::optional<int64_t> campaign = std::nullopt);

struct ReportTextOptions {
  std::string program = "oomph";  // how it was called
  bool reach = false;             // every row, not only those below 1 %
  bool only_campaign = false;     // findings of this campaign, not of the whole store
};
std::string ReportText(const nlohmann::json& report, const ReportTextOptions& options);

// Any text in it, however broken, becomes valid JSON.
std::string DumpJson(const nlohmann::json& json);

}  // namespace oomph

#endif  // OOMPH_FUZZ_REPORT_REPORT_H_
