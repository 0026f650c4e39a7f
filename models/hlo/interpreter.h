// Counts the bytes that a module has live, by going through what it does as a machine would: allocate, compute,
// read, write over, go round the loop again.
// Not for real use: it is the naive counterpart of liveness.h, with which it shares nothing but the module and the
// table of operations. It goes round every loop twice, so it needs no rule about what a loop carries; it knows who
// needs what by having seen all that happens, and counts from the end to the beginning. Slow, and refuses what
// is large.
//
//   first pass, forwards                 second pass, backwards
//     a = negate(p)     cell 1 made         ... who is needed after this?
//     b = add(a, a)     cell 1 read          cell 1: from its making to its last reading
#ifndef OOMPH_MODELS_HLO_INTERPRETER_H_
#define OOMPH_MODELS_HLO_INTERPRETER_H_

#include <cstdint>
#include <functional>
#include <map>

#include "absl/status/statusor.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

struct InterpreterOptions {
  uint64_t pointer_bytes = 8;
  // Bytes of an array; none: its elements without padding.
  std::function<uint64_t(const ShapeTable&, ShapeId)> array_bytes;
  size_t max_events = 1 << 18;
};

struct InterpretedPeak {
  uint64_t total = 0;                    // all memory spaces
  std::map<uint32_t, uint64_t> by_space;  // those that hold anything
};

// The order of the text must be one in which the module can run; nothing takes the buffer of an operand that dies but
// what works in place; constants are values like others.
absl::StatusOr<InterpretedPeak> InterpretPeak(const Module& module, const InterpreterOptions& options = {});

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_INTERPRETER_H_
