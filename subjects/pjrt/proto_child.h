// ProtoChild: HLO text to a serialized HloModuleProto, by XLA of the tensorflow-cpu wheel in a child of its own. Not for:
// judging the text.
#ifndef OOMPH_SUBJECTS_PJRT_PROTO_CHILD_H_
#define OOMPH_SUBJECTS_PJRT_PROTO_CHILD_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "subjects/hlo/text_child.h"

namespace oomph::pjrt {

class ProtoChild {
 public:
  // `plugin`: of subjects/xla/xla_proto_plugin.cc.
  explicit ProtoChild(const std::string& plugin);
  // InvalidArgument: XLA does not read the text, and says why. Aborted: it dies of it. Unavailable: it cannot be asked.
  absl::StatusOr<std::string> Ask(std::string_view text);

 private:
  TextChild child_;
};

}  // namespace oomph::pjrt

#endif  // OOMPH_SUBJECTS_PJRT_PROTO_CHILD_H_
