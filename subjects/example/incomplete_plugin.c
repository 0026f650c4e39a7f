/* A plugin that claims a capability and lacks its call. For tests of the loader. */
#include "subjects/abi/oomph.h"

int oomph_query(oomph_info* info) {
  info->abi = OOMPH_ABI_VERSION;
  info->struct_bytes = sizeof *info;
  info->caps = OOMPH_CAP_REALLOC;
  info->name = "incomplete";
  return OOMPH_OK;
}
void* oomph_create(const oomph_config* config) { return (void*)config->options; }
void oomph_destroy(void* allocator) { (void)allocator; }
int oomph_alloc(void* allocator, const oomph_request* request, oomph_block* block) {
  *block = (oomph_block){(uint64_t)(uintptr_t)allocator, 0, request->size};
  return OOMPH_OK;
}
int oomph_free(void* allocator, uint64_t handle) { return allocator == NULL ? (int)handle : OOMPH_OK; }
