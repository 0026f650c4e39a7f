// The values of a module as it runs, where each lies, from when to when it is needed, and which share a buffer.
// Not for bytes and peaks (liveness.h), nor for the rules of single operations (alias_rules.h).
//
//   A value is defined by one step and lies at every node that passes it on:
//
//     a = f32[9] negate(p)            value 1
//     t = (f32[9], s32[]) tuple(a, i) value 2, the table of pointers; t{0} is value 1 again
//     w = while(t)                    w{0} is a new value if the body changes it, else value 1 once more
//
//   Values that must be at one address are one buffer: what a loop carries (what it begins with, the parameters of
//   its condition and body, the root of its body, its result), what the branches of a conditional return, what
//   an operation changes in place, an output that is aliased with a parameter.
//
// Times are steps of the flat sequence. A value is needed from the step that defines it to the last that reads it,
// both included. What a computation returns is needed one step longer: whoever called it, or whoever called the
// module, takes it then. A parameter of the entry is there from the first step on.
#ifndef OOMPH_MODELS_HLO_ALIAS_H_
#define OOMPH_MODELS_HLO_ALIAS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "models/hlo/liveness_bytes.h"
#include "models/hlo/module.h"
#include "models/hlo/schedule.h"

namespace oomph::hlo {

// When an operation that works in place, or a loop, shares the buffer of what it takes.
enum class InPlace : uint8_t {
  kWhereDying,  // if nobody needs the operand afterwards; else the compiler must insert a copy, and we count it
  kAlways,      // as XLA's alias analysis, which trusts that the copies were inserted
};

struct Value {
  uint32_t step = 0;     // that defines it
  uint64_t node = 0;     // of the result of that step
  ShapeId shape = 0;     // at the node
  uint32_t first = 0, last = 0;  // steps in which it is needed; `first` is 0 for parameters of the entry
  uint32_t buffer = 0;
  bool parameter = false;  // of the entry
  bool constant = false;
  bool output = false;     // of the entry
};

struct Aliases {
  std::vector<Value> values;    // in the order of their steps
  uint32_t buffers = 0;         // how many; ids from 0 on, in the order of their first values
  std::vector<uint64_t> first_node_of_step;     // and one more: the nodes of all results, one after another
  std::vector<uint32_t> value_of_node;          // what lies there

  uint32_t ValueAt(uint32_t step, uint64_t node) const { return value_of_node[first_node_of_step[step] + node]; }
};

// More nodes are refused: a tuple of tuples of … is short to write.
inline constexpr uint64_t kMaxNodes = uint64_t{1} << 24;

// The structure must be right, see CheckStructure. Shapes that do not fit one another give new values.
absl::StatusOr<Aliases> AliasesOfModule(const Module& module, const Flat& flat, const ShapeNodes& nodes,
                                        InPlace in_place = InPlace::kWhereDying, uint64_t max_nodes = kMaxNodes);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_ALIAS_H_
