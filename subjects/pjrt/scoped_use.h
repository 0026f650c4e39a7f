// What the kernels of a compiled program use of scoped VMEM, from the serialized program that PJRT gives back: no dumps are
// written and no text is printed, which would take most of a small kernel's time. Not for: whole modules (dump_scoped.h).
#ifndef OOMPH_SUBJECTS_PJRT_SCOPED_USE_H_
#define OOMPH_SUBJECTS_PJRT_SCOPED_USE_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace oomph::pjrt {

// Of one instruction, bytes of VMEM. Absent: the compiler says nothing.
struct ScopedUse {
  std::optional<uint64_t> limit, used;
  bool operator==(const ScopedUse&) const = default;
};

// Of each custom call to `target`, or of the fusion that it went into. `program`: a HloModuleProtoWithConfig, or
// a HloModuleProto; untrusted. InvalidArgument: it is neither, or its scoped memory is not as the compiler writes it.
absl::StatusOr<std::vector<ScopedUse>> ReadScopedUse(std::string_view program, std::string_view target);

}  // namespace oomph::pjrt

#endif  // OOMPH_SUBJECTS_PJRT_SCOPED_USE_H_
