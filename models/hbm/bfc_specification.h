// What a BFC allocator does, said as plainly as possible: one row of chunks in address order, every question
// answered by looking at all of them. Each step is a small virtual function, so that a planted fault can put
// a wrong one there. Not for: speed (see bfc_allocator.h, which answers the same).
//
// Sources, named at each step. [header]: the comments of xla/tsl/framework/{bfc_allocator,allocator}.h in the
// tensorflow-cpu 2.21.0 wheel. [measured]: equal to that wheel's library in props/bfc_plugin.cc. [assumed]:
// the two-ended setting, of which no library was at hand.
#ifndef OOMPH_MODELS_HBM_BFC_SPECIFICATION_H_
#define OOMPH_MODELS_HBM_BFC_SPECIFICATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/hbm/bfc_options.h"
#include "models/hbm/bfc_suballocator.h"
#include "models/hbm/bfc_types.h"

namespace oomph::bfc {

class Specification {
 public:
  Specification(const Options& options, const Deviations& deviations, uint64_t capacity, uint64_t fuel);
  virtual ~Specification() = default;

  // As in bfc_allocator.h.
  Result Allocate(uint64_t size, uint64_t alignment, End end = End::kAny);
  Status Free(uint64_t offset) { return FreeAfter(offset, 0); }
  Status FreeAfter(uint64_t offset, uint64_t fence);
  Status Fence(uint64_t fence);

  const Stats& stats() const { return stats_; }
  uint64_t largest_free() const;
  uint64_t free_bytes() const;
  size_t num_free() const;
  size_t num_live() const;
  size_t num_regions() const;

  // visit(offset, size) for each free chunk in address order.
  template <typename Visit>
  void ForEachFree(Visit&& visit) const {
    for (const Chunk& chunk : chunks_) {
      if (!chunk.used) visit(chunk.offset, chunk.size);
    }
  }

 protected:
  struct Chunk {
    uint64_t offset = 0;
    uint64_t size = 0;
    uint64_t region = 0;    // where its region begins
    uint64_t freed_at = 0;  // the time of its free; 0 once that is safe
    size_t number = 0;      // names it in the list of unmerged frees
    bool used = false;
    uint64_t end() const { return offset + size; }
  };

  struct Request {
    uint64_t rounded = 0;
    uint64_t alignment = 0;
    End end = End::kAny;
  };

  // --- the steps of a request

  // Up to a multiple of 256. [header] kMinAllocationSize; the wrap is [measured].
  virtual std::optional<uint64_t> Round(uint64_t size) const;
  // The smallest chunk that can hold the request, the lowest of equals. [header] bins of chunks sorted by
  // size, then address; a smaller bin holds smaller chunks, so bins do not show.
  virtual std::optional<size_t> PickChunk(const Request& request) const;
  // Free, and freed early enough. [header] AllocationAttributes::freed_by_func.
  virtual bool MayUse(const Chunk& chunk) const;
  // Where in the chunk the block begins, if it fits. [measured] at its first byte; an end is [assumed].
  virtual std::optional<uint64_t> Place(const Chunk& chunk, const Request& request) const;
  // Whether the rest of a chunk is worth keeping apart: it doubles the block, or reaches the limit of waste.
  // [header] fragmentation_fraction, "when a chunk should be split"; both bounds are [measured].
  virtual bool IsWorthSplitting(uint64_t size, const Request& request) const;
  // Chunk `index` keeps its first bytes; the rest becomes a free chunk behind it, as old as it. [measured]
  virtual void Split(size_t index, uint64_t keep);
  // [header] AllocatorStats.
  virtual void Account(const Chunk& chunk);
  virtual void Unaccount(const Chunk& chunk);

  // --- the steps of a free

  // Two neighbours become one. [header] "We always merge adjacent free chunks" (of one region), but those
  // freed at a time that is not safe yet wait on a list.
  virtual bool MayMerge(size_t first, size_t second, bool unsafe_too) const;
  // Chunk `first` takes over the one behind it. [header] the most conservative time of the two.
  virtual void Merge(size_t first);
  // Frees land in the order in which they were made. (The plugin's rule; the allocator has only a time.)
  virtual void Land();
  // [header] MergeTimestampedChunks; [measured] the order in which it goes about it.
  virtual bool MergeFrees(uint64_t wanted);

  // --- the steps of growing and shrinking

  // Doubled until the request fits. [measured], also: it stays doubled if the sub-allocator then refuses.
  virtual bool GrowNextRegion(uint64_t rounded);
  // Nine tenths, rounded up. [measured], also: in single precision.
  virtual uint64_t BackOff(uint64_t bytes) const;
  // A new region joins the one that ends where it begins. [header] AddOrExtendAllocationRegion.
  virtual void AddRegion(uint64_t offset, uint64_t bytes);
  virtual bool Extend(const Request& request);
  // A region goes back if nothing in it is in use. [header] DeallocateFreeRegions.
  virtual bool MayCollect(uint64_t region) const;
  // All such regions, provided that they and what was never asked for could hold the request. [header]
  virtual bool Collect(uint64_t rounded);

  const Options options_;
  const Deviations deviations_;
  const uint64_t capacity_;
  const uint64_t fuel_;
  Stats stats_;
  std::vector<Chunk> chunks_;  // in address order; an empty one lies before the one that has its address
  uint64_t landed_ = 1;        // frees up to this time are safe

 private:
  bool Find(const Request& request, Result* result);
  size_t CutOut(size_t index, const Request& request);
  size_t Coalesce(size_t index, bool unsafe_too);
  std::optional<size_t> IndexOf(size_t number) const;
  std::vector<std::pair<uint64_t, uint64_t>> Regions() const;  // begin and end of each, in address order
  // The chunks that a walk over the region meets: all but empty ones at its very beginning.
  std::vector<size_t> ChunksOf(uint64_t region) const;
  size_t NewNumber(uint64_t offset);
  void Drop(size_t index);

  uint64_t next_region_bytes_;
  Backing backing_;
  std::vector<uint64_t> where_;  // by number: the offset of the last chunk that had it
  std::vector<size_t> spare_;    // numbers to use again, the last first
  uint64_t time_ = 1;
  uint64_t passed_ = 0;
  std::vector<uint64_t> waiting_;  // the fences of the frees at landed_ + 1, ...
  std::vector<size_t> unmerged_;   // numbers of chunks freed and not merged yet, oldest first
  uint64_t calls_ = 0;
  uint32_t paths_ = 0;
  Status ended_ = Status::kOk;
};

}  // namespace oomph::bfc

#endif  // OOMPH_MODELS_HBM_BFC_SPECIFICATION_H_
