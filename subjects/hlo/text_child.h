// TextChild: a function of texts that runs in a child process, so that a text on which it dies costs an answer and not the
// program. For what is no subject: the questions of xla/hlo_questions.h, a verdict without a module. Not for cases of a
// family (see subjects/child/child.h).
#ifndef OOMPH_SUBJECTS_HLO_TEXT_CHILD_H_
#define OOMPH_SUBJECTS_HLO_TEXT_CHILD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "models/hlo/answer.h"
#include "subjects/child/child.h"

namespace oomph {

class TextChild {
 public:
  using Function = std::function<std::string(std::string_view text)>;
  // `make` gives the function, in the child.
  TextChild(std::string name, std::function<absl::StatusOr<Function>()> make, const ChildLimits& limits = {});

  // Aborted: the child died of the text, and this is how; DeadlineExceeded: it did not end in time. The next text meets
  // a new child. Another error: there is no child to ask.
  absl::StatusOr<std::string> Ask(std::string_view text);

  uint64_t starts() const { return starts_; }  // children so far

 private:
  absl::Status Start();

  const std::string name_;
  const std::function<absl::StatusOr<Function>()> make_;
  const ChildLimits limits_;
  std::unique_ptr<Process> process_;
  uint64_t starts_ = 0;
};

// A verifier behind subjects/abi/hlo.h that is asked for all that is wanted. A death is an answer, too.
class VerifierChild {
 public:
  VerifierChild(const std::string& path, uint32_t wanted, const ChildLimits& limits = {}, const std::string& options = "");
  hlo::Answer Ask(std::string_view text);
  uint64_t starts() const { return child_.starts(); }

 private:
  TextChild child_;
};

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_HLO_TEXT_CHILD_H_
