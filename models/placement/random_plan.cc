// See random_plan.h.
#include "models/placement/random_plan.h"

#include <algorithm>

#include "models/base/units.h"
#include "models/placement/footprint.h"
#include "models/placement/survey.h"
#include "models/placement/witness.h"

namespace oomph::placement {
namespace {

// Near what is there, so that much collides, touches and fits.
uint64_t DrawOffset(Choices& choices, const Problem& problem) {
  const Buffer& other = problem.buffers[choices.Below(problem.buffers.size())];
  switch (choices.Below(5)) {
    case 0: return 0;
    case 1: return choices.Below(SaturatingMul(other.size, 4));
    case 2: return other.size;
    case 3: return problem.capacity.value_or(other.size) - std::min(other.size, problem.capacity.value_or(0));
    default: return choices.Chance(1, 8) ? choices.Bits() : RoundDown(choices.Below(64), AlignmentOf(other));
  }
}

// One step away from the plan.
void Disturb(Choices& choices, const Problem& problem, Plan& plan) {
  std::optional<uint64_t>& offset = plan.offsets[choices.Below(plan.offsets.size())];
  switch (choices.Below(6)) {
    case 0: offset.reset(); break;
    case 1: offset = offset.value_or(0) + 1; break;
    case 2: offset = offset.value_or(1) - 1; break;
    case 3: offset = plan.offsets[choices.Below(plan.offsets.size())]; break;
    default: offset = DrawOffset(choices, problem); break;
  }
}

}  // namespace

void DrawPlan(Choices& choices, const Problem& problem, Plan& into) {
  into = {};
  into.status = static_cast<Status>(1 + choices.Below(kNumStatuses - 1));
  if (choices.Chance(3, 4)) into.status = choices.Chance(1, 2) ? Status::kOptimal : Status::kFeasible;
  if (!problem.buffers.empty() && choices.Chance(7, 8)) {
    std::optional<Plan> valid;
    if (choices.Chance(3, 4)) valid = FindWitness(problem, kMaxBytes);
    into.offsets.resize(problem.buffers.size());
    for (auto& offset : into.offsets) offset = DrawOffset(choices, problem);
    if (valid) into.offsets = valid->offsets;
    for (uint64_t i = choices.Below(4); i > 0; --i) Disturb(choices, problem, into);
  }
  if (choices.Chance(1, 32)) into.offsets.resize(choices.Below(4));
  const auto told = [&](uint64_t number) { return number + choices.Below(3) - 1; };  // any, 2^64 - 1 too
  if (choices.Chance(1, 2)) into.peak = told(PeakOf(problem, into).value_or(choices.Below(100)));
  if (choices.Chance(1, 4)) into.lower_bound = told(PeakOf(problem, into).value_or(choices.Below(100)));
  into.budget_spent = choices.Chance(1, 8);
}

}  // namespace oomph::placement
