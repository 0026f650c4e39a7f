// Two runs of a module on the same arguments: what of their results must be equal, how nearly, and what nobody has promised.
// Not for: the arguments (inputs.h), nor for running anything.
//
// How far each value can be trusted is followed through the module from its parameters on:
//
//   kExact    every implementation gives the same number: integers, what is only moved, sums of small whole numbers
//   kClose    roundings were made, of a known relative error, in ranges where nothing over- or underflows
//   kNothing  the error has no bound that is known here (a difference of rounded numbers, the order of a sum), or the
//             result is not determined (a conversion of what does not fit, which of two equal keys comes first)
//
// The rules are those of XLA's operation semantics; results.cc says of each why. What it does not know is kNothing.
#ifndef OOMPH_MODELS_HLO_RESULTS_H_
#define OOMPH_MODELS_HLO_RESULTS_H_

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/verdict.h"
#include "models/hlo/answer.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

enum class TrustKind : uint8_t { kExact, kClose, kNothing };

struct Trust {
  TrustKind kind = TrustKind::kNothing;
  bool moved = false;  // bit by bit what an argument or a constant was
  bool whole = false;  // a whole number
  // Compared as it is, but nothing that is computed from it: it may be denormal, which arithmetic may take for 0; or the
  // minimum or maximum of a NaN, for which there are options of compilers; or of an operation in which a known fault of
  // XLA would show in all that follows.
  bool odd = false;
  bool nan = false;  // it may be NaN or infinite
  double error = 0;  // of kClose: relative
  // What is not 0 has a magnitude from 2^low to 2^high; infinite: not known.
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool operator==(const Trust&) const = default;
};

// Of each array of the entry's result, in their order, on the arguments of inputs.h; empty where it is not run.
std::vector<Trust> TrustInResults(const Module& module, uint64_t seed = 0);

// Both have results: oracle results_agree, or the relation `name`. Detail: the operation whose result differs, from the
// list of opcodes; "shape" where there are others. Where the two ran another module each, what both can be trusted in is compared.
inline constexpr std::string_view kResultsAgree = "results_agree";
void CompareResults(std::string_view name, const Module& module, const Answer& reference, const Module& other,
                    const Answer& answer, Reasons& reasons);

// The first element in which the two differ by more than is allowed, in words; empty: there is none.
std::string DifferenceOf(const Trust& trust, const ResultArray& reference, const ResultArray& result);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_RESULTS_H_
