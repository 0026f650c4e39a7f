/* A plugin of a version of the interface that is yet to come. For tests of the loader. */
#include "subjects/abi/oomph.h"

int oomph_query(oomph_info* info) {
  info->abi = OOMPH_ABI_VERSION + 1;
  info->struct_bytes = sizeof *info + 64;
  return OOMPH_OK;
}
