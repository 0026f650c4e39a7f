// The report as one HTML file that needs nothing else: no script, no network, light and dark, wide and narrow.
// Made from the same JSON as the text (see report.h) and from pictures.
#ifndef OOMPH_FUZZ_REPORT_HTML_H_
#define OOMPH_FUZZ_REPORT_HTML_H_

#include <map>
#include <string>
#include <vector>

#include "fuzz/report/pictures.h"
#include "models/base/family.h"
#include "nlohmann/json.hpp"

namespace oomph {

struct ReportHtmlOptions {
  std::string program = "oomph";  // how it was called, for the commands it proposes
  size_t most_shown = 400;        // findings with case and picture; the others are lines
  size_t case_bytes = size_t{1} << 20;  // of all case texts together; long ones lose their middle
};

std::string ReportHtml(const nlohmann::json& report, const std::map<std::string, Picture>& pictures,
                       const std::vector<const Family*>& families, const ReportHtmlOptions& options = {});

}  // namespace oomph

#endif  // OOMPH_FUZZ_REPORT_HTML_H_
