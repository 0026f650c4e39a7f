// SparseCoreSubject: the TPU compiler as a subject of family sparsecore. Not for: how it is asked (sparsecore_compiler.h), nor
// its row in the table (rows.h).
#ifndef OOMPH_SUBJECTS_PJRT_SPARSECORE_SUBJECT_H_
#define OOMPH_SUBJECTS_PJRT_SPARSECORE_SUBJECT_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "models/sparsecore/mosaic.h"
#include "models/sparsecore/program.h"
#include "models/sparsecore/target.h"
#include "subjects/pjrt/sparsecore_compiler.h"
#include "subjects/subject.h"

namespace oomph::pjrt {

struct SparseCoreSpec {
  SubjectInfo info;  // all but the version
  WorkerSpec worker;
  std::vector<Override> overrides;
  std::shared_ptr<ProtoChild> proto;
  sparsecore::Target target = sparsecore::Target::kV6e;
};

class SparseCoreSubject final : public Subject {
 public:
  // Starts the worker: an error is what keeps it from starting.
  static absl::StatusOr<std::unique_ptr<SparseCoreSubject>> Start(SparseCoreSpec spec);

  const SubjectInfo& info() const override { return info_; }
  // Of a kernel: its chip; copies where nothing else is possible.
  void Prepare(Case& c) const override {
    sparsecore::Program& program = static_cast<CaseOf<sparsecore::Program>&>(c).value;
    program.target = target_;
    sparsecore::CopyWhatIsCopiedOnly(program);
  }
  void Run(const Case& c, Outcome& outcome) override {
    static_cast<OutcomeOf<sparsecore::Answer>&>(outcome).value = compiler_.Ask(static_cast<const CaseOf<sparsecore::Program>&>(c).value);
  }
  bool IsAnswer(const Outcome& outcome) const override {
    const sparsecore::Status status = static_cast<const OutcomeOf<sparsecore::Answer>&>(outcome).value.status;
    return status == sparsecore::Status::kPlanned || status == sparsecore::Status::kOverBound ||
           status == sparsecore::Status::kOverHighWater || status == sparsecore::Status::kNotHere ||
           status == sparsecore::Status::kDeclined;
  }
  void StartAfresh() override { compiler_.Stop(); }
  uint64_t starts() const { return compiler_.starts(); }  // workers so far

 private:
  SparseCoreSubject(SparseCoreSpec spec, std::unique_ptr<ScratchFolder> dumps)
      : info_(std::move(spec.info)),
        target_(spec.target),
        compiler_(std::move(spec.worker), std::move(spec.proto), std::move(spec.overrides), std::move(dumps)) {}

  SubjectInfo info_;
  const sparsecore::Target target_;
  SparseCoreCompiler compiler_;
};

}  // namespace oomph::pjrt

#endif  // OOMPH_SUBJECTS_PJRT_SPARSECORE_SUBJECT_H_
