// What a planner answers to a placement problem.
// Not for: the problem (see problem.h) or whether the answer is right (see oracles.h).
#ifndef OOMPH_MODELS_PLACEMENT_PLAN_H_
#define OOMPH_MODELS_PLACEMENT_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace oomph::placement {

enum class Status : uint8_t {
  kNotRun,      // the harness could not ask; nobody is to blame
  kOptimal,     // placed, and the planner claims that no placement has a lower peak
  kFeasible,    // placed
  kNotFound,    // a heuristic gave up; it does not claim that there is none
  kInfeasible,  // it claims a proof that nothing fits the capacity
  kTimeout,     // its own budget (nodes, seconds) ran out before it knew
  kInvalid,     // it does not take this problem, and says why in the note
  kDied,        // crashed or exited with an error that is none of the above
  kHung,        // did not end within the harness's time limit
  kRubbish,     // its answer cannot be read
};
inline constexpr int kNumStatuses = 10;

struct Plan {
  Status status = Status::kNotRun;
  // One for each buffer of the problem, or none at all: a planner that tells a peak only.
  std::vector<std::optional<uint64_t>> offsets;
  // What it says of itself, where it does: the largest offset + size of all spaces (buffers that occupy
  // nothing left out), a bound that no placement is below, the nodes it searched.
  std::optional<uint64_t> peak, lower_bound, nodes;
  bool budget_spent = false;  // it stopped searching because its budget was used up
  std::string note;           // why, in one line: for people
  bool operator==(const Plan&) const = default;
};

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_PLAN_H_
