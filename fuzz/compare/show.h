// How a comparison looks: to a person, to a program, in a pull request.
// Not for: deciding what counts (see comparison.h).
#ifndef OOMPH_FUZZ_COMPARE_SHOW_H_
#define OOMPH_FUZZ_COMPARE_SHOW_H_

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/compare/comparison.h"
#include "nlohmann/json.hpp"

namespace oomph {

std::string ComparisonText(const Comparison& comparison);
nlohmann::json ComparisonJson(const Comparison& comparison);
// Markdown with folded examples. Whatever stands in cases, names and notes shows as text.
std::string ComparisonMarkdown(const std::vector<Comparison>& comparisons);

// As text that Markdown and HTML leave alone.
std::string EscapeMarkdown(std::string_view text);

}  // namespace oomph

#endif  // OOMPH_FUZZ_COMPARE_SHOW_H_
