// The names and texts of a module, each stored once: a StringId is 4 bytes, and equal texts have equal ids.
// Not for texts that change: a string that nobody refers to any more stays until the module is printed and
// read again.
#ifndef OOMPH_MODELS_HLO_STRINGS_H_
#define OOMPH_MODELS_HLO_STRINGS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace oomph::hlo {

using StringId = uint32_t;

// Finds ids by the hash of what they stand for. What is compared, the owner of the values says.
class IdIndex {
 public:
  // The id with this hash for which equal(id) holds.
  template <typename Equal>
  std::optional<uint32_t> Find(size_t hash, const Equal& equal) const {
    if (slots_.empty()) return std::nullopt;
    const size_t mask = slots_.size() - 1;
    const uint32_t tag = Tag(hash);
    for (size_t at = tag & mask;; at = (at + 1) & mask) {
      const Slot slot = slots_[at];
      if (slot.id_plus_one == 0) return std::nullopt;
      if (slot.tag == tag && equal(slot.id_plus_one - 1)) return slot.id_plus_one - 1;
    }
  }

  // Adds an id that is not there.
  void Insert(size_t hash, uint32_t id) {
    if ((count_ + 1) * 4 > slots_.size() * 3) {
      std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
      old.swap(slots_);
      for (const Slot& slot : old) {
        if (slot.id_plus_one != 0) Place(slot);
      }
    }
    Place({Tag(hash), id + 1});
    ++count_;
  }

  size_t count() const { return count_; }

 private:
  struct Slot {
    uint32_t tag = 0;  // 32 bits of the hash, of which some say where the slot is
    uint32_t id_plus_one = 0;
  };

  static uint32_t Tag(size_t hash) { return static_cast<uint32_t>(hash ^ (hash >> 32)); }

  void Place(Slot slot) {
    const size_t mask = slots_.size() - 1;
    size_t at = slot.tag & mask;
    while (slots_[at].id_plus_one != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }

  std::vector<Slot> slots_;  // As many as a power of two, at most three quarters of them taken.
  size_t count_ = 0;
};

class StringTable {
 public:
  // Id 0 is the empty string.
  StringTable() { Add({}); }

  StringId Add(std::string_view text) {
    const size_t hash = HashOf(text);
    if (const std::optional<StringId> found = Find(text, hash)) return *found;
    const StringId id = static_cast<StringId>(entries_.size());
    const uint32_t begin = static_cast<uint32_t>(bytes_.size());
    if (bytes_.size() + text.size() > bytes_.capacity()) {
      // Growing by a quarter, not by doubling: the bytes of a large module are held twice for a moment. Not
      // by reserve(): `text` may be a part of this table.
      std::string grown;
      grown.reserve(bytes_.size() + text.size() + bytes_.size() / 4 + 64);
      grown.append(bytes_).append(text);
      bytes_.swap(grown);
    } else {
      bytes_.append(text);
    }
    if (entries_.size() == entries_.capacity()) entries_.reserve(entries_.size() + entries_.size() / 4 + 16);
    entries_.push_back({begin, static_cast<uint32_t>(text.size())});
    index_.Insert(hash, id);
    return id;
  }

  std::optional<StringId> Find(std::string_view text) const { return Find(text, HashOf(text)); }

  std::string_view operator[](StringId id) const {
    const Entry entry = entries_[id];
    return std::string_view(bytes_.data() + entry.begin, entry.size);
  }

  size_t size() const { return entries_.size(); }
  // Whether `more` bytes can be added: a table holds below 4 GiB.
  bool Fits(size_t more) const { return more < UINT32_MAX && bytes_.size() < UINT32_MAX - more; }
  void Reserve(size_t bytes) { bytes_.reserve(bytes); }

 private:
  struct Entry {
    uint32_t begin = 0;
    uint32_t size = 0;
  };

  static size_t HashOf(std::string_view text) {
    return absl::HashOf(absl::string_view(text.data(), text.size()));
  }

  std::optional<StringId> Find(std::string_view text, size_t hash) const {
    return index_.Find(hash, [&](StringId id) { return (*this)[id] == text; });
  }

  std::string bytes_;
  std::vector<Entry> entries_;
  IdIndex index_;
};

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_STRINGS_H_
