// E1000 predicted: sums, limits and brackets of small modules.
#include "models/hlo/program_memory.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

Module Read(const std::string& text) {
  auto module = Parse("test", text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

ProgramMemory Predict(const std::string& text, std::string_view chip = "v5e",
                      const ProgramMemoryOptions& options = {}) {
  const auto memory = PredictProgramMemory(Read(text), *FindChip(chip), options);
  EXPECT_TRUE(memory.ok()) << memory.status();
  return *memory;
}

std::string Negate(uint64_t bytes) {
  return absl::StrReplaceAll(
      "HloModule m, is_scheduled=true\nENTRY e {\n  p = s8[#]{0:T(1024)(128)(4,1)} parameter(0)\n"
      "  ROOT r = s8[#]{0:T(1024)(128)(4,1)} negate(p)\n}\n",
      {{"#", absl::StrCat(bytes)}});
}

// Values that are created by a broadcast and last until a slice of them is taken.
constexpr char kTwo[] = R"(HloModule m, is_scheduled=true
ENTRY e {
  p0 = s8[735032320]{0:T(1024)(128)(4,1)} parameter(0)
  s = s8[]{:T(512)} constant(3)
  acc0 = s8[1024]{0:T(1024)(128)(4,1)} slice(p0), slice={[0:1024]}
  v0 = s8[2121616384]{0:T(1024)(128)(4,1)} broadcast(s), dimensions={}
  v1 = s8[1103422464]{0:T(1024)(128)(4,1)} broadcast(s), dimensions={}
  w0 = s8[1024]{0:T(1024)(128)(4,1)} slice(v0), slice={[0:1024]}
  acc1 = s8[1024]{0:T(1024)(128)(4,1)} add(acc0, w0)
  v2 = s8[9846244352]{0:T(1024)(128)(4,1)} broadcast(s), dimensions={}
  w1 = s8[1024]{0:T(1024)(128)(4,1)} slice(v1), slice={[0:1024]}
  acc2 = s8[1024]{0:T(1024)(128)(4,1)} add(acc1, w1)
  w2 = s8[1024]{0:T(1024)(128)(4,1)} slice(v2), slice={[0:1024]}
  ROOT acc3 = s8[1024]{0:T(1024)(128)(4,1)} add(acc2, w2)
}
)";

TEST(ProgramMemory, OfAScheduledModuleIsTheSumOfItsParts) {
  const ProgramMemory memory = Predict(kTwo);
  EXPECT_EQ(memory.arguments, 735032320u);
  EXPECT_EQ(memory.results, 1024u);
  EXPECT_EQ(memory.constants, 512u);
  // The longest comes first, at the bottom; what lies on it is aligned to 16 KiB.
  EXPECT_EQ(memory.temporaries, 1103429632u + 9846244352u);
  EXPECT_EQ(memory.tables, 4u * 2 * 16384);  // of the slices that run beside other instructions
  EXPECT_EQ(Predict(kTwo, "v5e", {.assigns_vmem = false}).tables, 0u);
  EXPECT_EQ(memory.total, memory.arguments + memory.results + memory.constants + memory.tables + memory.temporaries);
  EXPECT_LE(memory.lower, *memory.total);
  EXPECT_GE(memory.upper, *memory.total);
  EXPECT_EQ(memory.verdict, MemoryVerdict::kAccept);
}

TEST(ProgramMemory, TheLimitIsThatOfTheChip) {
  struct Row {
    const char* chip;
    uint64_t bytes;  // arguments and results that were accepted, the most
  };
  for (const Row& row :
       {Row{"v5e", 16908214272}, Row{"v6e", 33544912896}, Row{"v5p", 102784475136}, Row{"7x", 101723254784}}) {
    const uint64_t half = row.bytes / 2 / 1024 * 1024;
    const ProgramMemory most = Predict(Negate(half), row.chip);
    EXPECT_EQ(most.total, 2 * half);
    EXPECT_EQ(most.verdict, MemoryVerdict::kZone) << row.chip;
    EXPECT_LE(*most.total + most.program, most.available) << row.chip;
    // Nothing but the program's overlays, some 100 KiB, is left.
    EXPECT_LT(most.available, *most.total + most.program + 160 * 1024) << row.chip;
    EXPECT_EQ(Predict(Negate(half - (16u << 20)), row.chip).verdict, MemoryVerdict::kAccept) << row.chip;
    EXPECT_EQ(Predict(Negate(half + (16u << 20)), row.chip).verdict, MemoryVerdict::kRefuse) << row.chip;
  }
}

TEST(ProgramMemory, AnAliasedResultCountsOnce) {
  std::string text = Negate(1 << 20);
  text.replace(text.find("is_scheduled"), 0, "input_output_alias={ {}: (0, {}, must-alias) }, ");
  EXPECT_EQ(Predict(text).total, 1u << 20);
}

TEST(ProgramMemory, TemporariesGoWhereAResultWillBe) {
  const ProgramMemory memory = Predict(R"(HloModule m, is_scheduled=true
ENTRY e {
  s = s8[]{:T(512)} parameter(0)
  v = s8[8388608]{0:T(1024)(128)(4,1)} broadcast(s), dimensions={}
  w = s8[1024]{0:T(1024)(128)(4,1)} slice(v), slice={[0:1024]}
  o = s8[16777216]{0:T(1024)(128)(4,1)} broadcast(s), dimensions={}
  ROOT r = (s8[1024]{0:T(1024)(128)(4,1)}, s8[16777216]{0:T(1024)(128)(4,1)}) tuple(w, o)
}
)");
  EXPECT_EQ(memory.temporaries, 0u);
  EXPECT_EQ(memory.results, 512u + 1024u + 16777216u);
}

TEST(ProgramMemory, OfOtherModulesThereIsABracket) {
  const std::string plain =
      "HloModule m\nENTRY e {\n  p = f32[1000,3] parameter(0)\n  ROOT r = f32[1000,3] negate(p)\n}\n";
  const ProgramMemory memory = Predict(plain);
  EXPECT_FALSE(memory.total.has_value());
  EXPECT_EQ(memory.lower, 24000u);
  EXPECT_GE(memory.upper, 2u * 1000 * 128 * 4);
  EXPECT_EQ(memory.verdict, MemoryVerdict::kAccept);
  EXPECT_EQ(
      Predict("HloModule m\nENTRY e {\n  p = s8[20000000000] parameter(0)\n  ROOT r = s8[] constant(1)\n}\n").verdict,
      MemoryVerdict::kRefuse);
  EXPECT_EQ(
      Predict("HloModule m\nENTRY e {\n  p = s8[9000000,1000] parameter(0)\n  ROOT r = s8[9000000,1000] negate(p)\n}\n",
              "v6e")
          .verdict,
      MemoryVerdict::kOpen);
  // A schedule alone does not keep the compiler from choosing layouts, nor from leaving out what nobody needs.
  EXPECT_FALSE(
      Predict(absl::StrReplaceAll(plain, {{"HloModule m", "HloModule m, is_scheduled=true"}})).total.has_value());
  std::string dead = Negate(1 << 20);
  dead.replace(dead.find("  ROOT"), 0, "  d = s8[99]{0:T(1024)(128)(4,1)} slice(p), slice={[0:99]}\n");
  EXPECT_FALSE(Predict(dead).total.has_value());
}

TEST(ProgramMemory, PackedNumbersMayTakeLess) {
  EXPECT_EQ(Predict("HloModule m\nENTRY e {\n  ROOT p = s4[1024] parameter(0)\n}\n").lower, 1024u);
}

TEST(ProgramMemory, AChipWithoutALimitIsAnError) {
  EXPECT_EQ(PredictProgramMemory(Read(kTwo), *FindChip("v4i")).status().code(), absl::StatusCode::kNotFound);
}

TEST(ProgramMemory, WhatOverflowsIsRefused) {
  const ProgramMemory memory = Predict(
      "HloModule m\nENTRY e {\n  p = f32[4294967295,4294967295,4294967295] parameter(0)\n  ROOT r = f32[] "
      "constant(1)\n}\n");
  EXPECT_EQ(memory.verdict, MemoryVerdict::kRefuse);
}

}  // namespace
}  // namespace oomph::hlo
