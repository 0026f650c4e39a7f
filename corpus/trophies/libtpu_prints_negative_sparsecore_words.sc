# oomph subject libtpu:v6e
# oomph expect sparsecore/overrun_is_over/libtpu/words
# oomph owner google/libtpu
# oomph upstream no public report found
# system: libtpu 0.0.52; kind: wrong answer on valid input
# valid: memref<288230376151711744xf32> is a type of MLIR; each alone compiles (libtpu_wraps_a_sparsecore_size.sc).
# wrong: E3000 tells -4611686018427387904 words that end at 9223372036854775807.
sparsecore v6e
scratch a tile_spmem f32[288230376151711744]
scratch b tile_spmem f32[288230376151711744]
use a
use b
