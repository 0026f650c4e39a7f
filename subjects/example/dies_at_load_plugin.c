/* A plugin that ends the process that loads it. For tests of the loader. */
#include <stdio.h>
#include <stdlib.h>

#include "subjects/abi/oomph.h"

__attribute__((constructor)) static void Die(void) {
  fputs("something is missing\n", stderr);
  abort();
}

int oomph_query(oomph_info* info) { return info == NULL ? OOMPH_INVALID : OOMPH_OK; }
