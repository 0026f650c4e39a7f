// The memory of the fast HBM model: blocks and holes in address order, the indexes of holes,
// the digest of both.
// Not for: names, retries, what is counted (see allocator.h).
//
//   edge <-> program <-> hole <-> program <-> hole <-> buffer <-> hole <-> buffer <-> edge
//
// Blocks and holes are nodes of one ring; two holes never stand side by side. Programs lie below
// all buffers and, under Ends::kTwo, low buffers below high ones, so a hole's neighbours say who
// may use it:
//
//   before a program                       inner      programs
//   kTwo: before a low buffer              lower      low buffers
//   kTwo: behind a high buffer             upper      high buffers
//   else (kTwo: the central gap)           the rest   all buffers
//
// Programs may also use the hole right behind the last program. Programs are few: theirs are found
// by walking.
#ifndef OOMPH_MODELS_HBM_MEMORY_MAP_H_
#define OOMPH_MODELS_HBM_MEMORY_MAP_H_

#include <array>
#include <cstdint>
#include <vector>

#include "models/base/units.h"
#include "models/hbm/hole_index.h"
#include "models/hbm/outcome.h"
#include "models/hbm/state_hash.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

// One request for a block, after rounding.
struct BlockRequest {
  uint32_t name = 0;
  uint64_t need = 0;       // bytes; 2^64 - 1 where that is not a number
  uint64_t alignment = 1;  // a power of two, at least the granule
  bool low = false;        // from the low end; programs always
  bool program = false;
  bool pinned = false;
};

class MemoryMap {
 public:
  static constexpr uint32_t kEdge = 0;  // the node on both ends; also says "no node"

  enum class Kind : uint8_t { kEdge, kHole, kProgram, kLow, kHigh };
  // kLow only under Ends::kTwo: with one end all buffers are kHigh.
  struct Node {
    uint64_t offset = 0;
    uint64_t reserved = 0;
    uint32_t prev = kEdge;
    uint32_t next = kEdge;
    uint32_t name = 0;
    uint32_t fence = 0;      // > 0: a queued free
    uint64_t loaded_at = 0;  // programs: clock of the load
    uint64_t used_at = 0;    // programs: clock of the last launch, or of the load
    uint64_t planned = 0;    // where a defragmentation would put it
    uint32_t donated = 0;    // the last launch attempt that gave it away
    Kind kind = Kind::kHole;
    bool pinned = false;
    uint8_t alignment_log2 = 0;
    uint8_t home = 0;  // holes: the index that has it

    uint64_t stop() const { return offset + reserved; }
    bool buffer() const { return kind >= Kind::kLow; }
    bool movable() const { return !pinned && fence == 0; }
  };

  // What a defragmentation would bring.
  struct Plan {
    bool moves = false;       // anything
    uint64_t largest = 0;     // hole that a buffer may then use
    uint64_t reservable = 0;  // hole that a program may then use
    bool fits = false;        // the request
  };

  // One hole of `capacity` bytes, a multiple of the granule. The bits of `alignments` are those
  // above the granule that many requests may have.
  void Reset(const Policy& policy, uint64_t capacity, uint64_t alignments);

  const Node& operator[](uint32_t node) const { return nodes_[node]; }
  Node& operator[](uint32_t node) { return nodes_[node]; }
  uint32_t first() const { return nodes_[kEdge].next; }
  uint32_t first_program() const;                 // kEdge: none
  uint32_t next_program(uint32_t program) const;  // kEdge: none
  uint64_t LowestBuffer() const;  // its offset, or the capacity. Linear in the programs.
  uint64_t Largest() const;       // hole that a buffer may use
  uint64_t Reservable() const;    // hole that a program may use. Linear in the programs.
  uint64_t hash() const { return block_hash_ + hole_hash_; }  // the sum over blocks and holes
  bool two_ends() const { return two_ends_; }

  // The hole that serves a request, or kEdge.
  uint32_t Pick(const BlockRequest& request) const;
  // Where a request begins in a hole that it fits.
  uint64_t PlaceIn(uint32_t hole, const BlockRequest& request) const;
  // Cuts a block out of a hole. The node of the block.
  uint32_t Occupy(uint32_t hole, uint64_t offset, const BlockRequest& request);
  // Turns a block to free memory.
  void Release(uint32_t block);
  // Whether a block can be `need` bytes long where it is.
  bool CanResize(uint32_t block, uint64_t need) const;
  void Resize(uint32_t block, uint64_t need);
  void Queue(uint32_t block, uint32_t fence);
  // Another name and alignment for what lies where it lies.
  void Rename(uint32_t block, uint32_t name, uint64_t alignment);
  void Realign(uint32_t block, uint64_t alignment);

  // Where everything would go, and whether `request` (may be null) would then fit.
  Plan PlanMoves(const BlockRequest* request);
  // Whether the plan is worth while. No plan is made where the last one still holds and says no.
  bool MovesHelp(const BlockRequest* request);
  // Carries out what PlanMoves found. Gives the bytes moved, adds the events.
  uint64_t Move(std::vector<Event>& events);

 private:
  enum Home : uint8_t { kRest, kLower, kUpper, kInner };  // the first three have an index

  Home HomeOf(uint32_t hole) const;
  void Enlist(uint32_t hole);    // a hole that is in no index
  void Withdraw(uint32_t hole);  // before it is changed
  // After its place changed from what is given.
  void Relist(uint32_t hole, uint64_t old_offset, uint64_t old_reserved);
  uint32_t NewNode();
  uint32_t LinkAfter(uint32_t prev, uint64_t offset, uint64_t reserved);  // a new node
  void Unlink(uint32_t node);
  void HashIn(const Node& block) { block_hash_ += HashOf(block); }
  void HashOut(const Node& block) { block_hash_ -= HashOf(block); }
  static uint64_t HashOf(const Node& block);
  bool Moves(const Node& node) const {
    return node.movable() && (node.kind != Kind::kProgram || programs_move_);
  }
  void PlanOffsets();
  void WeighHole(const Node& before, const Node& after, uint64_t begin, uint64_t end,
                 const BlockRequest* request, Plan& plan) const;
  void RebuildHoles();

  std::vector<Node> nodes_;  // [0] is the edge
  uint32_t spare_ = kEdge;   // nodes not in use, by `next`
  uint32_t num_holes_ = 0;
  std::array<HoleIndex, 3> indexes_;
  uint64_t block_hash_ = 0;
  uint64_t hole_hash_ = 0;
  uint64_t capacity_ = 0;
  bool two_ends_ = false;
  bool programs_move_ = false;
  // The last plan, while nothing has changed since.
  bool plan_holds_ = false;
  Plan plan_;
};

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_MEMORY_MAP_H_
