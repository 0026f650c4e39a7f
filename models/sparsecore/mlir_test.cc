// Programs as MLIR and back, dumps of the compiler, the published sample.
#include "models/sparsecore/mlir.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/mlir/read.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

std::vector<FromMlir> ReadAll(const std::string& text, Target target = Target::kV6e) {
  const auto module = mlir::Read("f.mlir", text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  const auto programs = ReadPrograms("some/f.mlir", *module, target);
  EXPECT_TRUE(programs.ok()) << programs.status();
  return programs.ok() ? *programs : std::vector<FromMlir>();
}

Program Parsed(const std::string& text) {
  Program program;
  const absl::Status status = ParseProgram("p", text, program);
  EXPECT_TRUE(status.ok()) << status;
  return program;
}

// Kinds and buffers' names, one word a statement.
std::string Words(const Program& program) {
  std::string words;
  for (const Statement& s : program.statements) {
    if (!words.empty()) words += ' ';
    words += std::string(KindWord(s.kind));
    if (s.buffer != kNoBuffer) words += ":" + program.buffers[s.buffer].name;
    if (s.kind == Kind::kFor) words += s.trips == kUnknownTrips ? ":?" : ":" + std::to_string(s.trips);
  }
  return words;
}

constexpr const char* kDump = R"(#loop = #llvm.loop_annotation<unroll = #llvm.loop_unroll<disable = true>>
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
)";

TEST(SparseCoreMlirTest, ADumpIsTheKernelWithoutWhatIsAroundIt) {
  const auto programs = ReadAll(kDump);
  ASSERT_EQ(programs.size(), 1u);
  const Program& program = programs[0].program;
  EXPECT_EQ(programs[0].function, "main.1");
  EXPECT_EQ(program.core, Core::kVector);
  EXPECT_EQ(program.wording, Wording::kNamed);
  EXPECT_EQ(Words(program),
            "scratch:alloca_1 for:7 scope allocate:alloca_2 load:alloca_2 use:alloca_1 end end if scope allocate:alloca_2_n2 use:alloca_2_n2 end "
            "else work end");
  ASSERT_EQ(program.buffers.size(), 3u);
  EXPECT_EQ(PrintBuffer(program.buffers[0]), "tile_spmem f32[256]/128");
  EXPECT_EQ(PrintBuffer(program.buffers[1]), "tile_spmem bf16[9,130]/8x128");
  EXPECT_EQ(PrintBuffer(program.buffers[2]), "sflag_tile s32[]");
  EXPECT_EQ(program.buffers[1].place, "f:20:17");
  EXPECT_EQ(program.buffers[1].value, "%alloca_2");
  ASSERT_EQ(programs[0].left_out.size(), 2u);
  EXPECT_EQ(programs[0].left_out[0], "some/f.mlir:4:5: memref<0xi8, #sc_tpu.memory_space<hbm>> is one that the compiler adds");
}

TEST(SparseCoreMlirTest, GenericAndNumbered) {
  const auto programs = ReadAll(R"("builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "g"}> ({
    %0 = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<4x8xi16, 201>
    %1 = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<3xi32>
    %t = "arith.constant"() <{value = true}> : () -> i1
    "scf.if"(%t) ({
      "memref.store"(%0) : (memref<4x8xi16, 201>) -> ()
      "scf.yield"() : () -> ()
    }, {
      "x.never"() : () -> ()
    }) : (i1) -> ()
    "scf.while"() ({
      "scf.condition"(%t) : (i1) -> ()
    }, {
      %2 = "memref.alloc"(%1) : (memref<3xi32>) -> memref<?xi32, 204>
      %3 = "memref.alloc"() : () -> memref<2xi32, 204 : i32>
      "scf.yield"() : () -> ()
    }) : () -> ()
    "x.odd"(%1) ({
      %4 = "memref.alloca"() : () -> memref<!x.y, 203>
      "x.end"() : () -> ()
    }) : (memref<3xi32>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
)");
  ASSERT_EQ(programs.size(), 1u);
  const Program& program = programs[0].program;
  EXPECT_EQ(program.wording, Wording::kNumbered);
  EXPECT_EQ(program.tiling, Tiling::kNone);
  EXPECT_EQ(Words(program), "allocate:v0 allocate:v1 use:v0 while allocate:v3 end use:v1 if work end");
  EXPECT_EQ(PrintBuffer(program.buffers[1]), "smem_tile s32[3]");
  EXPECT_EQ(PrintBuffer(program.buffers[2]), "sflag_tile s32[2]");
  ASSERT_EQ(programs[0].left_out.size(), 2u);
  EXPECT_NE(programs[0].left_out[0].find("f.mlir:15:7: memref<?xi32, 204> has a size that is not known"), std::string::npos);
  EXPECT_NE(programs[0].left_out[1].find("elements of a type that is not known: !x.y"), std::string::npos);
}

TEST(SparseCoreMlirTest, MemoriesOfOtherMachinesAreNone) {
  const auto programs = ReadAll("func.func @f() {\n  %0 = memref.alloc() : memref<8xf32>\n  %1 = memref.alloc() : memref<8xf32, 2>\n  return\n}\n");
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_TRUE(programs[0].program.buffers.empty());
  EXPECT_EQ(programs[0].left_out.size(), 2u);
  const auto module = mlir::Read("f.mlir", "module {\n}\n");
  EXPECT_FALSE(ReadPrograms("f.mlir", *module, Target::kV6e).ok());
}

// What is printed is read back to the same statements; a copy is the scope that it is.
TEST(SparseCoreMlirTest, PrintedProgramsReadBack) {
  const Program program = Parsed(R"(sparsecore v5p core vector tiling compact
limit tile_spmem 5000 first 16
scratch a tile_spmem f32[9,128]
scratch b smem_scs s32[4]
allocate c tile_spmem bf16[3,5]
use a
for 7
  allocate d sflag_tile s32[2]
  use d
  load c
end
for ?
  while
    scope
      allocate e hbm f32[8,128]
      use e
    end
  end
end
if
  copy c
else
  work
end
copy
)");
  const std::string text = PrintMlir(program);
  const auto programs = ReadAll(text);
  ASSERT_EQ(programs.size(), 1u);
  const Program& back = programs[0].program;
  EXPECT_EQ(Words(back),
            "scratch:a scratch:b allocate:c use:a for:7 allocate:d use:d load:c end for:? while scope allocate:e use:e end end end if scope "
            "allocate:copy_11 use:c use:copy_11 end else work end scope allocate:copy_12 use:copy_12 end");
  EXPECT_EQ(back.limits, program.limits);
  EXPECT_EQ(back.target, Target::kV5p);
  EXPECT_EQ(back.buffers[1].space, Space::kSmemScs);
  EXPECT_EQ(PrintBuffer(back.buffers[0]), "tile_spmem f32[2,1,8,128]");
  EXPECT_EQ(PrintMlir(back), PrintMlir(ReadAll(PrintMlir(back))[0].program));
}

}  // namespace
}  // namespace oomph::sparsecore
