// The digest of an allocator's state that both HBM models report with each row: a sum over blocks, holes,
// evicted programs and the last fence, so that it can be kept up to date by adding and subtracting.
// Not for: telling cases apart (see the store).
#ifndef OOMPH_MODELS_HBM_STATE_HASH_H_
#define OOMPH_MODELS_HBM_STATE_HASH_H_

#include <cstdint>

namespace oomph::hbm {

// Two words to one by a folded 128-bit product.
inline uint64_t MixWords(uint64_t a, uint64_t b) {
  const unsigned __int128 product =
      static_cast<unsigned __int128>(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd6e8feb86659fd93u);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// `tag` tells a buffer (0), a program (1) and a queued buffer (2 + fence) apart.
inline uint64_t HashBlock(uint64_t offset, uint64_t reserved, uint32_t name, uint64_t tag) {
  return MixWords(offset + (uint64_t{name} << 40), reserved + (tag << 48) + tag);
}
inline uint64_t HashHole(uint64_t begin, uint64_t end) { return MixWords(~begin, end); }
inline uint64_t HashEvicted(uint32_t name, uint64_t size) { return MixWords(~uint64_t{name}, ~size); }
inline uint64_t HashFence(uint32_t passed) { return MixWords(passed, 77); }

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_STATE_HASH_H_
