/* A planner that stacks its buffers, and does what its options say instead: what the harness must survive and name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "subjects/abi/planner.h"

static const char* const kFeatures[] = {"capacity", "minimize", "over_8_buffers"};
static const char* const kVariants[] = {"none",   "overlaps",   "misses",  "crashes", "exits",
                                        "hangs",  "no_status",  "refuses", "times_out"};
static const oomph_planner_promise kPromises[] = {{"offsets", "faulty_planner_plugin.c: it says so"}};

int oomph_planner_query(oomph_planner_info* info) {
  *info = (oomph_planner_info){
      .abi = OOMPH_PLANNER_ABI_VERSION,
      .struct_bytes = sizeof *info,
      .name = "faulty_planner",
      .version = "1",
      .features = kFeatures,
      .num_features = sizeof kFeatures / sizeof *kFeatures,
      .promises = kPromises,
      .num_promises = sizeof kPromises / sizeof *kPromises,
      .variants = kVariants,
      .num_variants = sizeof kVariants / sizeof *kVariants,
  };
  return 0;
}

int oomph_planner_plan(const oomph_problem* problem, oomph_plan* plan) {
  const char* fault = problem->options;
  uint64_t top = 0;
  size_t i = 0;
  while (i < sizeof kVariants / sizeof *kVariants && strcmp(fault, kVariants[i]) != 0) ++i;
  if (i == sizeof kVariants / sizeof *kVariants) {
    snprintf(plan->note, sizeof plan->note, "no such fault");
    return OOMPH_PLAN_INVALID;
  }
  if (problem->num_buffers == 0) return OOMPH_PLAN_OPTIMAL;
  if (strcmp(fault, "crashes") == 0) abort();
  if (strcmp(fault, "exits") == 0) {
    fprintf(stderr, "nothing more to say\n");
    exit(3);
  }
  while (strcmp(fault, "hangs") == 0) {
  }
  if (strcmp(fault, "no_status") == 0) return 99;
  if (strcmp(fault, "refuses") == 0) return OOMPH_PLAN_INFEASIBLE;
  if (strcmp(fault, "times_out") == 0) {
    plan->budget_spent = 1;
    snprintf(plan->note, sizeof plan->note, "tired\nof it");
    return OOMPH_PLAN_TIMEOUT;
  }
  for (i = 0; i < problem->num_buffers; ++i) {
    plan->offsets[i] = top;
    if (strcmp(fault, "overlaps") != 0) top += problem->buffers[i].size;
  }
  if (strcmp(fault, "misses") == 0) plan->offsets[problem->num_buffers - 1] = OOMPH_NO_OFFSET;
  plan->valid = OOMPH_PLAN_HAS_OFFSETS;
  if (problem->has_capacity && top > problem->capacity) return OOMPH_PLAN_NOT_FOUND;
  return OOMPH_PLAN_FEASIBLE;
}
