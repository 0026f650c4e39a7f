// See memory_map.h.
#include "models/hbm/memory_map.h"

#include <algorithm>
#include <bit>

namespace oomph::hbm {

void MemoryMap::Reset(const Policy& policy, uint64_t capacity, uint64_t alignments) {
  capacity_ = capacity;
  two_ends_ = policy.ends == Ends::kTwo;
  programs_move_ = policy.programs == Programs::kMovable;
  plan_holds_ = false;
  indexes_[kRest].Reset(policy.fit, policy.ends != Ends::kLow, alignments);
  indexes_[kLower].Reset(policy.fit, false, alignments);
  indexes_[kUpper].Reset(policy.fit, true, alignments);
  nodes_.resize(1);
  nodes_[kEdge] = {.kind = Kind::kEdge};
  spare_ = kEdge;
  num_holes_ = 0;
  block_hash_ = hole_hash_ = 0;
  if (capacity > 0) Enlist(LinkAfter(kEdge, 0, capacity));
}

// ---- The ring ----

uint32_t MemoryMap::NewNode() {
  if (spare_ == kEdge) {
    nodes_.emplace_back();
    return nodes_.size() - 1;
  }
  const uint32_t node = spare_;
  spare_ = nodes_[node].next;
  return node;
}

uint32_t MemoryMap::LinkAfter(uint32_t prev, uint64_t offset, uint64_t reserved) {
  const uint32_t node = NewNode();
  const uint32_t next = nodes_[prev].next;
  nodes_[node] = {.offset = offset, .reserved = reserved, .prev = prev, .next = next};
  nodes_[prev].next = node;
  nodes_[next].prev = node;
  return node;
}

void MemoryMap::Unlink(uint32_t node) {
  const Node& gone = nodes_[node];
  nodes_[gone.prev].next = gone.next;
  nodes_[gone.next].prev = gone.prev;
  nodes_[node].next = spare_;
  spare_ = node;
}

uint32_t MemoryMap::first_program() const { return next_program(kEdge); }

uint32_t MemoryMap::next_program(uint32_t program) const {
  uint32_t node = nodes_[program].next;
  if (nodes_[node].kind == Kind::kHole) node = nodes_[node].next;
  return nodes_[node].kind == Kind::kProgram ? node : kEdge;
}

uint64_t MemoryMap::LowestBuffer() const {
  uint32_t node = first();
  while (nodes_[node].kind == Kind::kProgram || nodes_[node].kind == Kind::kHole) {
    node = nodes_[node].next;
  }
  return node == kEdge ? capacity_ : nodes_[node].offset;
}

uint64_t MemoryMap::Largest() const {
  return std::max(
      {indexes_[kRest].Largest(), indexes_[kLower].Largest(), indexes_[kUpper].Largest()});
}

uint64_t MemoryMap::Reservable() const {
  uint64_t largest = 0;
  for (uint32_t node = first(); node != kEdge && !nodes_[node].buffer(); node = nodes_[node].next) {
    if (nodes_[node].kind == Kind::kHole) largest = std::max(largest, nodes_[node].reserved);
  }
  return largest;
}

// ---- Holes ----

MemoryMap::Home MemoryMap::HomeOf(uint32_t hole) const {
  const Kind next = nodes_[nodes_[hole].next].kind;
  if (next == Kind::kProgram) return kInner;
  if (!two_ends_) return kRest;
  if (next == Kind::kLow) return kLower;
  return nodes_[nodes_[hole].prev].kind == Kind::kHigh ? kUpper : kRest;
}

void MemoryMap::Enlist(uint32_t hole) {
  Node& node = nodes_[hole];
  node.home = HomeOf(hole);
  ++num_holes_;
  hole_hash_ += HashHole(node.offset, node.stop());
  if (node.home != kInner) indexes_[node.home].Insert(node.offset, node.reserved, hole);
}

void MemoryMap::Withdraw(uint32_t hole) {
  const Node& node = nodes_[hole];
  --num_holes_;
  hole_hash_ -= HashHole(node.offset, node.stop());
  if (node.home != kInner) indexes_[node.home].Erase(node.offset, node.reserved);
}

void MemoryMap::Relist(uint32_t hole, uint64_t old_offset, uint64_t old_reserved) {
  Node& node = nodes_[hole];
  hole_hash_ +=
      HashHole(node.offset, node.stop()) - HashHole(old_offset, old_offset + old_reserved);
  const Home old_home = static_cast<Home>(node.home);
  const Home home = HomeOf(hole);
  node.home = home;
  if (home == old_home) {
    if (home != kInner) {
      indexes_[home].Replace(old_offset, old_reserved, node.offset, node.reserved, hole);
    }
    return;
  }
  if (old_home != kInner) indexes_[old_home].Erase(old_offset, old_reserved);
  if (home != kInner) indexes_[home].Insert(node.offset, node.reserved, hole);
}

uint32_t MemoryMap::Pick(const BlockRequest& request) const {
  if (request.program) {
    uint32_t node = first();
    for (; node != kEdge && !nodes_[node].buffer(); node = nodes_[node].next) {
      if (nodes_[node].kind == Kind::kHole && nodes_[node].reserved >= request.need) return node;
    }
    return kEdge;
  }
  if (two_ends_) {
    const HoleIndex& own = indexes_[request.low ? kLower : kUpper];
    const uint32_t hole = own.Find(request.need, request.alignment);
    if (hole != HoleIndex::kNone) return hole;
  }
  const uint32_t hole = indexes_[kRest].Find(request.need, request.alignment);
  return hole == HoleIndex::kNone ? kEdge : hole;
}

uint64_t MemoryMap::PlaceIn(uint32_t hole, const BlockRequest& request) const {
  const Node& node = nodes_[hole];
  const uint64_t mask = request.alignment - 1;
  return request.low ? (node.offset + mask) & ~mask : (node.stop() - request.need) & ~mask;
}

// ---- Blocks ----

uint64_t MemoryMap::HashOf(const Node& block) {
  const uint64_t tag = block.kind == Kind::kProgram ? 1
                       : block.fence > 0            ? 2 + uint64_t{block.fence}
                                                    : 0;
  return HashBlock(block.offset, block.reserved, block.name, tag);
}

uint32_t MemoryMap::Occupy(uint32_t hole, uint64_t offset, const BlockRequest& request) {
  plan_holds_ = false;
  const uint64_t begin = nodes_[hole].offset;
  const uint64_t size = nodes_[hole].reserved;
  const uint64_t before = offset - begin;
  const uint64_t after = size - before - request.need;

  uint32_t block = hole;
  if (before > 0) {
    block = LinkAfter(hole, offset, request.need);
    nodes_[hole].reserved = before;
  } else if (after > 0) {
    block = LinkAfter(nodes_[hole].prev, offset, request.need);
    nodes_[hole].offset = offset + request.need;
    nodes_[hole].reserved = after;
  } else {
    Withdraw(hole);
  }
  Node& node = nodes_[block];
  node.name = request.name;
  node.fence = 0;
  node.donated = 0;
  node.kind = request.program            ? Kind::kProgram
              : two_ends_ && request.low ? Kind::kLow
                                         : Kind::kHigh;
  node.pinned = request.pinned;
  node.alignment_log2 = std::countr_zero(request.alignment);
  HashIn(node);
  if (block != hole) Relist(hole, begin, size);
  if (before > 0 && after > 0) Enlist(LinkAfter(block, offset + request.need, after));
  return block;
}

void MemoryMap::Release(uint32_t block) {
  plan_holds_ = false;
  Node& node = nodes_[block];
  HashOut(node);
  const uint32_t prev = node.prev;
  const uint32_t next = node.next;
  const uint64_t freed = node.reserved;
  const uint64_t offset = nodes_[next].offset;
  const uint64_t behind = nodes_[next].reserved;
  if (nodes_[prev].kind == Kind::kHole) {
    const uint64_t before = nodes_[prev].reserved;
    nodes_[prev].reserved += freed;
    Unlink(block);
    if (nodes_[next].kind == Kind::kHole) {
      Withdraw(next);
      nodes_[prev].reserved += behind;
      Unlink(next);
    }
    Relist(prev, nodes_[prev].offset, before);
  } else if (nodes_[next].kind == Kind::kHole) {
    nodes_[next].offset -= freed;
    nodes_[next].reserved += freed;
    Unlink(block);
    Relist(next, offset, behind);
  } else {
    node.kind = Kind::kHole;
    Enlist(block);
  }
}

bool MemoryMap::CanResize(uint32_t block, uint64_t need) const {
  const Node& node = nodes_[block];
  if (need <= node.reserved) return true;
  const Node& next = nodes_[node.next];
  return next.kind == Kind::kHole && next.reserved >= need - node.reserved;
}

void MemoryMap::Resize(uint32_t block, uint64_t need) {
  const uint64_t reserved = nodes_[block].reserved;
  if (need == reserved) return;
  plan_holds_ = false;
  HashOut(nodes_[block]);
  nodes_[block].reserved = need;
  HashIn(nodes_[block]);
  const uint32_t next = nodes_[block].next;
  const uint64_t offset = nodes_[next].offset;
  const uint64_t behind = nodes_[next].reserved;
  if (nodes_[next].kind != Kind::kHole) {
    Enlist(LinkAfter(block, nodes_[block].stop(), reserved - need));
  } else if (need > reserved && need - reserved == behind) {
    Withdraw(next);
    Unlink(next);
  } else {
    nodes_[next].offset = nodes_[block].stop();
    nodes_[next].reserved = behind + reserved - need;
    Relist(next, offset, behind);
  }
}

void MemoryMap::Queue(uint32_t block, uint32_t fence) {
  plan_holds_ = false;
  HashOut(nodes_[block]);
  nodes_[block].fence = fence;
  HashIn(nodes_[block]);
}

void MemoryMap::Rename(uint32_t block, uint32_t name, uint64_t alignment) {
  HashOut(nodes_[block]);
  nodes_[block].name = name;
  HashIn(nodes_[block]);
  Realign(block, alignment);
}

void MemoryMap::Realign(uint32_t block, uint64_t alignment) {
  plan_holds_ = false;
  nodes_[block].alignment_log2 = std::countr_zero(alignment);
}

// ---- Defragmentation ----

// Programs and low buffers down, high buffers up, in their order.
void MemoryMap::PlanOffsets() {
  uint64_t floor = 0;
  uint32_t at = first();
  for (; at != kEdge && nodes_[at].kind != Kind::kHigh; at = nodes_[at].next) {
    Node& node = nodes_[at];
    if (node.kind == Kind::kHole) continue;
    const uint64_t mask = node.kind == Kind::kLow ? (uint64_t{1} << node.alignment_log2) - 1 : 0;
    node.planned = Moves(node) ? (floor + mask) & ~mask : node.offset;
    floor = node.planned + node.reserved;
  }
  uint64_t ceiling = capacity_;
  for (at = nodes_[kEdge].prev; at != kEdge; at = nodes_[at].prev) {
    Node& node = nodes_[at];
    if (node.kind == Kind::kHole) continue;
    if (node.kind != Kind::kHigh) break;
    const uint64_t mask = (uint64_t{1} << node.alignment_log2) - 1;
    node.planned = Moves(node) ? (ceiling - node.reserved) & ~mask : node.offset;
    ceiling = node.planned;
  }
}

// Counts a hole that the plan leaves between two blocks.
void MemoryMap::WeighHole(const Node& before, const Node& after, uint64_t begin, uint64_t end,
                          const BlockRequest* request, Plan& plan) const {
  if (begin == end) return;
  const uint64_t size = end - begin;
  const bool for_buffers = after.kind != Kind::kProgram;
  const bool for_programs =
      !for_buffers || before.kind == Kind::kProgram || before.kind == Kind::kEdge;
  if (for_buffers) plan.largest = std::max(plan.largest, size);
  if (for_programs) plan.reservable = std::max(plan.reservable, size);
  if (request == nullptr || size < request->need) return;
  if (request->program) {
    plan.fits |= for_programs;
    return;
  }
  const bool own_side = request->low ? before.kind != Kind::kHigh : after.kind != Kind::kLow;
  const uint64_t waste = (0 - begin) & (request->alignment - 1);
  plan.fits |= for_buffers && (!two_ends_ || own_side) && waste <= size - request->need;
}

MemoryMap::Plan MemoryMap::PlanMoves(const BlockRequest* request) {
  Plan plan;
  PlanOffsets();
  uint32_t before = kEdge;
  uint64_t begin = 0;
  for (uint32_t at = first(); at != kEdge; at = nodes_[at].next) {
    const Node& node = nodes_[at];
    if (node.kind == Kind::kHole) continue;
    plan.moves |= node.planned != node.offset;
    WeighHole(nodes_[before], node, begin, node.planned, request, plan);
    before = at;
    begin = node.planned + node.reserved;
  }
  WeighHole(nodes_[before], nodes_[kEdge], begin, capacity_, request, plan);
  return plan;
}

bool MemoryMap::MovesHelp(const BlockRequest* request) {
  const bool settled = num_holes_ == 0 || (num_holes_ == 1 && !indexes_[kRest].empty() &&
                                           (two_ends_ || Reservable() > 0));
  if (settled) return false;
  const bool fresh = !plan_holds_;
  if (fresh) plan_ = PlanMoves(request);
  plan_holds_ = true;
  if (!plan_.moves) return false;
  const bool program = request != nullptr && request->program;
  const uint64_t after = program ? plan_.reservable : plan_.largest;
  if (after > (program ? Reservable() : Largest())) return true;
  if (request == nullptr || request->need > after) return false;
  if (!fresh) plan_ = PlanMoves(request);
  return plan_.fits;
}

uint64_t MemoryMap::Move(std::vector<Event>& events) {
  plan_holds_ = false;
  uint64_t bytes = 0;
  const auto move = [&](Node& node) {
    if (node.kind == Kind::kHole || node.planned == node.offset) return;
    bytes += node.reserved;
    events.push_back({.kind = EventKind::kMoved,
                      .name = node.name,
                      .offset = node.planned,
                      .size = node.reserved,
                      .from = node.offset});
    HashOut(node);
    node.offset = node.planned;
    HashIn(node);
  };
  uint32_t at = first();
  for (; at != kEdge && nodes_[at].kind != Kind::kHigh; at = nodes_[at].next) move(nodes_[at]);
  const uint32_t high = at;
  for (at = nodes_[kEdge].prev; high != kEdge; at = nodes_[at].prev) {
    move(nodes_[at]);
    if (at == high) break;
  }
  RebuildHoles();
  return bytes;
}

// From the blocks, after they have moved.
void MemoryMap::RebuildHoles() {
  for (HoleIndex& index : indexes_) index.Clear();
  num_holes_ = 0;
  hole_hash_ = 0;
  uint64_t begin = 0;
  for (uint32_t at = first(); at != kEdge;) {
    const uint32_t next = nodes_[at].next;
    if (nodes_[at].kind == Kind::kHole) {
      Unlink(at);
    } else {
      if (nodes_[at].offset > begin) {
        Enlist(LinkAfter(nodes_[at].prev, begin, nodes_[at].offset - begin));
      }
      begin = nodes_[at].stop();
    }
    at = next;
  }
  if (capacity_ > begin) Enlist(LinkAfter(nodes_[kEdge].prev, begin, capacity_ - begin));
}

}  // namespace oomph::hbm
