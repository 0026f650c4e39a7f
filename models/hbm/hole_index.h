// The holes that one kind of request may use, in the order in which a fit tries them.
// Not for: who may use which hole, or what lies beside one (see memory_map.h).
//
// A B+ tree whose nodes are short sorted arrays, so that few holes cost no more than an array:
//
//   best   (size, distance)    the first one that fits lies at or after (need, 0)
//   worst  (~size, distance)   the first one that fits lies near the front, if there is any
//   first  (distance)          inner nodes know the largest hole below; smaller ones are passed by
//
// With an alignment many holes may be large enough and yet fit nothing: each node but the root
// knows, for a few alignments, the most that one of its holes holds from a multiple of it.
//
// The distance is to the end that is allocated from: the beginning of the hole, or its complement.
#ifndef OOMPH_MODELS_HBM_HOLE_INDEX_H_
#define OOMPH_MODELS_HBM_HOLE_INDEX_H_

#include <array>
#include <cstdint>
#include <vector>

#include "models/hbm/trace.h"

namespace oomph::hbm {

class HoleIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  HoleIndex() { Reset(Fit::kBest, true); }

  // Empties it. What memory it has it keeps. The bits of `alignments` are those worth preparing
  // for.
  void Reset(Fit fit, bool from_high, uint64_t alignments = 0);
  void Clear();

  bool empty() const { return nodes_[root_].count == 0; }
  // Holes do not overlap; `ref` is the caller's number for one.
  void Insert(uint64_t begin, uint64_t size, uint32_t ref);
  // The hole must be in it.
  void Erase(uint64_t begin, uint64_t size);
  // As Erase and Insert.
  void Replace(uint64_t old_begin, uint64_t old_size, uint64_t begin, uint64_t size, uint32_t ref);

  // The `ref` of the first hole that holds `need` bytes from a multiple of `alignment` (a power of
  // two).
  uint32_t Find(uint64_t need, uint64_t alignment) const;
  // 0 if empty.
  uint64_t Largest() const;

 private:
  static constexpr uint32_t kFanout = 64;
  static constexpr int kMaxHeight = 16;
  static constexpr int kMaxRooms = 4;

  // By size: `high` is the size, `low` the distance. By distance (first fit): `high` is the
  // distance, `low` the size. In inner nodes `ref` is a node, and the key is a lower bound of its
  // keys, but in a node's first entry it means nothing; by distance `low` is the largest size
  // below.
  struct Entry {
    uint64_t high;
    uint64_t low;
    uint32_t ref;
  };
  // By alignment in alignments_: the bytes from the first multiple in a hole to its end, or the
  // most of these. Kept below the root only.
  using Rooms = std::array<uint64_t, kMaxRooms>;
  struct Node {
    uint32_t count = 0;
    Rooms rooms;
    std::array<Entry, kFanout> entries;
  };
  // The way from the root to a leaf: at each height the node and, above 0, the entry taken.
  struct Path {
    std::array<uint32_t, kMaxHeight> node;
    std::array<uint32_t, kMaxHeight> at;
  };

  Entry KeyOf(uint64_t begin, uint64_t size, uint32_t ref) const {
    const uint64_t distance = begin ^ begin_mask_;
    return by_size_ ? Entry{size ^ size_mask_, distance, ref} : Entry{distance, size, ref};
  }
  uint64_t SizeOf(const Entry& entry) const {
    return by_size_ ? entry.high ^ size_mask_ : entry.low;
  }
  uint64_t BeginOf(const Entry& entry) const {
    return (by_size_ ? entry.low : entry.high) ^ begin_mask_;
  }

  static unsigned __int128 Wide(const Entry& entry) {
    return static_cast<unsigned __int128>(entry.high) << 64 | entry.low;
  }
  static uint32_t CountBelow(const Node& node, unsigned __int128 key, uint32_t from);
  uint32_t PositionOf(uint32_t leaf, const Entry& entry) const;
  uint32_t ChildFor(const Node& node, const Entry& key) const;
  static void InsertAt(Node& node, uint32_t at, const Entry& entry);
  static void RemoveAt(Node& node, uint32_t at);
  static uint64_t LargestLow(const Node& node);

  uint32_t NewNode();
  uint32_t Descend(const Entry& key, Path& path) const;
  void InsertAndSplit(uint32_t leaf, uint32_t at, const Entry& entry, Path& path);
  void AfterErase(const Path& path, const Entry& gone);
  bool DropIfEmpty(uint32_t parent, uint32_t at);
  bool MergeIfSmall(uint32_t parent, uint32_t at, int height);
  void RaiseLargest(const Path& path, const Entry& entry);
  Rooms RoomsOf(const Entry& entry) const;
  void Raise(Rooms& rooms, const Rooms& other) const;
  void SumUpRooms(uint32_t node, int height);
  bool LowerRooms(uint32_t node, int height, const Rooms& gone);
  // Whether no hole below can serve it, as far as is known. `room` is from RoomFor.
  bool TooTight(uint32_t node, int room, uint64_t need) const {
    return room >= 0 && nodes_[node].rooms[room] < need;
  }
  int RoomFor(uint64_t alignment) const;  // -1: none

  bool Fits(const Entry& entry, uint64_t need, uint64_t alignment) const {
    const uint64_t size = SizeOf(entry);
    const uint64_t waste = (0 - BeginOf(entry)) & (alignment - 1);
    return size >= need && waste <= size - need;
  }
  uint32_t Found(uint32_t leaf, uint32_t at) const {
    found_in_ = leaf;
    found_at_ = at;
    return nodes_[leaf].entries[at].ref;
  }
  struct Wanted {
    uint64_t need;
    uint64_t alignment;
    int room;
  };
  uint32_t FindBySize(uint32_t node, int height, const Entry& from, const Wanted& wanted,
                      bool& over) const;
  uint32_t FindByDistance(uint32_t node, int height, const Wanted& wanted) const;

  std::vector<Node> nodes_;
  std::vector<uint32_t> spare_;  // nodes that are in no tree
  uint32_t root_ = 0;
  int height_ = 0;                 // 0: the root is a leaf
  mutable uint32_t found_in_ = 0;  // where Find last found one
  mutable uint32_t found_at_ = 0;
  int num_rooms_ = 0;
  std::array<uint64_t, kMaxRooms> alignments_ = {};  // rising
  bool by_size_ = true;
  uint64_t size_mask_ = 0;
  uint64_t begin_mask_ = 0;
};

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_HOLE_INDEX_H_
