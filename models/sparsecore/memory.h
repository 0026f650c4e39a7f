// What follows from the text of a program about its memories, without any rule of planning: the least that its buffers take, and
// when most of them are live. Not for: words as they are planned (words.h).
#ifndef OOMPH_MODELS_SPARSECORE_MEMORY_H_
#define OOMPH_MODELS_SPARSECORE_MEMORY_H_

#include <array>
#include <cstdint>
#include <vector>

#include "models/sparsecore/program.h"
#include "models/sparsecore/structure.h"

namespace oomph::sparsecore {

inline constexpr uint64_t kTilesOfSpmem = 16;  // words of spmem to one of tile_spmem: the tiles lie in it

// Packed without any padding; 2^64 - 1 where it does not fit.
uint64_t LeastWords(const Buffer& buffer);
// The memory that it is planned in: that of kernel-level scratch in tile_spmem is spmem.
Space MemoryOf(const Program& program, const Structure& structure, uint32_t buffer);

// By memory: `words` of the buffers that live at once by the text alone, at most; kernel-level scratch as the memory has it, 16
// times in spmem. Only of buffers that count. That is also the optimum of placing them: they are nested. Spmem counts in
// tile_spmem of a vector subcore, too, whole words.
using MostLive = std::array<uint64_t, kSparseCoreSpaces>;
MostLive MostLiveWords(const Program& program, const Structure& structure, const std::vector<bool>& counts,
                       const std::vector<uint64_t>& words);

// What the program says of a memory, else the chip.
uint64_t LastWordOf(const Program& program, Space space);
uint64_t FirstWordOf(const Program& program, Space space);  // 0 of tile_spmem where nothing says it

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_MEMORY_H_
