// jemalloc, by the names of malloc that its library defines, and its sdallocx and rallocx.
// Not for: what is done with it (see heap.h).
//
// Its library has more thread-local memory than one that is loaded late may have by default: the program must have
// been started with room for it (see static_tls.h).
#include <bit>
#include <iterator>

#include "subjects/malloc/calls.h"

namespace {

using oomph::malloc_family::Calls;
using oomph::malloc_family::Find;
using oomph::malloc_family::System;

constexpr oomph_promise kPromises[] = {
    {"alignment",
     "jemalloc(3): the base address that posix_memalign or aligned_alloc gives is a multiple of the alignment, a power "
     "of two; with MALLOCX_ALIGN(a) that of rallocx is a multiple of a. posix_memalign(3) says it of memalign, which it "
     "replaces"},
};

// MALLOCX_LG_ALIGN of its header.
int Flags(size_t alignment) { return alignment == 0 ? 0 : std::countr_zero(alignment); }

void (*sdallocx)(void*, size_t, int);
void* (*rallocx)(void*, size_t, int);

// jemalloc(3): from the size asked for to the usable size. So 1 for blocks of 0 bytes: of 0 it thinks another class
// than of the aligned request that it is to undo (jemalloc/jemalloc#2991), and what that damages shows much later.
void FreeSized(void* block, size_t size, size_t alignment) { sdallocx(block, size == 0 ? 1 : size, Flags(alignment)); }
void* ReallocAligned(void* block, size_t size, size_t alignment) { return rallocx(block, size, Flags(alignment)); }

void FindMore(void* library, Calls& calls) {
  if (Find(library, "sdallocx", sdallocx)) calls.free_sized = FreeSized;
  if (Find(library, "rallocx", rallocx)) calls.realloc_aligned = ReallocAligned;
}

std::string Version(void* library) {
  int (*mallctl)(const char*, void*, size_t*, void*, size_t);
  const char* version = nullptr;
  size_t bytes = sizeof version;
  if (!Find(library, "mallctl", mallctl) || mallctl("version", &version, &bytes, nullptr, 0) != 0) return "unknown";
  const std::string text = version;
  return text.substr(0, text.find('-'));
}

constexpr System kSystem = {"jemalloc", "libjemalloc.so.2", kPromises, std::size(kPromises), Version, FindMore};

}  // namespace

#include "subjects/malloc/malloc_plugin.h"
