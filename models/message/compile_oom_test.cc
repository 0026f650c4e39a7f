// Each form of E1000 and E1001, read and printed; damaged texts.
#include "models/message/compile_oom.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/base/units.h"

namespace oomph {
namespace {

using ::testing::HasSubstr;

PrintedBytes Bytes(std::string_view text) { return *ParseBytes(text); }

TEST(CompileOom, TemporariesAreReadWithTheModule) {
  const std::string text = PrintTemporariesOom({20 * kGiB, 16908615680, "temps"}, OomEnvelope::kAnnotated);
  EXPECT_EQ(
      text,
      "E1000: CompileTimeHbmOom: Ran out of memory on HBM, the total memory required for HLO temporaries (20.00G) "
      "exceeds "
      "available HBM (15.75G). HLO module: temps.\nSee https://openxla.org/xla/errors/error_1000 for more details.");
  const auto oom = ReadCompileOom("RESOURCE_EXHAUSTED: " + text);
  ASSERT_TRUE(oom.ok()) << oom.status();
  EXPECT_EQ(oom->form, CompileOomForm::kTemporaries);
  EXPECT_EQ(oom->words.code, "E1000");
  EXPECT_EQ(oom->words.memory, "hbm");
  EXPECT_EQ(oom->module, "temps");
  EXPECT_EQ(oom->needed, Bytes("20.00G"));
  EXPECT_EQ(oom->available, Bytes("15.75G"));
  EXPECT_TRUE(SumsUp(*oom));
}

TEST(CompileOom, CapacityIsReadWithItsBreakdown) {
  const std::string text =
      "E1000: CompileTimeHbmOom: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 15.75G "
      "of 15.75G hbm. "
      "Exceeded hbm capacity by 2.0K.\n\nTotal hbm usage >= 8.13G:\n    reserved        258.00M \n    program          "
      " 1.00M \n"
      "    arguments         7.87G \n\nOutput size 7.87G; shares 0B with arguments.\n\nProgram hbm requirement 1.00M:\n"
      "    global            1.00M\n    HLO temp          12.0K (50.0% utilization: Unpadded (6.0K) Padded (12.0K), "
      "0.0% fragmentation (0B))\n"
      "    overlays         69.5K\n\n  Largest program allocations in hbm:\n\n  1. Size: 1.00M\n     Shape: "
      "u8[1048576]{0}\n"
      "     Unpadded size: 1.00M\n     XLA label: global memory for <no-hlo-instruction>\n     Allocation type: "
      "global\n"
      "     ==========================\n\n  2. Size: 7.87G\n     Shape: s8[8454144000]{0:T(1024)(128)(4,1)}\n"
      "     XLA label: Argument 0 index {}\n     ==========================\n\nSee "
      "https://openxla.org/xla/errors/error_1000 for more details.";
  const auto oom = ReadCompileOom(text);
  ASSERT_TRUE(oom.ok()) << oom.status();
  EXPECT_EQ(oom->form, CompileOomForm::kCapacity);
  EXPECT_EQ(oom->exceeded_by, Bytes("2.0K"));
  ASSERT_EQ(oom->total.size(), 3u);
  EXPECT_EQ(oom->total[0], (MemoryPart{"reserved", Bytes("258.00M")}));
  EXPECT_EQ(oom->total[2], (MemoryPart{"arguments", Bytes("7.87G")}));
  EXPECT_EQ(oom->outputs, Bytes("7.87G"));
  EXPECT_EQ(oom->shared, Bytes("0B"));
  ASSERT_EQ(oom->program.size(), 3u);
  EXPECT_EQ(oom->program[1], (MemoryPart{"HLO temp", Bytes("12.0K")}));
  EXPECT_EQ(oom->program[2].name, "overlays");
  ASSERT_EQ(oom->largest.size(), 2u);
  EXPECT_EQ(oom->largest[0],
            (LargeAllocation{Bytes("1.00M"), "u8[1048576]{0}", "global memory for <no-hlo-instruction>", "global"}));
  EXPECT_EQ(oom->largest[1].label, "Argument 0 index {}");
  EXPECT_TRUE(SumsUp(*oom));
}

TEST(CompileOom, CapacityIsReadAgainFromWhatIsPrinted) {
  const std::string text = PrintCapacityOom({"hbm", 17 * kGiB, 16 * kGiB, 258 * kMiB, kMiB, 8 * kGiB, 9 * kGiB, kGiB},
                                            OomEnvelope::kFactory);
  const auto oom = ReadCompileOom(text);
  ASSERT_TRUE(oom.ok()) << oom.status();
  EXPECT_EQ(oom->needed, Bytes("17.00G"));
  EXPECT_EQ(oom->exceeded_by, Bytes("1.00G"));
  ASSERT_EQ(oom->total.size(), 3u) << text;
  EXPECT_EQ(oom->total[1], (MemoryPart{"program", Bytes("1.00M")}));
  EXPECT_EQ(oom->shared, Bytes("1.00G"));
  // Columns as the compiler has them.
  EXPECT_THAT(text, HasSubstr("    reserved        258.00M \n    program           1.00M \n"));
}

TEST(CompileOom, AnUnknownSizeIsNoPart) {
  const auto oom = ReadCompileOom(
      "Ran out of memory in memory space hbm. Used 49.34G of 32.00G hbm. Exceeded hbm capacity by 17.34G. "
      "Total hbm usage >= 49.34G: reserved 3.12M program unknown size arguments 49.34G");
  ASSERT_TRUE(oom.ok());
  ASSERT_EQ(oom->total.size(), 2u);
  EXPECT_EQ(oom->total[1].name, "arguments");
}

TEST(CompileOom, TheStackNamesTheOperation) {
  const std::string text = PrintStackOom(
      {"%k.1 = bf16[8,128]{1,0} custom-call(%a), custom_call_target=\"tpu_custom_call\"", 48 * kMiB, 16 * kMiB},
      OomEnvelope::kFactory);
  for (const std::string& each : {text, "'" + absl::StrReplaceAll(text, {{"\n", "\\n"}, {"\"", "\\\""}}) + "'"}) {
    const auto oom = ReadCompileOom(each);
    ASSERT_TRUE(oom.ok()) << oom.status();
    EXPECT_EQ(oom->form, CompileOomForm::kStack);
    EXPECT_EQ(oom->words.code, "E1001");
    EXPECT_EQ(oom->words.memory, "vmem");
    EXPECT_EQ(oom->words.opcode, "custom-call");
    EXPECT_EQ(oom->words.name, "k.1");
    EXPECT_EQ(oom->words.target, "tpu_custom_call");
    EXPECT_EQ(oom->needed, Bytes("48.00M"));
    EXPECT_EQ(oom->available, Bytes("16.00M"));
    EXPECT_EQ(oom->exceeded_by, Bytes("32.00M"));
    EXPECT_TRUE(SumsUp(*oom));
  }
}

TEST(CompileOom, OtherFormsAreRead) {
  auto oom = ReadCompileOom(
      "Allocation (size=134217728) would exceed memory (size=67108864) :: #allocation25 [shape = 'u8[134217728]{0}', "
      "space=vmem, size = 0x8000000, tag = 'scoped memory for k.2'] :: k.2");
  ASSERT_TRUE(oom.ok());
  EXPECT_EQ(oom->form, CompileOomForm::kAllocation);
  EXPECT_EQ(oom->needed, ExactlyBytes(134217728));
  EXPECT_EQ(oom->words.memory, "vmem");
  oom = ReadCompileOom(
      "TPU TensorCore Hbm usage: 34.82G, SparseCore Hbm usage 174.10G, exceeding available bytes: 95.74G");
  ASSERT_TRUE(oom.ok());
  EXPECT_EQ(oom->form, CompileOomForm::kDevices);
  EXPECT_EQ(oom->sparse_core, Bytes("174.10G"));
  EXPECT_EQ(oom->available, Bytes("95.74G"));
  oom = ReadCompileOom(
      "Aborting compilation early because it's unlikely to have enough memory. Requires 3.84T, has 90.96G available");
  ASSERT_TRUE(oom.ok());
  EXPECT_EQ(oom->form, CompileOomForm::kEarly);
  EXPECT_EQ(oom->available, Bytes("90.96G"));
  oom = ReadCompileOom(
      "Ran out of memory in memory space vmem. It should not be possible to run out of vmem - please file a bug");
  ASSERT_TRUE(oom.ok());
  EXPECT_EQ(oom->form, CompileOomForm::kBare);
}

TEST(CompileOom, WrappedLinesAreRead) {
  const auto oom = ReadCompileOom(
      "E1000: CompileTimeHbmOom:\nXLA:TPU compile permanent error. Ran out of memory in memory space\nhbm. Used "
      "126.45G of 94.75G hbm. Exceeded hbm capacity by 31.70G.");
  ASSERT_TRUE(oom.ok()) << oom.status();
  EXPECT_EQ(oom->words.memory, "hbm");
  EXPECT_EQ(oom->needed, Bytes("126.45G"));
  EXPECT_EQ(oom->exceeded_by, Bytes("31.70G"));
}

TEST(CompileOom, WhatDoesNotSumUpIsSeen) {
  const auto oom =
      ReadCompileOom("Scoped allocation with size 48.00M and limit 16.00M exceeded scoped vmem limit by 33.00M.");
  ASSERT_TRUE(oom.ok());
  EXPECT_FALSE(SumsUp(*oom));
}

TEST(CompileOom, NothingIsReadFromOtherTexts) {
  for (const std::string text : {"", "all is well", "E3000: no room", "E1", "Allocation of 3"}) {
    EXPECT_EQ(ReadCompileOom(text).status().code(), absl::StatusCode::kNotFound) << text;
  }
}

TEST(CompileOom, CutAndDamagedTextsAreNoTrouble) {
  const std::string text = PrintCapacityOom({}, OomEnvelope::kFactory) + PrintStackOom({"%a = f32[] add(", 2, 1}) +
                           " 1. Size: 1.00M Shape: (";
  for (size_t i = 0; i <= text.size(); ++i) {
    (void)ReadCompileOom(text.substr(0, i));
    (void)ReadCompileOom(text.substr(i));
    (void)ReadCompileOom(text.substr(0, i) + "\\(" + text.substr(i));
  }
}

// The texts of kernels of our own, as libtpu 0.0.52 refused them.
constexpr std::string_view kLabel =
    "f.1 = custom-call(copy.3, a_1_.1, copy.4), custom_call_target=\"tpu_custom_call\", "
    "operand_layout_constraints={s8[2048,10000]{1,0}, f32[8,1000,1000]{2,1,0}, bf16[40,2,2500,200]{3,2,1,0}}";
constexpr std::string_view kScopedTable =
    "XLA:TPU compile permanent error. Ran out of memory in memory space vmem. Used 16.82M of 16.00M vmem. Exceeded "
    "vmem "
    "capacity by 840.0K.\n\nProgram vmem requirement 16.82M:\n    scoped           16.82M\n\n  Largest program "
    "allocations "
    "in vmem:\n\n"
    "  1. Size: 8.00M\n     Operator: op_name=\"jit(f)/pallas_call\"\n     Shape: u8[8388608]{0}\n     Unpadded size: "
    "8.00M\n"
    "     Tag: output window allocation for operator output 0. The window shape is f32[1,8192,100], while the full "
    "shape is "
    "f32[2,65536,100]. The u8 shape/size shown above represents the raw byte size of this window in VMEM. This "
    "allocation "
    "has 2 buffering levels.\n     XLA label: @\n     Allocation type: scoped\n     ==========================\n\n"
    "  2. Size: 3.91M\n     Operator: op_name=\"jit(f)/pallas_call\"\n     Shape: f32[1000,1000]{1,0:T(8,128)}\n     "
    "Unpadded "
    "size: 3.81M\n     Extra memory due to padding: 93.8K (1.0x expansion)\n     Tag: scratch operand\n     XLA label: "
    "@\n"
    "     Allocation type: scoped\n     ==========================\n\n"
    "  3. Size: 2.47M\n     Operator: op_name=\"jit(f)/pallas_call\"\n     Shape: u8[2588672]{0}\n     Unpadded size: "
    "2.47M\n"
    "     Tag: input window allocation for operator input 0. The window shape is s8[128,10000], while the full shape "
    "is "
    "s8[2048,10000]. The u8 shape/size shown above represents the raw byte size of this window in VMEM. This "
    "allocation has "
    "2 buffering levels.\n     XLA label: @\n     Allocation type: scoped\n     ==========================\n\n"
    "  4. Size: 2.45M\n     Operator: op_name=\"jit(f)/pallas_call\"\n     Shape: "
    "bf16[2,2500,200]{2,1,0:T(8,128)(2,1)}\n"
    "     Unpadded size: 1.91M\n     Extra memory due to padding: 550.9K (1.3x expansion)\n     Tag: scratch operand\n"
    "     XLA label: @\n     Allocation type: scoped\n     ==========================\n\n";

VmemOom PaddedKernel() {
  VmemOom oom;
  oom.instruction = kLabel;
  oom.op_name = "jit(f)/pallas_call";
  oom.capacity = 16 * kMiB;
  oom.allocations = {
      {4096000, 4000000, "f32[1000,1000]{1,0:T(8,128)}", std::string(kScratchTag)},
      {2564096, 2000000, "bf16[2,2500,200]{2,1,0:T(8,128)(2,1)}", std::string(kScratchTag)},
      {2588672, 2588672, "u8[2588672]{0}", WindowTag(true, 0, "s8[128,10000]", "s8[2048,10000]", 2)},
      {8388608, 8388608, "u8[8388608]{0}", WindowTag(false, 0, "f32[1,8192,100]", "f32[2,65536,100]", 2)}};
  for (const ScopedAllocation& each : oom.allocations) oom.used += each.bytes;
  return oom;
}

TEST(CompileOom, ScopedMemoryOverCapacityIsPrintedAsTheCompilerDoes) {
  const std::string expected =
      absl::StrReplaceAll({kScopedTable.data(), kScopedTable.size()}, {{"@", std::string(kLabel)}});
  EXPECT_EQ(PrintVmemOom(PaddedKernel()), expected);
  const auto oom = ReadCompileOom(expected);
  ASSERT_TRUE(oom.ok()) << oom.status();
  EXPECT_EQ(oom->form, CompileOomForm::kCapacity);
  EXPECT_EQ(oom->words.memory, "vmem");
  EXPECT_EQ(oom->needed, Bytes("16.82M"));
  EXPECT_EQ(oom->exceeded_by, Bytes("840.0K"));
  EXPECT_EQ(oom->program, (std::vector<MemoryPart>{{"scoped", Bytes("16.82M")}}));
  ASSERT_EQ(oom->largest.size(), 4u);
  EXPECT_EQ(oom->largest[1], (LargeAllocation{Bytes("3.91M"), "f32[1000,1000]{1,0:T(8,128)}", std::string(kLabel),
                                              "scoped", "scratch operand"}));
  EXPECT_EQ(oom->largest[2].tag, WindowTag(true, 0, "s8[128,10000]", "s8[2048,10000]", 2));
  EXPECT_TRUE(SumsUp(*oom));
}

TEST(CompileOom, OneBufferLargerThanItsMemoryIsPrintedAsTheCompilerDoes) {
  const std::string expected =
      "Allocation (size=20512768) would exceed memory (size=16777216) :: #allocation3 [shape = 'u8[20512768]{0}', "
      "space=vmem, size = 0x1390000, scoped, tag = 'input window allocation for operator input 0. The window shape is "
      "f32[5008,1024], while the full shape is f32[5008,1024]. The u8 shape/size shown above represents the raw byte "
      "size of "
      "this window in VMEM. This allocation is single buffered.'] :: f.1";
  const std::string tag = WindowTag(true, 0, "f32[5008,1024]", "f32[5008,1024]", 1);
  EXPECT_EQ(PrintAllocationOom({"vmem", kLabel, 16777216, 3, {20512768, 20512768, "u8[20512768]{0}", tag}}), expected);
  const auto oom = ReadCompileOom(expected);
  ASSERT_TRUE(oom.ok()) << oom.status();
  EXPECT_EQ(oom->form, CompileOomForm::kAllocation);
  EXPECT_EQ(oom->needed, ExactlyBytes(20512768));
  EXPECT_EQ(oom->available, ExactlyBytes(16777216));
  EXPECT_EQ(oom->words.memory, "vmem");
  ASSERT_EQ(oom->largest.size(), 1u);
  EXPECT_EQ(oom->largest[0], (LargeAllocation{ExactlyBytes(20512768), "u8[20512768]{0}", "f.1", "scoped", tag}));
  EXPECT_EQ(PrintAllocationOom({"vmem",
                                kLabel,
                                134217728,
                                3,
                                {134250496, 134250496, "f32[32776,1024]{1,0:T(8,128)}", std::string(kScratchTag)}}),
            "Allocation (size=134250496) would exceed memory (size=134217728) :: #allocation3 [shape = "
            "'f32[32776,1024]{1,0:T(8,128)}', space=vmem, size = 0x8008000, scoped, tag = 'scratch operand'] :: f.1");
}

TEST(CompileOom, TheStackMayBeHeldToANegativeLimit) {
  const std::string text = PrintStackOom({"%f.1 = f32[8]{0} custom-call(%a)", 262144, -1}, OomEnvelope::kFactory);
  EXPECT_EQ(
      text,
      "E1001: CompileTimeScopedVmemOom:\nRan out of memory in memory space vmem while allocating on stack for %f.1 = "
      "f32[8]{0} custom-call(%a). Scoped allocation with size 256.0K and limit -1B exceeded scoped vmem limit by "
      "256.0K. It should not be possible to run out of scoped vmem - \nSee "
      "https://openxla.org/xla/errors/error_1001 for more details.");
  const auto oom = ReadCompileOom(text);
  ASSERT_TRUE(oom.ok()) << oom.status();
  EXPECT_EQ(oom->available, (PrintedBytes{1, 1, true}));
  EXPECT_EQ(oom->exceeded_by, Bytes("256.0K"));
  EXPECT_TRUE(SumsUp(*oom));
  EXPECT_THAT(PrintStackOom({"%f.1", 0, -976563 * 1024}),
              HasSubstr("size 0B and limit -953.67M exceeded scoped vmem limit by 953.67M."));
  EXPECT_THAT(PrintStackOom({"%f.1", 0, INT64_MIN}), HasSubstr("limit -8.00E exceeded scoped vmem limit by 8.00E"));
  const auto wrong = ReadCompileOom("Scoped allocation with size 4B and limit -1B exceeded scoped vmem limit by 4B.");
  ASSERT_TRUE(wrong.ok());
  EXPECT_FALSE(SumsUp(*wrong));
}

}  // namespace
}  // namespace oomph
