// Plans and what belongs to them as text, both ways: between processes, in plugins (subjects/abi/hlo.h), and for people.
// Not for: dumps of compilers (subjects/pjrt/dump.h), nor pictures.
//
// One thing a line, in this order; names have no blanks, NUMBER is decimal:
//
//   module BYTES                         then so many bytes, a planned module as text, and a line feed; the first is 0
//   plan PLANNER module N [padded] [reuses_operands] [no_constants] [complete] [peak BYTES] [minimum BYTES]
//   memory SPACE [capacity BYTES] [alignment BYTES]                          of the plan above, as all that follow
//   step NAME                                                                in the order of the sequence
//   allocation BYTES space SPACE [parameter N INDEX] [constant] [output] [thread_local]
//   value NAME INDEX at OFFSET bytes BYTES [live BEGIN END]                  of the allocation above; INDEX is {}, {1,0}
//   scoped NAME space SPACE at OFFSET reserved BYTES [used BYTES] [asked BYTES]
//   chip NAME
//   stats code BYTES arguments BYTES outputs BYTES aliases BYTES temporaries BYTES peak BYTES
//   result TYPE DIMENSIONS BYTES         then so many bytes and a line feed; DIMENSIONS is [], [2,3]
#ifndef OOMPH_MODELS_HLO_PLAN_TEXT_H_
#define OOMPH_MODELS_HLO_PLAN_TEXT_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "models/hlo/answer.h"

namespace oomph::hlo {

// All of Answer that is not in its other fields: planned, plans, chip, stats, results.
std::string PrintPlans(const Answer& answer);
// Adds to the answer. An error, "line N: expected …", where the text is none that PrintPlans makes; the answer's own
// plans are then gone. What it takes of memory is bounded by the length of `text`.
absl::Status ReadPlans(std::string_view text, Answer& into);

// The memory map for a person: for each plan its memories with their peaks, allocations and values, a line each; at most
// `max_lines` of them, and how many more there are.
std::string DescribePlans(const Answer& answer, size_t max_lines = 60);

// "add.3{1,0}".
std::string NameOf(const PlacedValue& value);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_PLAN_TEXT_H_
