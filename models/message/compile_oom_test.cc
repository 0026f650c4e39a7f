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

}  // namespace
}  // namespace oomph
