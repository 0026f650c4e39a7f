// mimalloc, by the names of malloc that its library defines, its sized frees and its aligned realloc.
// Not for: what is done with it (see heap.h).
#include <iterator>

#include "subjects/malloc/calls.h"

namespace {

using oomph::malloc_family::Calls;
using oomph::malloc_family::Find;
using oomph::malloc_family::System;

constexpr oomph_promise kPromises[] = {
    {"alignment",
     "mimalloc.h declares mi_aligned_alloc, mi_memalign and mi_realloc_aligned with the attribute alloc_align, by "
     "which the pointer is a multiple of the alignment; ISO C17 7.22.3.1, whose aligned_alloc it replaces"},
};

void (*free_size)(void*, size_t);
void (*free_size_aligned)(void*, size_t, size_t);

void FreeSized(void* block, size_t size, size_t alignment) {
  alignment == 0 ? free_size(block, size) : free_size_aligned(block, size, alignment);
}

void FindMore(void* library, Calls& calls) {
  if (Find(library, "mi_free_size", free_size) && Find(library, "mi_free_size_aligned", free_size_aligned)) {
    calls.free_sized = FreeSized;
  }
  Find(library, "mi_realloc_aligned", calls.realloc_aligned);
}

std::string Version(void* library) {
  int (*version)();
  if (!Find(library, "mi_version", version)) return "unknown";
  const int number = version();  // 209 is 2.0.9
  return std::to_string(number / 100) + "." + std::to_string(number / 10 % 10) + "." + std::to_string(number % 10);
}

constexpr System kSystem = {"mimalloc", "libmimalloc.so.2", kPromises, std::size(kPromises), Version, FindMore};

}  // namespace

#include "subjects/malloc/malloc_plugin.h"
