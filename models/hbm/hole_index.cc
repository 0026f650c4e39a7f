// See hole_index.h.
#include "models/hbm/hole_index.h"

#include <algorithm>
#include <cstring>

namespace oomph::hbm {

void HoleIndex::Reset(Fit fit, bool from_high, uint64_t alignments) {
  by_size_ = fit != Fit::kFirst;
  size_mask_ = fit == Fit::kWorst ? ~uint64_t{0} : 0;
  begin_mask_ = from_high ? ~uint64_t{0} : 0;
  num_rooms_ = 0;
  if (fit == Fit::kWorst) alignments = 0;  // what it tries first has room for any
  for (; alignments != 0 && num_rooms_ < kMaxRooms; alignments &= alignments - 1) {
    alignments_[num_rooms_++] = alignments & (0 - alignments);
  }
  Clear();
}

void HoleIndex::Clear() {
  if (nodes_.empty()) nodes_.resize(1);
  if (height_ > 0) {
    spare_.clear();
    for (uint32_t node = 1; node < nodes_.size(); ++node) spare_.push_back(node);
  } else if (root_ != 0) {
    std::replace(spare_.begin(), spare_.end(), uint32_t{0}, root_);
  }
  root_ = 0;
  height_ = 0;
  nodes_[0].count = 0;
}

// ---- One node ----

// How many entries have smaller keys, when the first `from` are known to. Three comparisons at a
// time and no branch on them: which way they go cannot be foreseen.
uint32_t HoleIndex::CountBelow(const Node& node, unsigned __int128 key, uint32_t from) {
  const auto below = [&](uint32_t i) { return static_cast<uint32_t>(Wide(node.entries[i]) < key); };
  uint32_t n = node.count - from;
  while (n >= 3) {
    const uint32_t quarter = (n + 1) / 4;
    from += quarter * (below(from + quarter - 1) + below(from + 2 * quarter - 1) +
                       below(from + 3 * quarter - 1));
    n -= 3 * quarter;
  }
  if (n == 2) return from + below(from) + below(from + 1);
  return n == 1 ? from + below(from) : from;
}

// Of an entry that is in the leaf. Mostly it is the one found last.
uint32_t HoleIndex::PositionOf(uint32_t leaf, const Entry& entry) const {
  const Node& node = nodes_[leaf];
  if (leaf == found_in_ && found_at_ < node.count && Wide(node.entries[found_at_]) == Wide(entry)) {
    return found_at_;
  }
  return CountBelow(node, Wide(entry), 0);
}

// The last child whose bound is at most the key; else the first.
uint32_t HoleIndex::ChildFor(const Node& node, const Entry& key) const {
  unsigned __int128 after = Wide(key);
  if (!by_size_) after |= ~uint64_t{0};  // the low word of a bound is no part of it
  if (++after == 0) return node.count - 1;
  return CountBelow(node, after, 1) - 1;
}

void HoleIndex::InsertAt(Node& node, uint32_t at, const Entry& entry) {
  Entry* entries = node.entries.data();
  std::copy_backward(entries + at, entries + node.count, entries + node.count + 1);
  entries[at] = entry;
  ++node.count;
}

void HoleIndex::RemoveAt(Node& node, uint32_t at) {
  Entry* entries = node.entries.data();
  std::copy(entries + at + 1, entries + node.count, entries + at);
  --node.count;
}

uint64_t HoleIndex::LargestLow(const Node& node) {
  uint64_t largest = 0;
  for (uint32_t i = 0; i < node.count; ++i) largest = std::max(largest, node.entries[i].low);
  return largest;
}

// ---- The tree ----

uint32_t HoleIndex::NewNode() {
  if (spare_.empty()) {
    nodes_.emplace_back();
    return nodes_.size() - 1;
  }
  const uint32_t node = spare_.back();
  spare_.pop_back();
  nodes_[node].count = 0;
  return node;
}

uint32_t HoleIndex::Descend(const Entry& key, Path& path) const {
  uint32_t node = root_;
  for (int height = height_; height > 0; --height) {
    const uint32_t at = ChildFor(nodes_[node], key);
    path.node[height] = node;
    path.at[height] = at;
    node = nodes_[node].entries[at].ref;
  }
  path.node[0] = node;
  return node;
}

// For an entry that comes to the end of the path.
void HoleIndex::RaiseLargest(const Path& path, const Entry& entry) {
  if (num_rooms_ > 0) {
    const Rooms rooms = RoomsOf(entry);
    for (int height = 0; height < height_; ++height) Raise(nodes_[path.node[height]].rooms, rooms);
  }
  if (by_size_) return;
  for (int height = height_; height > 0; --height) {
    uint64_t& largest = nodes_[path.node[height]].entries[path.at[height]].low;
    largest = std::max(largest, entry.low);
  }
}

// ---- What fits with an alignment ----

HoleIndex::Rooms HoleIndex::RoomsOf(const Entry& entry) const {
  Rooms rooms = {};
  const uint64_t size = SizeOf(entry);
  for (int i = 0; i < num_rooms_; ++i) {
    const uint64_t waste = (0 - BeginOf(entry)) & (alignments_[i] - 1);
    rooms[i] = waste < size ? size - waste : 0;
  }
  return rooms;
}

void HoleIndex::Raise(Rooms& rooms, const Rooms& other) const {
  for (int i = 0; i < num_rooms_; ++i) rooms[i] = std::max(rooms[i], other[i]);
}

void HoleIndex::SumUpRooms(uint32_t number, int height) {
  Node& node = nodes_[number];
  node.rooms = {};
  for (uint32_t i = 0; i < node.count; ++i) {
    const Entry& entry = node.entries[i];
    Raise(node.rooms, height == 0 ? RoomsOf(entry) : nodes_[entry.ref].rooms);
  }
}

// After `gone` was taken out. Whether what the node knows has changed.
bool HoleIndex::LowerRooms(uint32_t number, int height, const Rooms& gone) {
  const Rooms before = nodes_[number].rooms;
  bool may_change = false;
  for (int i = 0; i < num_rooms_; ++i) may_change |= gone[i] > 0 && gone[i] >= before[i];
  if (!may_change) return false;
  SumUpRooms(number, height);
  return nodes_[number].rooms != before;
}

// What is known for the largest alignment up to it holds for it as well, as an upper bound.
int HoleIndex::RoomFor(uint64_t alignment) const {
  int room = num_rooms_ - 1;
  while (room >= 0 && alignments_[room] > alignment) --room;
  return room;
}

// ---- Changes ----

void HoleIndex::Insert(uint64_t begin, uint64_t size, uint32_t ref) {
  const Entry entry = KeyOf(begin, size, ref);
  Path path;
  const uint32_t leaf = Descend(entry, path);
  RaiseLargest(path, entry);
  const uint32_t at = CountBelow(nodes_[leaf], Wide(entry), 0);
  if (nodes_[leaf].count < kFanout) {
    InsertAt(nodes_[leaf], at, entry);
  } else {
    InsertAndSplit(leaf, at, entry, path);
  }
}

// Into a full node: its upper half becomes a node of its own, which goes to the parent in the same
// way.
void HoleIndex::InsertAndSplit(uint32_t left, uint32_t at, const Entry& inserted, Path& path) {
  Entry entry = inserted;
  for (int height = 0;; ++height) {
    const uint32_t right = NewNode();
    Node& l = nodes_[left];
    Node& r = nodes_[right];
    const uint32_t half = kFanout / 2;
    r.count = kFanout - half;
    std::copy_n(l.entries.data() + half, r.count, r.entries.data());
    l.count = half;
    at <= half ? InsertAt(l, at, entry) : InsertAt(r, at - half, entry);

    if (num_rooms_ > 0) {
      SumUpRooms(left, height);
      SumUpRooms(right, height);
    }
    entry = r.entries[0];
    entry.ref = right;
    Entry first = l.entries[0];
    first.ref = left;
    if (!by_size_) {
      entry.low = LargestLow(r);
      first.low = LargestLow(l);
    }
    if (height == height_) {
      root_ = NewNode();
      ++height_;
      nodes_[root_].count = 2;
      nodes_[root_].entries[0] = first;
      nodes_[root_].entries[1] = entry;
      return;
    }
    left = path.node[height + 1];
    at = path.at[height + 1];
    if (!by_size_) nodes_[left].entries[at].low = first.low;
    ++at;
    if (nodes_[left].count < kFanout) {
      InsertAt(nodes_[left], at, entry);
      return;
    }
  }
}

void HoleIndex::Erase(uint64_t begin, uint64_t size) {
  const Entry entry = KeyOf(begin, size, 0);
  Path path;
  const uint32_t leaf = Descend(entry, path);
  RemoveAt(nodes_[leaf], PositionOf(leaf, entry));
  if (height_ > 0) AfterErase(path, entry);
}

// Mends bounds and small nodes from the leaf's parent up.
void HoleIndex::AfterErase(const Path& path, const Entry& gone) {
  const Rooms rooms = RoomsOf(gone);
  bool lower = num_rooms_ > 0;
  for (int height = 1; height <= height_; ++height) {
    const uint32_t parent = path.node[height];
    const uint32_t at = path.at[height];
    const Entry before = nodes_[parent].entries[at];
    lower = lower && LowerRooms(before.ref, height - 1, rooms);
    if (DropIfEmpty(parent, at) || MergeIfSmall(parent, at, height)) continue;
    const uint64_t largest = by_size_ ? before.low : LargestLow(nodes_[before.ref]);
    if (largest == before.low && !lower) return;
    nodes_[parent].entries[at].low = largest;
  }
  if (nodes_[root_].count == 0) height_ = 0;
  while (height_ > 0 && nodes_[root_].count == 1) {
    spare_.push_back(root_);
    root_ = nodes_[root_].entries[0].ref;
    --height_;
  }
}

bool HoleIndex::DropIfEmpty(uint32_t parent, uint32_t at) {
  const uint32_t child = nodes_[parent].entries[at].ref;
  if (nodes_[child].count > 0) return false;
  spare_.push_back(child);
  RemoveAt(nodes_[parent], at);
  return true;
}

// A node below `parent` that is nearly empty joins its neighbour there.
bool HoleIndex::MergeIfSmall(uint32_t parent, uint32_t at, int height) {
  Node& p = nodes_[parent];
  const uint32_t count = nodes_[p.entries[at].ref].count;
  if (count >= kFanout / 4 || p.count < 2) return false;
  uint32_t right = at + 1;
  const auto joint = [&](uint32_t i) {
    return nodes_[p.entries[i - 1].ref].count + nodes_[p.entries[i].ref].count;
  };
  if (right == p.count || (at > 0 && joint(at) < joint(right))) right = at;
  if (joint(right) > kFanout - kFanout / 4) return false;

  Entry& left_entry = p.entries[right - 1];
  const Entry right_entry = p.entries[right];
  Node& l = nodes_[left_entry.ref];
  Node& r = nodes_[right_entry.ref];
  if (height > 1 && r.count > 0) r.entries[0].high = right_entry.high;
  if (height > 1 && r.count > 0 && by_size_) r.entries[0].low = right_entry.low;
  std::copy_n(r.entries.data(), r.count, l.entries.data() + l.count);
  l.count += r.count;
  Raise(l.rooms, r.rooms);
  if (!by_size_) left_entry.low = LargestLow(l);
  spare_.push_back(right_entry.ref);
  RemoveAt(p, right);
  return true;
}

void HoleIndex::Replace(uint64_t old_begin, uint64_t old_size, uint64_t begin, uint64_t size,
                        uint32_t ref) {
  const Entry old_entry = KeyOf(old_begin, old_size, 0);
  const Entry entry = KeyOf(begin, size, ref);
  Path path;
  const uint32_t number = Descend(old_entry, path);
  Node& leaf = nodes_[number];
  Entry* entries = leaf.entries.data();
  const uint32_t from = PositionOf(number, old_entry);
  const bool alone =
      height_ == 0;  // then it also has what comes before its first and after its last
  const bool behind_previous = from > 0 ? Wide(entries[from - 1]) < Wide(entry) : alone;
  const bool before_next = from + 1 < leaf.count ? Wide(entry) < Wide(entries[from + 1]) : alone;
  if (behind_previous && before_next) {
    entries[from] = entry;
    if (alone) return;
    RaiseLargest(path, entry);
    AfterErase(path, old_entry);
    return;
  }
  if (!alone) {
    RemoveAt(leaf, from);
    AfterErase(path, old_entry);
    Insert(begin, size, ref);
    return;
  }
  const uint32_t to = CountBelow(leaf, Wide(entry), 0);
  if (from < to) {
    std::copy(entries + from + 1, entries + to, entries + from);
    entries[to - 1] = entry;
  } else {
    std::copy_backward(entries + to, entries + from, entries + from + 1);
    entries[to] = entry;
  }
}

// ---- Searches ----

uint32_t HoleIndex::Find(uint64_t need, uint64_t alignment) const {
  const Wanted wanted = {need, alignment, height_ > 0 ? RoomFor(alignment) : -1};
  if (!by_size_) return FindByDistance(root_, height_, wanted);
  bool over = false;
  const Entry from = size_mask_ == 0 ? Entry{need, 0, 0} : Entry{0, 0, 0};
  return FindBySize(root_, height_, from, wanted, over);
}

// `over`: no hole from here on is large enough.
uint32_t HoleIndex::FindBySize(uint32_t number, int height, const Entry& from, const Wanted& wanted,
                               bool& over) const {
  const Node& node = nodes_[number];
  if (height == 0) {
    for (uint32_t i = CountBelow(node, Wide(from), 0); i < node.count; ++i) {
      if (Fits(node.entries[i], wanted.need, wanted.alignment)) return Found(number, i);
      if (SizeOf(node.entries[i]) < wanted.need) {
        over = true;
        return kNone;
      }
    }
    return kNone;
  }
  for (uint32_t i = ChildFor(node, from); i < node.count && !over; ++i) {
    const uint32_t child = node.entries[i].ref;
    if (TooTight(child, wanted.room, wanted.need)) continue;
    const uint32_t found = FindBySize(child, height - 1, from, wanted, over);
    if (found != kNone) return found;
  }
  return kNone;
}

uint32_t HoleIndex::FindByDistance(uint32_t number, int height, const Wanted& wanted) const {
  const Node& node = nodes_[number];
  for (uint32_t i = 0; i < node.count; ++i) {
    const Entry& entry = node.entries[i];
    if (entry.low < wanted.need) continue;
    if (height == 0) {
      if (Fits(entry, wanted.need, wanted.alignment)) return Found(number, i);
      continue;
    }
    if (TooTight(entry.ref, wanted.room, wanted.need)) continue;
    const uint32_t found = FindByDistance(entry.ref, height - 1, wanted);
    if (found != kNone) return found;
  }
  return kNone;
}

uint64_t HoleIndex::Largest() const {
  if (empty()) return 0;
  if (!by_size_) return LargestLow(nodes_[root_]);
  const bool last = size_mask_ == 0;
  uint32_t number = root_;
  for (int height = height_;; --height) {
    const Node& node = nodes_[number];
    const Entry& entry = node.entries[last ? node.count - 1 : 0];
    if (height == 0) return SizeOf(entry);
    number = entry.ref;
  }
}

}  // namespace oomph::hbm
