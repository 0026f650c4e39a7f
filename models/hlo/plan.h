// What somebody who plans memory did with a module: each value's place, in the planner's own words.
// Not for: whether it is right (plan_oracles.h), nor for what a planner of bare problems answers (models/placement/plan.h).
//
//   a plan speaks of a module of its own: the given one after the planner has flattened, scheduled or optimized it
//
//     memory space 0, HBM      allocation 0, parameter   [ p                ]
//                              allocation 1, output      [ add.4            ]
//                              allocation 2, temporaries [ dot.2 | neg.3 ][ dot.2 | fusion.7    ]     time ->
//     memory space 1, VMEM     allocation 3, temporaries [ scoped: fusion.7, 16 MiB ][ copy-done.1  ]
#ifndef OOMPH_MODELS_HLO_PLAN_H_
#define OOMPH_MODELS_HLO_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/hlo/liveness.h"

namespace oomph::hlo {

// A value in an allocation. What holds it is named as XLA names it: the instruction, without %, that makes it, which has
// no second of its name in the module, and where in its result.
struct PlacedValue {
  std::string name;                // of the instruction: "fusion.7"
  std::vector<int64_t> index;      // {1,0} in its result; empty: all of it
  uint64_t offset = 0;             // bytes, from where the allocation begins
  uint64_t bytes = 0;
  std::optional<StepRange> live;   // by the planner's own account, in steps of Plan::sequence
  bool operator==(const PlacedValue&) const = default;
};

// One piece of memory, which serves several values one after the other.
struct Allocation {
  uint64_t bytes = 0;
  uint32_t space = 0;
  std::optional<uint64_t> parameter;  // of the entry: its number
  std::vector<int64_t> parameter_index;  // where in that parameter
  bool constant = false;
  bool output = false;                // it may be needed when the module has ended
  bool thread_local_ = false;         // inside of what runs on single elements: in no plan of memory
  std::vector<PlacedValue> values;
  bool operator==(const Allocation&) const = default;
};

// Memory of one instruction while it runs: the scoped VMEM of TPUs.
struct ScopedMemory {
  std::string name;                // of the instruction
  uint32_t space = 0;
  uint64_t offset = 0;             // bytes, where it begins in its memory
  uint64_t reserved = 0;           // its limit: nothing else lies there meanwhile
  std::optional<uint64_t> used;    // what of it the instruction needs
  std::optional<uint64_t> asked;   // what it was asked to reserve, where somebody asks
  bool operator==(const ScopedMemory&) const = default;
};

// How the bytes of an array are counted.
enum class ByteRule : uint8_t {
  kPlain,   // elements times their bytes, tables of pointers 8 bytes an entry (PlainBytes)
  kPadded,  // as the TPU compiler counts: tiles, memory spaces, tables of pointers (tpu_bytes.h)
};
inline constexpr std::string_view kByteRuleNames[] = {"plain", "padded"};

// What a memory space may hold and how it is addressed.
struct PlanMemory {
  uint32_t space = 0;
  std::optional<uint64_t> capacity;  // bytes
  uint64_t alignment = 1;            // of every offset in a shared allocation; 1: not told
  bool operator==(const PlanMemory&) const = default;
};

struct Plan {
  std::string planner;             // one word: "heap_spatial", "buffer_assignment", "memory_space_assignment"
  uint32_t module = 0;             // an index of Answer::planned
  ByteRule rule = ByteRule::kPlain;
  // It may let a result take the memory of an operand that ends with it.
  bool reuses_operands = false;
  // Constants are placed like other values.
  bool places_constants = true;
  // It has a place for each value of each memory that it tells of; else values may be missing.
  bool complete = false;
  std::vector<PlanMemory> memories;
  std::vector<Allocation> allocations;
  std::vector<ScopedMemory> scoped;
  std::vector<std::string> sequence;       // the names of the instructions, in the planner's steps; empty: not told
  std::optional<uint64_t> peak;            // bytes, that it says it needs of all memories together
  std::optional<uint64_t> minimum;         // bytes, that it says no plan can be below
  bool operator==(const Plan&) const = default;
};

// A compiler's own figures, bytes. Those that it does not tell are 0, as the interface has them.
struct CompiledStats {
  uint64_t code = 0, arguments = 0, outputs = 0, aliases = 0, temporaries = 0, peak = 0;
  bool operator==(const CompiledStats&) const = default;
};

// The array that a run of the module gave, row by row in the default layout.
struct ResultArray {
  std::string type;                 // "f32"
  std::vector<int64_t> dimensions;
  std::string bytes;                // a pred is a byte; fewer bits than 8 have a byte each
  bool operator==(const ResultArray&) const = default;
};

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_PLAN_H_
