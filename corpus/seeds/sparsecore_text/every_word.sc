# All words of the text of SparseCore programs at work.
sparsecore v5p core vector tiling compact wording named
limit tile_spmem 65535
limit sflag_tile 26 first 1
scratch a tile_spmem f32[256]
scratch shared spmem bf16[8,128]
scratch h hbm s8[4,128]
scratch s sflag_tile s32[2,3]
use a
use shared
load h
copy h
scope
  allocate b tile_spmem f32[9,128]/8x128 at result.1:279:1 %232
  allocate n smem_tile s32[]
  use b
  use n
  for 7
    if
      copy b
    else
      allocate c tile_spmem pred[3,5]
      use c
    end
  end
  for ?
    while
      work
    end
  end
end
copy
work
