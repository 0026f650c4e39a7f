// Texts that are cut short or have a byte changed: an error with its place, or a module that comes back. The
// modules of a folder too, where OOMPH_HLO_CASES names one.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "models/hlo/liveness.h"
#include "models/hlo/text.h"
#include "models/hlo/text_test_modules.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace {

// t:LINE:COLUMN: and why, where LINE and COLUMN are in the text or just past its end; then that line.
bool HasItsPlace(std::string_view message, std::string_view text) {
  size_t line = 0, column = 0;
  int length = 0;
  if (std::sscanf(std::string(message).c_str(), "t:%zu:%zu: %n", &line, &column, &length) != 2 || length == 0) return false;
  for (size_t i = 1; i < line; ++i) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
  }
  return line > 0 && column > 0 && column <= text.substr(0, text.find('\n')).size() + 1 && message.size() < 2000u;
}

struct Counts {
  size_t read = 0, refused = 0;
};

// Refused with its place; or read, and then it comes back, and has an answer to what modules are asked.
void Survives(std::string_view text, Counts& counts) {
  const absl::StatusOr<Module> module = Parse("t", text);
  if (!module.ok()) {
    ++counts.refused;
    const absl::string_view message = module.status().message();
    EXPECT_TRUE(HasItsPlace({message.data(), message.size()}, text)) << message;
    return;
  }
  ++counts.read;
  const std::string printed = Print(*module);
  const absl::StatusOr<Module> again = Parse("printed", printed);
  ASSERT_TRUE(again.ok()) << again.status() << "\n" << text;
  EXPECT_TRUE(*again == *module) << text;
  EXPECT_EQ(Print(*again), printed);
  for (const Problem& problem : Verify(*module)) EXPECT_FALSE(Describe(*module, problem).empty());
  const absl::StatusOr<Liveness> liveness = LivenessOf(*module);
  if (liveness.ok()) {
    EXPECT_EQ(liveness->peaks.empty(), liveness->buffers.empty());
  } else {
    EXPECT_FALSE(liveness.status().message().empty());
  }
}

constexpr std::string_view kBytes = "{}()[],=:%\"'/*\n\\ <>#-_.0139TSxaR";
constexpr std::string_view kNumbers[] = {"0", "-1", "2147483648", "4294967296", "9223372036854775807",
                                         "99999999999999999999"};

// Damages `text` at `step` places after another: cut there, a byte changed, a bit changed, the line gone, doubled or cut,
// the number there another one.
void Damage(std::string text, size_t step, Counts& counts) {
  const auto with = [&](size_t begin, size_t end, std::string_view instead) {
    std::string damaged = text;
    damaged.replace(begin, end - begin, instead);
    Survives(damaged, counts);
  };
  for (size_t i = 0; i < text.size(); i += step) {
    Survives(std::string_view(text).substr(0, i), counts);
    const char before = text[i];
    for (const char byte : {kBytes[i % kBytes.size()], static_cast<char>(before ^ (1 << (i % 8)))}) {
      text[i] = byte;
      Survives(text, counts);
    }
    text[i] = before;
    const size_t begin = text.rfind('\n', i) == std::string::npos ? 0 : text.rfind('\n', i) + 1;
    const size_t end = std::min(text.find('\n', i), text.size() - 1) + 1;
    const size_t number = text.find_first_of("0123456789", i);
    if (i % 3 == 0 && begin < end) with(begin, end, "");
    if (i % 3 == 1) with(i, i, text.substr(std::min(begin, i), end - std::min(begin, i)));
    if (i % 3 == 2) with(i, end, "\n");
    if (number == std::string::npos) continue;
    with(number, text.find_first_not_of("0123456789", number), kNumbers[i % std::size(kNumbers)]);
  }
}

TEST(TextDamageTest, CanonicalModules) {
  Counts counts;
  for (const std::string_view text : kCanonicalModules) Damage(std::string(text), 1, counts);
  EXPECT_GT(counts.read, 5000u);
  EXPECT_GT(counts.refused, 5000u);
}

// The highest use of memory of this process, in bytes. A sanitizer keeps what was freed, so nothing follows from it there.
size_t HighestUse() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) * 1024;
}
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

TEST(SlowTextDamageTest, ModulesOfAFolder) {
  const char* folder = std::getenv("OOMPH_HLO_CASES");
  if (folder == nullptr) GTEST_SKIP() << "OOMPH_HLO_CASES names no folder of modules";
  size_t files = 0, largest = 0;
  Counts counts;
  const size_t before = HighestUse();
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hlo") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    largest = std::max(largest, text.size());
    // About as much work for a large text as for a small one.
    Damage(text, text.size() / 100 + text.size() * text.size() / 20'000'000 + 1, counts);
    ++files;
  }
  EXPECT_GT(files, 0u);
  std::printf("%zu files, %zu damaged texts read, %zu refused\n", files, counts.read, counts.refused);
  // Here stand the text, the damaged one, two modules of at most three times its size, two printed texts, and liveness.
  if (!kSanitized) {
    EXPECT_LT(HighestUse() - before, 16 * largest + (32u << 20));
  }
}

}  // namespace
}  // namespace oomph::hlo
