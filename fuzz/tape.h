// A recorded tape with its stretches, and what engines do with one: record, decode, mutate.
// Not for: shrinking (see minimize/) or step-aware mutation of cases (Family::Mutate).
#ifndef OOMPH_FUZZ_TAPE_H_
#define OOMPH_FUZZ_TAPE_H_

#include <string>
#include <string_view>
#include <vector>

#include "models/base/family.h"

namespace oomph {

struct Tape {
  std::string bytes;
  std::vector<TapeSpan> spans;  // in order, not overlapping
};

// Generates a case from `choices` and records what it drew.
Tape RecordTape(const Family& family, Choices choices, const GenerateOptions& options, Case& into);

// Drops, repeats, swaps or moves whole stretches of a tape, or changes a byte inside one; the result
// is at most `max_size` bytes. For any input bytes.
std::string MutateTape(const Family& family, std::string_view bytes, size_t max_size, uint64_t seed);

}  // namespace oomph

#endif  // OOMPH_FUZZ_TAPE_H_
