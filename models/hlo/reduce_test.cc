// The reducer: what is left of a module that fails for a known reason, and that every question is about a
// valid one.
#include "models/hlo/reduce.h"

#include <gtest/gtest.h>

#include <string>

#include "models/hlo/generate.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace {

Module Generated(uint64_t seed) {
  Module module;
  Choices choices = Choices::FromSeed(seed, true);
  GenerateOptions options;
  options.steps = 40;
  GenerateModule(choices, options, module);
  return module;
}

bool Has(const Module& module, Opcode opcode) {
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      if (instruction.opcode == opcode) return true;
    }
  }
  return false;
}

TEST(ReduceModule, KeepsOnlyWhatTheFaultNeeds) {
  struct Row {
    Opcode opcode;
    size_t at_most;  // instructions: the operation, its operands, what it calls
  };
  for (const Row& row :
       {Row{Opcode::kDot, 5}, Row{Opcode::kReduce, 9 /* of two arrays at once */}, Row{Opcode::kTranspose, 3}, Row{Opcode::kWhile, 12},
        Row{Opcode::kFusion, 4}, Row{Opcode::kTanh, 3}, Row{Opcode::kGather, 5}, Row{Opcode::kCopyDone, 4}}) {
    size_t met = 0;
    for (uint64_t i = 0; met < 8; ++i) {
      Module module = Generated(MixSeed(200, i));
      if (!Has(module, row.opcode)) continue;
      ++met;
      const auto still_fails = [&](const Module& candidate) {
        EXPECT_TRUE(Verify(candidate).empty()) << Print(candidate);
        return Has(candidate, row.opcode);
      };
      ReduceModule(module, still_fails, 2000);
      ASSERT_TRUE(Has(module, row.opcode));
      EXPECT_LE(InstructionCount(module), row.at_most) << Print(module);
    }
  }
}

TEST(ReduceModule, MakesSizesSmallAndDropsTheHeader) {
  Module module = Generated(3);
  ReduceModule(module, [](const Module&) { return true; }, 2000);
  EXPECT_LE(InstructionCount(module), 1u) << Print(module);
  EXPECT_TRUE(module.Attributes(module.attributes).empty()) << Print(module);
}

TEST(ReduceModule, AsksNoMoreThanItMay) {
  for (const size_t budget : {size_t{0}, size_t{1}, size_t{7}}) {
    Module module = Generated(4);
    size_t asked = 0;
    ReduceModule(module, [&](const Module&) { return ++asked, true; }, budget);
    EXPECT_LE(asked, budget);
  }
}

TEST(ReduceModule, LeavesAModuleThatNothingMakesSmaller) {
  Module module = Generated(5);
  const Module before = module;
  ReduceModule(module, [](const Module&) { return false; }, 100000);
  EXPECT_TRUE(module == before);
}

TEST(ReduceModule, IsTheSameEveryTime) {
  const auto reduced = [] {
    Module module = Generated(6);
    ReduceModule(module, [](const Module& m) { return InstructionCount(m) > 9; }, 5000);
    return Print(module);
  };
  EXPECT_EQ(reduced(), reduced());
}

}  // namespace
}  // namespace oomph::hlo
