// Kernels out of HLO modules and their Mosaic bodies. The texts are written by hand after what Pallas lowers.
#include "models/vmem/from_module.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "models/hlo/text.h"
#include "models/mlir/read.h"
#include "models/base/choices.h"
#include "models/vmem/allocator.h"
#include "models/vmem/generate.h"
#include "models/vmem/mosaic.h"
#include "models/vmem/text.h"

namespace oomph::vmem {
namespace {

// Grid (32, 16); windows: blocked, constant and synchronous, of elements, any, smem; scratch, and scoped buffers.
constexpr const char* kBody = R"(module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%arg0: i32, %arg1: i32, %arg2: memref<16xi32, #tpu.memory_space<smem>>, %arg3: memref<1x256x512xf32, #tpu.memory_space<vmem>>, %arg4: memref<64x256xbf16, #tpu.memory_space<vmem>>, %arg5: memref<72x512xf32, #tpu.memory_space<vmem>>, %arg6: memref<80000x256xf32, #tpu.memory_space<any>>, %arg7: memref<256x512xf32, #tpu.memory_space<vmem>>, %arg8: memref<8x256xf32, #tpu.memory_space<vmem>>, %arg9: memref<8x128xi4, #tpu.memory_space<vmem>>, %arg10: memref<4xi32, #tpu.memory_space<smem>>, %arg11: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>):
    "stable_mosaic.tpu.region"() ({
      %8 = "stable_mosaic.memref.alloca"() : () -> memref<8x256xf32, #tpu.memory_space<vmem>>
      %9 = "stable_mosaic.memref.alloca"() : () -> memref<16x256xi8, #tpu.memory_space<vmem>>
      "stable_mosaic.tpu.region"() ({
        %10 = "stable_mosaic.memref.alloca"() : () -> memref<8x128xf32, #tpu.memory_space<vmem>>
        "stable_mosaic.tpu.enqueue_dma"(%8, %9, %10) : (memref<8x256xf32, #tpu.memory_space<vmem>>, memref<16x256xi8, #tpu.memory_space<vmem>>, memref<8x128xf32, #tpu.memory_space<vmem>>) -> ()
        "stable_mosaic.tpu.yield"() : () -> ()
      }) : () -> ()
      "stable_mosaic.scf.if"(%9) ({
        %10 = "stable_mosaic.memref.alloca"() : () -> memref<1x128xf32, #tpu.memory_space<vmem>>
        "stable_mosaic.tpu.wait_dma2"(%10, %arg8, %8) : (i32, i32, i32) -> ()
      }, {
        %10 = "stable_mosaic.memref.alloca"() : () -> memref<2x128xf32, #tpu.memory_space<vmem>>
        "stable_mosaic.tpu.wait_dma2"(%10, %8, %8) : (i32, i32, i32) -> ()
      }) : (memref<16x256xi8, #tpu.memory_space<vmem>>) -> ()
    }) : () -> ()
    %0 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    %3 = "stable_mosaic.vector.load"(%arg3, %0, %0, %0) : (memref<1x256x512xf32, #tpu.memory_space<vmem>>, index, index, index) -> vector<1x256x512xf32>
    %4 = "stable_mosaic.vector.shape_cast"(%3) : (vector<1x256x512xf32>) -> vector<256x512xf32>
    %7 = "stable_mosaic.vector.load"(%arg9, %0, %0) : (memref<8x128xi4, #tpu.memory_space<vmem>>, index, index) -> vector<8x128xi4>
    "stable_mosaic.tpu.vector_store"(%4, %arg7, %0, %0) {add = false} : (vector<256x512xf32>, memref<256x512xf32, #tpu.memory_space<vmem>>, index, index) -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 32, -9223372036854775808>, scalar_prefetch = 1 : i64, scratch_operands = 4 : i64, sym_name = "k", tpu.core_type = #tpu.core_type<tc>, window_params = [{transform_indices = @t0, window_bounds = array<i64: 1, 256, 512>}, {pipeline_mode = #tpu.pipeline_mode<synchronous>, transform_indices = @t1, window_bounds = array<i64: 64, 256>}, {transform_indices = @t2, window_bounds = array<i64: 72, 512>, window_kind = #tpu.element_window<[0, 0], [0, 0]>}, {}, {transform_indices = @t3, window_bounds = array<i64: 256, 512>}]} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%arg0: i32, %arg1: i32, %arg2: memref<16xi32, #tpu.memory_space<smem>>):
    %0 = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
    %1 = "stable_mosaic.arith.index_cast"(%arg0) : (i32) -> index
    %2 = "stable_mosaic.memref.load"(%arg2, %1) : (memref<16xi32, #tpu.memory_space<smem>>, index) -> i32
    "stable_mosaic.func.return"(%2, %arg1, %0) : (i32, i32, i32) -> ()
  }) {sym_name = "t0"} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%arg0: i32, %arg1: i32, %arg2: memref<16xi32, #tpu.memory_space<smem>>):
    %0 = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
    "stable_mosaic.func.return"(%0, %0) : (i32, i32) -> ()
  }) {sym_name = "t1"} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%arg0: i32, %arg1: i32, %arg2: memref<16xi32, #tpu.memory_space<smem>>):
    %0 = "stable_mosaic.arith.constant"() {value = 8 : i32} : () -> i32
    %1 = "stable_mosaic.arith.muli"(%arg0, %0) : (i32, i32) -> i32
    %2 = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
    "stable_mosaic.func.return"(%1, %2) : (i32, i32) -> ()
  }) {sym_name = "t2"} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%arg0: i32, %arg1: i32, %arg2: memref<16xi32, #tpu.memory_space<smem>>):
    "stable_mosaic.func.return"(%arg0, %arg1) : (i32, i32) -> ()
  }) {sym_name = "t3"} : () -> ()
}
)";

