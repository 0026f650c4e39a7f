// The tcmalloc of gperftools, its minimal library without profilers: the names of malloc, and tc_free_sized.
// Not for: what is done with it (see heap.h).
#include <iterator>

#include "subjects/malloc/calls.h"

namespace {

using oomph::malloc_family::Calls;
using oomph::malloc_family::Find;
using oomph::malloc_family::System;

constexpr oomph_promise kPromises[] = {
    {"alignment",
     "gperftools/tcmalloc.h declares tc_memalign and tc_posix_memalign as its memalign and posix_memalign, of which "
     "POSIX says that the address is a multiple of the alignment; ISO C17 7.22.3.1, whose aligned_alloc it replaces"},
};

void (*tc_free_sized)(void*, size_t);
void (*tc_free)(void*);

// Its header does not say that the size of an aligned request will do.
void FreeSized(void* block, size_t size, size_t alignment) {
  alignment == 0 ? tc_free_sized(block, size) : tc_free(block);
}

void FindMore(void* library, Calls& calls) {
  if (Find(library, "tc_free_sized", tc_free_sized) && Find(library, "tc_free", tc_free)) calls.free_sized = FreeSized;
}

std::string Version(void* library) {
  const char* (*version)(int*, int*, const char**);
  if (!Find(library, "tc_version", version)) return "unknown";
  int major = 0, minor = 0;
  const char* patch = "";
  version(&major, &minor, &patch);
  return std::to_string(major) + "." + std::to_string(minor) + patch;
}

constexpr System kSystem = {"gperftools tcmalloc", "libtcmalloc_minimal.so.4", kPromises, std::size(kPromises), Version,
                            FindMore};

}  // namespace

#include "subjects/malloc/malloc_plugin.h"
