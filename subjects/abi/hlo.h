/* The C interface between oomph and another reader, verifier, planner or evaluator of HLO modules: a text goes in; what
 * the verifier says of it, how it prints it, the memory that it counts, where it places each value and what the module
 * computes come out.
 *
 * A plugin is a shared object that defines oomph_hlo_query and oomph_hlo_ask. It is not a place for oracles: it says
 * what its verifier says; comparing is done outside. Not for: allocators (see oomph.h) and planners (see planner.h).
 *
 * A text is a whole module, as dumps have it; the printed one is too. Both calls come from one thread. Pointers handed
 * in are valid only during the call; what oomph_hlo_info points to lives as long as the plugin is loaded. A verifier
 * that aborts on a module takes its process along, so oomph asks it in a child and keeps the abort as the answer.
 */
#ifndef OOMPH_SUBJECTS_ABI_HLO_H_
#define OOMPH_SUBJECTS_ABI_HLO_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OOMPH_HLO_ABI_VERSION 2u

/* What the verifier's own documentation promises. Each promise decides which oracles are asked. */
typedef struct oomph_hlo_promise {
  const char* name;   /* one of the names that `oomph list oracles` shows for family hlo */
  const char* source; /* where the promise is made: document or header, and what it says there */
} oomph_hlo_promise;

typedef struct oomph_hlo_info {
  uint32_t abi;          /* OOMPH_HLO_ABI_VERSION that the plugin was built with */
  uint32_t struct_bytes; /* sizeof(oomph_hlo_info) that the plugin was built with */
  const char* name;      /* of the verifier under test */
  const char* version;   /* of the verifier under test; kept with each finding; NULL: unknown */
  /* What modules may have, see OOMPH_HLO_FEATURES; others are not drawn for it. */
  const char* const* features;
  size_t num_features;
  const oomph_hlo_promise* promises;
  size_t num_promises;
  const char* const* variants; /* option strings ("layouts=compared"), each tried in a campaign */
  size_t num_variants;         /* 0: the one variant with empty options */
} oomph_hlo_info;

/* The words of oomph_hlo_info.features:
 *   layouts         orders of dimensions other than the default
 *   tiles           T(8,128), E(4), S(1)       schedule        is_scheduled=true
 *   wide_types      more than 32 bits          narrow_types    8 bits and fewer, but pred
 *   zero_sized      arrays without elements    dynamic_shapes  set-dimension-size and what follows
 *   control_flow    call, while, conditional, map
 *   fusions                                    async           copy-start and all other pairs
 *   collectives     two replicas               transfers       send, recv, infeed, outfeed
 *   custom_calls                               random_numbers
 *   linear_algebra  cholesky, triangular-solve, fft, batch-norm
 *   invalid         wrong somewhere; one that refuses such a module offers it */

/* Bits of oomph_hlo_request.wanted. Without any the text is read, and that is all. */
#define OOMPH_HLO_VERIFY (1u << 0) /* whether the module is valid */
#define OOMPH_HLO_PRINT (1u << 1)  /* the module in the canonical form, a valid one or not */
#define OOMPH_HLO_PEAK (1u << 2)   /* with OOMPH_HLO_VERIFY: the bytes live at the peak of a valid module */
#define OOMPH_HLO_PLAN (1u << 3)   /* with OOMPH_HLO_VERIFY: where each value of a valid module lies */
/* With OOMPH_HLO_VERIFY: what a valid module computes of the given arguments. Asked under variants that begin with
 * "evaluate", of modules that are small, end and are determined (models/hlo/inputs.h). */
#define OOMPH_HLO_RUN (1u << 4)

typedef struct oomph_hlo_request {
  uint32_t struct_bytes; /* sizeof(oomph_hlo_request) that oomph was built with */
  uint32_t wanted;       /* OOMPH_HLO_* */
  const char* text;      /* need not end with 0 */
  size_t text_bytes;
  uint32_t prints;       /* with OOMPH_HLO_PRINT: how often, at least once; benchmarks ask for more */
  uint32_t reserved;     /* 0 */
  const char* options;   /* one of the variants, or what a person typed; never NULL */
  /* With OOMPH_HLO_RUN: the leaves of the parameters in their order, each an array row by row in the default layout, a
   * pred as a byte, fewer bits than 8 in a byte each. */
  const void* const* arguments;
  const size_t* argument_bytes;
  size_t num_arguments;
} oomph_hlo_request;

enum {
  OOMPH_HLO_VALID = 1,   /* read, and valid where that was asked */
  OOMPH_HLO_INVALID = 2, /* its verifier refuses the module; why, in the note */
  OOMPH_HLO_UNREAD = 3,  /* its reader refuses the text; why, in the note */
  OOMPH_HLO_REFUSED = 4, /* does not take these options, or something is in its way; why, in the note */
  OOMPH_HLO_DECLINED = 5 /* valid, or it does not say, but it does not plan, compile or run it: too much memory, not
                            implemented; why, in the note */
};

/* Bits of oomph_hlo_answer.valid. */
#define OOMPH_HLO_HAS_PEAK (1u << 0)

typedef struct oomph_hlo_answer {
  uint32_t valid;    /* OOMPH_HLO_HAS_*: what of the fields below it tells */
  uint32_t reserved; /* 0 */
  /* The bytes live at the peak of all memories together: arrays without padding, tables of pointers of 8 bytes an
   * element, constants like other values, nothing reused but by what works in place. */
  uint64_t total_peak;
  const char* text;  /* the printed module; the plugin's own, until the next call; NULL: not printed */
  size_t text_bytes;
  /* Plans and results as lines of text, see models/hlo/plan_text.h; the plugin's own, until the next call; NULL: none. */
  const char* plans;
  size_t plans_bytes;
  /* One line for people, ended by 0; of a valid module, why there is no peak or plan. "broken: ..." of a valid module: what
   * its own checks find wrong with what it made of it, which is a fault. */
  char note[1024];
} oomph_hlo_answer;

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* Fills `info`, which is all zero, and gives 0; anything else: it cannot be used, for the reason in info->version. */
int oomph_hlo_query(oomph_hlo_info* info);

/* Reads a text and does what is wanted with the module: fills `answer`, which is all zero, and gives one of
 * OOMPH_HLO_*. Keeps nothing but the printed text: the same request may come again after any other. */
int oomph_hlo_ask(const oomph_hlo_request* request, oomph_hlo_answer* answer);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* OOMPH_SUBJECTS_ABI_HLO_H_ */
