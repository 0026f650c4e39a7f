// The words and numbers that every form of a comparison uses.
#ifndef OOMPH_FUZZ_COMPARE_WORDS_H_
#define OOMPH_FUZZ_COMPARE_WORDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/compare/comparison.h"

namespace oomph {

std::string_view WordOf(const SignatureChange& change);
std::string_view WordOf(Trend trend);
std::string Significant(double value);   // four digits, thousands by name: "12.3 k", "0.04" 
std::string Percent(double part);        // "+12.5 %"
std::string HowMany(const Comparison& comparison);   // "2,000 cases of seed 1, 16 files, 61,000 steps"
std::string Counts(const SignatureChange& change);   // "in 12 cases, 3 of them only in head"
std::string SpeedLine(const SpeedChange& speed);
std::string Summary(const Comparison& comparison);   // the last line

// The metrics, a row each, under a head.
std::vector<std::vector<std::string>> MetricRows(const Comparison& comparison);

}  // namespace oomph

#endif  // OOMPH_FUZZ_COMPARE_WORDS_H_
