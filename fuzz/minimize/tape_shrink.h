// Shrinks a tape: deletes stretches by bisection (ddmin), then zeroes and lowers bytes.
// Not for: cases that have no tape (see Family::Reduce).
#ifndef OOMPH_FUZZ_MINIMIZE_TAPE_SHRINK_H_
#define OOMPH_FUZZ_MINIMIZE_TAPE_SHRINK_H_

#include <functional>
#include <string>

#include "fuzz/tape.h"

namespace oomph {

// Decodes the bytes and asks whether the case still shows the fault; if so, gives the tape of that case
// as it would be recorded (canonical, with its stretches).
using TapeTest = std::function<bool(const std::string& bytes, Tape& canonical)>;

// Changes `tape` to a smaller one that passes. Ends when nothing helps or `budget` tests are used up.
void ShrinkTape(Tape& tape, const TapeTest& test, size_t budget);

}  // namespace oomph

#endif  // OOMPH_FUZZ_MINIMIZE_TAPE_SHRINK_H_
