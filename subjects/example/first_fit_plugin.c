/* A first-fit allocator over memory of its own, and the plugin around it: the worked example of the
 * interface in subjects/abi/oomph.h. Correct and slow; not for use as an allocator.
 *
 *     arena   [ block ]....[ block ][ block ]..........     blocks in a list, in address order
 *                      ^gap                  ^gap           a request gets the first gap that fits
 */
#include <stdio.h>
#include <stdlib.h>

#include "subjects/abi/oomph.h"

typedef struct block {
  struct block* next;
  uint64_t begin, end; /* half open */
} block;

typedef struct heap {
  char* arena;
  uint64_t capacity;
  block* first;
} heap;

static const oomph_promise kPromises[] = {
    {"alignment", "first_fit_plugin.c: offsets are rounded up to the alignment"},
    {"completeness", "first_fit_plugin.c: every gap is tried"},
    {"free_list", "first_fit_plugin.c: a gap is all there is between two blocks"},
    {"coalescing", "first_fit_plugin.c: gaps are not stored, so two cannot touch"},
    {"whole_after_drain", "first_fit_plugin.c: without blocks the arena is one gap"},
};

int oomph_query(oomph_info* info) {
  info->abi = OOMPH_ABI_VERSION;
  info->struct_bytes = sizeof *info;
  info->caps = OOMPH_CAP_ALIGN | OOMPH_CAP_INBAND | OOMPH_CAP_ENUM_FREE | OOMPH_CAP_VALIDATE;
  info->name = "first_fit";
  info->version = "1";
  info->granularity = 1;
  info->promises = kPromises;
  info->num_promises = sizeof kPromises / sizeof *kPromises;
  return OOMPH_OK;
}

void* oomph_create(const oomph_config* config) {
  if (config->options[0] != '\0') return NULL; /* it has none */
  heap* self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  self->arena = malloc(config->capacity + 1); /* never asked for 0 bytes */
  self->capacity = config->capacity;
  if (self->arena != NULL) return self;
  free(self);
  return NULL;
}

void oomph_destroy(void* allocator) {
  heap* self = allocator;
  for (block *b = self->first, *next; b != NULL; b = next) {
    next = b->next;
    free(b);
  }
  free(self->arena);
  free(self);
}

int oomph_alloc(void* allocator, const oomph_request* request, oomph_block* given) {
  heap* self = allocator;
  const uint64_t size = request->size == 0 ? 1 : request->size;
  const uint64_t mask = request->alignment == 0 ? 0 : request->alignment - 1;
  if ((request->alignment & mask) != 0) return OOMPH_INVALID;
  uint64_t begin = 0; /* of the gap in front of *at */
  for (block** at = &self->first;; at = &(*at)->next) {
    const uint64_t end = *at == NULL ? self->capacity : (*at)->begin;
    const uint64_t pad = -begin & mask;
    if (pad <= end - begin && size <= end - begin - pad) {
      block* b = malloc(sizeof *b);
      if (b == NULL) return OOMPH_NOMEM;
      *b = (block){*at, begin + pad, begin + pad + size};
      *at = b;
      *given = (oomph_block){(uint64_t)(uintptr_t)b, b->begin, size};
      return OOMPH_OK;
    }
    if (*at == NULL) return OOMPH_NOMEM;
    begin = (*at)->end;
  }
}

int oomph_free(void* allocator, uint64_t handle) {
  heap* self = allocator;
  for (block** at = &self->first; *at != NULL; at = &(*at)->next) {
    block* b = *at;
    if ((uint64_t)(uintptr_t)b != handle) continue;
    *at = b->next;
    free(b);
    return OOMPH_OK;
  }
  return OOMPH_INVALID;
}

void* oomph_address(void* allocator, uint64_t handle) {
  return ((heap*)allocator)->arena + ((block*)(uintptr_t)handle)->begin;
}

int oomph_enumerate_free(void* allocator, int (*callback)(void*, uint64_t offset, uint64_t size),
                         void* context) {
  heap* self = allocator;
  uint64_t begin = 0;
  for (block* b = self->first; b != NULL; begin = b->end, b = b->next) {
    if (b->begin > begin && callback(context, begin, b->begin - begin) != 0) return OOMPH_OK;
  }
  if (self->capacity > begin) callback(context, begin, self->capacity - begin);
  return OOMPH_OK;
}

int oomph_validate(void* allocator, char* message, size_t message_bytes) {
  heap* self = allocator;
  uint64_t end = 0;
  for (block* b = self->first; b != NULL; end = b->end, b = b->next) {
    if (b->begin >= end && b->end > b->begin && b->end <= self->capacity) continue;
    snprintf(message, message_bytes, "block [%llu, %llu) after %llu", (unsigned long long)b->begin,
             (unsigned long long)b->end, (unsigned long long)end);
    return OOMPH_CORRUPT;
  }
  return OOMPH_OK;
}
