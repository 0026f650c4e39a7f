// See kernel_subject.h.
#include "subjects/pjrt/kernel_subject.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace oomph::pjrt {

absl::StatusOr<std::unique_ptr<KernelSubject>> KernelSubject::Start(KernelSpec spec) {
  std::unique_ptr<KernelSubject> subject(new KernelSubject(std::move(spec)));
  const absl::StatusOr<Description> description = subject->compiler_.Describe();
  if (!description.ok()) return description.status();
  subject->info_.version = absl::StrCat(description->platform, " ", description->version.substr(0, description->version.find('\n')),
                                        ", PJRT ", description->api_major, ".", description->api_minor);
  return subject;
}

}  // namespace oomph::pjrt
