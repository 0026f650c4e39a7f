// See contents.h.
#include "subjects/plugin/contents.h"

#include <algorithm>
#include <cstring>

namespace oomph::hbm {
namespace {

constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;

// The word that belongs at byte 8 * index, in memory order.
uint64_t Word(uint64_t seed, uint64_t index) { return seed ^ (index * kOdd); }

// The written parts are [0, head) and [tail, size); tail is a multiple of 8.
struct Parts {
  uint64_t head, tail;
};
Parts WrittenParts(uint64_t size) {
  if (size <= kWholeBytes) return {size, size};
  return {kWholeBytes / 2, (size - kWholeBytes / 2) & ~uint64_t{7}};
}

void WriteRange(char* block, uint64_t begin, uint64_t end, uint64_t seed) {
  for (uint64_t at = begin; at < end; at += 8) {
    const uint64_t word = Word(seed, at / 8);
    std::memcpy(block + at, &word, std::min<uint64_t>(8, end - at));
  }
}

std::optional<uint64_t> FirstChangedInRange(const char* block, uint64_t begin, uint64_t end,
                                            uint64_t seed) {
  for (uint64_t at = begin; at < end; at += 8) {
    const uint64_t word = Word(seed, at / 8);
    const uint64_t bytes = std::min<uint64_t>(8, end - at);
    if (std::memcmp(block + at, &word, bytes) == 0) continue;
    const char* expected = reinterpret_cast<const char*>(&word);
    return at + (std::mismatch(expected, expected + bytes, block + at).first - expected);
  }
  return std::nullopt;
}

}  // namespace

uint64_t ContentsSeed(uint32_t name, uint64_t offset) {
  uint64_t seed = (uint64_t{name} + 1) * kOdd + offset;
  seed = (seed ^ (seed >> 31)) * 0xBF58476D1CE4E5B9;
  return seed ^ (seed >> 29);
}

void WriteContents(void* block, uint64_t size, uint64_t seed) {
  const Parts parts = WrittenParts(size);
  WriteRange(static_cast<char*>(block), 0, parts.head, seed);
  WriteRange(static_cast<char*>(block), parts.tail, size, seed);
}

std::optional<uint64_t> FirstChangedByte(const void* block, uint64_t size, uint64_t kept,
                                         uint64_t seed) {
  const Parts parts = WrittenParts(size);
  const char* bytes = static_cast<const char*>(block);
  kept = std::min(kept, size);
  std::optional<uint64_t> changed =
      FirstChangedInRange(bytes, 0, std::min(parts.head, kept), seed);
  if (!changed) changed = FirstChangedInRange(bytes, parts.tail, kept, seed);
  return changed;
}

}  // namespace oomph::hbm
