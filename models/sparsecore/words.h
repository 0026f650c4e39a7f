// How many words a buffer takes: tiles, packing, units. Not for: where it goes (planner.h).
#ifndef OOMPH_MODELS_SPARSECORE_WORDS_H_
#define OOMPH_MODELS_SPARSECORE_WORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

// Words of its space, before any factor of kernel-level scratch. 2^64 - 1 where it does not fit 64 bits.
uint64_t WordsOf(const Program& program, const Buffer& buffer);
// The physical shape that messages print: f32[9,128] in compact tiles is 2x1x8x128.
std::vector<uint64_t> PhysicalShape(const Program& program, const Buffer& buffer);
// "memref<62500x128xf32, #sc_tpu.memory_space<tile_spmem>>", "memref<23440xf32, 201>".
std::string MemRefOf(const Program& program, const Buffer& buffer);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_WORDS_H_
