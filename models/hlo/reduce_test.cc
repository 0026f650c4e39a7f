// The lists of edits: whatever is made of a module is well formed, no worse than it, and smaller in the measure; and
// together they lead down to nothing.
#include "models/hlo/reduce.h"

#include <gtest/gtest.h>

#include <string>

#include "models/base/family.h"
#include "models/hlo/damage.h"
#include "models/hlo/fingerprint.h"
#include "models/hlo/generate.h"
#include "models/hlo/mutate_edit.h"
#include "models/hlo/schedule.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace {

Module Generated(uint64_t seed, size_t steps, uint64_t damages = 0) {
  Module module;
  Choices choices = Choices::FromSeed(seed, true);
  GenerateOptions options;
  options.steps = steps;
  GenerateModule(choices, options, module);
  if (seed % 4 == 0) {  // a computation that nobody calls
    Computation copy = module.computations[module.entry];
    copy.name = FreshName(module, "idle");
    module.computations.push_back(std::move(copy));
  }
  for (uint64_t i = 0; i < damages; ++i) Damage(choices, module);
  return module;
}

std::vector<uint64_t> AmountsFor(const Edits& edits, Choices& choices, uint64_t of) {
  std::vector<uint64_t> amounts;
  for (const uint64_t most : edits.most()) {
    amounts.push_back(choices.Below(of) == 0 ? 1 + choices.Below(most) : 0);
  }
  return amounts;
}

// What must hold of all that Apply calls a case.
void ExpectSmaller(const Module& base, const Module& smaller, std::string_view reduction) {
  ASSERT_TRUE(IsWellFormed(smaller)) << reduction;
  EXPECT_LE(Verify(smaller).size(), Verify(base).size()) << reduction << "\n" << Print(base) << Print(smaller);
  EXPECT_TRUE(MeasureOf(smaller) < MeasureOf(base)) << reduction << "\n" << Print(base) << Print(smaller);
  EXPECT_FALSE(smaller == base) << reduction;
}

struct Counts {
  size_t made = 0, refused = 0;
};

void TryAllEdits(const Module& base, uint64_t seed, std::vector<Counts>& counts) {
  Choices choices = Choices::FromSeed(seed, false);
  counts.resize(Reductions().size());
  for (size_t r = 0; r < Reductions().size(); ++r) {
    const auto edits = ReductionEdits(r, base);
    if (edits == nullptr) continue;
    const auto apply = [&](const std::vector<uint64_t>& amounts) {
      CaseOf<Module> smaller;
      const bool made = edits->Apply(amounts, smaller);
      ++(made ? counts[r].made : counts[r].refused);
      if (made) ExpectSmaller(base, smaller.value, Reductions()[r].name);
    };
    std::vector<uint64_t> amounts(edits->most().size());
    for (size_t i = 0; i < amounts.size(); ++i) {
      amounts[i] = edits->most()[i];
      apply(amounts);
      amounts[i] = 0;
    }
    apply(edits->most());
    if (Reductions()[r].alternatives) continue;
    for (const uint64_t of : {2, 4, 16}) apply(AmountsFor(*edits, choices, of));
  }
}

TEST(Reductions, EveryEditMakesTheMeasureSmallerAndNoProblem) {
  std::vector<Counts> counts;
  for (uint64_t i = 0; i < 200; ++i) TryAllEdits(Generated(MixSeed(1, i), 10 + i / 2), i, counts);
  for (size_t r = 0; r < counts.size(); ++r) EXPECT_GT(counts[r].made, 5u) << Reductions()[r].name;
}

TEST(Reductions, InvalidModulesGetNoWorse) {
  std::vector<Counts> counts;
  for (uint64_t i = 0; i < 60; ++i) TryAllEdits(Generated(MixSeed(2, i), 20, 1 + i % 3), i, counts);
}

