/* The C interface between oomph and an allocator under test (a "subject").
 *
 * A plugin is a shared object that defines oomph_query and either the online calls
 * (oomph_create, oomph_destroy, oomph_alloc, oomph_free, and whichever optional ones it has) or
 * oomph_run_case. It is not a place for oracles: a plugin does what it is told and reports what
 * happened; judging is done outside.
 *
 * Addresses are offsets: the plugin subtracts the base that it was given or chose. All sizes,
 * offsets and alignments are in bytes. Everything is called from one thread unless the plugin has
 * OOMPH_CAP_THREADSAFE. Pointers handed in are valid only during the call; strings and arrays in
 * oomph_info live as long as the plugin is loaded.
 */
#ifndef OOMPH_SUBJECTS_ABI_OOMPH_H_
#define OOMPH_SUBJECTS_ABI_OOMPH_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OOMPH_ABI_VERSION 1u

/* What the plugin can do. A step that needs a capability which is absent is skipped and counted. */
#define OOMPH_CAP_ALIGN (1ull << 0)       /* takes an alignment with each request                */
#define OOMPH_CAP_TWO_ENDED (1ull << 1)   /* takes the end of memory to allocate from            */
#define OOMPH_CAP_REALLOC (1ull << 2)     /* oomph_realloc                                       */
#define OOMPH_CAP_FREE_LATER (1ull << 3)  /* oomph_free_after, oomph_fence                       */
#define OOMPH_CAP_EVICT (1ull << 4)       /* oomph_evict_scan                                    */
#define OOMPH_CAP_DEFRAG (1ull << 5)      /* oomph_defrag                                        */
#define OOMPH_CAP_ENUM_FREE (1ull << 6)   /* oomph_enumerate_free lists every free range         */
#define OOMPH_CAP_VALIDATE (1ull << 7)    /* oomph_validate                                      */
#define OOMPH_CAP_INBAND (1ull << 8)      /* real memory is behind the offsets: oomph_address    */
#define OOMPH_CAP_THREADSAFE (1ull << 9)  /* the online calls may come from several threads      */
#define OOMPH_CAP_STATE_HASH (1ull << 10) /* oomph_state_hash                                    */
#define OOMPH_CAP_GROWS (1ull << 11)      /* memory comes in regions; offsets may exceed capacity */

/* What the plugin's own documentation promises. Each promise decides which oracles are asked. */
typedef struct oomph_promise {
  const char* name;   /* one of the names that `oomph list oracles` shows in its promise column */
  const char* source; /* where the promise is made: document or header, and what it says there  */
} oomph_promise;

typedef struct oomph_info {
  uint32_t abi;          /* OOMPH_ABI_VERSION that the plugin was built with                    */
  uint32_t struct_bytes; /* sizeof(oomph_info) that the plugin was built with                   */
  uint64_t caps;         /* OOMPH_CAP_*                                                         */
  const char* name;      /* of the allocator under test                                         */
  const char* version;   /* of the allocator under test; kept with each finding                 */
  uint64_t granularity;  /* bytes; 0 = unknown                                                  */
  uint64_t max_align;    /* bytes; 0 = unknown                                                  */
  uint64_t max_size;     /* bytes; 0 = unknown                                                  */
  uint64_t header_overhead;     /* bytes in front of each block; 0 = none or unknown            */
  const oomph_promise* promises;
  size_t num_promises;
  const char* const* variants;  /* option strings ("growth=on"), each tried in a campaign       */
  size_t num_variants;          /* 0: the one variant with empty options                        */
} oomph_info;

typedef struct oomph_config {
  uint64_t capacity; /* bytes                                                                  */
  uint64_t seed;     /* for an allocator that draws random numbers                             */
  uint64_t fuel;     /* steps of internal work a call may take before it answers OOMPH_FUEL    */
  const char* options; /* key=value,key=value; never NULL                                      */
} oomph_config;

typedef struct oomph_request {
  uint64_t size;
  uint64_t alignment; /* 0: none asked for; oomph_realloc gets what the block was given with        */
  uint32_t end;       /* 0 any, 1 low, 2 high                                                  */
  uint32_t reserved;  /* 0                                                                     */
} oomph_request;

typedef struct oomph_block {
  uint64_t handle;   /* names the block in later calls; chosen by the plugin                   */
  uint64_t offset;   /* first byte                                                             */
  uint64_t reserved; /* bytes that belong to the caller from offset on, at least the size      */
} oomph_block;

