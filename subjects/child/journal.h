// Journal: what a subject has done so far in a case, in memory that its parent reads after a crash.
// Not for: the outcome of a case that ends well, which goes through the pipe (see child.h).
//
//     child                                       parent, after the child's death
//     Begin(7)  Step(0) Append  Step(1) Append    number() 7, step() 2, Copy() two records
//     Step(2) *crash*
//
// The child may have written anything into it: readers take every number for a guess.
#ifndef OOMPH_SUBJECTS_CHILD_JOURNAL_H_
#define OOMPH_SUBJECTS_CHILD_JOURNAL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace oomph {

class Journal {
 public:
  static absl::StatusOr<std::unique_ptr<Journal>> Make(size_t capacity_bytes);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // The writer's side.
  void Begin(uint64_t number) {
    head_->step.store(0, std::memory_order_relaxed);
    head_->used.store(0, std::memory_order_relaxed);
    head_->retired.store(0, std::memory_order_relaxed);
    head_->number.store(number, std::memory_order_release);
  }
  void Step(size_t step) { head_->step.store(step, std::memory_order_release); }
  // Room for a record, to be made part of the journal by Commit; nullptr once the journal is full.
  char* Reserve(size_t bytes) {
    const uint64_t used = head_->used.load(std::memory_order_relaxed);
    return bytes > capacity_ - used ? nullptr : records_ + used;
  }
  void Commit(size_t bytes) {
    const uint64_t used = head_->used.load(std::memory_order_relaxed);
    head_->used.store(used + bytes, std::memory_order_release);
  }
  // The subject is damaged: the next case needs a fresh process.
  void Retire() { head_->retired.store(1, std::memory_order_release); }

  // The reader's side.
  uint64_t number() const { return head_->number.load(std::memory_order_acquire); }
  uint64_t step() const { return head_->step.load(std::memory_order_acquire); }
  bool retired() const { return head_->retired.load(std::memory_order_acquire) != 0; }
  std::string Copy() const;  // the records; at most the capacity, whatever the child has written

 private:
  struct Head {
    std::atomic<uint64_t> number, step, used, retired;
  };
  Journal(void* memory, size_t mapped_bytes, size_t capacity);

  Head* const head_;
  char* const records_;
  const size_t capacity_;
  const size_t mapped_bytes_;
};

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_CHILD_JOURNAL_H_
