// Reads fuzz bytes as a placement problem in CSV; what is read must print and read back as the same.
// Does not cover: planning what was read (placement_fuzz), capacities in file names.
#include "fuzz/fuzz_one.h"
#include "models/placement/family.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return oomph::FuzzText(oomph::PlacementFamily(), {data, size});
}
