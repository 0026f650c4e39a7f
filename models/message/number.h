// The sizes in TPU messages: "0B", "4.0K", "8.00M", "1024.00M", "-2.55G". Both ways: bytes to text, and text
// to all the byte counts that print so, for the rounding loses digits.
// Not for exact sizes in case files: see models/base/units.h.
//
// The rule is that of tsl/platform/numbers.cc, HumanReadableNumBytes: below 1024 plain bytes; else divide by
// 1024, dropping the rest, while the number is 2^20 or more, and print a last division by 1024 rounded to one
// decimal for K and two for M, G, T, P, E. So 2^20 - 1 is "1024.0K" and 2^30 - 1 is "1024.00M". TSL ends in
// "iB"; TPU messages end after the unit letter (inferred: it fits every published sample).

#ifndef OOMPH_MODELS_MESSAGE_NUMBER_H_
#define OOMPH_MODELS_MESSAGE_NUMBER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace oomph {

// All byte counts that one text can stand for, both ends included (the range of "16.00E" ends at 2^64 - 1,
// so a half-open one could not hold it). With `negative` it is -highest .. -lowest.
struct PrintedBytes {
  uint64_t lowest = 0;
  uint64_t highest = 0;
  bool negative = false;

  bool operator==(const PrintedBytes&) const = default;
};

// A count that was printed in full.
constexpr PrintedBytes ExactlyBytes(uint64_t bytes) { return {bytes, bytes, false}; }

constexpr bool Contains(const PrintedBytes& printed, uint64_t bytes) {
  return (!printed.negative || bytes == 0) && printed.lowest <= bytes && bytes <= printed.highest;
}

// "8.00M" for 8388608.
std::string FormatBytes(uint64_t bytes);

// The same digits for sentences: "8.00 MiB", "1 byte".
std::string AmountOfBytes(uint64_t bytes);

// "-2.55G" for -2735391744. The smallest number, -2^63, is "-8.00E".
std::string FormatSignedBytes(int64_t bytes);

// The counts that FormatBytes or FormatSignedBytes prints as `text`, which may end in "iB" ("8.00MiB").
// InvalidArgument for everything that neither prints, such as "8M", "0.50K", "1025.0K", "08.00M".
absl::StatusOr<PrintedBytes> ParseBytes(std::string_view text);

}  // namespace oomph

#endif  // OOMPH_MODELS_MESSAGE_NUMBER_H_
