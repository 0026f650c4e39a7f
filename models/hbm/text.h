// The text form of an HBM trace, both ways, and the words of its policies and steps: one table each, which
// generators, reach names and documents ask too.
// Not for what an allocator answered: see outcome_text.h.
//
//   memory hbm capacity 64 granule 8 order wait,evict,defragment
//   allocate a 48 align 16 pinned
//   free a after fence 1
//   load p 1MiB
//   execute p
//     output x 8 donating a
//   fence 1
//
// A trace is one step a line; any line can be deleted and what is left is a trace. Sizes are decimal or 0x
// hex, with KiB, MiB, GiB or TiB. What follows a blank and # is a comment.

#ifndef OOMPH_MODELS_HBM_TEXT_H_
#define OOMPH_MODELS_HBM_TEXT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

inline constexpr size_t kMaxTraceLines = 10'000'000;
inline constexpr size_t kMaxTraceBytes = size_t{512} << 20;
inline constexpr size_t kMaxNameLength = 64;

// The words of Allocator, in its order: what follows `memory`.
std::span<const std::string_view> AllocatorWords();

// For which allocator a key has a meaning. Every key may stand in every `memory` line.
enum class KeyOf : uint8_t { kBoth, kTpu, kBfc };

// A key of the `memory` line. The value of an enum or a switch is its index in `values` ("off" is 0, "on"
// is 1); where `values` is empty it is a number, in bytes if is_bytes.
struct PolicyKey {
  std::string_view name;
  KeyOf of;
  std::span<const std::string_view> values;
  bool is_bytes;
  uint64_t lowest, highest;  // of a number, both included
  uint64_t (*get)(const Policy&);
  void (*set)(Policy&, uint64_t);
};
std::span<const PolicyKey> PolicyKeys();

// A kind of step in one word ("free_later"), as in reach names and details of signatures.
std::string_view StepWord(StepKind kind);

// "48", "3MiB": plain up to a MiB and wherever MiB do not divide. Number() of a scanner reads it back.
void AppendSize(uint64_t bytes, std::string& into);

// The texts of a trace's names. The trace must outlive it. A name without a text that ParseTrace would
// take has its default: p7 if a step loads, unloads, executes or evicts 7, else b7.
class Names {
 public:
  explicit Names(const Trace& trace);
  bool IsProgram(uint32_t name) const;
  void Append(uint32_t name, std::string& into) const;
  std::string operator()(uint32_t name) const;

 private:
  const Trace& trace_;
  std::vector<uint32_t> programs_;  // In order.
};

// "memory hbm capacity 64 granule 8": only what differs from the default, and always the capacity.
std::string PrintPolicy(const Policy& policy);

// "allocate a 48", without indentation or line end.
void AppendStep(const Step& step, const Names& names, std::string& into);

// Step i stands in line i + 2: the policy's line is the first.
std::string PrintTrace(const Trace& trace);

// Replaces what is in `into`, whose memory it uses again; after an error it holds the part before. Names
// become dense numbers in the order of their first appearance, and have no texts if all are the default.
// Errors read "file:line:column: expected ..., found ...".
absl::Status ParseTrace(std::string_view file_name, std::string_view text, Trace& into);

// Whether the first line that is no comment begins with a word of this form.
bool LooksLikeTrace(std::string_view text);

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_TEXT_H_
