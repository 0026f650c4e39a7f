/* A plugin whose description has another size than its version says. For tests of the loader. */
#include "subjects/abi/oomph.h"

int oomph_query(oomph_info* info) {
  info->abi = OOMPH_ABI_VERSION;
  info->struct_bytes = sizeof *info - 8;
  return OOMPH_OK;
}
