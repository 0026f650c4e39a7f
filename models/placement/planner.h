// The planners by name, and what they are asked with. Each exists twice: as a specification that is believed at
// sight (specification.h) and fast (heaps.h, exact.h); both must give equal plans.
// Not for: what makes a plan right (see oracles.h).
#ifndef OOMPH_MODELS_PLACEMENT_PLANNER_H_
#define OOMPH_MODELS_PLACEMENT_PLANNER_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "models/placement/plan.h"
#include "models/placement/problem.h"

namespace oomph::placement {

enum class Planner : uint8_t {
  kDecreasingSize,  // best fit in order of decreasing size: XLA's GlobalDecreasingSizeBestFitHeap, spatial order
  kTemporal,        // best fit in order of decreasing length: the same heap, temporal order
  kByStart,         // first fit, the earliest start first
  kByArea,          // first fit, the largest size times length first
  kByDuration,      // first fit, the longest first
  kBestOfAll,       // the lowest peak of those above
  kRepacker,        // XLA's memory-space-assignment repacker: colocated buffers keep their own sizes
  kExhaustive,      // every order: proofs for few buffers
  kBranchAndBound,  // proofs for more of them, within a budget of nodes
};
inline constexpr int kNumPlanners = 9;
// Those that kBestOfAll asks, in this order, and the exact ones begin with.
inline constexpr std::array<Planner, 5> kHeuristics = {Planner::kDecreasingSize, Planner::kTemporal, Planner::kByStart,
                                                       Planner::kByArea, Planner::kByDuration};

struct PlannerOptions {
  Planner planner = Planner::kDecreasingSize;
  uint64_t nodes = 0;  // budget of the exact planners; 0: the planner's own
};

// "branch_and_bound,nodes=1": the variant of a subject.
absl::StatusOr<PlannerOptions> ParsePlanner(std::string_view variant);
std::string PlannerWord(const PlannerOptions& options);
// One a planner, in the order of the enum, as variants of the built-in subjects.
std::span<const std::string_view> PlannerWords();

void RunModel(const Problem& problem, const PlannerOptions& options, Plan& plan);
void RunSpecification(const Problem& problem, const PlannerOptions& options, Plan& plan);

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_PLANNER_H_
