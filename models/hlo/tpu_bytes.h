// How many bytes the TPU compiler counts for a value, in every memory: PaddedBytes of bytes.h, and what it does where a
// layout leaves something out, for tables of pointers, and in the memories of sync flags.
// Measured on the buffer assignments of libtpu 0.0.52 (docs/FACTS.md). Not for other compilers.
//
//   f32[100,200]{1,0:T(8,128)}      106496   the tile pads
//   f32[100,200]{1,0}               106496   without a tile as if T(8,128); T(1024) with one dimension or none
//   s32[<=5]{0:T(128)}                1536   a dynamic array has 1024 bytes of sizes before it, said or not
//   u32[]{:T(128)S(2)}                   4   no padding there; S(8) and S(10) are SparseCore's, the same
//   (f32[4], f32[4])                   512   its table alone: 4 bytes an entry, in whole granules of the chip's HBM
#ifndef OOMPH_MODELS_HLO_TPU_BYTES_H_
#define OOMPH_MODELS_HLO_TPU_BYTES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "models/base/chips.h"
#include "models/hlo/shape.h"

namespace oomph::hlo {

// In what steps the chip counts the bytes of tables: 1024 (v3), 512 (v4, v5e), 32 (v5p, v6e, 7x).
uint64_t TableGranule(const Chip& chip);
inline constexpr uint64_t kUsualGranule = 512;

// Errors as those of PaddedBytes.
absl::StatusOr<uint64_t> TpuBytes(const ShapeTable& shapes, ShapeId shape, uint64_t granule = kUsualGranule);
// The same; what has no size takes all memory. For LivenessOptions::array_bytes.
uint64_t TpuArrayBytes(const ShapeTable& shapes, ShapeId shape);
// Of a tuple of so many elements.
uint64_t TpuTableBytes(uint64_t elements, uint64_t granule = kUsualGranule);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_TPU_BYTES_H_
