// XLA's classes and ours answer all questions about a module alike, and a module that says something else is noticed.
// Skipped where the wheel is not there. XLA runs in a child.
#include "subjects/xla/hlo_questions.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "models/base/pack.h"
#include "models/hlo/text.h"
#include "subjects/hlo/text_child.h"
#include "subjects/plugin/plugin.h"
#include "subjects/plugin/plugin_row.h"
#include "subjects/xla/hlo_answers.h"
#include "subjects/xla/xla_hlo_testing.h"

namespace oomph::hlo_questions {
namespace {

std::string ShortName(size_t question) {
  return std::string(kNames[question].substr(0, kNames[question].find(':')));
}

// Asks XLA all questions at once.
class Interviewer {
 public:
  Interviewer() : child_(PluginPath("xla_hlo"), Make, XlaHloTest::Limits()) {}
  // An answer a question; an error: it does not read the text, or dies of it.
  absl::StatusOr<std::vector<std::string>> Ask(std::string_view text) {
    const absl::StatusOr<std::string> bytes = child_.Ask(text);
    if (!bytes.ok()) return bytes.status();
    Unpacker unpacker(*bytes);
    std::vector<std::string> answers;
    if (!unpacker.Texts(answers) || !unpacker.AtEnd()) return absl::DataLossError("damaged");
    if (answers.size() != kQuestions) return absl::InvalidArgumentError(answers.front());
    return answers;
  }

 private:
  static absl::StatusOr<TextChild::Function> Make() {
    const auto library = LoadLibrary(PluginPath("xla_hlo"));
    if (!library.ok()) return library.status();
    const auto ask = reinterpret_cast<decltype(&oomph_xla_hlo_questions)>(dlsym(*library, "oomph_xla_hlo_questions"));
    if (ask == nullptr) return absl::NotFoundError("oomph_xla_hlo_questions is not there");
    return [ask](std::string_view text) {
      const char* answers[kQuestions] = {};
      size_t bytes[kQuestions] = {};
      const char* why = "";
      std::vector<std::string> all;
      if (ask(text.data(), text.size(), answers, bytes, &why) == 0) {
        for (size_t i = 0; i < kQuestions; ++i) all.emplace_back(answers[i], bytes[i]);
      } else {
        all.emplace_back(why);
      }
      Packer packer;
      packer.Texts(all);
      return packer.bytes();
    };
  }

