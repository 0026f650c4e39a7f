// How many words a buffer takes: tiles, packing, units. Not for: where it goes (planner.h).
#ifndef OOMPH_MODELS_SPARSECORE_WORDS_H_
#define OOMPH_MODELS_SPARSECORE_WORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

// Words of its space, before any factor of kernel-level scratch. 2^64 - 1 where it does not fit 64 bits. Compact tiles of
// kernel-level scratch have up to 8 rows; what is allocated inside of the kernel keeps its rows where it can.
uint64_t WordsOf(const Program& program, const Buffer& buffer, bool scratch);
// The physical shape that messages print: f32[9,128] in compact tiles is 2x1x8x128 as scratch, else 9x1x1x128.
std::vector<uint64_t> PhysicalShape(const Program& program, const Buffer& buffer, bool scratch);
// "memref<62500x128xf32, #sc_tpu.memory_space<tile_spmem>>", "memref<23440xf32, 201>".
std::string MemRefOf(const Program& program, const Buffer& buffer, bool scratch);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_WORDS_H_
