// See plan_module.h.
#include "models/hlo/plan_module.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/base/units.h"
#include "models/hlo/liveness.h"
#include "models/hlo/liveness_bytes.h"
#include "models/hlo/model.h"
#include "models/hlo/text.h"
#include "models/placement/planner.h"

namespace oomph::hlo {
namespace {

bool RunsAtOnePlace(const Flat& flat, size_t computations) {
  std::vector<uint8_t> seen(computations);
  for (const Frame& frame : flat.frames) {
    if (std::exchange(seen[frame.computation], 1) != 0) return false;
  }
  return true;
}

// A value with a name that no other instruction has.
bool NamesAreUnique(const Module& module) {
  std::vector<StringId> names;
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) names.push_back(instruction.name);
  }
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end();
}

// One problem of all memory spaces: buffers of different ones never meet. `buffer_of[i]` is the buffer of the problem's i-th.
placement::Problem ProblemOfBuffers(const std::vector<LiveBuffer>& buffers, std::vector<uint32_t>& buffer_of) {
  placement::Problem problem;
  for (uint32_t b = 0; b < buffers.size(); ++b) {
    const LiveBuffer& from = buffers[b];
    if (from.ranges.empty() || from.bytes == 0) continue;
    placement::Buffer& buffer = problem.buffers.emplace_back();
    buffer.size = from.bytes;
    buffer.space = from.space;
    buffer.start = from.ranges.front().begin;
    buffer.end = from.ranges.back().end;
    buffer_of.push_back(b);
  }
  return problem;
}

}  // namespace

placement::Plan PlaceFast(const placement::Problem& problem) {
  placement::Plan plan;
  placement::RunModel(problem, {placement::Planner::kDecreasingSize, 0}, plan);
  return plan;
}
placement::Plan PlaceNaively(const placement::Problem& problem) {
  placement::Plan plan;
  placement::RunSpecification(problem, {placement::Planner::kDecreasingSize, 0}, plan);
  return plan;
}

void PlanModule(const Module& given, Order order, PlaceBuffers place, Answer& answer) {
  Module module = given;
  GiveSchedule(order, module);
  if (!NamesAreUnique(module)) return;
  const absl::StatusOr<Liveness> liveness = LivenessOf(module, CountedOptions());
  if (!liveness.ok() || liveness->total_peak == kMostBytes) return;
  const Module& counted = liveness->Counted(module);
  if (liveness->flat.steps.size() > kMostPlannedSteps || !RunsAtOnePlace(liveness->flat, module.computations.size())) return;

  std::vector<uint32_t> buffer_of;
  const placement::Plan placed = place(ProblemOfBuffers(liveness->buffers, buffer_of));
  if (placed.offsets.size() != buffer_of.size()) return;
  std::vector<uint64_t> offsets(liveness->buffers.size());
  for (size_t i = 0; i < buffer_of.size(); ++i) {
    if (!placed.offsets[i]) return;
    offsets[buffer_of[i]] = *placed.offsets[i];
  }

  Plan plan;
  plan.planner = "model";
  plan.module = static_cast<uint32_t>(answer.planned.size());
  plan.complete = true;
  std::map<uint32_t, Allocation> by_space;
  const ShapeNodes nodes(counted.shapes);
  for (const Value& value : liveness->aliases.values) {
    const LiveBuffer& buffer = liveness->buffers[value.buffer];
    if (buffer.ranges.empty()) continue;
    const Instruction& maker = InstructionOf(counted, liveness->flat, value.step);
    PlacedValue one;
    one.name = std::string(counted.Name(maker));
    one.index = nodes.PathOf(maker.shape, value.node);
    one.offset = offsets[value.buffer];
    one.bytes = PlainBytes(counted.shapes, value.shape);
    one.live = StepRange{value.first, value.last + 1};
    Allocation& allocation = by_space[buffer.space];
    allocation.space = buffer.space;
    allocation.bytes = std::max(allocation.bytes, SaturatingAdd(one.offset, one.bytes));
    allocation.values.push_back(std::move(one));
  }
  for (uint32_t step = 0; step < liveness->flat.steps.size(); ++step) {
    plan.sequence.emplace_back(counted.Name(InstructionOf(counted, liveness->flat, step)));
  }
  plan.peak = 0;
  for (auto& [space, allocation] : by_space) {
    plan.peak = SaturatingAdd(*plan.peak, allocation.bytes);
    plan.memories.push_back({space, {}, 1});
    plan.allocations.push_back(std::move(allocation));
  }
  plan.minimum = liveness->total_peak;
  answer.planned.push_back(Print(module));
  answer.plans.push_back(std::move(plan));
}

}  // namespace oomph::hlo
