// What a test by command has to do for a case to be of interest: end as it did for the first case, and say the same of
// what failed. So that a reduction does not slip from one fault to another.
// Not for: running the command (see command_run.h).
#ifndef OOMPH_FUZZ_MINIMIZE_EXPECTATION_H_
#define OOMPH_FUZZ_MINIMIZE_EXPECTATION_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "fuzz/minimize/command_run.h"

namespace oomph {

// A test ends with this to say: of interest, but for another reason.
inline constexpr int kOtherReason = 101;

// What an output says about which fault it is, without names and numbers of the case:
//   code E1001              of the first message that has one ("E1001:", "E1001 ")
//   memory vmem             which ran out
//   operation custom-call   that could not be served: "for %name = shape opcode(", or an instruction on the same line
//   target tpu_custom_call  custom_call_target="..." of it
//   signature hbm/...       the first line that begins with one, as oomph check prints it
// Each once at most; empty if it says none of this. Time linear in the output.
std::vector<std::string> IdentityOf(std::string_view output);

class Expectation {
 public:
  // From the first run: its exit status and its identity. `pattern`: a word that the output must have in it, or a regular
  // expression that must match somewhere in it (^ and $ being the ends of lines), in place of the exit status. An error
  // where the first run is not of interest itself: one that fails and says nothing of a fault may be a broken test.
  static absl::StatusOr<Expectation> Of(const CommandRan& first, const std::string& pattern);
  // As Text() of an earlier one told it.
  static absl::StatusOr<Expectation> FromText(const std::string& text);

  bool Meets(const CommandRan& ran) const;
  int status() const { return status_; }
  const std::vector<std::string>& identity() const { return identity_; }
  // "exit status 77, signature hbm/...".
  std::string Words() const;
  std::string Text() const;  // JSON

 private:
  struct Pattern;
  static constexpr int kAnyStatus = -1;
  Expectation() = default;
  void SetPattern(const std::string& pattern);
  bool Matches(const std::string& output) const;
  int status_ = kAnyStatus;
  std::vector<std::string> identity_;
  std::shared_ptr<const Pattern> pattern_;
};

// "exit status 1", "signal 11 (SIGSEGV)".
std::string StatusWords(int status);
inline bool IsSignal(int status) { return status > 128 && status <= 192; }

}  // namespace oomph

#endif  // OOMPH_FUZZ_MINIMIZE_EXPECTATION_H_
