// The plugin over a malloc: included at the end of X_plugin.cc, which defines kSystem.
// Not for: anything else to include. What it does with the calls is in heap.h.
#ifndef OOMPH_SUBJECTS_MALLOC_MALLOC_PLUGIN_H_
#define OOMPH_SUBJECTS_MALLOC_MALLOC_PLUGIN_H_

#include "subjects/malloc/heap.h"

namespace {

using oomph::malloc_family::Heap;
using oomph::malloc_family::Opened;

const Opened& TheLibrary() {
  static const Opened* const opened = new Opened(oomph::malloc_family::Open(kSystem));
  return *opened;
}

// Those with a sized free stand at the end.
constexpr const char* kVariants[] = {
    "calls=c",          "calls=calloc",       "calls=aligned_alloc",    "calls=posix_memalign",
    "calls=memalign",   "calls=c,threads=4",  "calls=calloc,threads=4", "calls=posix_memalign,threads=3",
    "calls=c,free=sized", "calls=posix_memalign,free=sized", "calls=c,free=sized,threads=4",
};
constexpr size_t kNumSized = 3;

Heap* Self(void* allocator) { return static_cast<Heap*>(allocator); }

}  // namespace

int oomph_query(oomph_info* info) {
  *info = {};
  info->abi = OOMPH_ABI_VERSION;
  info->struct_bytes = sizeof(oomph_info);
  info->name = kSystem.name;
  if (!TheLibrary().error.empty()) {
    info->version = TheLibrary().error.c_str();
    return OOMPH_UNSUPPORTED;
  }
  info->caps = OOMPH_CAP_ALIGN | OOMPH_CAP_REALLOC | OOMPH_CAP_VALIDATE | OOMPH_CAP_INBAND | OOMPH_CAP_GROWS |
               OOMPH_CAP_THREADSAFE;
  info->version = TheLibrary().version.c_str();
  info->promises = kSystem.promises;
  info->num_promises = kSystem.num_promises;
  info->variants = kVariants;
  info->num_variants = std::size(kVariants) - (TheLibrary().calls.free_sized == nullptr ? kNumSized : 0);
  return OOMPH_OK;
}

void* oomph_create(const oomph_config* config) {
  oomph::malloc_family::Options options;
  if (!oomph::malloc_family::ParseOptions(config->options, &options)) return nullptr;
  const oomph::malloc_family::Calls& calls = TheLibrary().calls;
  if (options.free_sized && calls.free_sized == nullptr) return nullptr;
  return new Heap(calls, options, config->capacity, config->seed);
}

void oomph_destroy(void* allocator) { delete Self(allocator); }

int oomph_alloc(void* allocator, const oomph_request* request, oomph_block* block) {
  return Self(allocator)->Allocate(*request, block);
}

int oomph_free(void* allocator, uint64_t handle) { return Self(allocator)->Free(handle); }

int oomph_realloc(void* allocator, uint64_t handle, const oomph_request* request, oomph_block* block) {
  return Self(allocator)->Reallocate(handle, *request, block);
}

int oomph_validate(void* allocator, char* message, size_t message_bytes) {
  return Self(allocator)->Validate(message, message_bytes);
}

void* oomph_address(void* allocator, uint64_t handle) { return Self(allocator)->Address(handle); }

#endif  // OOMPH_SUBJECTS_MALLOC_MALLOC_PLUGIN_H_