  TextChild child_;
};

struct Disagreement {
  std::string question, lines;
};

std::vector<Disagreement> Disagreements(const hlo::Module& module, const std::vector<std::string>& theirs) {
  std::vector<Disagreement> all;
  for (size_t i = 0; i < kQuestions; ++i) {
    const std::string lines = Difference(AnswerOf(module, static_cast<Question>(i)), theirs[i]);
    if (!lines.empty()) all.push_back({ShortName(i), lines});
  }
  return all;
}

class HloQuestionsTest : public XlaHloTest {
 protected:
  void AskOfSeeds(uint64_t begin, uint64_t end) {
    Interviewer interviewer;
    for (uint64_t seed = begin; seed < end; ++seed) {
      const hlo::Module module = Generated(seed);
      const auto theirs = interviewer.Ask(hlo::Print(module));
      ASSERT_TRUE(theirs.ok()) << seed << ": " << theirs.status();
      for (const Disagreement& each : Disagreements(module, *theirs)) {
        ADD_FAILURE() << "seed " << seed << ", " << each.question << ": " << each.lines;
      }
    }
  }
};
class SlowHloQuestionsTest : public HloQuestionsTest {};
class SlowHloQuestionsCasesTest : public XlaHloCasesTest {};

// A module that has something to say to every question.
constexpr std::string_view kAll = R"hlo(HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }, buffer_donor={ (1, {}) }

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

%fused (q: f32[4,8]) -> f32[4,8] {
  %q = f32[4,8]{1,0} parameter(0)
  ROOT %n = f32[4,8]{1,0} negate(%q)
}

%other (q: f32[4,8]) -> f32[4,8] {
  %q = f32[4,8]{1,0} parameter(0)
  ROOT %n = f32[4,8]{1,0} sine(%q)
}

ENTRY %e (p: f32[4,8], r: f32[4,8]) -> (f32[4,8], f32[4,8], f32[4,8]) {
  %p = f32[4,8]{1,0:T(8,128)} parameter(0)
  %r = f32[4,8]{1,0} parameter(1), sharding={devices=[2,1]0,1}
  %z = f32[] constant(1.5)
  %pad = f32[5,9]{1,0} pad(%r, %z), padding=0_1x1_0
  %slice = f32[2,4]{1,0} slice(%r), slice={[0:2], [0:8:2]}
  %dot = f32[4,4]{1,0} dot(%p, %r), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  %t = f32[8,4]{1,0} transpose(%r), dimensions={1,0}
  %w = f32[3,7]{1,0} reduce-window(%r, %z), window={size=2x2}, to_apply=%add
  %c = pred[4,8]{1,0} compare(%p, %r), direction=LT
  %g = f32[4,8]{1,0} fusion(%p), kind=kLoop, calls=%other
  %f = f32[4,8]{1,0} fusion(%p), kind=kLoop, calls=%fused, metadata={op_name="x" source_file="f.py" source_line=3}
  %ar = f32[4,8]{1,0} all-reduce(%f), channel_id=1, replica_groups={{0}}, to_apply=%add, frontend_attributes={k="v"}
  %cc = f32[4,8]{1,0} custom-call(%ar, %c), custom_call_target="Foo", output_to_operand_aliasing={{}: (0, {})}, control-predecessors={%t}, backend_config="cfg"
  %k = s32[] constant(3)
  %dyn = f32[<=4,8]{1,0} set-dimension-size(%r, %k), dimensions={0}
  ROOT %out = (f32[4,8]{1,0}, f32[4,8]{1,0}, f32[4,8]{1,0}) tuple(%p, %cc, %g)
}
)hlo";

// What makes the answer to a question another one.
struct Edit {
  Question question;
  std::string_view from, to;
};
constexpr Edit kEdits[] = {
    {Question::kOpcodes, "negate", "abs"},
    {Question::kComputations, "%other", "%another"},
    {Question::kEntryResult, "ROOT %out = (f32[4,8]{1,0}, f32[4,8]{1,0}", "ROOT %out = (f32[4,8]{1,0}, f32[4,8]{0,1}"},
    {Question::kNames, "%pad", "%pod"},
    {Question::kShapes, "f32[5,9]", "f32[5,10]"},
    {Question::kOperands, "dot(%p, %r)", "dot(%r, %p)"},
    {Question::kUsers, "slice(%r)", "slice(%p)"},
    {Question::kCalled, "calls=%fused", "calls=%other"},
    {Question::kControlPredecessors, ", control-predecessors={%t}", ""},
    {Question::kParameters, "parameter(0)\n  %b = f32[] parameter(1)", "parameter(1)\n  %b = f32[] parameter(0)"},
    {Question::kAliases, "may-alias", "must-alias"},
    {Question::kDonors, "buffer_donor={ (1, {}) }", "buffer_donor={ (0, {}) }"},
    {Question::kSchedule, ", is_scheduled=true", ""},
    {Question::kLayouts, "f32[8,4]{1,0}", "f32[8,4]{0,1}"},
    {Question::kTiles, "T(8,128)", "T(8,256)"},
    {Question::kBounds, "<=4", "4"},
    {Question::kDimensions, "dimensions={1,0}", "dimensions={0,1}"},
    {Question::kGroups, "replica_groups={{0}}", "replica_groups={{1}}"},
    {Question::kChannels, "channel_id=1", "channel_id=2"},
    {Question::kConstants, "1.5", "1.25"},
    {Question::kFrontendAttributes, "k=\"v\"", "k=\"w\""},
    {Question::kMetadata, "source_line=3", "source_line=4"},
    {Question::kCustomCalls, "cfg", "config"},
    {Question::kOutputAliases, "{{}: (0, {})}", "{{}: (1, {})}"},
    {Question::kSlices, "[0:8:2]", "[0:7:2]"},
    {Question::kPaddings, "1_0", "0_1"},
    {Question::kWindows, "size=2x2", "size=2x2 stride=1x2"},
    {Question::kDots, "lhs_contracting_dims={1}", "lhs_contracting_dims={0}"},
    {Question::kWords, "direction=LT", "direction=LE"},
    {Question::kShardings, "devices=[2,1]0,1", "devices=[2,1]1,0"},
};
static_assert(std::size(kEdits) == kQuestions);

TEST_F(HloQuestionsTest, EachNoticesWhatIsOtherwise) {
  Interviewer interviewer;
  const auto theirs = interviewer.Ask(kAll);
  ASSERT_TRUE(theirs.ok()) << theirs.status();
  const absl::StatusOr<hlo::Module> same = hlo::Parse("all", kAll);
  ASSERT_TRUE(same.ok()) << same.status();
  for (const Disagreement& each : Disagreements(*same, *theirs)) ADD_FAILURE() << each.question << each.lines;
  for (size_t i = 0; i < kQuestions; ++i) {
    ASSERT_EQ(static_cast<size_t>(kEdits[i].question), i);
    EXPECT_FALSE((*theirs)[i].empty()) << kNames[i];
    const std::string edited =
        absl::StrReplaceAll(std::string(kAll), {{std::string(kEdits[i].from), std::string(kEdits[i].to)}});
    ASSERT_NE(edited, kAll) << kNames[i];
    const absl::StatusOr<hlo::Module> module = hlo::Parse("edited", edited);
    ASSERT_TRUE(module.ok()) << module.status();
    std::set<std::string> noticed;
    for (const Disagreement& each : Disagreements(*module, *theirs)) noticed.insert(each.question);
    EXPECT_TRUE(noticed.contains(ShortName(i))) << kNames[i];
  }
}

TEST_F(HloQuestionsTest, GeneratedModulesAreUnderstoodAlike) { AskOfSeeds(0, 500); }
TEST_F(SlowHloQuestionsTest, GeneratedModulesAreUnderstoodAlike) { AskOfSeeds(500, 20'000); }

struct Known {
  std::string_view file, question, reason;
};
constexpr std::string_view kMinusZero = "XLA's reader takes -0 for 0, though its printer writes -0.0 so";
constexpr std::string_view kOwnShape = "XLA's reader puts its own shape in the place of the written one of a send or recv";
constexpr Known kKnown[] = {
    {"322.hlo", "constants", kMinusZero}, {"323.hlo", "constants", kMinusZero}, {"404.hlo", "entry_result", kOwnShape},
    {"404.hlo", "shapes", kOwnShape},     {"404.hlo", "layouts", kOwnShape},    {"410.hlo", "shapes", kOwnShape},
    {"410.hlo", "layouts", kOwnShape},    {"410.hlo", "tiles", kOwnShape},      {"491.hlo", "shapes", kOwnShape},
};

TEST_F(SlowHloQuestionsCasesTest, RealModulesAreUnderstoodAlike) {
  Interviewer interviewer;
  std::set<std::string> known;
  for (const Known& row : kKnown) {
    if (texts_.contains(std::string(row.file))) known.insert(absl::StrCat(std::string(row.file), " ", std::string(row.question)));
  }
  size_t modules = 0;
  std::array<size_t, kQuestions> lines = {};
  for (const auto& [file, text] : texts_) {
    const auto theirs = interviewer.Ask(text);
    if (!theirs.ok()) {  // XLA's reader refuses it, for which there is another test
      EXPECT_TRUE(absl::IsInvalidArgument(theirs.status())) << file << ": " << theirs.status();
      continue;
    }
    const absl::StatusOr<hlo::Module> module = hlo::Parse(file, text);
    ASSERT_TRUE(module.ok()) << module.status();
    ++modules;
    for (size_t i = 0; i < kQuestions; ++i) lines[i] += static_cast<size_t>(std::count((*theirs)[i].begin(), (*theirs)[i].end(), '\n'));
    for (const Disagreement& each : Disagreements(*module, *theirs)) {
      if (known.erase(absl::StrCat(file, " ", each.question)) == 1) continue;
      ADD_FAILURE() << file << ", " << each.question << ": " << each.lines.substr(0, 500);
    }
  }
  for (const std::string& row : known) ADD_FAILURE() << row << ": no longer answered otherwise";
  std::printf("%zu modules\n", modules);
  for (size_t i = 0; i < kQuestions; ++i) std::printf("  %-22s %zu lines\n", ShortName(i).c_str(), lines[i]);
}

}  // namespace
}  // namespace oomph::hlo_questions
