/* A plugin that takes whole cases: a bump allocator that never reuses anything. For subjects that are easier to
 * drive as a whole than call by call. */
#include <stdio.h>
#include <string.h>

#include "subjects/abi/oomph.h"

int oomph_query(oomph_info* info) {
  memset(info, 0, sizeof *info);
  info->abi = OOMPH_ABI_VERSION;
  info->struct_bytes = sizeof *info;
  info->name = "whole_case";
  info->version = "1";
  return OOMPH_OK;
}

/* The number behind a key of the memory line. The default capacity is that of a case without one: 1 MiB. */
static uint64_t number_after(const char* line, const char* key, uint64_t otherwise) {
  const char* at = strstr(line, key);
  unsigned long long value;
  char unit[4] = "";
  if (at == NULL || sscanf(at + strlen(key), " %llu%3s", &value, unit) < 1) return otherwise;
  return strcmp(unit, "MiB") == 0 ? value << 20 : strcmp(unit, "GiB") == 0 ? value << 30 : value;
}

int oomph_run_case(const char* case_text, size_t case_bytes, const char* options, char* outcome,
                   size_t* outcome_bytes) {
  uint64_t capacity = 1 << 20, used = 0;
  size_t written = 0;
  const char* end = case_text + case_bytes;
  (void)options;
  while (case_text < end) {
    const char* newline = memchr(case_text, '\n', end - case_text);
    char line[1024] = "", answer[64] = "unsupported\n";
    size_t length = (newline == NULL ? end : newline) - case_text;
    memcpy(line, case_text, length < sizeof line ? length : sizeof line - 1);
    case_text += length + 1;
    if (line[0] == '#' || line[0] == '\0') continue;
    if (strncmp(line, "memory ", 7) == 0) {
      capacity = number_after(line, " capacity", capacity);
      continue;
    }
    if (strncmp(line, "allocate ", 9) == 0 && strchr(line + 9, ' ') != NULL && strstr(line, " align ") == NULL) {
      const uint64_t size = number_after(strchr(line + 9, ' '), "", 0);
      if (size > capacity - used) {
        strcpy(answer, "failed\n");
      } else {
        snprintf(answer, sizeof answer, "ok %llu %llu\n", (unsigned long long)used, (unsigned long long)size);
        used += size;
      }
    } else if (strncmp(line, "free ", 5) == 0 && strstr(line, " after ") == NULL) {
      strcpy(answer, "ok\n");
    }
    if (written + strlen(answer) <= *outcome_bytes) memcpy(outcome + written, answer, strlen(answer));
    written += strlen(answer);
  }
  *outcome_bytes = written;
  return OOMPH_OK;
}
