// The seeds of hlo_fuzz are named after an operation or a feature (reach.h); each still makes a module that has it.
// A generator that draws otherwise makes them stale. Not for: whether the model agrees on them (corpus_test.cc).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "models/hlo/answer.h"
#include "models/hlo/family.h"
#include "models/hlo/reach.h"

namespace oomph {
namespace {

// "all_reduce": the number of "operation:all-reduce" or "feature:all_reduce"; as many as there are names, if neither is.
size_t NumberOf(std::string word) {
  std::string dashes = word;
  std::replace(dashes.begin(), dashes.end(), '_', '-');
  const auto names = hlo::ReachNames();
  const auto is_it = [&](std::string_view name) {
    return name == absl::StrCat("operation:", dashes) || name == absl::StrCat("feature:", word);
  };
  return static_cast<size_t>(std::find_if(names.begin(), names.end(), is_it) - names.begin());
}

TEST(HloSeeds, HaveWhatTheyAreNamedAfter) {
  size_t seeds = 0;
  for (const auto& entry : std::filesystem::directory_iterator(OOMPH_SOURCE_DIR "/corpus/seeds/hlo")) {
    const std::string name = entry.path().filename().string();
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string tape{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    Choices choices = Choices::FromTape(tape);
    CaseOf<hlo::Module> c;
    HloFamily().Generate(choices, {}, c);
    Reach reach;
    hlo::Reached(c.value, {}, reach);
    ASSERT_LT(NumberOf(name), hlo::ReachNames().size()) << name << " is no operation and no feature";
    EXPECT_TRUE(reach[NumberOf(name)]) << name << "\n" << HloFamily().Print(c);
    ++seeds;
  }
  EXPECT_GT(seeds, 0u);
}

}  // namespace
}  // namespace oomph
