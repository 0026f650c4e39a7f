// ProtoChild: HLO text to a serialized HloModuleProto, by XLA of the tensorflow-cpu wheel in a child of its own. Not for:
// judging the text.
#ifndef OOMPH_SUBJECTS_PJRT_PROTO_CHILD_H_
#define OOMPH_SUBJECTS_PJRT_PROTO_CHILD_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

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

// The one child that all subjects of a row share: each takes some 200 MB. A process that was forked from one that has a
// child gets its own.
class SharedProtoChild {
 public:
  explicit SharedProtoChild(std::string plugin) : plugin_(std::move(plugin)) {}
  std::shared_ptr<ProtoChild> Get();

 private:
  const std::string plugin_;
  pid_t owner_ = 0;
  std::weak_ptr<ProtoChild> child_;
};

}  // namespace oomph::pjrt

#endif  // OOMPH_SUBJECTS_PJRT_PROTO_CHILD_H_