/* Bits of oomph_stats.valid, in the order of the fields. */
enum {
  OOMPH_STAT_BYTES_IN_USE = 1 << 0,
  OOMPH_STAT_PEAK_BYTES_IN_USE = 1 << 1,
  OOMPH_STAT_NUM_LIVE = 1 << 2,
  OOMPH_STAT_NUM_ALLOCS = 1 << 3,
  OOMPH_STAT_NUM_FAILURES = 1 << 4,
  OOMPH_STAT_LARGEST_ALLOC_SIZE = 1 << 5,
  OOMPH_STAT_LARGEST_FREE_BLOCK_BYTES = 1 << 6,
  OOMPH_STAT_POOL_BYTES = 1 << 7
};

typedef struct oomph_stats {
  uint64_t valid; /* which of the fields below are known */
  uint64_t bytes_in_use, peak_bytes_in_use, num_live, num_allocs, num_failures;
  uint64_t largest_alloc_size, largest_free_block_bytes, pool_bytes;
} oomph_stats;

enum {
  OOMPH_OK = 0,
  OOMPH_NOMEM = 1,       /* the allocator refused                                  */
  OOMPH_INVALID = 2,     /* the request is outside of what the allocator takes     */
  OOMPH_UNSUPPORTED = 3,
  OOMPH_CORRUPT = 4,     /* the allocator's own check found damage                 */
  OOMPH_FUEL = 5,        /* gave up after config.fuel; the instance is dead now    */
  /* Of oomph_validate: damage that only the plugin can see, by its kind. */
  OOMPH_NOT_ZEROED = 6,     /* memory that was to be zero is not                      */
  OOMPH_SLACK_DAMAGED = 7,  /* a byte between size and `reserved` did not stay        */
  OOMPH_THREAD_DAMAGED = 8  /* a byte of what another thread of the plugin has did not stay */
};

/* Required. Fills *info and returns OOMPH_OK; on another answer info->version may say why, in one line. */
int oomph_query(oomph_info* info);

/* Online calls. NULL from oomph_create: the configuration is not possible. */
void* oomph_create(const oomph_config* config);
void oomph_destroy(void* allocator);
int oomph_alloc(void* allocator, const oomph_request* request, oomph_block* block);
int oomph_free(void* allocator, uint64_t handle);

/* Optional, by capability. */
int oomph_realloc(void* allocator, uint64_t handle, const oomph_request* request,
                  oomph_block* block);
/* The block may be used again only after oomph_fence with a number of at least `fence`. */
int oomph_free_after(void* allocator, uint64_t handle, uint64_t fence);
int oomph_fence(void* allocator, uint64_t fence);
int oomph_get_stats(void* allocator, oomph_stats* stats);
/* On OOMPH_CORRUPT and the answers below it writes one line to message. */
int oomph_validate(void* allocator, char* message, size_t message_bytes);
/* In address order. The callback returns 0 to go on. */
int oomph_enumerate_free(void* allocator, int (*callback)(void*, uint64_t offset, uint64_t size),
                         void* context);
uint64_t oomph_state_hash(void* allocator);
/* The address of a block's first byte, for subjects with memory behind them. */
void* oomph_address(void* allocator, uint64_t handle);
/* Chooses victims among candidate handles for a request; does not evict. */
int oomph_evict_scan(void* allocator, const oomph_request* request, const uint64_t* candidates,
                     size_t num_candidates, uint64_t* victims, size_t* num_victims);
int oomph_defrag(void* allocator, uint64_t max_bytes, uint64_t max_moves,
                 int (*move)(void*, uint64_t handle, uint64_t from, uint64_t to, uint64_t size),
                 void* context);

/* Instead of the online calls, for a subject that is easier to drive as a whole: takes a case as text (as
 * `oomph generate` prints it) and writes one line a step, in their order:
 *
 *     ok OFFSET RESERVED      a step that gives a block: allocate, reallocate
 *     ok                      any other step that was done
 *     failed | invalid | no_op | unsupported
 *
 * Comment lines and `memory` lines of the case are no steps. Fewer lines than steps: it ended early. Returns
 * OOMPH_OK, or OOMPH_UNSUPPORTED for a case that the subject does not take. *outcome_bytes is the room on entry
 * and the length needed on return; if that is more than the room, the call is made again with more. */
int oomph_run_case(const char* case_text, size_t case_bytes, const char* options, char* outcome,
                   size_t* outcome_bytes);

#ifdef __cplusplus
}
#endif
#endif /* OOMPH_SUBJECTS_ABI_OOMPH_H_ */
