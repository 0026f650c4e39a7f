// One input of a coverage-guided fuzzer, for any family: bytes -> case -> model -> oracles -> abort.
// Not for: campaigns over several subjects (see campaign/).
#ifndef OOMPH_FUZZ_FUZZ_ONE_H_
#define OOMPH_FUZZ_FUZZ_ONE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "models/base/family.h"

namespace oomph {

// Generates a case from `data` as a tape and judges the family's built-in model by it, or the subject that
// the environment names in OOMPH_FUZZ_SUBJECT (NAME[:VARIANT]; in this process, so not a wild one). On a
// finding prints the case and, last, a line "SIG family/oracle/subject/detail", and aborts. Always 0, as
// libFuzzer wants it. A program fuzzes one family: the first call decides.
int FuzzOne(const Family& family, std::span<const uint8_t> data);

// For LLVMFuzzerCustomMutator: edits whole stretches of the tape in place; the new size.
size_t MutateOne(const Family& family, uint8_t* data, size_t size, size_t max_size, unsigned seed);

// Reading a case text never crashes, and what is read prints and reads back as the same.
struct TextFault {
  std::string detail;  // "refused", "changed"
  std::string text;    // what was printed, and what became of it
};
std::optional<TextFault> JudgeText(const Family& family, std::string_view text);
int FuzzText(const Family& family, std::span<const uint8_t> data);

}  // namespace oomph

#endif  // OOMPH_FUZZ_FUZZ_ONE_H_
