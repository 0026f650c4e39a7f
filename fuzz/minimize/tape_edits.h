// What can be made smaller in a tape: stretches go, or are all zero, the simplest choices; bytes get lower.
// Not for: cases that have no tape (see Family::EditsOf).
#ifndef OOMPH_FUZZ_MINIMIZE_TAPE_EDITS_H_
#define OOMPH_FUZZ_MINIMIZE_TAPE_EDITS_H_

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "fuzz/tape.h"
#include "models/base/family.h"

namespace oomph {

std::span<const ReductionInfo> TapeReductions();

// Makes a case of bytes; the tape of that case as it would be recorded, with its stretches.
using DecodeTape = std::function<Tape(const std::string& bytes, Case& into)>;

// Of TapeReductions()[reduction]; null: there are none. `base` and `decode` must outlive them.
std::unique_ptr<Edits> TapeEditsOf(size_t reduction, const Tape& base, const DecodeTape& decode);

// The bytes with these edits.
std::string EditTape(size_t reduction, const Tape& base, std::span<const uint64_t> amounts);

}  // namespace oomph

#endif  // OOMPH_FUZZ_MINIMIZE_TAPE_EDITS_H_
