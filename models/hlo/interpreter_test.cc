// The interpreter against the live ranges: whole modules, real ones too. Not for single rules (alias_test.cc).
#include "models/hlo/interpreter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/choices.h"
#include "models/hlo/answer.h"
#include "models/hlo/generate.h"
#include "models/hlo/liveness_testing.h"
#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

std::string Difference(const Module& module) {
  const absl::StatusOr<Liveness> liveness = LivenessOf(module, CountedOptions());
  const absl::StatusOr<InterpretedPeak> counted = InterpretPeak(module);
  if (!counted.ok()) return "";  // too large, not in an order, without shapes: nothing to compare
  if (absl::IsInvalidArgument(liveness.status())) return "";  // a shape that nobody needs to copy is not given
  if (!liveness.ok()) return "liveness: " + std::string(liveness.status().message());
  if (liveness->total_peak != counted->total) {
    return std::to_string(liveness->total_peak) + " against " + std::to_string(counted->total);
  }
  for (const Peak& peak : liveness->peaks) {
    const auto found = counted->by_space.find(peak.space);
    const uint64_t bytes = found == counted->by_space.end() ? 0 : found->second;
    if (bytes != peak.bytes) return "in memory space " + std::to_string(peak.space);
  }
  return "";
}

TEST(InterpreterTest, CountsALoop) {
  EXPECT_EQ(InterpretPeak(Read(kLoop))->total, Live(Read(kLoop), CountedOptions()).total_peak);
  EXPECT_EQ(InterpretPeak(Read(kLoop))->total, 184u);
}

TEST(InterpreterTest, RefusesWhatIsInNoOrder) {
  Module module = Read(kLoop);
  Computation& entry = module.computations[module.entry];
  const std::vector<uint32_t> later = {6};
  entry.instructions[3].operands = module.AddOperands(later);
  EXPECT_FALSE(InterpretPeak(module).ok());
}

TEST(InterpreterTest, AgreesOnGeneratedModules) {
  size_t with_loops = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    Module module;
    GenerateModule(choices, {}, module);
    ASSERT_EQ(Difference(module), "") << "seed " << seed << "\n" << Print(module);
    for (const Instruction& instruction : module.computations[module.entry].instructions) {
      with_loops += instruction.opcode == Opcode::kWhile ? 1 : 0;
    }
  }
  EXPECT_GT(with_loops, 10u);
}

// Modules of the folder whose two counts differ, each with the reason. None does: of 500 that are read, both count all.
struct UnequalPeak {
  std::string_view file, because;
};
constexpr std::array<UnequalPeak, 0> kUnequalPeaks = {};

// The real modules, where OOMPH_HLO_CASES names their folder.
TEST(SlowInterpreterTest, AgreesOnTheModulesOfAFolder) {
  const char* folder = std::getenv("OOMPH_HLO_CASES");
  if (folder == nullptr) GTEST_SKIP() << "OOMPH_HLO_CASES is not set";
  size_t read = 0, counted = 0, interpreted = 0, unequal = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hlo") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string name = entry.path().filename().string();
    const absl::StatusOr<Module> module = Parse(name, text);
    if (!module.ok()) continue;
    ++read;
    counted += LivenessOf(*module, CountedOptions()).ok() ? 1 : 0;
    interpreted += InterpretPeak(*module).ok() ? 1 : 0;
    const bool known = std::ranges::count(kUnequalPeaks, name, &UnequalPeak::file) > 0;
    const std::string difference = Difference(*module);
    EXPECT_EQ(difference.empty(), !known) << name << ": " << difference;
    unequal += difference.empty() ? 0 : 1;
  }
  std::cout << read << " modules read, " << counted << " counted, " << interpreted << " interpreted, " << unequal
            << " with another peak\n";
  EXPECT_GT(read, 0u);
  EXPECT_EQ(counted, read);
  EXPECT_EQ(interpreted, read);
}

}  // namespace
}  // namespace oomph::hlo
