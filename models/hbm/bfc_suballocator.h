// Where regions of a BFC allocator come from: one rule for addresses, shared by the plugin over the shipped
// allocator and by both models, so that the three can be compared address by address. C++17 and no library.
// Not for: memory. Offsets are handed out and nothing is ever behind them.
#ifndef OOMPH_MODELS_HBM_BFC_SUBALLOCATOR_H_
#define OOMPH_MODELS_HBM_BFC_SUBALLOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace oomph::bfc {

// Regions lie as low as their alignment allows. Where they may be merged they adjoin, else a guard of 4096
// bytes keeps each apart from the next:
//
//     coalescing   [ region 0 ][ region 1 ][ region 2 ]
//     else         [ region 0 ]    [ region 1 ]    [ region 2 ]
//
// What is given back may be handed out again. The bytes out at one time are at most `backing`.
class Backing {
 public:
  static constexpr uint64_t kGuard = 4096;
  static constexpr uint64_t kAddressSpace = uint64_t{1} << 45;  // no region ends above it
  // The largest alignment that a request may have; the plugin's base is a multiple of it.
  static constexpr uint64_t kMaxAlignment = uint64_t{1} << 40;

  Backing(uint64_t backing, bool coalescing) : left_(backing), guard_(coalescing ? 0 : kGuard) {}

  // The offset of a region of `bytes`, or nothing: 0 bytes, more than is left, or no room in the address
  // space. `alignment` is a power of two or 0.
  std::optional<uint64_t> Take(uint64_t alignment, uint64_t bytes) {
    if (bytes == 0 || bytes > left_ || bytes > kAddressSpace) return std::nullopt;
    uint64_t offset = 0;
    size_t place = 0;
    for (; place < regions_.size(); ++place) {
      if (offset + bytes + guard_ <= regions_[place].offset) break;
      offset = AlignUp(regions_[place].offset + regions_[place].bytes + guard_, alignment);
    }
    if (offset > kAddressSpace - bytes) return std::nullopt;
    regions_.insert(regions_.begin() + place, Region{offset, bytes});
    left_ -= bytes;
    return offset;
  }

  // Gives back the whole region at `offset`. False where there is none of that size.
  bool GiveBack(uint64_t offset, uint64_t bytes) {
    // Regions that the allocator has merged come back as one.
    for (size_t first = 0; first < regions_.size(); ++first) {
      if (regions_[first].offset != offset) continue;
      size_t last = first;
      uint64_t sum = 0;
      while (last < regions_.size() && regions_[last].offset == offset + sum && sum < bytes) {
        sum += regions_[last++].bytes;
      }
      if (sum != bytes) return false;
      regions_.erase(regions_.begin() + first, regions_.begin() + last);
      left_ += bytes;
      return true;
    }
    return false;
  }

 private:
  struct Region {
    uint64_t offset;
    uint64_t bytes;
  };

  static uint64_t AlignUp(uint64_t n, uint64_t alignment) {
    return alignment < 2 ? n : (n + alignment - 1) & ~(alignment - 1);
  }

  uint64_t left_;
  uint64_t guard_;
  std::vector<Region> regions_;  // in address order
};

}  // namespace oomph::bfc

#endif  // OOMPH_MODELS_HBM_BFC_SUBALLOCATOR_H_
