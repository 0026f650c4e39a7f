// A placement problem as a scheduled module: each buffer is made by one instruction and read for the last time by another, so
// that planners of modules are asked just that problem. Not for: problems of modules (ProblemOf in liveness.h).
//
//   time of the problem ->       buffer.0  +-------+          schedule:   buffer.0 = iota()
//                                buffer.1    +-----------+                buffer.1 = iota()
//                                buffer.2          +-----+                reads.0  = () custom-call(buffer.0)
//                                                                         buffer.2 = iota()
//                                                                         reads.1  = () custom-call(buffer.1, buffer.2)
//
// Time becomes instructions: what overlaps in the problem overlaps in the module, and nothing else does. So every placement of
// the one is one of the other.
#ifndef OOMPH_MODELS_HLO_FROM_PROBLEM_H_
#define OOMPH_MODELS_HLO_FROM_PROBLEM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/base/choices.h"
#include "models/base/family.h"
#include "models/hlo/module.h"
#include "models/placement/problem.h"

namespace oomph::hlo {

struct FromProblemOptions {
  // Of operations that the TPU's compiler knows and keeps: arrays of f32, whose sizes are the bytes that it counts, multiples
  // of 4 KiB; all are added up, so what reads is a slice and a sum, 4 KiB each, beside the problem. Else arrays of bytes, and
  // what reads is a custom call without a result: the problem and nothing else, for planners that run nothing.
  bool for_tpu = false;
  // What is no multiple is made one; else it is refused.
  bool round_up = false;
};

struct FromProblem {
  Module module;                   // the buffer i is the result of the instruction `buffer.i`
  std::vector<std::string> notes;  // what is not quite as asked, a line each
};

// An error says what of the problem a module cannot have: gaps, slices, offsets that are fixed, groups, several alignments.
absl::StatusOr<FromProblem> ModuleFromProblem(const placement::Problem& problem,
                                              const FromProblemOptions& options = {});

// A random problem as a module, as one form of what the family generates: scheduled, with a custom call where that is allowed.
bool MayBeOfProblem(const GenerateOptions& options);
void GenerateOfProblem(Choices& choices, const GenerateOptions& options, Module& into);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_FROM_PROBLEM_H_
