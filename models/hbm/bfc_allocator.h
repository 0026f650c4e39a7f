// The fast model of a BFC allocator ("best fit with coalescing"), step by step equal to tsl::BFCAllocator as
// tensorflow-cpu 2.21.0 ships it: the same offsets, the same failures, the same statistics.
// Not for: several threads, contents, retries that wait for another thread.
//
// Memory is a row of regions, each a row of chunks without gaps. A chunk is in use or free:
//
//     region 0                         region 1
//     [ used |free| used  |   free   ] [ used |          free          ]
//
// A request takes the smallest free chunk that fits (the lowest of equals) and leaves the rest of it free if
// that is worth it. A free merges with its free neighbours in the same region. If nothing fits a region is
// added; then frees that have not landed are merged, then free regions are given back and another is added;
// then the request fails.
#ifndef OOMPH_MODELS_HBM_BFC_ALLOCATOR_H_
#define OOMPH_MODELS_HBM_BFC_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "models/hbm/bfc_options.h"
#include "models/hbm/bfc_suballocator.h"
#include "models/hbm/bfc_types.h"

namespace oomph::bfc {

class Allocator {
 public:
  // `fuel` is how many calls of the sub-allocator one request may take.
  Allocator(const Options& options, const Deviations& deviations, uint64_t capacity, uint64_t fuel);

  // An alignment of 0 asks for none. O(log n) without timestamps and garbage collection; with them also
  // linear in the frees that have not landed, and at a failure in the chunks.
  Result Allocate(uint64_t size, uint64_t alignment, End end = End::kAny);

  // The block that starts at `offset`. kDied where none does.
  Status Free(uint64_t offset) { return FreeAfter(offset, 0); }
  // As Free; with Timestamps::kOn its memory is used again only after Fence(n) with n >= fence. Frees land in
  // the order in which they were made: one whose fence has passed waits for all before it.
  Status FreeAfter(uint64_t offset, uint64_t fence);
  // With Timestamps::kLoose any fence makes all frees before it safe.
  Status Fence(uint64_t fence);

  const Stats& stats() const { return stats_; }
  uint64_t largest_free() const { return free_.empty() ? 0 : free_.rbegin()->size; }
  uint64_t free_bytes() const { return stats_.pool_bytes - stats_.bytes_in_use; }
  size_t num_free() const { return free_.size(); }
  size_t num_live() const { return live_.size(); }
  size_t num_regions() const { return regions_.size(); }

  // visit(offset, size) for each free chunk in address order.
  template <typename Visit>
  void ForEachFree(Visit&& visit) const {
    for (const Region& region : regions_) {
      for (uint32_t h = FirstChunk(region); h != kNone; h = chunks_[h].next) {
        if (chunks_[h].state == State::kFree) visit(chunks_[h].offset, chunks_[h].size);
      }
    }
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  enum class State : uint8_t { kGone, kFree, kUsed };

  struct Chunk {
    uint64_t offset = 0;
    uint64_t size = 0;
    uint64_t freed_at = 0;  // the time of the free; 0 once it is safe
    uint32_t prev = kNone;  // the neighbours in the region; `next` of a chunk that is gone: the free list
    uint32_t next = kNone;
    State state = State::kGone;
  };

  struct Region {
    uint64_t offset;
    uint64_t size;
    uint32_t first;
    uint64_t end() const { return offset + size; }
  };

  struct Hole {
    uint64_t size;
    uint64_t offset;
    uint32_t chunk;
    // The order in which a request looks at them. No two have the same place.
    bool operator<(const Hole& other) const {
      return size != other.size ? size < other.size : offset < other.offset;
    }
  };

  struct Spot {
    uint32_t chunk;
    uint64_t offset;
  };

  // Each gives true where the request is answered in *result.
  bool TryFind(uint64_t rounded, uint64_t alignment, End end, Result* result);
  bool TryExtend(uint64_t rounded, uint64_t alignment);

  bool honours_alignment() const { return !deviations_.alignment_ignored || options_.ends == Ends::kTwo; }
  std::optional<uint64_t> Round(uint64_t size) const;
  std::optional<Spot> FindSpot(uint64_t rounded, uint64_t alignment, End end) const;
  uint32_t Carve(const Spot& spot, uint64_t rounded, End end);
  void SplitOff(uint32_t h, uint64_t keep);  // the rest of chunk h becomes a chunk after it
  uint32_t Coalesce(uint32_t h, bool unsafe_too);
  void Absorb(uint32_t first, uint32_t second);

  std::optional<uint64_t> TakeRegion(uint64_t alignment, uint64_t rounded, uint64_t* bytes);
  uint64_t BackOff(uint64_t bytes) const;
  void AddRegion(uint64_t offset, uint64_t bytes);
  bool CollectRegions(uint64_t rounded);
  bool MayCollect(const Region& region) const;
  void DropChunks(const Region& region);

  // Merges what has landed; with `wanted` also what has not, until a chunk has that many bytes, which
  // true tells.
  bool MergeFrees(uint64_t wanted);
  void Land();

  uint32_t FirstChunk(const Region& region) const;
  bool InSomeRegion(uint64_t offset) const;
  uint32_t NewChunk(uint64_t offset, uint64_t size);
  void DeleteChunk(uint32_t h);
  void AddHole(uint32_t h) { free_.insert(Hole{chunks_[h].size, chunks_[h].offset, h}); }
  void RemoveHole(uint32_t h) { free_.erase(Hole{chunks_[h].size, chunks_[h].offset, h}); }

  const Options options_;
  const Deviations deviations_;
  const uint64_t capacity_;
  const uint64_t fuel_;
  uint64_t waste_limit_;   // bytes that a block may have above its size rounded up and doubled
  uint64_t region_bytes_;  // of the next region
  Backing backing_;

  std::vector<Chunk> chunks_;
  uint32_t gone_ = kNone;        // the chunk that was deleted last; numbers are used again in that order
  std::vector<Region> regions_;  // in address order
  absl::btree_set<Hole> free_;
  absl::flat_hash_map<uint64_t, uint32_t> live_;  // by offset

  // Frees have times 2, 3, ... in order; those up to landed_ are safe.
  uint64_t time_ = 1;
  uint64_t landed_ = 1;
  uint64_t passed_ = 0;             // the highest fence
  std::deque<uint64_t> waiting_;    // the fences of the frees at landed_ + 1, ...
  std::vector<uint32_t> unmerged_;  // chunks freed and not merged yet, oldest first; some may be used since
  std::vector<uint32_t> unmerged_next_, merging_;  // kept between calls for their room

  uint64_t calls_ = 0;  // of the sub-allocator, in this request
  uint32_t paths_ = 0;
  Status ended_ = Status::kOk;  // kOutOfFuel, kDied: for ever
  Stats stats_;
};

}  // namespace oomph::bfc

#endif  // OOMPH_MODELS_HBM_BFC_ALLOCATOR_H_
