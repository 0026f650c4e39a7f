// See kernel_subject.h.
#include "subjects/pjrt/kernel_subject.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace oomph::pjrt {
namespace {

constexpr size_t kMostVersionBytes = 200;

}  // namespace

// All of its lines: answers are kept by version, and the first line names the chip alone.
std::string VersionOf(const Description& description) {
  std::string version = description.version.substr(0, kMostVersionBytes);
  std::replace_if(version.begin(), version.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return absl::StrCat(description.platform, " ", version, ", PJRT ", description.api_major, ".", description.api_minor);
}

absl::StatusOr<std::unique_ptr<KernelSubject>> KernelSubject::Start(KernelSpec spec) {
  std::unique_ptr<KernelSubject> subject(new KernelSubject(std::move(spec)));
  const absl::StatusOr<Description> description = subject->compiler_.Describe();
  if (!description.ok()) return description.status();
  subject->info_.version = VersionOf(*description);
  return subject;
}

}  // namespace oomph::pjrt
