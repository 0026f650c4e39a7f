// The limit of memory that a case is held against, as people and files write it: bytes, or "own".
// Not for: whether a case is over it (Family::ExceedsLimit).
#ifndef OOMPH_MODELS_BASE_LIMIT_H_
#define OOMPH_MODELS_BASE_LIMIT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/base/units.h"

namespace oomph {

// "own": the limit that the subject has by itself. What it refuses for lack of memory is over it. No count of bytes is above
// this number.
inline constexpr uint64_t kOwnLimit = kMaxBytes;
inline constexpr std::string_view kLimitForm = "bytes below 2^64 - 1, 4GiB, or own for what the subject refuses for lack of memory";

inline std::string LimitWord(uint64_t limit) { return limit == kOwnLimit ? "own" : ExactBytes(limit); }

inline std::optional<uint64_t> ReadLimitWord(std::string_view word) {
  if (word == "own") return kOwnLimit;
  const ScannedNumber number = ScanNumber(word);
  const bool whole = number.length != 0 && number.length == word.size() && !number.too_large;
  return whole && number.value != kOwnLimit ? std::optional(number.value) : std::nullopt;
}

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_LIMIT_H_
