sparsecore 7x tiling none wording numbered
allocate before tile_spmem f32[117265]
allocate fails tile_spmem f32[23440] at result.1:279:1 %232
use before
use fails