std::string HloAround(std::string_view body, std::string_view more, std::string_view layout = "{1,0}") {
  return absl::StrCat(
      "HloModule m\n\nENTRY e {\n  n = s32[] parameter(0)\n  p = s32[16]{0} parameter(1)\n"
      "  a = f32[64,8192,512]{2,1,0} parameter(2)\n  b = bf16[64,256]", std::string(layout), " parameter(3)\n"
      "  c = f32[8192,512]{1,0} parameter(4)\n  d = f32[80000,256]{1,0} parameter(5)\n"
      "  ROOT k = f32[8192,8192]{1,0} custom-call(n, p, a, b, c, d), custom_call_target=\"tpu_custom_call\", "
      "backend_config={\"custom_call_config\": {\"body\": \"",
      absl::Base64Escape(absl::string_view(body.data(), body.size())),
      "\", \"serialization_format\": 1, \"needs_layout_passes\": true}", std::string(more), "}\n}\n");
}

std::vector<ModuleKernel> Kernels(const std::string& hlo, const BytecodeReader& reader = nullptr) {
  const auto module = hlo::Parse("m.hlo", hlo);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? KernelsOf(*module, Target::kV6e, reader) : std::vector<ModuleKernel>();
}

TEST(FromModuleTest, AKernelOfEveryFeature) {
  const auto kernels = Kernels(HloAround(
      kBody, R"(, "scoped_memory_configs": [{"memory_space":1, "offset": 0, "size": 41943040}])"));
  ASSERT_EQ(kernels.size(), 1u);
  const ModuleKernel& k = kernels[0];
  EXPECT_EQ(k.instruction, "k");
  ASSERT_TRUE(k.mosaic.has_value()) << k.missing;
  EXPECT_EQ(k.mosaic->name, "k");
  EXPECT_EQ(PrintKernel(k.mosaic->kernel),
            "kernel v6e limit 41943040\n"
            "grid(32,?2) sem(p,a)\n"
            "prefetch s32[16]\n"
            "in f32[64,8192,512]/1x256x512@(p0[i],j,0)\n"
            "in bf16[64,256]/64x256@(0,0)*1\n"
            "in f32[8192,512]/e72xe512@(i*8,0)\n"
            "in f32[80000,256]@any\n"
            "out f32[8192,8192]/256x512@(i,j)\n"
            "scratch f32[8,256]\n"
            "scoped f32[8,256]{s8[16,256]{f32[8,128] f32[1,128] f32[2,128]}}\n");
  EXPECT_EQ(k.kept, 41943040u);
  EXPECT_EQ(k.used, std::nullopt);
  EXPECT_TRUE(k.mosaic->at_least && k.mosaic->at_most);
  // The 4-bit scratch is only loaded, and nobody uses what was loaded.
  ASSERT_EQ(k.mosaic->notes.size(), 1u);
  EXPECT_NE(k.mosaic->notes[0].find("never reads"), std::string::npos) << k.mosaic->notes[0];
}

TEST(FromModuleTest, ACompiledModuleTellsTheFigures) {
  const auto kernels = Kernels(HloAround(kBody,
                                         R"(,"scoped_memory_configs":[],"used_scoped_memory_configs":)"
                                         R"([{"memory_space":"1","offset":"0","size":"5767168"}])",
                                         "{1,0:T(8,128)(2,1)S(1)}"));
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].used, 5767168u);
  EXPECT_EQ(kernels[0].kept, std::nullopt);
  ASSERT_TRUE(kernels[0].mosaic.has_value()) << kernels[0].missing;
  EXPECT_TRUE(kernels[0].mosaic->kernel.inputs[1].in_vmem);
  EXPECT_FALSE(kernels[0].mosaic->kernel.inputs[0].in_vmem);
}

TEST(FromModuleTest, ColoursAndFusionAreRead) {
  std::string hlo = HloAround(kBody, "");
  const std::string from = "\"needs_layout_passes\": true";
  hlo.replace(hlo.find(from), from.size(),
              from + R"(, "allow_input_fusion": [false,false,true], "input_memory_space_colors": [{"operand_index":3,"color":1}])");
  const auto kernels = Kernels(hlo);
  ASSERT_TRUE(kernels.size() == 1 && kernels[0].mosaic.has_value());
  const Kernel& k = kernels[0].mosaic->kernel;
  EXPECT_TRUE(k.inputs[0].fused);
  EXPECT_FALSE(k.inputs[1].fused);
  EXPECT_TRUE(k.inputs[1].in_vmem);
}

