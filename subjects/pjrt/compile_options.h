// The options of one compilation as XLA's CompileOptionsProto, and how a person writes them. Only the few fields that
// matter to a compiler without devices: the numbers of replicas and partitions, and the overrides of options by name.
// Not for: topologies, which are chosen when a worker starts (target.h).
#ifndef OOMPH_SUBJECTS_PJRT_COMPILE_OPTIONS_H_
#define OOMPH_SUBJECTS_PJRT_COMPILE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace oomph::pjrt {

struct Override {
  std::string name, value;
  bool operator==(const Override&) const = default;
};

struct CompileOptions {
  uint64_t replicas = 1, partitions = 1;
  std::vector<Override> overrides;  // "xla_tpu_scoped_vmem_limit_kib", "65536"
};

// Values go over as texts: a plugin parses them to the type of its option.
std::string Serialize(const CompileOptions& options);

// "name=value"; xla_dump_… is refused: dumps are the harness's, and a case file must not name where to write.
absl::StatusOr<Override> ParseOverride(std::string_view words);

}  // namespace oomph::pjrt

#endif  // OOMPH_SUBJECTS_PJRT_COMPILE_OPTIONS_H_
