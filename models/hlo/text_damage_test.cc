// Texts that are cut short or have a byte changed: an error with its place, or a module that comes back. The
// modules of a folder too, where OOMPH_HLO_CASES names one.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "models/hlo/text.h"
#include "models/hlo/text_test_modules.h"

namespace oomph::hlo {
namespace {

// True where the text was read.
bool Survives(std::string_view text) {
  const absl::StatusOr<Module> module = Parse("t", text);
  if (!module.ok()) {
    const std::string message(module.status().message());
    EXPECT_TRUE(message.starts_with("t:")) << message;
    EXPECT_LT(message.size(), 2000u);
    return false;
  }
  const std::string printed = Print(*module);
  const absl::StatusOr<Module> again = Parse("printed", printed);
  EXPECT_TRUE(again.ok()) << again.status() << "\n" << text;
  if (!again.ok()) return true;
  EXPECT_TRUE(*again == *module) << text;
  EXPECT_EQ(Print(*again), printed);
  return true;
}

constexpr std::string_view kBytes = "{}()[],=:%\"'/*\n\\ <>#-_.0139TSxaR";

// Damages `text` at `step` places after another.
void Damage(std::string text, size_t step, size_t& read, size_t& refused) {
  for (size_t i = 0; i < text.size(); i += step) {
    (Survives(std::string_view(text).substr(0, i)) ? read : refused)++;
    const char before = text[i];
    for (const char byte : {kBytes[i % kBytes.size()], static_cast<char>(before ^ (1 << (i % 8)))}) {
      text[i] = byte;
      (Survives(text) ? read : refused)++;
    }
    text[i] = before;
  }
}

TEST(TextDamageTest, CanonicalModules) {
  size_t read = 0, refused = 0;
  for (const std::string_view text : kCanonicalModules) Damage(std::string(text), 1, read, refused);
  EXPECT_GT(read, 1000u);
  EXPECT_GT(refused, 1000u);
}

TEST(SlowTextDamageTest, ModulesOfAFolder) {
  const char* folder = std::getenv("OOMPH_HLO_CASES");
  if (folder == nullptr) GTEST_SKIP() << "OOMPH_HLO_CASES names no folder of modules";
  size_t files = 0, read = 0, refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hlo") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    // About as much work for a large text as for a small one.
    Damage(text, text.size() / 40 + text.size() * text.size() / 40'000'000 + 1, read, refused);
    ++files;
  }
  EXPECT_GT(files, 0u);
  std::printf("%zu files, %zu damaged texts read, %zu refused\n", files, read, refused);
}

}  // namespace
}  // namespace oomph::hlo
