// Whether each rule of SparseCore planning that is switched off shows in what a compiler tells: verdict, refused allocation,
// high-water marks of the memories that it tells, in few of the cases that are drawn for it. That the compiler does not have the
// fault is then worth something. Not for: what the compiler does (subjects/pjrt), which oracles see (faults_test.cc).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "fuzz/faults/sparsecore.h"
#include "models/base/choices.h"
#include "models/sparsecore/compare.h"
#include "models/sparsecore/family.h"
#include "models/sparsecore/generate.h"
#include "models/sparsecore/planner.h"
#include "models/sparsecore/promises.h"

namespace oomph::sparsecore {
namespace {

// What is drawn for the compiler of one chip, as its row has it (subjects/pjrt/rows.cc).
Bits64 OfCompiler(Target target) {
  using namespace feature;
  Bits64 bits = kAll & ~kEveryTarget;
  for (const int not_there : {kPhysical, kTiles, kOwnLimits, kOtherCore, kEmpty, kOtherTypes, kFourBits, kUnmoved, kNumbered, kPlaces, kOdd, kLarge}) {
    bits &= ~Bit(not_there);
  }
  return bits | BitOf(target);
}

// A dump has no places, and no mark of spmem.
Answer AsTold(Answer answer) {
  answer.placed.clear();
  answer.high_water[static_cast<size_t>(Space::kSpmem)].reset();
  if (answer.overrun) answer.overrun->buffer = kNoBuffer;
  return answer;
}

// Of `cases`, how many betray the fault; none are counted behind the first that is enough.
int Betrayed(Subject& fault, Target target, uint64_t seed, int cases) {
  GenerateOptions options;
  options.features = OfCompiler(target);
  int betrayed = 0;
  CaseOf<Program> c;
  OutcomeOf<Answer> faulty;
  for (int i = 0; i < cases; ++i) {
    Choices choices = Choices::FromSeed(MixSeed(seed, static_cast<uint64_t>(i)), i % 2 == 0);
    GenerateProgram(choices, options, c.value);
    Answer answer;
    RunModel(c.value, answer);
    fault.Run(c, faulty);
    Reasons reasons;
    CompareAnswers(c.value, AsTold(faulty.value), AsTold(answer), reasons);
    for (const Reason& reason : reasons.list()) betrayed += reason.oracle == kEqualsReference;
  }
  return betrayed;
}

TEST(SparseCoreFaults, EachRuleIsAskedOfACompilerIn300Cases) {
  constexpr uint64_t kSeeds = 10;
  for (const FaultRow& row : SparseCoreFaults()) {
    if (row.oracle != kEqualsReference) continue;
    const auto fault = row.make();
    int least = 300, sum = 0;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const Target target = row.name == "one_limit_for_all" ? Target::kV7x : static_cast<Target>(seed % kTargets);
      const int betrayed = Betrayed(*fault, target, seed, 300);
      least = std::min(least, betrayed), sum += betrayed;
    }
    std::printf("%-30s of 300 cases %5.1f betray it, at least %d\n", std::string(row.name).c_str(), static_cast<double>(sum) / kSeeds, least);
    EXPECT_GE(least, 1) << row.name << ": " << row.what;
  }
}

}  // namespace
}  // namespace oomph::sparsecore
