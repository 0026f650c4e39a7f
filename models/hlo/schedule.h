// In which order a module's instructions run: the order of each computation, and the flat sequence of all steps with
// the bodies of loops, branches and calls in their places.
// Not for which memory that takes (liveness.h).
//
//   A module with is_scheduled=true runs in the order of its text. For another one an order is chosen; each is
//   legal: operands and control predecessors come before what needs them.
//
//   The flat sequence, one step for each instruction that runs:
//
//     step  0  p = parameter(0)
//           1    c = parameter(0)         the condition of the loop w, as it runs once
//           2    less = compare(...)
//           3    b = parameter(0)         the body of the loop w, as it runs once
//           4    next = add(b, ...)
//           5  w = while(p)               what calls comes after what it has called
//
//   Only while, conditional, call and async-start are laid out so. What a fusion, reduce, sort, scatter, … calls
//   runs on single elements and has no buffers. A computation that is called twice is laid out twice.
#ifndef OOMPH_MODELS_HLO_SCHEDULE_H_
#define OOMPH_MODELS_HLO_SCHEDULE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

// How the order of a module is chosen that has none.
enum class Order : uint8_t {
  kText,          // that of the text, as far as it is legal
  kBreadthFirst,  // what could run longest ago runs next
  kLeastMemory,   // of all that can run, that which leaves the fewest bytes live
};
inline constexpr std::string_view kOrderNames[] = {"text", "breadth-first", "least-memory"};

// The indices of each computation's instructions, in the order in which they run.
using Schedule = std::vector<std::vector<uint32_t>>;

bool IsScheduled(const Module& module);

// Whether the module's indices point at what is there, and nothing calls itself: what all below needs. The checks of
// a verifier go further.
absl::Status CheckStructure(const Module& module);

// The order of the text of a scheduled module; else the chosen one. An error where the structure is wrong, or where
// instructions wait for one another in a circle.
absl::StatusOr<Schedule> ScheduleOf(const Module& module, Order order = Order::kText);

// Whether `schedule` has each instruction once, after its operands and control predecessors. Otherwise says why.
absl::Status CheckSchedule(const Module& module, const Schedule& schedule);

// What a frame is to the step that calls it.
enum class FrameKind : uint8_t { kEntry, kCondition, kBody, kBranch, kCall, kAsync };

// A computation as it runs at one place.
struct Frame {
  uint32_t computation = 0;
  FrameKind kind = FrameKind::kEntry;
  uint32_t branch = 0;                     // of a conditional: which
  uint32_t caller = 0;                     // a frame; of the entry itself
  uint32_t call = 0;                       // the instruction of the caller's computation that calls
  uint32_t begin_step = 0, end_step = 0;   // half-open, with all that is called from here
  uint32_t point = 0;                      // of its instruction 0; the instruction i has the point `point + i`
};

struct Step {
  uint32_t frame = 0;
  uint32_t instruction = 0;
};

struct Flat {
  std::vector<Step> steps;
  std::vector<Frame> frames;            // in the order in which they begin
  std::vector<uint32_t> step_of_point;  // an instruction of a frame to its step
  // The frames that a step calls stand one after another in `callees`, in their order.
  struct Calls {
    uint32_t begin = 0, count = 0;
  };
  std::vector<Calls> calls_of_step;
  std::vector<uint32_t> callees;

  const Frame& FrameOf(const Step& step) const { return frames[step.frame]; }
  uint32_t StepOf(uint32_t frame, uint32_t instruction) const {
    return step_of_point[frames[frame].point + instruction];
  }
};

// More steps are refused: a computation that is called twice by one that is called twice … has no end otherwise.
inline constexpr size_t kMaxSteps = size_t{1} << 22;

absl::StatusOr<Flat> Flatten(const Module& module, const Schedule& schedule, size_t max_steps = kMaxSteps);

const Instruction& InstructionOf(const Module& module, const Flat& flat, uint32_t step);

// The computations that an instruction runs as frames, with what they are to it; none for other operations.
struct FrameCall {
  uint32_t computation = 0;
  FrameKind kind = FrameKind::kCall;
  uint32_t branch = 0;
};
std::vector<FrameCall> FrameCalls(const Module& module, const Instruction& instruction);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_SCHEDULE_H_
