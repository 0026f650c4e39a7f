// The kernel of a program: what is written for each thing it can have, and what no kernel says. Not for: what compilers make of
// it (subjects/pjrt/sparsecore_subject_test.cc).
#include "models/sparsecore/mosaic.h"

#include <string>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

using testing::HasSubstr;
using testing::Not;

Program Read(const std::string& text) {
  Program program;
  const absl::Status status = ParseProgram("test", text, program);
  EXPECT_TRUE(status.ok()) << status;
  return program;
}
std::string Mosaic(const std::string& text) { return PrintMosaic(Read(text)); }

TEST(SparseCoreMosaic, AScopeWithAnArray) {
  EXPECT_EQ(Mosaic("sparsecore v6e scope allocate a tile_spmem f32[256] use a end"),
            R"(#map = affine_map<(d0, d1) -> (0, 0)>
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%arg0: i32, %arg1: i32, %arg2: memref<8x128xf32, #tpu.memory_space<hbm>>, %arg3: memref<8x128xf32, #tpu.memory_space<hbm>>):
    %0 = "stable_mosaic.arith.index_cast"(%arg1) : (i32) -> index
    "stable_mosaic.tpu.region"() ({
      %1 = "stable_mosaic.memref.alloca"() {operandSegmentSizes = array<i32: 0, 0>} : () -> memref<256xf32, #tpu.memory_space<vmem>>
      "stable_mosaic.tpu.region"() ({
        %2 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
        %3 = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8xf32>} : () -> vector<8xf32>
        "stable_mosaic.tpu.vector_store"(%3, %1, %2) {add = false, operandSegmentSizes = array<i32: 1, 1, 1, 0>, strides = array<i32>} : (vector<8xf32>, memref<256xf32, #tpu.memory_space<vmem>>, index) -> ()
        "stable_mosaic.tpu.yield"() : () -> ()
      }) : () -> ()
      "stable_mosaic.tpu.yield"() : () -> ()
    }) : () -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], function_type = (i32, i32, memref<8x128xf32, #tpu.memory_space<hbm>>, memref<8x128xf32, #tpu.memory_space<hbm>>) -> (), iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, sym_name = "k", tpu.core_type = #tpu.core_type<sc_vector_subcore>, window_params = [{transform_indices = #map}, {transform_indices = #map}]} : () -> ()
}
)");
}

TEST(SparseCoreMosaic, ScratchIsAnArgument) {
  const std::string text = Mosaic("sparsecore v5p scratch a tile_spmem bf16[3,5] scratch s sflag_tile s32[2] use a use s");
  EXPECT_THAT(text, HasSubstr("%arg4: memref<3x5xbf16, #tpu.memory_space<vmem>>, %arg5: memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>"));
  EXPECT_THAT(text, HasSubstr("iteration_bounds = array<i64: 4, 16>"));
  EXPECT_THAT(text, HasSubstr("scratch_operands = 2 : i64"));
  EXPECT_THAT(text, HasSubstr("vector<1x16xbf16>"));
  EXPECT_THAT(text, HasSubstr("tpu.sem_wait"));
}

TEST(SparseCoreMosaic, LoopsBranchesAndTheScalarCore) {
  const std::string text = Mosaic("sparsecore v6e core scalar for 7 if work else work end end while for ? work end end");
  EXPECT_THAT(text, HasSubstr("tpu.core_type = #tpu.core_type<sc_scalar_subcore>"));
  EXPECT_THAT(text, HasSubstr("#map = affine_map<(d0) -> (0, 0)>"));
  EXPECT_THAT(text, HasSubstr("value = 21 : i32"));  // 7 steps of 3
  EXPECT_THAT(text, HasSubstr("\"stable_mosaic.scf.while\"(%arg0) ({"));
  EXPECT_THAT(text, HasSubstr("}) : (i1) -> ()"));
}

TEST(SparseCoreMosaic, ACopyHasASemaphoreOfItsOwn) {
  const std::string own = Mosaic("scratch a hbm f32[4,8,128] copy a"), none = Mosaic("copy");
  EXPECT_THAT(own, HasSubstr("tpu.memref_slice\"(%arg4"));  // a slice of it, to itself
  EXPECT_THAT(none, HasSubstr("\"stable_mosaic.tpu.enqueue_dma\"(%arg2, %arg3, "));
  EXPECT_THAT(none, Not(HasSubstr("memref_slice")));
}

TEST(SparseCoreMosaic, WhatNoKernelSays) {
  const auto why = [](const std::string& text) { return WhyNoKernel(Read(text)); };
  EXPECT_EQ(why("scope allocate a tile_spmem s8[9,3] use a end"), "");
  EXPECT_THAT(why("sparsecore v6e tiling none"), HasSubstr("physical shapes"));
  EXPECT_THAT(why("limit tile_spmem 100"), HasSubstr("limits"));
  EXPECT_THAT(why("scratch a tile_spmem f32[8]/8 use a"), HasSubstr("a tile of its own"));
  EXPECT_THAT(why("scratch a smem_scs s32[8] use a"), HasSubstr("other core"));
  EXPECT_THAT(why("scratch a tile_spmem f64[8] use a"), HasSubstr("a type that no kernel holds"));
  EXPECT_THAT(why("scratch a spmem f32[8] use a"), HasSubstr("copies alone"));
  EXPECT_THAT(why("scratch a tile_spmem f32[0] use a"), HasSubstr("no elements"));
  std::string deep;
  for (int i = 0; i < 201; ++i) deep += "scope ";
  EXPECT_THAT(why(deep), HasSubstr("200 regions"));
}

TEST(SparseCoreMosaic, WhatIsCopiedOnlyIsCopied) {
  Program program = Read("scratch a spmem f32[8] scratch b tile_spmem bf16[] scratch c tile_spmem f32[8] use a load b use c");
  CopyWhatIsCopiedOnly(program);
  EXPECT_EQ(PrintProgram(program), PrintProgram(Read("scratch a spmem f32[8] scratch b tile_spmem f32[] scratch c tile_spmem f32[8] "
                                                     "copy a copy b use c")));
  EXPECT_EQ(WhyNoKernel(program), "");
}

TEST(SparseCoreMosaic, TheModuleNamesItsTiles) {
  EXPECT_THAT(PrintHloOf(Read("work")), HasSubstr("\"tiling\": \"TILING_COMPACT\""));
  const std::string linear = PrintHloOf(Read("sparsecore 7x tiling linear work"));
  EXPECT_THAT(linear, HasSubstr("\"tiling\": \"TILING_SPARSE_CORE\""));
  EXPECT_THAT(linear, HasSubstr("DEVICE_TYPE_SPARSECORE"));
  const size_t begin = linear.find("\"body\": \"") + 9;
  std::string body;
  ASSERT_TRUE(absl::Base64Unescape(linear.substr(begin, linear.find('"', begin) - begin), &body));
  EXPECT_EQ(body, PrintMosaic(Read("sparsecore 7x tiling linear work")));
}

}  // namespace
}  // namespace oomph::sparsecore
