/* The smallest planner behind subjects/abi/planner.h: first fit, the earliest start first. Written to be read: see
 * docs/HOWTO.md, "Try your planner". Not for: gaps, groups and other features that it does not name. */
#include <stdlib.h>
#include <string.h>

#include "subjects/abi/planner.h"

static const char* const kFeatures[] = {"capacity", "minimize", "align", "odd_align", "over_8_buffers"};
static const oomph_planner_promise kPromises[] = {
    {"offsets", "first_fit_planner_plugin.c: every buffer gets one"},
    {"peak", "first_fit_planner_plugin.c: counted as buffers are placed"},
    {"determinism", "first_fit_planner_plugin.c: nothing is drawn"},
};

int oomph_planner_query(oomph_planner_info* info) {
  *info = (oomph_planner_info){
      .abi = OOMPH_PLANNER_ABI_VERSION,
      .struct_bytes = sizeof *info,
      .name = "first_fit_planner",
      .version = "1",
      .features = kFeatures,
      .num_features = sizeof kFeatures / sizeof *kFeatures,
      .promises = kPromises,
      .num_promises = sizeof kPromises / sizeof *kPromises,
  };
  return 0;
}

static int by_start(const void* left, const void* right) {
  const oomph_buffer* a = *(const oomph_buffer* const*)left;
  const oomph_buffer* b = *(const oomph_buffer* const*)right;
  if (a->start != b->start) return a->start < b->start ? -1 : 1;
  return (a > b) - (a < b);
}

static uint64_t round_up(uint64_t offset, uint64_t alignment) {
  return offset % alignment == 0 ? offset : offset + (alignment - offset % alignment);
}

/* Whether b lies where a is, at a time at which both live. */
static int collide(const oomph_buffer* a, uint64_t a_offset, const oomph_buffer* b, uint64_t b_offset) {
  return a->start < b->end && b->start < a->end && a_offset < b_offset + b->size && b_offset < a_offset + a->size;
}

/* The lowest offset that none of the `placed` buffers before it is in the way of. */
static uint64_t lowest(const oomph_problem* problem, const oomph_buffer* buffer, const oomph_buffer** order,
                       size_t placed, const uint64_t* offsets) {
  uint64_t offset = 0;
  for (size_t i = 0; i < placed; ++i) {
    const uint64_t other = offsets[order[i] - problem->buffers];
    if (!collide(buffer, offset, order[i], other)) continue;
    offset = round_up(other + order[i]->size, buffer->alignment);
    i = (size_t)-1; /* from the beginning: what was below may be in the way now */
  }
  return offset;
}

int oomph_planner_plan(const oomph_problem* problem, oomph_plan* plan) {
  const oomph_buffer** order;
  if (problem->options[0] != '\0') {
    strcpy(plan->note, "it has no options");
    return OOMPH_PLAN_INVALID;
  }
  order = malloc((problem->num_buffers + 1) * sizeof *order);
  if (order == NULL) return OOMPH_PLAN_NOT_FOUND;
  for (size_t i = 0; i < problem->num_buffers; ++i) order[i] = &problem->buffers[i];
  qsort(order, problem->num_buffers, sizeof *order, by_start);
  for (size_t i = 0; i < problem->num_buffers; ++i) {
    const oomph_buffer* buffer = order[i];
    const uint64_t offset = lowest(problem, buffer, order, i, plan->offsets);
    plan->offsets[buffer - problem->buffers] = offset;
    if (plan->peak < offset + buffer->size) plan->peak = offset + buffer->size;
  }
  free(order);
  if (problem->has_capacity && plan->peak > problem->capacity) return OOMPH_PLAN_NOT_FOUND;
  plan->valid = OOMPH_PLAN_HAS_OFFSETS | OOMPH_PLAN_HAS_PEAK;
  return OOMPH_PLAN_FEASIBLE;
}
