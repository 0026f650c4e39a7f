// The kernels of an HLO module: its calls of tpu_custom_call, with the compiler's own figures where the module is compiled.
// Not for: the Mosaic module inside (read_mosaic.h), nor for starting what turns bytecode into text (the caller's).
#ifndef OOMPH_MODELS_VMEM_FROM_MODULE_H_
#define OOMPH_MODELS_VMEM_FROM_MODULE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/hlo/module.h"
#include "models/vmem/kernel.h"
#include "models/vmem/read_mosaic.h"

namespace oomph::vmem {

// MLIR text of MLIR bytecode. Its error says what is missing and how to get it.
using BytecodeReader = std::function<absl::StatusOr<std::string>(std::string_view bytecode)>;

struct ModuleKernel {
  std::string instruction;             // its name
  std::optional<MosaicKernel> mosaic;  // with target, limit and what lies in VMEM
  std::string missing;                 // why there is none; one line
  // The compiler's figures, where the module has been through it: the bytes that the kernel uses, and those that were kept
  // for it (which is its limit).
  std::optional<uint64_t> used, kept;
};

// In the order of the module. Whether it is for `target`, an HLO module does not tell.
std::vector<ModuleKernel> KernelsOf(const hlo::Module& module, Target target, const BytecodeReader& bytecode = nullptr);

bool HasKernels(const hlo::Module& module);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_FROM_MODULE_H_
