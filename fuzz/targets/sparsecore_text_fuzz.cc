// Reads fuzz bytes as a program; what is read must print and read back as the same.
// Does not cover: asking about what was read (sparsecore_fuzz).
#include "fuzz/fuzz_one.h"
#include "models/sparsecore/family.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return oomph::FuzzText(oomph::SparseCoreFamily(), {data, size});
}
