// RUN: mlir-opt %s
#map = affine_map<(d0) -> (d0)>
!t = memref<8xf32, 201>
air.channel @c [1, 1] {flag, tall = "}"}
func.func private @before(i32) -> i32
func.func @main(%arg0: memref<4x?xf32, strided<[1, ?], offset: ?>, #sc_tpu.memory_space<hbm>> {sc.in = true},
                %arg1: index) -> (i32 {r = "x"}, !t) attributes {sc.sequencer = "scs"} {
  %c0 = arith.constant 0 : index loc("a.py":1:2)
  %0:2 = foo.pair %arg1#0, %c0
    : (index, index) -> (i32, index)
  %alloca = memref.alloca() {alignment = 64 : i64} : !t
  memref.store %c0, %alloca[%0#1] : memref<8xf32, 201>
  %1 = scf.for %i = %c0 to %arg1 step %c0 iter_args(%acc = %0#0) -> (i32) : i32 {
    sc.task mask(%c0) execute({
      %2 = memref.alloca_scope -> (i32) {
        memref.alloca_scope.return %acc : i32
      }
      func.return
    }) done(%alloca : memref<8xf32, 201>) {last}
    scf.yield %acc : i32
  } {loop = #map}
  scf.if %c0 { scf.yield } else { a.b %i }
  scf.index_switch %c0
  case 0 {
    call @before(%0#0) : (i32) -> i32
  }
  default {
  }
  cf.cond_br %c0, ^bb1(%c0 : index), ^bb2
^bb1(%x: index):
  "a.generic"(%x) ({
    gpu.barrier
    scf.while (%w = %x) : (index) -> index {
      scf.condition(%c0) %w : index
    } do {
    ^bb0(%y: index):
      scf.yield %y : index
    }
  }) : (index) -> ()
 ^bb2() :
  %view = hal.subspan layout(#map) binding(0) : memref<?xf32>{%c0, %x}
  return %1, %alloca : i32, !t
} loc(unknown)
// -----
#map = affine_map<(d0) -> (0)>
module @second attributes {m = #map} { llvm.func @f() }
