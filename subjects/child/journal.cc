// See journal.h.
#include "subjects/child/journal.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace oomph {
namespace {

// The records begin at a page of their own, so that head and records are aligned for anything.
constexpr size_t kHeadBytes = 4096;

}  // namespace

absl::StatusOr<std::unique_ptr<Journal>> Journal::Make(size_t capacity_bytes) {
  const size_t mapped = kHeadBytes + capacity_bytes;
  void* memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no shared memory for a child's journal: ", std::strerror(errno)));
  }
  return std::unique_ptr<Journal>(new Journal(memory, mapped, capacity_bytes));
}

Journal::Journal(void* memory, size_t mapped_bytes, size_t capacity)
    : head_(new (memory) Head{}),
      records_(static_cast<char*>(memory) + kHeadBytes),
      capacity_(capacity),
      mapped_bytes_(mapped_bytes) {}

Journal::~Journal() { munmap(head_, mapped_bytes_); }

std::string Journal::Copy() const {
  const uint64_t used = head_->used.load(std::memory_order_acquire);
  return std::string(records_, std::min<uint64_t>(used, capacity_));
}

}  // namespace oomph
