# oomph subject libtpu:v6e
# oomph expect sparsecore/what_lives_fits/libtpu/huge
# oomph owner google/libtpu
# oomph upstream no public report found
# system: libtpu 0.0.52; kind: wrong answer on valid input
# valid: memref<288230376151711744xf32> is a type of MLIR; one element less is refused with E3000 and its true size.
# wrong: 2^58 words are 2^63 bits: the size wraps, and an allocation of 2^58 words compiles where 65,536 fit.
# again: build/oomph check corpus/trophies/libtpu_wraps_a_sparsecore_size.sc
sparsecore v6e
scope
  allocate b4 tile_spmem f32[288230376151711744]
  use b4
end
