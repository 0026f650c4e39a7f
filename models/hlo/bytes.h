// How many bytes the buffers of a shape take: padded to tiles, per memory space, and the plain size beside
// it. Not for the scratch of kernels, whose windows follow other rules (models/vmem).
//
//   f32[128,3]{1,0:T(8,128)}     128 rows of 3 padded to 128: 65536 bytes, unpadded 1536
//   s32[<=4096]{0:T(8)M(1024)}   the bound counts, and 1024 bytes of metadata before it
#ifndef OOMPH_MODELS_HLO_BYTES_H_
#define OOMPH_MODELS_HLO_BYTES_H_

#include <cstdint>
#include <map>

#include "absl/status/statusor.h"
#include "models/hlo/shape.h"

namespace oomph::hlo {

// The bytes of one array as it lies in memory. Tokens, opaque values and shapes that are not given take none;
// of a tuple and of b(...) it is the sum over its arrays, without any table of pointers. Errors say why there
// is no size: 2^64 bytes or more, an unbounded dimension, a layout that fits no array.
absl::StatusOr<uint64_t> PaddedBytes(const ShapeTable& shapes, ShapeId shape);

// The same without tiles, alignment and metadata: elements times the bits of one, in whole bytes.
absl::StatusOr<uint64_t> UnpaddedBytes(const ShapeTable& shapes, ShapeId shape);

// PaddedBytes of the arrays in a shape, by their memory space. What has no layout is in space 0.
absl::StatusOr<std::map<int64_t, uint64_t>> PaddedBytesBySpace(const ShapeTable& shapes, ShapeId shape);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_BYTES_H_
