// A kernel out of its Mosaic module: the body of a tpu_custom_call as MLIR text. What is not understood is said, and makes
// the kernel's need "at least" or "at most". Not for: the HLO around it (from_module.h), nor for writing one (mosaic.h).
#ifndef OOMPH_MODELS_VMEM_READ_MOSAIC_H_
#define OOMPH_MODELS_VMEM_READ_MOSAIC_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/mlir/module.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

// An operand or result of the call, as the module around it has it.
struct CallArray {
  Type type = Type::kF32;
  std::vector<uint64_t> sizes;
  bool in_vmem = false;
  bool fused = false;
};

struct Call {
  std::vector<CallArray> operands, results;
};

struct MosaicKernel {
  std::string name;  // of its function
  Kernel kernel;     // of v5e, without limit: the module around it says more
  // What the kernel's need is to the compiler's figure, for all that was not understood: see Answer.
  bool at_least = true, at_most = true;
  std::vector<std::string> notes;  // one line each: what was not understood, or left out
};

// Without a call the arrays are taken to be as large as their windows, and the last window to be the only output.
absl::StatusOr<MosaicKernel> ReadMosaic(const mlir::Module& module, const Call* call);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_READ_MOSAIC_H_
