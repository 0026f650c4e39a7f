/* The C interface between oomph and an offline planner: buffers with known live ranges go in, fixed offsets come out.
 *
 * A plugin is a shared object that defines oomph_planner_query and oomph_planner_plan. It is not a place for
 * oracles: it plans and says what it found; judging is done outside. Not for: allocators that are asked while a
 * program runs (see oomph.h).
 *
 * All sizes, offsets and alignments are in bytes; times are half-open, [start, end). Both calls come from one
 * thread. Pointers handed in are valid only during the call; what oomph_planner_info points to lives as long as
 * the plugin is loaded.
 */
#ifndef OOMPH_SUBJECTS_ABI_PLANNER_H_
#define OOMPH_SUBJECTS_ABI_PLANNER_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OOMPH_PLANNER_ABI_VERSION 1u

/* What the planner's own documentation promises. Each promise decides which oracles are asked. */
typedef struct oomph_planner_promise {
  const char* name;   /* one of the names that `oomph list oracles` shows for family placement */
  const char* source; /* where the promise is made: document or header, and what it says there */
} oomph_planner_promise;

typedef struct oomph_planner_info {
  uint32_t abi;          /* OOMPH_PLANNER_ABI_VERSION that the plugin was built with */
  uint32_t struct_bytes; /* sizeof(oomph_planner_info) that the plugin was built with */
  const char* name;      /* of the planner under test */
  const char* version;   /* of the planner under test; kept with each finding; NULL: unknown */
  /* What problems may have, see OOMPH_PLANNER_FEATURES; others are not drawn for it. */
  const char* const* features;
  size_t num_features;
  const oomph_planner_promise* promises;
  size_t num_promises;
  const char* const* variants; /* option strings ("order=spatial"), each tried in a campaign */
  size_t num_variants;         /* 0: the one variant with empty options */
} oomph_planner_info;

/* The words of oomph_planner_info.features:
 *   capacity     a capacity is given          minimize     none is given
 *   align        powers of two                odd_align    alignments that are not
 *   fixed        offsets that must hold       hint         offsets that would be welcome
 *   spaces       several memories             groups       buffers with the same offset
 *   gaps         not live all the time        windows      partly live in a gap
 *   slices       live piece by piece          size_zero    buffers of 0 bytes
 *   empty_range  buffers that never live      capacity_zero
 *   large        sizes and times near 2^63    over_8_buffers */

/* In [start, end) only the bytes [window_lower, window_upper) of the buffer are in use; empty: none. */
typedef struct oomph_gap {
  int64_t start, end;
  uint64_t window_lower, window_upper;
} oomph_gap;

/* A piece of the buffer, in use from `start` on; pieces follow one another in address. */
typedef struct oomph_slice {
  uint64_t size;
  int64_t start;
} oomph_slice;

#define OOMPH_BUFFER_HAS_FIXED (1u << 0)
#define OOMPH_BUFFER_HAS_HINT (1u << 1)

typedef struct oomph_buffer {
  const char* id;     /* for people; never NULL, need not be unique */
  uint64_t size;
  uint64_t alignment; /* at least 1 */
  int64_t start, end;
  uint64_t fixed;     /* with OOMPH_BUFFER_HAS_FIXED */
  uint64_t hint;      /* with OOMPH_BUFFER_HAS_HINT */
  uint32_t has;       /* OOMPH_BUFFER_HAS_* */
  uint32_t space;     /* buffers of different spaces never meet */
  uint32_t group;     /* above 0: those of one space and group have the same offset and may share memory */
  uint32_t reserved;  /* 0 */
  const oomph_gap* gaps;
  size_t num_gaps;
  const oomph_slice* slices;
  size_t num_slices;
} oomph_buffer;

typedef struct oomph_problem {
  uint32_t struct_bytes; /* sizeof(oomph_problem) that oomph was built with */
  uint32_t has_capacity; /* 0: make the peak as small as you can */
  uint64_t capacity;     /* of every memory space */
  const oomph_buffer* buffers;
  size_t num_buffers;
  const char* options;   /* one of the variants, or what a person typed; never NULL */
} oomph_problem;

enum {
  OOMPH_PLAN_OPTIMAL = 1,    /* placed, and no placement has a lower peak */
  OOMPH_PLAN_FEASIBLE = 2,   /* placed */
  OOMPH_PLAN_NOT_FOUND = 3,  /* gave up; there may be a placement */
  OOMPH_PLAN_INFEASIBLE = 4, /* proved that nothing fits the capacity */
  OOMPH_PLAN_TIMEOUT = 5,    /* its own budget ran out before it knew */
  OOMPH_PLAN_INVALID = 6     /* does not take this problem or these options; why, in the note */
};

/* An offset that was not given. */
#define OOMPH_NO_OFFSET UINT64_MAX

/* Bits of oomph_plan.valid. */
#define OOMPH_PLAN_HAS_OFFSETS (1u << 0)
#define OOMPH_PLAN_HAS_PEAK (1u << 1)
#define OOMPH_PLAN_HAS_LOWER_BOUND (1u << 2)
#define OOMPH_PLAN_HAS_NODES (1u << 3)

typedef struct oomph_plan {
  uint32_t valid;        /* OOMPH_PLAN_HAS_*: what of the fields below it tells */
  uint32_t budget_spent; /* 1: it stopped searching because its budget was used up */
  uint64_t* offsets;     /* room for one a buffer, OOMPH_NO_OFFSET at first; owned by oomph */
  uint64_t peak;         /* the largest offset + size, buffers that occupy nothing left out */
  uint64_t lower_bound;  /* no placement has a peak below it */
  uint64_t nodes;        /* of its search */
  char note[256];        /* one line for people, ended by 0 */
} oomph_plan;

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* Fills `info`, which is all zero, and gives 0; anything else: it cannot be used, for the reason in info->version. */
int oomph_planner_query(oomph_planner_info* info);

/* Plans `problem` into `plan`, all zero but for `offsets`, and gives one of OOMPH_PLAN_*. Keeps nothing: the same
 * problem asked again may come after any other. */
int oomph_planner_plan(const oomph_problem* problem, oomph_plan* plan);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* OOMPH_SUBJECTS_ABI_PLANNER_H_ */
