// A SparseCore program as a compiler gets it: the Mosaic module that Pallas lowers such a kernel to, as text, in an HLO
// module. Not for: asking the compiler (subjects/pjrt), the model (planner.h).
#ifndef OOMPH_MODELS_SPARSECORE_MOSAIC_H_
#define OOMPH_MODELS_SPARSECORE_MOSAIC_H_

#include <string>

#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

// Whether a kernel can be written that asks what the program says: no tiles of its own, no limits of its own, ...; else why not.
std::string WhyNoKernel(const Program& program);
// Makes copies of the uses that a kernel cannot say otherwise: of shared memory, of HBM, of scalars and four bits in tile_spmem.
// A scalar there is an f32 then, which takes the same word.
void CopyWhatIsCopiedOnly(Program& program);
std::string PrintMosaic(const Program& program);
std::string PrintHloOf(const Program& program);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_MOSAIC_H_
