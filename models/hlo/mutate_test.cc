// Mutations: each applies to generated modules, changes them, and leaves them valid.
#include "models/hlo/mutate.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "models/hlo/generate.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace {

Module Generated(uint64_t seed) {
  Module module;
  Choices choices = Choices::FromSeed(seed, true);
  GenerateModule(choices, {}, module);
  return module;
}

std::string Told(const Module& module) {
  const std::vector<Problem> problems = Verify(module);
  return problems.empty() ? "" : Describe(module, problems[0]) + "\n" + Print(module);
}

Module Read(const std::string& text) {
  absl::StatusOr<Module> module = Parse("module", text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : Module();
}

TEST(Mutate, AppliesAndLeavesAValidModule) {
  for (size_t m = 0; m < kMutations; ++m) {
    size_t applied = 0;
    for (uint64_t i = 0; i < 300; ++i) {
      const Module before = Generated(MixSeed(80 + m, i));
      Module after = before;
      Choices choices = Choices::FromSeed(MixSeed(100 + m, i), false);
      const bool done = Mutate(static_cast<Mutation>(m), choices, after);
      applied += done ? 1 : 0;
      ASSERT_TRUE(done || after == before) << std::string(kMutationRows[m].name);
      ASSERT_EQ(Told(after), "") << std::string(kMutationRows[m].name) << "\n" << Print(before);
    }
    EXPECT_GE(applied, 15u) << std::string(kMutationRows[m].name);
  }
}

TEST(MutateModule, LeavesAValidModuleThatIsReadAgain) {
  size_t changed = 0;
  Module module = Generated(1);
  for (uint64_t i = 0; i < 500; ++i) {
    if (i % 10 == 0) module = Generated(MixSeed(120, i));
    const Module before = module;
    Choices choices = Choices::FromSeed(MixSeed(121, i), true);
    MutateModule(choices, {}, module);
    changed += module == before ? 0 : 1;
    ASSERT_EQ(Told(module), "");
    const absl::StatusOr<Module> again = Parse("module", Print(module));
    ASSERT_TRUE(again.ok()) << again.status() << Print(module);
    ASSERT_TRUE(*again == module) << Print(module);
  }
  EXPECT_GE(changed, 400u);
}

TEST(MutateModule, TakesEveryTape) {
  Choices random = Choices::FromSeed(6, false);
  for (int i = 0; i < 300; ++i) {
    std::string tape(random.Below(40), '\0');
    for (char& c : tape) c = static_cast<char>(random.Below(256));
    Module module = Generated(MixSeed(122, static_cast<uint64_t>(i)));
    Choices choices = Choices::FromTape(tape);
    MutateModule(choices, {}, module);
    ASSERT_EQ(Told(module), "");
  }
}

constexpr char kChain[] =
    "HloModule m\n\nENTRY %e (p: f32[8,128]) -> f32[8,128] {\n  %p = f32[8,128] parameter(0)\n"
    "  %a = f32[8,128] negate(%p)\n  ROOT %b = f32[8,128] exponential(%a)\n}\n\n";

TEST(Mutate, FusesAndSplitsAChain) {
  Module module = Read(kChain);
  Choices choices = Choices::FromTape("");
  ASSERT_FALSE(Mutate(Mutation::kSplitFusion, choices, module));
  ASSERT_TRUE(Mutate(Mutation::kMergeFusion, choices, module));
  EXPECT_EQ(module.computations.size(), 2u);
  EXPECT_EQ(module.computations[module.entry].instructions.size(), 2u) << Print(module);
  const std::string in_the_middle("\0\0\1", 3);  // the entry, its first fusion, a cut after one instruction
  Choices second = Choices::FromTape(in_the_middle);
  ASSERT_TRUE(Mutate(Mutation::kSplitFusion, second, module));
  EXPECT_EQ(module.computations[module.entry].instructions.size(), 3u) << Print(module);
}

TEST(Mutate, ChangesASizeEverywhere) {
  for (uint64_t i = 0; i < 50; ++i) {
    Module module = Read(kChain);
    Choices choices = Choices::FromSeed(i, false);
    if (!Mutate(Mutation::kResize, choices, module)) continue;
    const std::string text = Print(module);
    EXPECT_NE(text, kChain);
    EXPECT_TRUE(text.find("[8,") == std::string::npos || text.find(",128]") == std::string::npos) << text;
  }
}

TEST(Mutate, DeletesAllButAParameter) {
  Module module = Read(kChain);
  for (uint64_t i = 0; i < 40; ++i) {
    Choices choices = Choices::FromTape("");
    if (!Mutate(Mutation::kDelete, choices, module)) break;
  }
  EXPECT_LE(InstructionCount(module), 3u) << Print(module);
}

TEST(Mutate, LeavesAModuleAloneWhoseIndicesPointNowhere) {
  Module module = Read(kChain);
  module.computations[0].instructions[1].operands.begin = 1000;
  for (size_t m = 0; m < kMutations; ++m) {
    Choices choices = Choices::FromSeed(m, false);
    EXPECT_FALSE(Mutate(static_cast<Mutation>(m), choices, module));
  }
}

// Modules that are read and not valid, each found by the fuzz target on text where something followed from it.
constexpr const char* kOdd[] = {
    // a parameter is missing: an entry layout without shapes stayed behind
    "HloModule m\nENTRY e {\n  a = s8[8] parameter(0)\n  b = s16[8] parameter(2)\n}\n",
};

TEST(Mutate, LeavesOddModulesAsBadAsTheyWere) {
  for (const char* text : kOdd) {
    const Module before = Read(text);
    const size_t problems = Verify(before).size();
    EXPECT_GT(problems, 0u) << text;
    for (size_t m = 0; m < kMutations; ++m) {
      for (uint64_t i = 0; i < 50; ++i) {
        Module after = before;
        Choices choices = Choices::FromSeed(MixSeed(m, i), false);
        Mutate(static_cast<Mutation>(m), choices, after);
        EXPECT_LE(Verify(after).size(), problems) << Print(after);
        const absl::StatusOr<Module> again = Parse("module", Print(after));
        ASSERT_TRUE(again.ok()) << again.status() << Print(after);
        EXPECT_TRUE(*again == after) << Print(after);
      }
    }
  }
}

// Real modules, where their folder is named.
TEST(SlowMutate, LeavesRealModulesAsValidAsTheyWere) {
  const char* folder = std::getenv("OOMPH_HLO_CASES");
  if (folder == nullptr) GTEST_SKIP() << "OOMPH_HLO_CASES names no folder of .hlo files";
  size_t modules = 0, applied = 0, tried = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".hlo" || file.file_size() > 100000) continue;
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const absl::StatusOr<Module> module = Parse("module", text);
    if (!module.ok()) continue;
    ++modules;
    const size_t problems = Verify(*module).size();
    for (size_t m = 0; m < kMutations; ++m) {
      Module after = *module;
      Choices choices = Choices::FromSeed(m, false);
      ++tried;
      applied += Mutate(static_cast<Mutation>(m), choices, after) ? 1 : 0;
      ASSERT_LE(Verify(after).size(), problems) << file.path();
      const absl::StatusOr<Module> again = Parse("module", Print(after));
      ASSERT_TRUE(again.ok()) << file.path() << again.status();
      ASSERT_TRUE(*again == after) << file.path() << kMutationRows[m].name;
    }
  }
  RecordProperty("applied", static_cast<int>(applied));
  EXPECT_GT(modules, 0u);
  EXPECT_GE(applied * 3, tried);
}

}  // namespace
}  // namespace oomph::hlo
