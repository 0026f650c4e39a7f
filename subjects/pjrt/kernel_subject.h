// KernelSubject: the TPU compiler as a subject of family vmem. Not for: how it is asked (kernel_compiler.h), nor its row in
// the table (rows.h).
#ifndef OOMPH_SUBJECTS_PJRT_KERNEL_SUBJECT_H_
#define OOMPH_SUBJECTS_PJRT_KERNEL_SUBJECT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "models/vmem/kernel.h"
#include "models/vmem/target.h"
#include "subjects/pjrt/kernel_compiler.h"
#include "subjects/subject.h"

namespace oomph::pjrt {

struct KernelSpec {
  SubjectInfo info;  // all but the version
  WorkerSpec worker;
  std::vector<Override> overrides;
  std::shared_ptr<ProtoChild> proto;
  vmem::Target target = vmem::Target::kV5e;
};

class KernelSubject final : public Subject {
 public:
  // Starts the worker: an error is what keeps it from starting.
  static absl::StatusOr<std::unique_ptr<KernelSubject>> Start(KernelSpec spec);

  const SubjectInfo& info() const override { return info_; }
  void Prepare(Case& c) const override { static_cast<CaseOf<vmem::Kernel>&>(c).value.target = target_; }
  void Run(const Case& c, Outcome& outcome) override {
    static_cast<OutcomeOf<vmem::Answer>&>(outcome).value = compiler_.Ask(static_cast<const CaseOf<vmem::Kernel>&>(c).value);
  }
  bool IsAnswer(const Outcome& outcome) const override {
    const vmem::Status status = static_cast<const OutcomeOf<vmem::Answer>&>(outcome).value.status;
    return status == vmem::Status::kAccepted || status == vmem::Status::kOverLimit || status == vmem::Status::kOverCapacity ||
           status == vmem::Status::kDeclined;
  }
  void StartAfresh() override { compiler_.Stop(); }
  // Of an HLO text with one kernel in it.
  vmem::Answer AskText(const std::string& text) { return compiler_.AskText(text, {}); }
  uint64_t starts() const { return compiler_.starts(); }  // workers so far

 private:
  explicit KernelSubject(KernelSpec spec)
      : info_(std::move(spec.info)),
        target_(spec.target),
        compiler_(std::move(spec.worker), std::move(spec.proto), std::move(spec.overrides)) {}

  SubjectInfo info_;
  const vmem::Target target_;
  KernelCompiler compiler_;
};

// What a subject says of its version: platform, the plugin's words, PJRT's version.
std::string VersionOf(const Description& description);

}  // namespace oomph::pjrt

#endif  // OOMPH_SUBJECTS_PJRT_KERNEL_SUBJECT_H_
