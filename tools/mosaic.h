// Kernels in the files that a user has: HLO modules and Mosaic modules, bytecode too where jax is set up.
// Not for: what a kernel needs (models/vmem).
#ifndef OOMPH_TOOLS_MOSAIC_H_
#define OOMPH_TOOLS_MOSAIC_H_

#include <string>
#include <string_view>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "models/vmem/from_module.h"
#include "models/vmem/target.h"

namespace oomph {

// MLIR text of MLIR bytecode, by scripts/mosaic-text. The error says what is missing and how to get it.
absl::StatusOr<std::string> MosaicText(std::string_view bytecode);

// Whether a text may have kernels: an HLO module that names tpu_custom_call, or an MLIR module.
bool MayHaveKernels(std::string_view text);
// Its kernels, none where it has none; an error where it cannot be read.
absl::StatusOr<std::vector<vmem::ModuleKernel>> KernelsIn(const std::string& name, const std::string& text, vmem::Target target);

// What a module is for, which does not say it: v5e of an empty word.
absl::StatusOr<vmem::Target> TargetOf(const std::string& chip);

}  // namespace oomph

#endif  // OOMPH_TOOLS_MOSAIC_H_
