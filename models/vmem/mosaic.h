// The program that a compiler gets for a kernel: an HLO module with one tpu_custom_call, whose body is a Mosaic module as
// MLIR text (the TPU compiler takes text where Pallas writes bytecode: measured, docs/FACTS.md).
// Not for: reading such modules (from_module.h).
#ifndef OOMPH_MODELS_VMEM_MOSAIC_H_
#define OOMPH_MODELS_VMEM_MOSAIC_H_

#include <string>

#include "models/vmem/kernel.h"

namespace oomph::vmem {

// The Mosaic module, in MLIR's generic form with the dialect stable_mosaic, as Pallas lowers a kernel of this kind.
std::string PrintMosaic(const Kernel& kernel);
// The HLO module around it, whose arrays lie as the kernel takes them; those of preds are s32. Scratch and scoped buffers are relayed through arrays too large for VMEM.
std::string PrintHloOf(const Kernel& kernel);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_MOSAIC_H_
