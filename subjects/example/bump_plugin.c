/* An allocator that never uses memory twice, with every optional call that needs no memory behind
 * it: for tests of the driver, and to measure what the driver itself costs.
 */
#include <stdlib.h>

#include "subjects/abi/oomph.h"

typedef struct bump {
  uint64_t capacity, top, in_use, live, allocs, largest, fence;
} bump;

int oomph_query(oomph_info* info) {
  info->abi = OOMPH_ABI_VERSION;
  info->struct_bytes = sizeof *info;
  info->caps = OOMPH_CAP_REALLOC | OOMPH_CAP_FREE_LATER | OOMPH_CAP_STATE_HASH;
  info->name = "bump";
  info->version = "1";
  return OOMPH_OK;
}

void* oomph_create(const oomph_config* config) {
  bump* self = calloc(1, sizeof *self);
  if (self != NULL) self->capacity = config->capacity;
  return self;
}

void oomph_destroy(void* allocator) { free(allocator); }

int oomph_alloc(void* allocator, const oomph_request* request, oomph_block* given) {
  bump* self = allocator;
  if (request->size > self->capacity - self->top) return OOMPH_NOMEM;
  *given = (oomph_block){request->size, self->top, request->size}; /* all that a free must know */
  self->top += request->size;
  self->in_use += request->size;
  ++self->live;
  ++self->allocs;
  if (request->size > self->largest) self->largest = request->size;
  return OOMPH_OK;
}

int oomph_free(void* allocator, uint64_t handle) {
  bump* self = allocator;
  self->in_use -= handle;
  --self->live;
  return OOMPH_OK;
}

int oomph_realloc(void* allocator, uint64_t handle, const oomph_request* request,
                  oomph_block* given) {
  const int result = oomph_alloc(allocator, request, given);
  return result == OOMPH_OK ? oomph_free(allocator, handle) : result;
}

int oomph_free_after(void* allocator, uint64_t handle, uint64_t fence) {
  return fence > ((bump*)allocator)->fence ? oomph_free(allocator, handle) : OOMPH_INVALID;
}

int oomph_fence(void* allocator, uint64_t fence) {
  bump* self = allocator;
  if (fence <= self->fence) return OOMPH_INVALID;
  self->fence = fence;
  return OOMPH_OK;
}

int oomph_get_stats(void* allocator, oomph_stats* stats) {
  const bump* self = allocator;
  stats->valid = OOMPH_STAT_BYTES_IN_USE | OOMPH_STAT_NUM_LIVE | OOMPH_STAT_NUM_ALLOCS |
                 OOMPH_STAT_LARGEST_ALLOC_SIZE;
  stats->bytes_in_use = self->in_use;
  stats->num_live = self->live;
  stats->num_allocs = self->allocs;
  stats->largest_alloc_size = self->largest;
  return OOMPH_OK;
}

uint64_t oomph_state_hash(void* allocator) {
  const bump* self = allocator;
  return (self->top + 1) * 0x9E3779B97F4A7C15u + self->live;
}