TEST(FromModuleTest, BytecodeIsForItsReader) {
  const std::string bytes = "ML\xEFR rest";
  const std::string hlo = HloAround(bytes, "");
  auto kernels = Kernels(hlo);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_FALSE(kernels[0].mosaic.has_value());
  EXPECT_NE(kernels[0].missing.find("bytecode"), std::string::npos);
  std::string seen;
  kernels = Kernels(hlo, [&](std::string_view body) {
    seen = std::string(body);
    return absl::StatusOr<std::string>(kBody);
  });
  EXPECT_EQ(seen, bytes);
  EXPECT_TRUE(kernels.at(0).mosaic.has_value()) << kernels.at(0).missing;
}

TEST(FromModuleTest, WhatCannotBeReadSaysWhy) {
  EXPECT_NE(Kernels(HloAround("module {", ""))[0].missing.find("the body of k:1:9"), std::string::npos);
  EXPECT_NE(Kernels(HloAround("module {\n}", ""))[0].missing.find("no function"), std::string::npos);
  std::string hlo = HloAround("x", "");
  hlo.replace(hlo.find("\"body\""), 6, "\"soul\"");
  EXPECT_NE(Kernels(hlo)[0].missing.find("no body"), std::string::npos);
  std::string sparse = kBody;
  sparse.replace(sparse.find("core_type<tc>"), 13, "core_type<sc_scalar_subcore>");
  EXPECT_NE(Kernels(HloAround(sparse, ""))[0].missing.find("SparseCore"), std::string::npos);
}

// What is not understood never gives an exact figure.
TEST(FromModuleTest, WhatIsNotUnderstoodIsNotExact) {
  const auto changed = [](std::string_view from, std::string_view to) {
    std::string body = kBody;
    body.replace(body.find(from), from.size(), to);
    auto kernels = Kernels(HloAround(body, ""));
    EXPECT_TRUE(kernels.at(0).mosaic.has_value()) << kernels.at(0).missing;
    return *kernels.at(0).mosaic;
  };
  const MosaicKernel heavy = changed("stable_mosaic.vector.shape_cast", "stable_mosaic.tpu.reduce");
  EXPECT_TRUE(heavy.at_least && !heavy.at_most);
  EXPECT_TRUE(IsHeavy(heavy.kernel.body));
  const MosaicKernel kind = changed("#tpu.element_window", "#tpu.other_window");
  EXPECT_FALSE(kind.at_least || kind.at_most);
  const MosaicKernel map = changed("\"stable_mosaic.arith.muli\"(%arg0, %0)", "\"stable_mosaic.arith.shli\"(%arg0, %0)");
  EXPECT_FALSE(map.at_least);
  EXPECT_EQ(PrintMap(map.kernel.inputs[2].map), "(i,0)");
  const MosaicKernel element = changed("memref<16x256xi8, #tpu.memory_space<vmem>>\n", "memref<16x256x!a.b, #tpu.memory_space<vmem>>\n");
  EXPECT_FALSE(element.at_least || element.at_most);
  const MosaicKernel mode = changed("#tpu.pipeline_mode<synchronous>", "#tpu.pipeline_mode<other>");
  EXPECT_FALSE(mode.at_least || mode.at_most);
}

// A kernel comes back from the module that a compiler gets for it: what it needs is the same, part by part.
TEST(FromModuleTest, WhatACompilerGetsIsReadBack) {
  size_t exact = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    Kernel kernel;
    GenerateKernel(choices, GenerateOptions(), kernel);
    kernel.internal_bytes = 0;  // stated, not written
    for (auto* operands : {&kernel.inputs, &kernel.outputs}) {
      for (Operand& operand : *operands) operand.buffers = std::min(operand.buffers, 2u);  // Mosaic has words for two
    }
    const auto module = hlo::Parse("m.hlo", PrintHloOf(kernel));
    ASSERT_TRUE(module.ok()) << module.status() << PrintKernel(kernel);
    const auto kernels = KernelsOf(*module, kernel.target);
    ASSERT_EQ(kernels.size(), 1u);
    ASSERT_TRUE(kernels[0].mosaic.has_value()) << kernels[0].missing << "\n" << PrintKernel(kernel);
    Kernel read = kernels[0].mosaic->kernel;
    const Need wanted = NeedOf(kernel), got = NeedOf(read);
    std::string notes;
    for (const std::string& note : kernels[0].mosaic->notes) absl::StrAppend(&notes, note, "\n");
    EXPECT_EQ(got.scratch, wanted.scratch) << PrintKernel(kernel) << PrintKernel(read) << notes;
    EXPECT_EQ(got.windows, wanted.windows) << PrintKernel(kernel) << PrintKernel(read) << notes;
    EXPECT_EQ(got.stack, wanted.stack) << PrintKernel(kernel) << PrintKernel(read) << notes;
    exact += kernels[0].mosaic->at_least && kernels[0].mosaic->at_most;
    if (HasFailure()) break;
  }
  EXPECT_GT(exact, 150u);
}

}  // namespace
}  // namespace oomph::vmem
