// Reads fuzz bytes as the text of an HBM trace; what is read must print and read back as the same.
// Does not cover: what the trace does when it runs (hbm_fuzz).
#include "fuzz/fuzz_one.h"
#include "models/hbm/family.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return oomph::FuzzText(oomph::HbmFamily(), {data, size});
}
