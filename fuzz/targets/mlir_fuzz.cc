// Reads fuzz bytes as MLIR, and as a SparseCore program in MLIR; what is read must print and read back as the same.
// Does not cover: programs printed as MLIR (props/sparsecore_mlir.cc), Mosaic kernels (models/vmem/read_mosaic.h).
#include <string>

#include "fuzz/fuzz_one.h"
#include "models/mlir/read.h"
#include "models/sparsecore/family.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)oomph::mlir::LooksLikeModule(text);
  (void)oomph::mlir::Read("fuzz", text);
  return oomph::FuzzText(oomph::SparseCoreFamily(), {data, size});
}
