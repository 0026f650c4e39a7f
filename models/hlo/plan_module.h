// A plan of our own for a module: its live ranges (liveness.h) placed by a planner of models/placement. It is what the
// built-in subjects answer, and what the oracles of plans are tried on.
// Not for: what real compilers do with a module, nor proofs (models/placement/exact.h).
#ifndef OOMPH_MODELS_HLO_PLAN_MODULE_H_
#define OOMPH_MODELS_HLO_PLAN_MODULE_H_

#include "models/hlo/answer.h"
#include "models/hlo/module.h"
#include "models/placement/plan.h"
#include "models/placement/problem.h"

namespace oomph::hlo {

// Places a problem's buffers; no plan where it has none for one of them.
using PlaceBuffers = placement::Plan (*)(const placement::Problem& problem);
placement::Plan PlaceFast(const placement::Problem& problem);     // decreasing size, best fit (placement::RunModel)
placement::Plan PlaceNaively(const placement::Problem& problem);  // the same by its specification

// Modules with more steps, and those in which a computation runs at several places, are not planned: a plan names values
// by their instructions.
inline constexpr size_t kMostPlannedSteps = 20'000;

// Adds the plan of a valid module to the answer: one allocation for each memory space, values of 0 bytes at 0.
void PlanModule(const Module& module, Order order, PlaceBuffers place, Answer& answer);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_PLAN_MODULE_H_
