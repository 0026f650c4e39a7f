// An ordered index of blocks by their offset: a sorted array in stretches of at most a few hundred entries,
// so that 64 blocks cost one short binary search and a million cost two.
// Not for: blocks that overlap, or two at one offset; what else is known of a block is the caller's.
#ifndef OOMPH_MODELS_BASE_ADDRESS_INDEX_H_
#define OOMPH_MODELS_BASE_ADDRESS_INDEX_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace oomph {

class AddressIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Entry {
    uint64_t offset = 0;
    uint64_t stop = 0;  // exclusive
    uint32_t slot = kNone;
  };
  // Where an entry stands. Invalid after any change but Update.
  struct Position {
    size_t stretch = 0;
    size_t index = 0;
  };

  void clear() {
    stretches_.resize(1);
    stretches_[0].clear();
    size_ = 0;
  }
  size_t size() const { return size_; }

  // The first entry at or above `offset`; AtEnd if there is none.
  Position LowerBound(uint64_t offset) const {
    size_t stretch = 0;
    if (stretches_.size() > 1) {
      const auto after = std::upper_bound(
          stretches_.begin() + 1, stretches_.end(), offset,
          [](uint64_t o, const std::vector<Entry>& entries) { return o < entries.front().offset; });
      stretch = static_cast<size_t>(after - stretches_.begin()) - 1;
    }
    const std::vector<Entry>& entries = stretches_[stretch];
    // A binary search without branches to mispredict.
    const Entry* base = entries.data();
    size_t left = entries.size();
    while (left > 1) {
      const size_t half = left / 2;
      base = base[half - 1].offset < offset ? base + half : base;
      left -= half;
    }
    const size_t index = static_cast<size_t>(base - entries.data());
    return Settle({stretch, index + (left == 1 && base->offset < offset ? 1 : 0)});
  }
  bool AtEnd(const Position& p) const { return p.index == stretches_[p.stretch].size(); }
  bool AtBegin(const Position& p) const { return p.stretch == 0 && p.index == 0; }
  const Entry& at(const Position& p) const { return stretches_[p.stretch][p.index]; }
  Position Next(const Position& p) const { return Settle({p.stretch, p.index + 1}); }
  // Not of the first.
  Position Previous(const Position& p) const {
    if (p.index > 0) return {p.stretch, p.index - 1};
    return {p.stretch - 1, stretches_[p.stretch - 1].size() - 1};
  }

  void Insert(const Entry& entry) { InsertAt(LowerBound(entry.offset), entry); }
  // `p` is LowerBound(entry.offset), and nothing has changed since.
  void InsertAt(Position p, const Entry& entry) {
    // Before the first of a later stretch is after the last of the one before it.
    if (p.index == 0 && p.stretch > 0) p = {p.stretch - 1, stretches_[p.stretch - 1].size()};
    std::vector<Entry>& entries = stretches_[p.stretch];
    entries.insert(entries.begin() + static_cast<ptrdiff_t>(p.index), entry);
    ++size_;
    if (entries.size() <= kLongest) return;
    std::vector<Entry> upper(entries.begin() + kLongest / 2, entries.end());
    entries.resize(kLongest / 2);
    stretches_.insert(stretches_.begin() + static_cast<ptrdiff_t>(p.stretch) + 1, std::move(upper));
  }
  void Erase(const Position& p) {
    std::vector<Entry>& entries = stretches_[p.stretch];
    entries.erase(entries.begin() + static_cast<ptrdiff_t>(p.index));
    --size_;
    if (entries.empty() && stretches_.size() > 1) {
      stretches_.erase(stretches_.begin() + static_cast<ptrdiff_t>(p.stretch));
    }
  }
  // A new extent for an entry that keeps its place in the order.
  void Update(const Position& p, uint64_t offset, uint64_t stop) {
    Entry& entry = stretches_[p.stretch][p.index];
    entry.offset = offset;
    entry.stop = stop;
  }

  // f(entry) in address order.
  template <typename F>
  void ForEach(F f) const {
    for (const std::vector<Entry>& entries : stretches_) {
      for (const Entry& entry : entries) f(entry);
    }
  }

 private:
  static constexpr size_t kLongest = 256;

  // The end of a stretch is the begin of the next, but for the last.
  Position Settle(Position p) const {
    if (p.index == stretches_[p.stretch].size() && p.stretch + 1 < stretches_.size()) return {p.stretch + 1, 0};
    return p;
  }

  std::vector<std::vector<Entry>> stretches_ = std::vector<std::vector<Entry>>(1);  // none empty but the only one
  size_t size_ = 0;
};

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_ADDRESS_INDEX_H_