// All edits of a list at once, else one after the other, as far as they go.
bool Step(size_t reduction, Module& module) {
  const auto edits = ReductionEdits(reduction, module);
  if (edits == nullptr) return false;
  CaseOf<Module> smaller;
  const auto take = [&] { return module = std::move(smaller.value), true; };
  if (!Reductions()[reduction].alternatives && edits->Apply(edits->most(), smaller)) return take();
  std::vector<uint64_t> amounts(edits->most().size());
  for (size_t i = 0; i < amounts.size(); ++i) {
    amounts[i] = edits->most()[i];
    if (edits->Apply(amounts, smaller)) return take();
    amounts[i] = 0;
  }
  return false;
}

TEST(Reductions, LeadToOneInstruction) {
  for (uint64_t i = 0; i < 100; ++i) {
    Module module = Generated(MixSeed(3, i), 10 + 2 * i, i % 4 == 3 ? 1 : 0);
    const bool valid = Verify(module).empty();
    for (bool again = true; again;) {
      again = false;
      for (size_t r = 0; r < Reductions().size(); ++r) again |= Step(r, module);
    }
    if (!valid) continue;  // what is wrong may stay
    EXPECT_EQ(InstructionCount(module), 1u) << Print(module);
    // What says that the order of the text is that of the steps stays.
    EXPECT_EQ(module.attributes.count, IsScheduled(module) ? 1u : 0u) << Print(module);
  }
}

// Backwards: no list is needed for the others to come to an end.
TEST(Reductions, AnyOrderEnds) {
  for (uint64_t i = 0; i < 20; ++i) {
    Module module = Generated(MixSeed(4, i), 30);
    size_t steps = 0;
    for (bool again = true; again && steps < 10000; ++steps) {
      again = false;
      for (size_t r = Reductions().size(); r-- > 0;) again |= Step(r, module);
    }
    EXPECT_EQ(InstructionCount(module), 1u) << Print(module);
  }
}

TEST(Reductions, ThereAreNoneForAModuleThatPointsNowhere) {
  Module module = Generated(5, 10);
  module.computations[module.entry].root = 1000;
  for (size_t r = 0; r < Reductions().size(); ++r) EXPECT_EQ(ReductionEdits(r, module), nullptr);
}

// ---- the fingerprint ----

TEST(FingerprintOfModule, IsThatOfWhatTheModuleSays) {
  for (uint64_t i = 0; i < 50; ++i) {
    const Module module = Generated(MixSeed(6, i), 30);
    // Other numbers for all.
    const absl::StatusOr<Module> again = Parse("again", Print(module));
    ASSERT_TRUE(again.ok());
    EXPECT_TRUE(*again == module);
    EXPECT_EQ(FingerprintOf(*again), FingerprintOf(module));
  }
}

TEST(FingerprintOfModule, DiffersWhereTheModuleDoes) {
  const Module base = Generated(7, 30);
  const auto changed = [&](const auto& change) {
    Module other = base;
    change(other, other.computations[other.entry].instructions);
    EXPECT_FALSE(other == base);
    return FingerprintOf(other) != FingerprintOf(base);
  };
  using Instructions = std::vector<Instruction>;
  EXPECT_TRUE(changed([](Module& m, Instructions&) { m.name = m.strings.Add("another"); }));
  EXPECT_TRUE(changed([](Module& m, Instructions& all) { all[0].name = m.strings.Add("another"); }));
  EXPECT_TRUE(changed([](Module& m, Instructions&) { m.file_names.push_back(m.name); }));
  EXPECT_TRUE(changed([](Module& m, Instructions&) { m.stack_frames.push_back({1, 2}); }));
  EXPECT_TRUE(changed([](Module& m, Instructions& all) {
    all[0].shape = m.shapes.AddArray(Type::kS4, std::vector<int64_t>{77});
  }));
  EXPECT_TRUE(changed([](Module&, Instructions& all) { all.pop_back(); }));
  EXPECT_TRUE(changed([](Module& m, Instructions&) {
    uint32_t& root = m.computations[m.entry].root;
    root = root == 0 ? 1 : 0;
  }));
  EXPECT_TRUE(changed([](Module& m, Instructions& all) {
    const AttributeId id = m.attribute_table.Add(Key::kIndex, Form::kInt, std::vector<int64_t>{5}, {});
    all[0].attributes = m.AddAttributes(std::vector<AttributeId>{id});
  }));
}

}  // namespace
}  // namespace oomph::hlo
