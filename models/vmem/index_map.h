// What a window's transform function, a small program over grid indices, says of the places that it returns: terms where they
// are simple, else on which grid dimensions they depend. Not for: what follows from it (allocator.h).
#ifndef OOMPH_MODELS_VMEM_INDEX_MAP_H_
#define OOMPH_MODELS_VMEM_INDEX_MAP_H_

#include <cstdint>
#include <span>
#include <vector>

#include "models/mlir/module.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

struct IndexMap {
  std::vector<Place> places;
  // Every place is what the function computes. Otherwise some vary with the grid dimensions that they name, in another way
  // than they say, and may even be constant to who knows better.
  bool exact = true;
};

// The function's arguments are the grid indices, then the prefetched arrays.
IndexMap ReadIndexMap(const mlir::Module& module, const mlir::Operation& function, std::span<const GridDimension> grid);

// An operation's name without the prefix of stable dialects: "arith.addi" of "stable_mosaic.arith.addi".
std::string_view PlainName(const mlir::Operation& operation);

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_INDEX_MAP_H_
