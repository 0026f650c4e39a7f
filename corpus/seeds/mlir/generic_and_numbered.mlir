"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "kernel"}> ({
    %a = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<2x1x8x128xf32, 201>
    "sc_tpu.tile_task"() ({
      "memref.alloca_scope"() ({
        %constant.1 = "arith.constant"() <{value = 0 : index}> : () -> index
        %value.2 = "oomph.value"() : () -> index
        %constant.3 = "arith.constant"() <{value = 1 : index}> : () -> index
        "scf.for"(%constant.1, %value.2, %constant.3) ({
        ^bb0(%index.4: index):
          %value.5 = "oomph.value"() : () -> i1
          "scf.if"(%value.5) ({
            %c = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<1x1x2x128x2x1xbf16, 201>
            "oomph.use"(%a) : (memref<2x1x8x128xf32, 201>) -> ()
            %constant.6 = "arith.constant"() <{value = 0 : index}> : () -> index
            %constant.7 = "arith.constant"() <{value = 7 : index}> : () -> index
            %constant.8 = "arith.constant"() <{value = 1 : index}> : () -> index
            "scf.for"(%constant.6, %constant.7, %constant.8) ({
            ^bb0(%index.9: index):
              %d = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<2xi32, 204>
              "oomph.use"(%d) : (memref<2xi32, 204>) -> ()
              "oomph.load"(%c) : (memref<1x1x2x128x2x1xbf16, 201>) -> ()
              "scf.yield"() : () -> ()
            }) : (index, index, index) -> ()
            %constant.10 = "arith.constant"() <{value = 0 : index}> : () -> index
            %value.11 = "oomph.value"() : () -> index
            %constant.12 = "arith.constant"() <{value = 1 : index}> : () -> index
            "scf.for"(%constant.10, %value.11, %constant.12) ({
            ^bb0(%index.13: index):
              "scf.while"() ({
                %value.14 = "oomph.value"() : () -> i1
                "scf.condition"(%value.14) : (i1) -> ()
              }, {
                "memref.alloca_scope"() ({
                  %e = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<8x1x1x128xf32, 203>
                  "oomph.use"(%e) : (memref<8x1x1x128xf32, 203>) -> ()
                  "memref.alloca_scope.return"() : () -> ()
                }) : () -> ()
                "scf.yield"() : () -> ()
              }) : () -> ()
              "scf.yield"() : () -> ()
            }) : (index, index, index) -> ()
            %value.15 = "oomph.value"() : () -> i1
            "scf.if"(%value.15) ({
              "memref.alloca_scope"() ({
                %copy.16 = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<i32, 204>
                "oomph.use"(%c, %copy.16) : (memref<1x1x2x128x2x1xbf16, 201>, memref<i32, 204>) -> ()
                "memref.alloca_scope.return"() : () -> ()
              }) : () -> ()
              "scf.yield"() : () -> ()
            }, {
              "oomph.work"() : () -> ()
              "scf.yield"() : () -> ()
            }) : (i1) -> ()
            "memref.alloca_scope"() ({
              %copy.17 = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<i32, 204>
              "oomph.use"(%copy.17) : (memref<i32, 204>) -> ()
              "memref.alloca_scope.return"() : () -> ()
            }) : () -> ()
            "scf.yield"() : () -> ()
          }, {}) : (i1) -> ()
          "scf.yield"() : () -> ()
        }) : (index, index, index) -> ()
        "oomph.work"() : () -> ()
        "memref.alloca_scope.return"() : () -> ()
      }) : () -> ()
      "oomph.work"() : () -> ()
      "sc_tpu.terminator"() : () -> ()
    }) : () -> ()
    "func.return"() : () -> ()
  }) {oomph.target = "v5p", oomph.core = "vector", oomph.limits = ["tile_spmem 5000 first 16"]} : () -> ()
}) : () -> ()
