#loop = #llvm.loop_annotation<unroll = #llvm.loop_unroll<disable = true>>
module attributes {sc_tpu.mlo} {
  func.func @main.1(%arg0: memref<4096xi8, #sc_tpu.memory_space<hbm>>) attributes {sc.sequencer = "scs"} {
    %alloca = memref.alloca() : memref<0xi8, #sc_tpu.memory_space<hbm>>
    %alloca_0 = memref.alloca() : memref<4xi8, #sc_tpu.memory_space<sflag_scs>>
    %c0 = arith.constant 0 : index
    sc_tpu.trace(%c0 : index)
    %alloca_1 = memref.alloca() : memref<256xf32, #xir.tiled<(128),[1]>, #sc_tpu.memory_space<tile_spmem>>
    sc_tpu.tile_task tile_mask(%c0) execute({
      sc_tpu.trace(%c0 : index)
      memref.alloca_scope  {
        %n = sc_tpu.core_index : index
        scf.for %arg2 = %c0 to %n step %n {
          %true = arith.cmpi slt, %arg2, %n : index
          scf.if %true {
            %c1 = arith.constant 1 : index
            %c7 = arith.constant 7 : index
            scf.for %arg5 = %c0 to %c7 step %c1  : index {
              memref.alloca_scope  {
                %alloca_2 = memref.alloca() : memref<9x130xbf16, #xir.tiled<(8,128)(2,1),[2,1]>, #sc_tpu.memory_space<tile_spmem>>
                %view = xir.memref_slice %alloca_2[%c0] : memref<9x130xbf16, #xir.tiled<(8,128)(2,1),[2,1]>, #sc_tpu.memory_space<tile_spmem>> -> memref<16xbf16>
                %v = sc_tpu.vector_load base(%view : memref<16xbf16>) [%c0] : vector<16xbf16>
                sc_tpu.vector_store value(%v : vector<16xbf16>) base(%alloca_1 : memref<256xf32>) [%c0]
              }
            }
            scf.if %true {
              memref.alloca_scope  {
                %alloca_2 = memref.alloca() : memref<i32, #xir.tiled<,[]>, #sc_tpu.memory_space<sflag_tile>>
                sc_tpu.enqueue_transfer source(%arg0 : memref<4096xi8>) tgt_sflag(%alloca_2 : memref<i32>)
              }
            } else {
              sc_tpu.sfence all
            }
          }
        } {loop_annotation = #loop}
        sc_tpu.barrier barrier_id(%c0)
      }
      sc_tpu.terminator
    }) {xir.core_type = #xir.core_type<sc, vector>}
    sc_tpu.sfence all
    return
  }
}
