// Feeds the placement family from fuzz bytes: the planners against their specifications, oracles and relations.
// Does not cover: reading CSV (placement_text_fuzz), planners of others (oomph fuzz), problems of thousands of buffers.
#include "fuzz/fuzz_one.h"
#include "models/placement/family.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return oomph::FuzzOne(oomph::PlacementFamily(), {data, size});
}

// Every second mutation edits whole buffers; the others are libFuzzer's own.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  return oomph::MutateOne(oomph::PlacementFamily(), data, size, max_size, seed);
}
