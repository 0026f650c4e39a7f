/* The first-fit plugin with a fault of choice, for tests of the harness: options "FAULT=N" make the
 * N-th allocation (from 1) go wrong. Not for: measuring oracles (see fuzz/faults).
 */
#define oomph_query sound_query
#define oomph_create sound_create
#define oomph_alloc sound_alloc
#define oomph_free sound_free
#define oomph_validate sound_validate
#include "subjects/example/first_fit_plugin.c"
#undef oomph_query
#undef oomph_create
#undef oomph_alloc
#undef oomph_free
#undef oomph_validate

#include <string.h>
#include <unistd.h>

static char fault[32]; /* one instance at a time */
static long countdown;

static const char* const kVariants[] = {
    "crash=3", "exit=3", "abort=3", "hang=3", "wild_write=3", "smash=3", "overlap=3", "eat=3",
    "noise=3", "fuel=3", "damage=3", "not_zeroed=3", "slack=3", "thread=3", "nonsense=3", "leak=1", "none=1",
};

int oomph_query(oomph_info* info) {
  sound_query(info);
  info->name = "faulty";
  info->variants = kVariants;
  info->num_variants = sizeof kVariants / sizeof *kVariants;
  return OOMPH_OK;
}

void* oomph_create(const oomph_config* config) {
  fault[0] = '\0';
  if (sscanf(config->options, "%31[a-z_]=%ld", fault, &countdown) != 2) return NULL;
  oomph_config plain = *config;
  plain.options = "";
  return sound_create(&plain);
}

static int Is(const char* name) { return strcmp(fault, name) == 0; }

static void EatMemory(void) {
  char* volatile piece; /* else a compiler may leave out memory that nobody reads */
  while ((piece = malloc(1 << 20)) != NULL) memset(piece, 1, 1 << 20);
  fputs("out of memory\n", stderr);
  abort();
}

static void MakeNoise(void) {
  for (int i = 0; i < 100000; ++i) fprintf(stderr, "line %d\n", i);
  abort();
}

/* Over whatever the caller keeps on its stack. */
static void Smash(char* from) {
  for (volatile char* at = from; at < from + (1 << 16); ++at) *at = (char)0xAA;
}

static int GoWrong(heap* self, const oomph_request* request, oomph_block* given) {
  if (Is("crash")) *(volatile int*)(uintptr_t)(request->size & 1) = 1;
  if (Is("exit")) exit(3);
  if (Is("abort")) abort();
  for (volatile int forever = 1; Is("hang") && forever;) continue;
  if (Is("smash")) Smash((char*)given);
  if (Is("eat")) EatMemory();
  if (Is("noise")) MakeNoise();
  if (Is("fuel")) return OOMPH_FUEL;
  if (Is("nonsense")) return 77;
  if (self->first == NULL) return sound_alloc(self, request, given);
  if (Is("wild_write")) self->arena[self->first->begin] ^= 1;
  if (Is("overlap")) {
    *given = (oomph_block){(uint64_t)(uintptr_t)self->first, self->first->begin, request->size};
    return OOMPH_OK;
  }
  return sound_alloc(self, request, given);
}

int oomph_alloc(void* allocator, const oomph_request* request, oomph_block* given) {
  if (--countdown == 0) return GoWrong(allocator, request, given);
  return sound_alloc(allocator, request, given);
}

int oomph_free(void* allocator, uint64_t handle) {
  return Is("leak") ? OOMPH_OK : sound_free(allocator, handle);
}

static int Validity(void) {
  if (countdown > 0) return OOMPH_OK;
  if (Is("not_zeroed")) return OOMPH_NOT_ZEROED;
  if (Is("slack")) return OOMPH_SLACK_DAMAGED;
  if (Is("thread")) return OOMPH_THREAD_DAMAGED;
  return Is("damage") ? OOMPH_CORRUPT : OOMPH_OK;
}

int oomph_validate(void* allocator, char* message, size_t message_bytes) {
  if (Validity() == OOMPH_OK) return sound_validate(allocator, message, message_bytes);
  snprintf(message, message_bytes, "as was asked for");
  return Validity();
}
