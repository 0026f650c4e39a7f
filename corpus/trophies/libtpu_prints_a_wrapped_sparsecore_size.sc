# oomph subject libtpu:v6e
# oomph expect sparsecore/equals_reference/libtpu/differs_huge
# oomph owner google/libtpu
# oomph upstream no public report found
# system: libtpu 0.0.52; kind: wrong answer on valid input
# valid: memref<576460752303439745xi32> is a type of MLIR.
# wrong: the size is taken modulo 2^59 words of 32 bits: E3000 tells 16,384 words and a bound that is none of this allocation.
# again: build/oomph check corpus/trophies/libtpu_prints_a_wrapped_sparsecore_size.sc
sparsecore v6e core scalar
scope
  allocate b5 smem_scs s32[576460752303439745]
  use b5
end
