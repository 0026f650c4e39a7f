// The lists of edits of programs: every edit and every choice of them gives a simpler program, by the measure of reduce.h, that
// needs no feature more. Not for: which are made (see fuzz/minimize).
#include "models/sparsecore/reduce.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/base/family.h"
#include "models/sparsecore/generate.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/text.h"
#include "models/sparsecore/words.h"

namespace oomph::sparsecore {
namespace {

using Wide = unsigned __int128;

bool IsPlainType(const Buffer& b) {
  const bool of_words = b.space != Space::kTileSpmem && b.space != Space::kSpmem && b.space != Space::kHbm;
  return b.type == (of_words ? Type::kS32 : Type::kF32);
}

// The figures of reduce.h, in their order.
std::vector<Wide> MeasureOf(const Program& p) {
  const Wide statements = p.statements.size() + p.buffers.size() + p.limits.size();
  Wide features = (p.tiling != Tiling::kCompact) + (p.wording != Wording::kNamed) + (p.target != Target::kV6e);
  Wide kinds = 0, types = 0, dimensions = 0, sizes = 0;
  for (const Statement& s : p.statements) {
    kinds += s.kind == Kind::kFor ? 4 : s.kind == Kind::kWhile ? 3 : s.kind == Kind::kIf ? 2 : 0;
    if (s.kind != Kind::kFor) continue;
    if (s.trips < 2 || s.trips == kUnknownTrips) kinds += 1;
    sizes += s.trips == kUnknownTrips ? 0 : s.trips;
  }
  for (const Buffer& b : p.buffers) {
    features += !b.place.empty() || !b.value.empty();
    features += b.tile.has_value();
    types += !IsPlainType(b);
    dimensions += b.shape.size();
    for (const uint64_t n : b.shape) sizes += n;
  }
  return {statements, features, kinds, types, dimensions, sizes};
}

size_t Check(const Edits& edits, const std::vector<uint64_t>& amounts, const Program& base, std::string_view name) {
  CaseOf<Program> into;
  if (!edits.Apply(amounts, into)) return 0;
  EXPECT_LT(MeasureOf(into.value), MeasureOf(base)) << name << "\n" << PrintProgram(base) << "to\n" << PrintProgram(into.value);
  EXPECT_EQ(FeaturesOf(into.value) & ~FeaturesOf(base), 0u) << name << "\n" << PrintProgram(base) << "to\n" << PrintProgram(into.value);
  return 1;
}

TEST(ProgramReductions, EveryEditMakesItSimpler) {
  std::vector<size_t> made(ProgramReductions().size());
  for (uint64_t seed = 0; seed < 1'500; ++seed) {
    Choices choices = Choices::FromSeed(seed, seed % 2 == 1);
    Program base;
    GenerateProgram(choices, {}, base);
    for (size_t r = 0; r < ProgramReductions().size(); ++r) {
      const auto edits = ProgramEditsOf(r, base);
      if (edits == nullptr) continue;
      const std::vector<uint64_t>& most = edits->most();
      for (const uint64_t amount : most) EXPECT_GT(amount, 0u);
      std::vector<uint64_t> amounts(most.size());
      EXPECT_EQ(Check(*edits, amounts, base, ProgramReductions()[r].name), 0u);  // nothing is no edit
      for (size_t i = 0; i < most.size(); ++i) {
        std::fill(amounts.begin(), amounts.end(), 0);
        amounts[i] = choices.Chance(1, 2) ? most[i] : 1 + choices.Below(most[i]);
        made[r] += Check(*edits, amounts, base, ProgramReductions()[r].name);
      }
      for (int some = 0; some < 3; ++some) {
        for (size_t i = 0; i < most.size(); ++i) amounts[i] = choices.Below(2) == 0 ? 0 : 1 + choices.Below(most[i]);
        made[r] += Check(*edits, amounts, base, ProgramReductions()[r].name);
      }
      made[r] += Check(*edits, most, base, ProgramReductions()[r].name);
    }
  }
  for (size_t r = 0; r < made.size(); ++r) EXPECT_GT(made[r], 0u) << ProgramReductions()[r].name;
}

TEST(ProgramReductions, FingerprintsAreOfWhatIsSaid) {
  std::set<Fingerprint> prints;
  std::set<std::string> texts;
  for (uint64_t seed = 0; seed < 5'000; ++seed) {
    Choices choices = Choices::FromSeed(seed, false);
    GenerateOptions options;
    options.features &= ~feature::Bit(feature::kOdd);  // prints what it means
    Program program;
    GenerateProgram(choices, options, program);
    prints.insert(FingerprintOfProgram(program));
    texts.insert(PrintProgram(program));
  }
  EXPECT_EQ(prints.size(), texts.size());
}

const Edits* Find(std::string_view name, const Program& base, std::unique_ptr<Edits>& keep) {
  for (size_t r = 0; r < ProgramReductions().size(); ++r) {
    if (ProgramReductions()[r].name == name) keep = ProgramEditsOf(r, base);
  }
  return keep.get();
}

TEST(ProgramReductions, WhatGoesIsTakenByAnother) {
  Program base;
  ASSERT_TRUE(ParseProgram("p", "scratch a tile_spmem f32[1000] scratch b tile_spmem bf16[9,128] use a use b", base).ok());
  std::unique_ptr<Edits> keep;
  const Edits* const edits = Find("drop_into_another", base, keep);
  ASSERT_NE(edits, nullptr);
  CaseOf<Program> into;
  std::vector<uint64_t> amounts(edits->most().size());
  amounts[0] = 1;  // the last
  ASSERT_TRUE(edits->Apply(amounts, into));
  ASSERT_EQ(into.value.buffers.size(), 1u);
  EXPECT_EQ(WordsOf(into.value, into.value.buffers[0], true), WordsOf(base, base.buffers[0], true) + WordsOf(base, base.buffers[1], true));
}

TEST(ProgramReductions, BranchesGoOneByOne) {
  Program base;
  ASSERT_TRUE(ParseProgram("p", "if allocate a tile_spmem f32[] use a else allocate b tile_spmem f32[] use b end", base).ok());
  std::unique_ptr<Edits> keep;
  const Edits* const edits = Find("drop_blocks", base, keep);
  ASSERT_NE(edits, nullptr);
  ASSERT_EQ(edits->most().size(), 2u);
  CaseOf<Program> into;
  ASSERT_TRUE(edits->Apply(std::vector<uint64_t>{0, 1}, into));
  EXPECT_EQ(PrintProgram(into.value).find("else"), std::string::npos) << PrintProgram(into.value);
  EXPECT_EQ(into.value.buffers.size(), 1u);
}

}  // namespace
}  // namespace oomph::sparsecore
