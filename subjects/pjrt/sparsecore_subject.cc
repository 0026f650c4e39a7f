// See sparsecore_subject.h.
#include "subjects/pjrt/sparsecore_subject.h"

#include <utility>

#include "subjects/pjrt/kernel_subject.h"

namespace oomph::pjrt {

absl::StatusOr<std::unique_ptr<SparseCoreSubject>> SparseCoreSubject::Start(SparseCoreSpec spec) {
  absl::StatusOr<std::unique_ptr<ScratchFolder>> dumps = ScratchFolder::Make();
  if (!dumps.ok()) return dumps.status();
  std::unique_ptr<SparseCoreSubject> subject(new SparseCoreSubject(std::move(spec), *std::move(dumps)));
  const absl::StatusOr<Description> description = subject->compiler_.Describe();
  if (!description.ok()) return description.status();
  subject->info_.version = VersionOf(*description);
  return subject;
}

}  // namespace oomph::pjrt
