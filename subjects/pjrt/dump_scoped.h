// What the instructions of an optimized module of the TPU compiler state and use of scoped memory.
// Not for what that means to addresses (dump.h).
#ifndef OOMPH_SUBJECTS_PJRT_DUMP_SCOPED_H_
#define OOMPH_SUBJECTS_PJRT_DUMP_SCOPED_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/hlo/module.h"

namespace oomph {

struct ScopedConfig {
  uint32_t space = 0;
  uint64_t offset = 0, bytes = 0;
};

struct ScopedOfInstruction {
  std::string_view name;  // of the module's
  std::vector<ScopedConfig> limits;  // scoped_memory_configs
  std::vector<ScopedConfig> used;    // used_scoped_memory_configs
};

// From the backend_config of all instructions that have one. An error, "%name: expected …", where one of the two is there
// and is not as the compiler writes it. Other fields are anybody's business.
absl::StatusOr<std::vector<ScopedOfInstruction>> ReadScoped(const hlo::Module& module);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_PJRT_DUMP_SCOPED_H_
