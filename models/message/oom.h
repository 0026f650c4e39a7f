// The texts in which running out of HBM at run time is reported, both ways: E0100 (a buffer) and E0101 (a
// program). Not for compile-time errors (E1000, E1001, E3000), nor for saying what to do about one.
//
// Sources: openxla.org errors 0100 and 0101 (texts, codes), xla/error (the envelope), and texts that users
// published with jax, pytorch/xla, google/trax and tpu-inference issues (the variants). What is printed when:
//
//   E0100  Error allocating device buffer: Attempting to allocate A. That was not possible. There are F
//   free.; (L)
//            every buffer, where F < A.
//   E0100  ... There are F free. Due to fragmentation, the largest contiguous region of free memory is C.;
//   (L)
//            where F >= A: memory would suffice, but no hole does. (Inferred: it holds in all samples.)
//   E0101  Error loading program 'P': Attempting to reserve A at the bottom of memory. That was not possible.
//          There are F free, R reserved, and V reservable.
//            a program, which needs one block from the bottom up; V can be far below F.
//   E0101  the same, then: Scope: unknown..: while running replica I and partition J of a replicated
//   computation (...)
//            seen when a computation on several devices is loaded.
//   E0101  Error loading program 'P': Attempting to allocate A. That was not possible. There are F free.
//            seen with newer runtimes; when this one is printed and not the one above is not published.
//   older  Could not allocate A bytes in memory L; C bytes allocatable, F bytes available
//            a buffer, seen in 2023; exact numbers.
//   older  the "reserve" form, then "HBM capacity ...": a ledger with exact bytes, seen in 2020.

#ifndef OOMPH_MODELS_MESSAGE_OOM_H_
#define OOMPH_MODELS_MESSAGE_OOM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/base/units.h"
#include "models/message/number.h"

namespace oomph {

enum class OomKind { kBuffer, kProgram };

// "E0100" or "E0101", and "RuntimeBufferAllocationFailure" or "RuntimeProgramAllocationFailure".
std::string_view OomCode(OomKind kind);
std::string_view OomName(OomKind kind);

// ---- Printing ---------------------------------------------------------------------------------------------

// What stands around the message: nothing (older texts, and the samples of openxla.org), or code and name in
// front and the address of the documentation behind. xla/error has both: its factories break the line after
// the name, AnnotateWithCode does not.
enum class OomEnvelope { kNone, kFactory, kAnnotated };

// What absl::Status puts in front of either message when it prints itself.
inline constexpr std::string_view kResourceExhausted = "RESOURCE_EXHAUSTED: ";

// Sizes in bytes.
struct BufferOom {
  uint64_t requested = 0;
  uint64_t free = 0;
  uint64_t largest_free = 0;  // Largest contiguous block. Printed only where free >= requested.
  std::string_view location = "0x0x0_HBM0";

  bool operator==(const BufferOom&) const = default;
};

struct ReplicaPartition {
  uint64_t replica = 0;
  uint64_t partition = 0;

  bool operator==(const ReplicaPartition&) const = default;
};

struct ProgramOom {
  std::string_view program;
  uint64_t requested = 0;
  uint64_t free = 0;
  uint64_t reserved = 0;
  uint64_t reservable = 0;  // The largest block that begins at the bottom of memory.
  std::optional<ReplicaPartition> running = {};

  bool operator==(const ProgramOom&) const = default;
};

std::string PrintBufferOom(const BufferOom& oom, OomEnvelope envelope = OomEnvelope::kNone);
std::string PrintProgramOom(const ProgramOom& oom, OomEnvelope envelope = OomEnvelope::kNone);

// ---- Reading ----------------------------------------------------------------------------------------------

// The ledger of the 2020 form. Bytes printed in full, but for the sizes that only have a short form.
struct HbmLedger {
  std::optional<PrintedBytes> capacity = {};
  std::optional<PrintedBytes> reserved = {};  // At the top of memory, by the runtime.
  std::optional<PrintedBytes> allocated = {};
  std::optional<PrintedBytes> requirement = {};
  std::optional<PrintedBytes> available_after = {};  // Usually negative.
  std::optional<PrintedBytes> largest_free = {};

  bool operator==(const HbmLedger&) const = default;
};

// What one message says. Absent is what it does not say: texts are cut short, and forms differ.
struct OomMessage {
  // A request to "allocate" with nothing in front is taken for a buffer's (inferred).
  OomKind kind = OomKind::kBuffer;
  bool coded = false;      // Its code, "E0100" or "E0101", is printed.
  bool at_bottom = false;  // "at the bottom of memory"
  std::string program;     // Empty where not named.
  std::string location;    // "0x0x1_HBM0"; what the parts mean is not published. Empty where not named.
  PrintedBytes requested;
  std::optional<PrintedBytes> free = {};
  std::optional<PrintedBytes> largest_free = {};
  std::optional<PrintedBytes> reserved = {};
  std::optional<PrintedBytes> reservable = {};
  std::optional<uint64_t> replica = {};
  std::optional<uint64_t> partition = {};
  HbmLedger ledger = {};
  // Where it stands in the text, in bytes.
  size_t offset = 0;
  size_t length = 0;

  bool operator==(const OomMessage&) const = default;
};

inline constexpr size_t kMaxMessageTextBytes = 64 * kMiB;

// The first message in a text of any kind: a plain message, a Python trace, a log with a prefix on each line,
// a quoted or escaped string, a text wrapped anywhere. NotFound where there is none, InvalidArgument for a
// text over kMaxMessageTextBytes. Takes time linear in the text.
absl::StatusOr<OomMessage> ReadOom(std::string_view text);

// All messages in their order, but no more than `most`.
absl::StatusOr<std::vector<OomMessage>> ReadAllOoms(std::string_view text, size_t most = 10000);

enum class OomCause { kTooLarge, kFragmentation, kUnknown };

// Why the request failed, by the numbers: more was asked for than is free, or enough is free and no block of
// it large enough. Unknown where a number is missing or rounding hides which is larger.
OomCause CauseOf(const OomMessage& message);

}  // namespace oomph

#endif  // OOMPH_MODELS_MESSAGE_OOM_H_
