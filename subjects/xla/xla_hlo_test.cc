// XLA's reader, verifier, printer and heap simulator of HLO where the wheel is, against ours: on modules from seeds, and on
// those of the folder that OOMPH_HLO_CASES names. XLA runs in children only, so that a module on which it aborts is one
// of many. Not for: what the harness does with any verifier (see hlo/verifier_row_test.cc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/hlo/answer.h"
#include "models/hlo/answer_text.h"
#include "models/hlo/liveness.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"
#include "subjects/hlo/text_child.h"
#include "subjects/hlo/verifier_library.h"
#include "subjects/plugin/plugin_row.h"
#include "subjects/xla/xla_hlo_testing.h"

namespace oomph {
namespace {

using hlo::Answer;
using hlo::Module;
using hlo::Status;
using ::testing::HasSubstr;

std::optional<uint64_t> PeakOf(const Module& module) {
  const auto liveness = hlo::LivenessOf(module, hlo::CountedOptions());
  return liveness.ok() ? std::optional(liveness->total_peak) : std::nullopt;
}

std::string Told(const std::optional<uint64_t>& peak) { return peak ? std::to_string(*peak) : "none"; }

class XlaVerifierTest : public XlaHloTest {
 protected:
  VerifierChild xla_{PluginPath("xla_hlo"), VerifierLibrary::kEverything, Limits()};
};
class SlowXlaVerifierTest : public XlaVerifierTest {};

constexpr std::string_view kSmall = "HloModule m\n\nENTRY %e (p: f32[3]) -> f32[3] {\n  %p = f32[3]{0} parameter(0)\n"
                                    "  ROOT %n = f32[3]{0} negate(%p)\n}\n\n";

TEST_F(XlaVerifierTest, AnswersThroughItsRow) {
  const SubjectRow row = XlaHloRow(HloFamily());
  EXPECT_EQ(row.name, "xla");
  EXPECT_EQ(row.reference, "model");
  const auto subject = row.make("", true);
  ASSERT_TRUE(subject.ok()) << subject.status();
  EXPECT_THAT((*subject)->info().version, HasSubstr("tensorflow-cpu "));
  EXPECT_NE((*subject)->info().promises, 0u);
  EXPECT_EQ((*subject)->info().features, (Bits64{1} << HloFamily().features().size()) - 1);
  CaseOf<Module> c(*hlo::Parse("small", kSmall));
  OutcomeOf<Answer> outcome;
  (*subject)->Run(c, outcome);
  EXPECT_EQ(outcome.value.status, Status::kValid) << outcome.value.why;
  EXPECT_EQ(outcome.value.total_peak, 24u);
  EXPECT_THAT(outcome.value.text, HasSubstr("ROOT %n = f32[3]{0} negate(%p)"));
  EXPECT_FALSE(row.make("layouts=compared", true).ok());
}

TEST_F(XlaVerifierTest, RefusesAndSaysWhy) {
  std::string text(kSmall);
  text.insert(text.find("  ROOT"), "  %k = f32[4]{0} negate(%p)\n");
  Answer answer = xla_.Ask(text);
  EXPECT_EQ(answer.status, Status::kInvalid);
  EXPECT_THAT(answer.why, HasSubstr("Expected instruction to have shape equal to f32[3]"));
  EXPECT_THAT(answer.text, HasSubstr("f32[4]{0} negate(%p)"));
  EXPECT_EQ(answer.total_peak, std::nullopt);
  answer = xla_.Ask("HloModule m\n\nENTRY e {\n  p = f32[3] gibberish(0)\n}\n");
  EXPECT_EQ(answer.status, Status::kUnread);
  EXPECT_THAT(answer.why, HasSubstr("gibberish"));
  EXPECT_EQ(answer.text, "");
  EXPECT_EQ(xla_.starts(), 1u);
}

// Of a dimension of size 0 XLA's verifier takes the quotient. It dies, and the next module meets a new child.
TEST_F(XlaVerifierTest, DiesOfCollectivesOverADimensionOfSizeZero) {
  constexpr std::string_view kTexts[] = {R"hlo(HloModule m

ENTRY %e (p: f32[0]) -> f32[0] {
  %p = f32[0]{0} parameter(0)
  ROOT %g = f32[0]{0} all-gather(%p), replica_groups={{0}}, dimensions={0}
}

)hlo",
                                         R"hlo(HloModule m

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

ENTRY %e (p: f32[0]) -> f32[0] {
  %p = f32[0]{0} parameter(0)
  ROOT %g = f32[0]{0} reduce-scatter(%p), replica_groups={{0}}, dimensions={0}, to_apply=%add
}

)hlo"};
  for (const std::string_view text : kTexts) {
    const Answer answer = xla_.Ask(text);
    EXPECT_EQ(answer.status, Status::kDied);
    EXPECT_THAT(answer.why, HasSubstr("SIGFPE"));
    EXPECT_EQ(xla_.Ask(kSmall).status, Status::kValid);
    EXPECT_EQ(hlo::Print(*hlo::Parse("text", text)), text);
  }
  EXPECT_EQ(xla_.starts(), 3u);
}

struct Tally {
  uint64_t taken = 0, refused = 0, other_texts = 0, other_peaks = 0, no_peaks = 0;
};

// Modules from the seeds [0, count). What is refused, printed otherwise or counted otherwise is printed.
Tally TallyOf(VerifierChild& xla, uint64_t count, Module (*generated)(uint64_t seed)) {
  Tally tally;
  for (uint64_t seed = 0; seed < count; ++seed) {
    const Module module = generated(seed);
    const auto problems = hlo::Verify(module);
    EXPECT_TRUE(problems.empty()) << "seed " << seed << ": " << hlo::Describe(module, problems.front());
    const Answer answer = xla.Ask(hlo::Print(module));
    const std::string about = "seed " + std::to_string(seed) + ": ";
    if (answer.status != Status::kValid) {
      ++tally.refused;
      std::printf("%s%s\n", about.c_str(), hlo::Summary(answer).c_str());
      continue;
    }
    ++tally.taken;
    const absl::StatusOr<Module> again = hlo::Parse("printed", answer.text);
    if (!again.ok() || hlo::Print(*again) != answer.text) {
      ++tally.other_texts;
      std::printf("%sits text is not canonical: %s\n", about.c_str(), again.status().ToString().c_str());
    }
    const std::optional<uint64_t> ours = PeakOf(module);
    tally.no_peaks += !answer.total_peak;
    if (answer.total_peak == ours) continue;
    ++tally.other_peaks;
    std::printf("%sa peak of %s, ours is %s; %s\n", about.c_str(), Told(answer.total_peak).c_str(), Told(ours).c_str(),
                answer.why.c_str());
  }
  std::printf("%" PRIu64 " taken, %" PRIu64 " refused; %" PRIu64 " not canonical, %" PRIu64 " without a peak, %" PRIu64
              " with another peak; %" PRIu64 " children\n",
              tally.taken, tally.refused, tally.other_texts, tally.no_peaks, tally.other_peaks, xla.starts());
  return tally;
}

TEST_F(XlaVerifierTest, TakesWhatIsGenerated) {
  const Tally tally = TallyOf(xla_, 300, Generated);
  EXPECT_EQ(tally.refused, 0u);
  EXPECT_EQ(tally.other_texts, 0u);
  EXPECT_EQ(tally.other_peaks, 0u);
}

TEST_F(SlowXlaVerifierTest, TakesWhatIsGenerated) {
  const Tally tally = TallyOf(xla_, 100'000, Generated);
  EXPECT_GE(tally.taken, 99'900u);
  EXPECT_EQ(tally.other_texts, 0u);
  EXPECT_EQ(tally.other_peaks, 0u);
}

class SlowXlaVerifierCasesTest : public XlaHloCasesTest {
 protected:
  VerifierChild xla_{PluginPath("xla_hlo"), VerifierLibrary::kEverything, Limits()};
};

// Both take a module, or neither does: where XLA's reader refuses, it may be our verifier that does.
TEST_F(SlowXlaVerifierCasesTest, VerdictsAreOurs) {
  std::map<std::string, int> kinds;
  for (const auto& [file, text] : texts_) {
    const absl::StatusOr<Module> module = hlo::Parse(file, text);
    const Answer answer = xla_.Ask(text);
    const auto problems = module.ok() ? hlo::Verify(*module) : std::vector<hlo::Problem>();
    const Status ours = !module.ok() ? Status::kUnread : problems.empty() ? Status::kValid : Status::kInvalid;
    EXPECT_EQ(answer.status == Status::kValid, ours == Status::kValid) << file << ": " << hlo::Summary(answer);
    EXPECT_TRUE(answer.status == Status::kValid || answer.status == Status::kInvalid || answer.status == Status::kUnread)
        << file << ": " << hlo::Summary(answer);
    // What XLA reads we read.
    EXPECT_TRUE(answer.status == Status::kUnread || module.ok()) << file << ": " << module.status();
    ++kinds["ours " + std::string(hlo::StatusWord(ours)) + ", XLA's " + std::string(hlo::StatusWord(answer.status))];
  }
  for (const auto& [kind, count] : kinds) std::printf("  %-30s %d\n", kind.c_str(), count);
}

// What XLA prints is canonical: read and printed by us it is the same, byte for byte. So a file that was printed by XLA
// comes back.
TEST_F(SlowXlaVerifierCasesTest, PrintedTextsComeBackByteForByte) {
  int printed = 0, canonical = 0;
  for (const auto& [file, text] : texts_) {
    const Answer answer = xla_.Ask(text);
    if (answer.text.empty()) continue;
    ++printed;
    const absl::StatusOr<Module> again = hlo::Parse(file, answer.text);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(hlo::Print(*again), answer.text) << file;
    canonical += answer.text == text;
  }
  std::printf("%d printed, %d of them as they were\n", printed, canonical);
  EXPECT_GT(printed, 0);
}

struct OtherPeak {
  std::string_view file, reason;
};
constexpr std::string_view kSeveral = "no peak: XLA takes collective-permute-start of several arrays for one";
constexpr std::string_view kShortForm = "reduce-scatter-start: XLA reads a computation in its place, whose root has a table";
constexpr OtherPeak kOtherPeaks[] = {{"457.hlo", kSeveral}, {"473.hlo", kSeveral}, {"685.hlo", kShortForm}};
// Of the text that XLA prints: everything that its reader fills in is there, and no short form.
constexpr OtherPeak kOtherPrintedPeaks[] = {
    {"310.hlo", "XLA's reader refuses what its printer left out of a tuple: constant({...})"},
    {"457.hlo", kSeveral},
    {"473.hlo", kSeveral}};

template <size_t count>
std::set<std::string> FilesOf(const OtherPeak (&rows)[count], const std::map<std::string, std::string>& texts) {
  std::set<std::string> files;
  for (const OtherPeak& row : rows) {
    if (texts.contains(std::string(row.file))) files.insert(std::string(row.file));
  }
  return files;
}

TEST_F(SlowXlaVerifierCasesTest, PeaksAreOurs) {
  std::set<std::string> other = FilesOf(kOtherPeaks, texts_), other_printed = FilesOf(kOtherPrintedPeaks, texts_);
  int compared = 0, compared_printed = 0;
  for (const auto& [file, text] : texts_) {
    const absl::StatusOr<Module> module = hlo::Parse(file, text);
    const Answer answer = xla_.Ask(text);
    if (answer.status != Status::kValid || !module.ok()) continue;
    if (const auto ours = PeakOf(*module); ours) {
      ++compared;
      EXPECT_EQ(answer.total_peak == ours, other.erase(file) == 0)
          << file << ": " << Told(answer.total_peak) << ", ours " << Told(ours) << "; " << answer.why;
    }
    const absl::StatusOr<Module> printed = hlo::Parse(file, answer.text);
    ASSERT_TRUE(printed.ok()) << printed.status();
    const Answer again = xla_.Ask(answer.text);
    const auto ours = PeakOf(*printed);
    ASSERT_TRUE(ours) << file;
    ++compared_printed;
    EXPECT_EQ(again.total_peak == ours, other_printed.erase(file) == 0)
        << file << ", printed: " << Told(again.total_peak) << ", ours " << Told(ours) << "; " << again.why;
  }
  for (const std::string& file : other) ADD_FAILURE() << file << " has the same peak now";
  for (const std::string& file : other_printed) ADD_FAILURE() << file << ", printed, has the same peak now";
  std::printf("%d compared as they are, %d as XLA prints them\n", compared, compared_printed);
}

}  // namespace
}  // namespace oomph
