// What is written into memory to see whether it stays: bytes that follow from a seed.
// Not for: the contents of a trace's blocks, which the driver writes (see subjects/plugin/contents.h).
//
// A range that is longer than kWhole is written and checked at its two ends only, half of that at each.
#ifndef OOMPH_SUBJECTS_MALLOC_FILL_H_
#define OOMPH_SUBJECTS_MALLOC_FILL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace oomph::malloc_family {

inline constexpr size_t kWhole = size_t{64} << 10;

// The word at byte 8 * index of a range.
inline uint64_t WordAt(uint64_t seed, size_t index) {
  uint64_t word = (seed + index) * 0x9E3779B97F4A7C15;
  return word ^ (word >> 32);
}

// Calls f(begin, end) for each stretch of [0, bytes) that is looked at; begins are multiples of 8.
template <typename F>
void ForEachStretch(size_t bytes, size_t whole, F f) {
  if (bytes <= whole) return f(size_t{0}, bytes);
  f(size_t{0}, whole / 2);
  f((bytes - whole / 2) & ~size_t{7}, bytes);
}

inline void Fill(void* memory, size_t bytes, uint64_t seed) {
  char* const to = static_cast<char*>(memory);
  ForEachStretch(bytes, kWhole, [&](size_t begin, size_t end) {
    for (size_t at = begin; at < end; at += 8) {
      const uint64_t word = WordAt(seed, at / 8);
      std::memcpy(to + at, &word, std::min<size_t>(8, end - at));
    }
  });
}

// The first byte below `kept` that is not what Fill(memory, bytes, seed) wrote there.
inline std::optional<size_t> FirstChanged(const void* memory, size_t bytes, uint64_t seed, size_t kept) {
  const char* const from = static_cast<const char*>(memory);
  std::optional<size_t> changed;
  ForEachStretch(bytes, kWhole, [&](size_t begin, size_t end) {
    end = std::min(end, kept);
    for (size_t at = begin; at < end && !changed; ++at) {
      const uint64_t word = WordAt(seed, at / 8);
      if (at % 8 == 0 && end - at >= 8 && std::memcmp(from + at, &word, 8) == 0) {
        at += 7;
      } else if (from[at] != reinterpret_cast<const char*>(&word)[at % 8]) {
        changed = at;
      }
    }
  });
  return changed;
}

// The first byte that is not zero.
inline std::optional<size_t> FirstNotZero(const void* memory, size_t bytes) {
  constexpr size_t kZeroWhole = size_t{1} << 20;  // more than of a fill: recycled memory is dirty in the middle
  const char* const from = static_cast<const char*>(memory);
  std::optional<size_t> found;
  ForEachStretch(bytes, kZeroWhole, [&](size_t begin, size_t end) {
    const char* const at = std::find_if(from + begin, from + end, [](char byte) { return byte != 0; });
    if (!found && at != from + end) found = static_cast<size_t>(at - from);
  });
  return found;
}

}  // namespace oomph::malloc_family

#endif  // OOMPH_SUBJECTS_MALLOC_FILL_H_
