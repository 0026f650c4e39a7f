/* A plugin that needs a function which nobody defines. For tests of the loader. */
#include "subjects/abi/oomph.h"

int nobody_defines_this(void);

int oomph_query(oomph_info* info) { return info == NULL ? nobody_defines_this() : OOMPH_OK; }
