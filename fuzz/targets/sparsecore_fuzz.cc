// Feeds the family sparsecore from fuzz bytes: the model against its specification, oracles and relations.
// Does not cover: reading programs (sparsecore_text_fuzz), compilers (oomph fuzz).
#include "fuzz/fuzz_one.h"
#include "models/sparsecore/family.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return oomph::FuzzOne(oomph::SparseCoreFamily(), {data, size});
}

// Every second mutation edits whole statements; the others are libFuzzer's own.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  return oomph::MutateOne(oomph::SparseCoreFamily(), data, size, max_size, seed);
}
