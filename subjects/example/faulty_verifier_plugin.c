/* A verifier that does what its options say: what the harness must survive and name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "subjects/abi/hlo.h"

static const char* const kVariants[] = {"none",      "invalid", "unread",   "crashes",  "exits", "hangs",
                                        "no_status", "no_text", "too_long", "tells_off"};

int oomph_hlo_query(oomph_hlo_info* info) {
  *info = (oomph_hlo_info){
      .abi = OOMPH_HLO_ABI_VERSION,
      .struct_bytes = sizeof *info,
      .name = "faulty_verifier",
      .version = NULL,
      .variants = kVariants,
      .num_variants = sizeof kVariants / sizeof *kVariants,
  };
  return 0;
}

/* So that the harness can see that the next module meets a living one. */
static int is_harmless(const oomph_hlo_request* request) {
  return request->text_bytes > 18 && memcmp(request->text, "HloModule harmless", 18) == 0;
}

int oomph_hlo_ask(const oomph_hlo_request* request, oomph_hlo_answer* answer) {
  const char* fault = request->options;
  size_t i = 0;
  while (i < sizeof kVariants / sizeof *kVariants && strcmp(fault, kVariants[i]) != 0) ++i;
  if (i == sizeof kVariants / sizeof *kVariants) {
    strcpy(answer->note, "no such fault");
    return OOMPH_HLO_REFUSED;
  }
  if (request->wanted & OOMPH_HLO_PEAK) {
    answer->valid = OOMPH_HLO_HAS_PEAK;
    answer->total_peak = 12;
  }
  if (is_harmless(request)) return OOMPH_HLO_VALID;
  if (strcmp(fault, "crashes") == 0) abort();
  if (strcmp(fault, "exits") == 0) {
    fprintf(stderr, "nothing more to say\n");
    exit(3);
  }
  while (strcmp(fault, "hangs") == 0) {
  }
  if (strcmp(fault, "no_status") == 0) return 99;
  if (strcmp(fault, "no_text") == 0) answer->text_bytes = 7;
  if (strcmp(fault, "too_long") == 0) {
    answer->text = request->text;
    answer->text_bytes = (size_t)1 << 40;
  }
  if (strcmp(fault, "invalid") == 0 || strcmp(fault, "unread") == 0) {
    memset(answer->note, 'x', sizeof answer->note); /* no 0 at the end */
    answer->note[1] = '\n';
    return fault[0] == 'i' ? OOMPH_HLO_INVALID : OOMPH_HLO_UNREAD;
  }
  if (strcmp(fault, "tells_off") == 0) {
    strcpy(answer->note, "no memory");
    return OOMPH_HLO_REFUSED;
  }
  return OOMPH_HLO_VALID;
}
