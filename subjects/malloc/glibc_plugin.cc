// glibc's malloc, the process's own: what the trace asks for lies among what the process has for itself.
// Not for: what is done with it (see heap.h).
#include <gnu/libc-version.h>

#include <iterator>

#include "subjects/malloc/calls.h"

namespace {

using oomph::malloc_family::System;

constexpr oomph_promise kPromises[] = {
    {"alignment",
     "posix_memalign(3): the address is a multiple of the alignment, a power of two, and the same holds of "
     "memalign and aligned_alloc; ISO C17 7.22.3.1"},
};

constexpr System kSystem = {"glibc malloc", "libc.so.6", kPromises, std::size(kPromises),
                            [](void*) { return std::string(gnu_get_libc_version()); }, nullptr};

}  // namespace

#include "subjects/malloc/malloc_plugin.h"
