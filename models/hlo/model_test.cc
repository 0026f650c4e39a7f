// The model beside the specification: orders for modules without a schedule, damage, and the features of a module.
#include "models/hlo/model.h"

#include <gtest/gtest.h>

#include <string>

#include "models/hlo/damage.h"
#include "models/hlo/generate.h"
#include "models/hlo/promises.h"
#include "models/hlo/specification.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace {

Module Generated(uint64_t seed, Bits64 features = ~Bits64{0}) {
  Module module;
  Choices choices = Choices::FromSeed(seed, seed % 2 == 0);
  GenerateOptions options;
  options.features = features;
  GenerateModule(choices, options, module);
  return module;
}

// Whatever order is given, the module is valid and scheduled, and the memory is what the model counts in that order.
TEST(GiveSchedule, GivesEveryModuleALegalOne) {
  size_t moved = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    for (const Order order : {Order::kText, Order::kBreadthFirst, Order::kLeastMemory}) {
      const Module before = Generated(seed);
      Module after = before;
      GiveSchedule(order, after);
      EXPECT_TRUE(IsScheduled(after));
      EXPECT_TRUE(!IsScheduled(before) || after == before);
      const std::vector<Problem> problems = Verify(after);
      ASSERT_TRUE(problems.empty()) << Describe(after, problems[0]) << "\n" << Print(after);
      EXPECT_EQ(InstructionCount(after), InstructionCount(before));
      if (order != Order::kText && !IsScheduled(before)) moved += Print(after).size() == Print(before).size() ? 0 : 1;
      Answer model, specification;
      RunModel(before, order, model);
      RunSpecification(before, order, specification);
      EXPECT_EQ(model, specification) << Print(before);
      RunModel(after, specification);
      EXPECT_EQ(model.total_peak, specification.total_peak) << Print(after);
    }
  }
  EXPECT_GT(moved, 100u);
}

TEST(GiveSchedule, LeavesWhatCannotRun) {
  Module module = Generated(1, 0);
  // An instruction that needs itself.
  const std::vector<Instruction>& entry = module.computations[module.entry].instructions;
  for (uint32_t i = 0; i < entry.size(); ++i) {
    if (entry[i].operands.count > 0) module.operand_lists[entry[i].operands.begin] = i;
  }
  Module same = module;
  GiveSchedule(Order::kLeastMemory, same);
  EXPECT_TRUE(same == module);
}

// Damage gives a text that can be read, with the same faults; most of it is seen.
TEST(Damage, CanBePrintedAndIsMostlySeen) {
  size_t damaged = 0, seen = 0;
  for (uint64_t seed = 0; seed < 3'000; ++seed) {
    Module module = Generated(seed);
    Choices choices = Choices::FromSeed(MixSeed(seed, 1), false);
    if (!Damage(choices, module)) continue;
    ++damaged;
    const absl::StatusOr<Module> read = Parse("damaged", Print(module));
    ASSERT_TRUE(read.ok()) << read.status() << "\n" << Print(module);
    EXPECT_TRUE(*read == module) << Print(module);
    const std::vector<Problem> problems = Verify(module);
    EXPECT_EQ(Verify(*read), problems);
    seen += problems.empty() ? 0 : 1;
  }
  EXPECT_GT(damaged, 1'000u);
  EXPECT_GT(seen * 10, damaged * 6);
}

// What a subject does not offer is not generated for it.
TEST(FeaturesOf, AreThoseThatWereAskedFor) {
  for (size_t without = 0; without < feature::kNumFeatures; ++without) {
    const Bits64 features = ~(Bits64{1} << without);
    for (uint64_t seed = 0; seed < 400; ++seed) {
      const Module module = Generated(seed, features);
      ASSERT_EQ(FeaturesOf(module) & ~features, 0u) << "has " << kFeatures[without] << "\n" << Print(module);
    }
  }
}

}  // namespace
}  // namespace oomph::hlo
