// The parts of the HTML report that several of its files use. All text that comes in is escaped here.
// Not for: anything outside of html*.cc.
#ifndef OOMPH_FUZZ_REPORT_HTML_PARTS_H_
#define OOMPH_FUZZ_REPORT_HTML_PARTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/report/show.h"
#include "nlohmann/json.hpp"

namespace oomph::html {

// A text of the JSON, escaped, cut to `most` bytes.
std::string Text(const nlohmann::json& j, size_t most = 2000);
// "subject:variant", escaped.
std::string SubjectName(const nlohmann::json& j);

// A table in a box that scrolls by itself. Cells are HTML already; columns in `left` are texts, the others numbers.
std::string Table(const std::vector<std::string>& head, const std::vector<bool>& left,
                  const std::vector<std::vector<std::string>>& rows);

// The sections below the findings (html_sections.cc, html_coverage.cc). Empty where there is nothing to say.
std::string TrendSection(const nlohmann::json& report);
std::string PairsSection(const nlohmann::json& report);
std::string CoverageSection(const nlohmann::json& report);
std::string PropertiesSection(const nlohmann::json& report);
std::string IncomparableSection(const nlohmann::json& report);
std::string SkippedSection(const nlohmann::json& report);

extern const char kStyle[];  // html_style.cc

}  // namespace oomph::html

#endif  // OOMPH_FUZZ_REPORT_HTML_PARTS_H_
