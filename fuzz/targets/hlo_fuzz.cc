// Feeds the HLO family from fuzz bytes: the model against the specification, oracles and rewrites.
// Does not cover: foreign texts (hlo_text_fuzz), verifiers of others (oomph fuzz), modules of thousands of instructions.
#include "fuzz/fuzz_one.h"
#include "models/hlo/family.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return oomph::FuzzOne(oomph::HloFamily(), {data, size});
}

// Every second mutation edits whole instructions; the others are libFuzzer's own.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  return oomph::MutateOne(oomph::HloFamily(), data, size, max_size, seed);
}
