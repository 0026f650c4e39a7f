// What a model or a compiler answers to a kernel: whether it fits its scoped VMEM, and with which bytes. A plain value.
// Not for: the kernel (kernel.h), nor whether the answer is right (oracles.h).
#ifndef OOMPH_MODELS_VMEM_ANSWER_H_
#define OOMPH_MODELS_VMEM_ANSWER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/message/number.h"

namespace oomph::vmem {

enum class Status : uint8_t {
  kNotRun,       // the harness could not ask; nobody is to blame
  kAccepted,     // it fits
  kOverLimit,    // E1001: more than its limit
  kOverCapacity,  // more than VMEM
  kDeclined,     // not compiled for another reason; `why` has it
  kDied,
  kHung,
  kRubbish,      // its answer cannot be read
};
inline constexpr int kStatuses = 8;

enum class Part : uint8_t { kScratch, kInput, kOutput, kStack };  // kStack: scoped buffers and internal scratch

// One buffer of those that are live together.
struct PartBytes {
  Part part = Part::kInput;
  uint32_t index = 0;   // among the scratch, inputs, outputs of the kernel; 0 of the stack
  uint64_t padded = 0;  // bytes of one block
  uint64_t levels = 1;  // how many of them: 1, or 2 where the next is fetched meanwhile; 0: none, nothing is taken
  uint64_t bytes = 0;   // with both, rounded
  bool operator==(const PartBytes&) const = default;
};

// Sizes are bytes. What it does not tell is absent.
struct Answer {
  Status status = Status::kNotRun;
  // What is known of the compiler's own figure: it needs at least `used`, at most `used`; both: exactly that; neither:
  // nothing is known. Of a compiler both are true.
  bool at_least = true, at_most = true;
  std::optional<uint64_t> used;      // all that it needs, whether it fits or not
  // The limit that it is held to, as messages print it: negative ones are.
  std::optional<int64_t> limit;
  // Of a refusal: the size that is printed, which is that of the first check that fails, and the limit or capacity that is
  // printed. Exact of a model; of a message what the printed form leaves open.
  std::optional<PrintedBytes> printed_size, printed_limit;
  std::vector<PartBytes> parts;      // of one who tells: scratch, inputs, outputs, stack
  std::string message;               // of a refusal, one text
  std::string why;                   // of every other end: one line
  bool exact() const { return at_least && at_most; }
  bool operator==(const Answer&) const = default;
};

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_ANSWER_H_
