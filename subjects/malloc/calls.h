// The calls of a malloc and how they are found in a shared library; one System for each subject that is tested
// through them. Not for: what is done with them (see heap.h).
//
// The library is loaded beside the process's own malloc, out of sight of everything else, so that what the process
// allocates for itself stays apart from what the trace asks for.
#ifndef OOMPH_SUBJECTS_MALLOC_CALLS_H_
#define OOMPH_SUBJECTS_MALLOC_CALLS_H_

#include <dlfcn.h>

#include <cstddef>
#include <string>

#include "subjects/abi/oomph.h"
#include "subjects/child/sanitized.h"

namespace oomph::malloc_family {

struct Calls {
  void* (*malloc)(size_t size) = nullptr;
  void* (*calloc)(size_t count, size_t size) = nullptr;
  void* (*realloc)(void* block, size_t size) = nullptr;
  void (*free)(void* block) = nullptr;
  void* (*aligned_alloc)(size_t alignment, size_t size) = nullptr;
  int (*posix_memalign)(void** block, size_t alignment, size_t size) = nullptr;
  void* (*memalign)(size_t alignment, size_t size) = nullptr;
  size_t (*malloc_usable_size)(void* block) = nullptr;

  // What only some have; nullptr: this one does not. Sizes and alignments are those asked for; alignment 0: the
  // block was not asked for with one.
  void (*free_sized)(void* block, size_t size, size_t alignment) = nullptr;
  void* (*realloc_aligned)(void* block, size_t size, size_t alignment) = nullptr;
};

// What a subject's file says of its allocator.
struct System {
  const char* name;
  const char* library;  // as the loader finds it
  const oomph_promise* promises;
  size_t num_promises;
  std::string (*version)(void* library);
  // Adds the calls that only this one has; nullptr: none.
  void (*find_more)(void* library, Calls& calls);
};

template <typename Call>
bool Find(void* library, const char* name, Call& call) {
  call = reinterpret_cast<Call>(dlsym(library, name));
  return call != nullptr;
}

struct Opened {
  Calls calls;
  std::string version;
  std::string error;  // empty: it is there
};

// Loads the library, which stays loaded.
inline Opened Open(const System& system) {
  // Its own calls of malloc shall be its own; the sanitizers' run time forbids that.
  constexpr int kFlags = RTLD_NOW | RTLD_LOCAL | (kSanitized ? 0 : RTLD_DEEPBIND);
  Opened opened;
  void* const library = dlopen(system.library, kFlags);
  if (library == nullptr) {
    const char* const reason = dlerror();
    opened.error = reason == nullptr ? "the loader gives no reason" : reason;
    return opened;
  }
  Calls& calls = opened.calls;
  const bool all = Find(library, "malloc", calls.malloc) && Find(library, "calloc", calls.calloc) &&
                   Find(library, "realloc", calls.realloc) && Find(library, "free", calls.free) &&
                   Find(library, "aligned_alloc", calls.aligned_alloc) &&
                   Find(library, "posix_memalign", calls.posix_memalign) &&
                   Find(library, "memalign", calls.memalign) &&
                   Find(library, "malloc_usable_size", calls.malloc_usable_size);
  if (!all) opened.error = std::string(system.library) + " lacks a call of malloc";
  if (all && system.find_more != nullptr) system.find_more(library, calls);
  opened.version = system.version(library);
  // Programs call malloc before they have a second thread, and glibc's sets itself up in that first call without a
  // lock: left to the threads of a case, two of them may do it at once, and the later one to end dies of it.
  if (opened.error.empty()) calls.free(calls.malloc(1));
  return opened;
}

}  // namespace oomph::malloc_family

#endif  // OOMPH_SUBJECTS_MALLOC_CALLS_H_
