// The program of a kernel: what Pallas writes for each thing a kernel can have (jax 0.10.2, compared by eye and by what the
// compiler says of both). Not for: what compilers make of it (subjects/pjrt/kernel_subject_test.cc).
#include "models/vmem/mosaic.h"

#include <string>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/hlo/text.h"
#include "models/vmem/text.h"

namespace oomph::vmem {
namespace {

using testing::HasSubstr;
using testing::Not;

Kernel Read(const std::string& text) {
  Kernel kernel;
  const absl::Status status = ParseKernel("test", text, kernel);
  EXPECT_TRUE(status.ok()) << status;
  return kernel;
}
std::string Mosaic(const std::string& text) { return PrintMosaic(Read(text)); }

TEST(MosaicTest, ASumOfTwoBlocks) {
  EXPECT_EQ(Mosaic("grid(4) in f32[64,128]/8x128@(i,0) f32[64,128]/8x128@(i,0) out f32[64,128]/8x128@(i,0)"),
            R"(module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%arg0: i32, %arg1: memref<8x128xf32, #tpu.memory_space<vmem>>, %arg2: memref<8x128xf32, #tpu.memory_space<vmem>>, %arg3: memref<8x128xf32, #tpu.memory_space<vmem>>):
    %0 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    %1 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    %2 = "stable_mosaic.vector.load"(%arg1, %0, %1) : (memref<8x128xf32, #tpu.memory_space<vmem>>, index, index) -> vector<8x128xf32>
    %3 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    %4 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    %5 = "stable_mosaic.vector.load"(%arg2, %3, %4) : (memref<8x128xf32, #tpu.memory_space<vmem>>, index, index) -> vector<8x128xf32>
    %6 = "stable_mosaic.arith.addf"(%2, %5) {fastmath = #arith.fastmath<none>} : (vector<8x128xf32>, vector<8x128xf32>) -> vector<8x128xf32>
    %7 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    %8 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    %9 = "stable_mosaic.vector.load"(%arg3, %7, %8) : (memref<8x128xf32, #tpu.memory_space<vmem>>, index, index) -> vector<8x128xf32>
    "stable_mosaic.tpu.vector_store"(%6, %arg3, %7, %8) {add = false, operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<8x128xf32>, memref<8x128xf32, #tpu.memory_space<vmem>>, index, index) -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, window_params = [{transform_indices = @transform_0, window_bounds = array<i64: 8, 128>}, {transform_indices = @transform_1, window_bounds = array<i64: 8, 128>}, {transform_indices = @transform_2, window_bounds = array<i64: 8, 128>}], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, sym_name = "kernel", tpu.core_type = #tpu.core_type<tc>, function_type = (i32, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<8x128xf32, #tpu.memory_space<vmem>>) -> ()} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%arg0: i32):
    %0 = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
    "stable_mosaic.func.return"(%arg0, %0) : (i32, i32) -> ()
  }) {sym_name = "transform_0", function_type = (i32) -> (i32, i32)} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%arg0: i32):
    %0 = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
    "stable_mosaic.func.return"(%arg0, %0) : (i32, i32) -> ()
  }) {sym_name = "transform_1", function_type = (i32) -> (i32, i32)} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%arg0: i32):
    %0 = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
    "stable_mosaic.func.return"(%arg0, %0) : (i32, i32) -> ()
  }) {sym_name = "transform_2", function_type = (i32) -> (i32, i32)} : () -> ()
}
)");
}

TEST(MosaicTest, GridsAndWindows) {
  const std::string text = Mosaic(
      "grid(4,?8,2) sem(a,p,c) prefetch s32[16] in bf16[64,8,128]/_x8x128@(i,0,0)*1 f32[96,256]/e24xe128@(i*8,0)*2 "
      "s8[8,128]@any f32[64,128] s32[8,8]@smem out pred[64,128]/8x128@(p0[i]+j//2,0)");
  EXPECT_THAT(text, HasSubstr("dimension_semantics = [#tpu.dimension_semantics<arbitrary>, #tpu.dimension_semantics<parallel>, "
                              "#tpu.dimension_semantics<core_parallel>]"));
  EXPECT_THAT(text, HasSubstr("iteration_bounds = array<i64: 4, -9223372036854775808, 2>"));
  EXPECT_THAT(text, HasSubstr("scalar_prefetch = 1 : i64"));
  EXPECT_THAT(text, HasSubstr("^bb0(%arg0: i32, %arg1: i32, %arg2: i32, %arg3: memref<16xi32, #tpu.memory_space<smem>>, "
                              "%arg4: memref<1x8x128xbf16, #tpu.memory_space<vmem>>, %arg5: memref<24x128xf32, "));
  EXPECT_THAT(text, HasSubstr("{pipeline_mode = #tpu.pipeline_mode<synchronous>, transform_indices = @transform_0, window_bounds = array<i64: 1, 8, 128>}, "
                              "{pipeline_mode = #tpu.pipeline_mode<double_buffered>, transform_indices = @transform_1, window_bounds = array<i64: 24, 128>, "
                              "window_kind = #tpu.element_window<[0, 0], [0, 0]>}, {}, "
                              "{pipeline_mode = #tpu.pipeline_mode<synchronous>, transform_indices = @transform_3, "));
  EXPECT_THAT(text, HasSubstr("memref<8x128xi8, #tpu.memory_space<any>>"));
  EXPECT_THAT(text, HasSubstr("memref.load\"(%arg3, "));
  EXPECT_THAT(text, HasSubstr("arith.divsi"));
  EXPECT_THAT(text, HasSubstr("memref<8x128xi32, #tpu.memory_space<vmem>>"));  // of the pred
}

