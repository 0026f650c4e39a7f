/* The smallest verifier behind subjects/abi/hlo.h: it finds every module valid and prints it as it came. Written to be
 * read. Not for: finding anything. */
#include <stdlib.h>
#include <string.h>

#include "subjects/abi/hlo.h"

static const oomph_hlo_promise kPromises[] = {
    {"determinism", "yes_verifier_plugin.c: nothing is drawn"},
};
static const char* const kFeatures[] = {"layouts", "schedule", "fusions"};

int oomph_hlo_query(oomph_hlo_info* info) {
  *info = (oomph_hlo_info){
      .abi = OOMPH_HLO_ABI_VERSION,
      .struct_bytes = sizeof *info,
      .name = "yes_verifier",
      .version = "1",
      .features = kFeatures,
      .num_features = sizeof kFeatures / sizeof *kFeatures,
      .promises = kPromises,
      .num_promises = sizeof kPromises / sizeof *kPromises,
  };
  return 0;
}

int oomph_hlo_ask(const oomph_hlo_request* request, oomph_hlo_answer* answer) {
  static char* last = NULL; /* it lives until the next call */
  if (request->options[0] != '\0') {
    strcpy(answer->note, "it has no options");
    return OOMPH_HLO_REFUSED;
  }
  free(last);
  last = NULL;
  if ((request->wanted & OOMPH_HLO_PRINT) != 0) {
    last = malloc(request->text_bytes + 1);
    if (last == NULL) return OOMPH_HLO_REFUSED;
    memcpy(last, request->text, request->text_bytes);
    answer->text = last;
    answer->text_bytes = request->text_bytes;
  }
  return OOMPH_HLO_VALID;
}
