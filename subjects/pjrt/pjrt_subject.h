// PjrtSubject: a compiler behind the PJRT C API as a subject of family hlo. A module goes over as a HloModuleProto; what
// comes back is whether it compiles, the compiler's figures, where it places each value (from its dumps), and, of a plugin
// with devices, what the module computes. Not for: the rows of the table (rows.h).
//
//   module --print--> text --XLA of the wheel, in a child--> proto --worker--> plugin: compile, figures, run
//                                                                               |
//                                                     folder of dumps <---------+  read by the harness, also after a refusal
#ifndef OOMPH_SUBJECTS_PJRT_PJRT_SUBJECT_H_
#define OOMPH_SUBJECTS_PJRT_PJRT_SUBJECT_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/hlo/answer.h"
#include "models/hlo/module.h"
#include "subjects/pjrt/proto_child.h"
#include "subjects/pjrt/scratch_folder.h"
#include "subjects/pjrt/target.h"
#include "subjects/pjrt/worker_process.h"
#include "subjects/subject.h"

namespace oomph::pjrt {

struct PjrtSpec {
  SubjectInfo info;  // all but the version
  WorkerSpec worker;
  Target target;
  bool dumps = true;
  std::shared_ptr<ProtoChild> proto;
};

class PjrtSubject final : public Subject {
 public:
  // Starts the worker: an error is what keeps it from starting.
  static absl::StatusOr<std::unique_ptr<PjrtSubject>> Start(PjrtSpec spec);

  const SubjectInfo& info() const override { return info_; }
  void Run(const Case& c, Outcome& outcome) override;
  void StartAfresh() override { worker_.Stop(); }

  // The same of a program that is no module of ours: "hlo" or "mlir". Run on the arguments, if any are given and the plugin
  // has a device.
  hlo::Answer Ask(const std::string& format, std::string code, const CompileOptions& options,
                  std::optional<std::vector<hlo::ResultArray>> arguments = {});
  uint64_t starts() const { return worker_.starts(); }  // workers so far

 private:
  explicit PjrtSubject(PjrtSpec spec) : spec_(std::move(spec)), info_(spec_.info), worker_(spec_.worker) {}

  void TakeReply(const Reply& reply, hlo::Answer& answer) const;
  void TakeDumps(const std::vector<Override>& overrides, hlo::Answer& answer) const;

  const PjrtSpec spec_;
  SubjectInfo info_;
  WorkerProcess worker_;
  bool runs_ = false;                      // the plugin has a device
  std::unique_ptr<ScratchFolder> folder_;  // null: no dumps
};

}  // namespace oomph::pjrt

#endif  // OOMPH_SUBJECTS_PJRT_PJRT_SUBJECT_H_