TEST(MosaicTest, WithoutAGridThereAreNoWindows) {
  EXPECT_THAT(Mosaic("in f32[8,128] out f32[8,128]"), Not(HasSubstr("window_params")));
  EXPECT_THAT(Mosaic("in f32[64,128]/8x128@(0,0) out f32[8,128]"), HasSubstr("iteration_bounds = array<i64: 1>"));
}

TEST(MosaicTest, ScratchAndScopesAreRelayed) {
  const std::string text = Mosaic("grid(2) out f32[64,128]/8x128@(i,0) scratch s4[9,128] scoped f32[9,128]{s8[8,256]} bf16[100]");
  EXPECT_THAT(text, HasSubstr("scratch_operands = 1 : i64"));
  // The relay arrays have 192 MiB, in tiles.
  EXPECT_THAT(text, HasSubstr("memref<196608x9x128xi4, #tpu.memory_space<any>>"));
  EXPECT_THAT(text, HasSubstr("memref<24576x9x128xf32, #tpu.memory_space<any>>"));
  EXPECT_THAT(text, HasSubstr("memref<100xbf16, #tpu.memory_space<hbm>>"));  // a part of a tile cannot be sliced
  const size_t outer = text.find("memref<9x128xf32, #tpu.memory_space<vmem>>"), inner = text.find("-> memref<8x256xi8, #tpu.memory_space<vmem>>");
  EXPECT_LT(outer, inner);
  EXPECT_LT(inner, text.find("-> memref<100xbf16, #tpu.memory_space<vmem>>"));
}

TEST(MosaicTest, HeavyBodies) {
  const std::string block = "f32[1024,128]/128x128@(i,0)";
  const auto with = [&](const std::string& body) {
    return Mosaic("grid(2) in " + block + " " + block + " out " + block + " body " + body);
  };
  EXPECT_THAT(with("exp"), HasSubstr("math.exp"));
  EXPECT_THAT(with("softmax"), HasSubstr("vector.multi_reduction"));
  EXPECT_THAT(with("transpose"), HasSubstr("tpu.transpose"));
  EXPECT_THAT(with("dot"), HasSubstr("tpu.matmul"));
  EXPECT_THAT(with("chain"), HasSubstr("math.tanh"));
}

// XLA reads it as we do.
TEST(MosaicTest, TheModuleIsHlo) {
  const Kernel kernel = Read(
      "kernel v5e limit 1048576 grid(2,?3) prefetch s32[4] in f32[64,128]S(1)/8x128@(i,0) fused f32[64,128]/8x128@(j,0) "
      "out f32[64,128]/8x128@(i,0) pred[64,128]/8x128@(i,0) scratch f32[8,128]");
  const auto module = hlo::Parse("kernel", PrintHloOf(kernel));
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string text = hlo::Print(*module);
  EXPECT_THAT(text, HasSubstr(R"("scoped_memory_configs":[{"memory_space":1,"offset":0,"size":1048576}])"));
  EXPECT_THAT(text, HasSubstr(R"("allow_input_fusion":[false,false,true,false,false])"));
  EXPECT_THAT(text, HasSubstr(R"("input_memory_space_colors":[{"operand_index":2,"color":1}])"));
  std::string body;
  const size_t begin = text.find("\"body\":\"") + 8;
  ASSERT_TRUE(absl::Base64Unescape(text.substr(begin, text.find('"', begin) - begin), &body));
  EXPECT_EQ(body, PrintMosaic(kernel));
}

}  // namespace
}  // namespace oomph::vmem
