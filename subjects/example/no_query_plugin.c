/* A shared object that is no plugin. For tests of the loader. */
#include "subjects/abi/oomph.h"

int oomph_free(void* allocator, uint64_t handle) {
  return allocator == NULL && handle == 0 ? OOMPH_OK : OOMPH_INVALID;
}
