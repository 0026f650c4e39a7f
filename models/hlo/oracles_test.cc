// One accepted and one rejected example for each oracle of the HLO family: a small module, a right answer, and the answer
// with one thing in it changed by hand. Then the comparison and the relations likewise.
// Not for: how many faults the oracles find (see fuzz/faults/faults_test.cc), nor random modules (props).
#include "models/hlo/oracles.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/hlo/answer_text.h"
#include "models/hlo/compare.h"
#include "models/hlo/model.h"
#include "models/hlo/plan_text.h"
#include "models/hlo/promises.h"
#include "models/hlo/relations.h"
#include "models/hlo/rewrite.h"
#include "models/hlo/specification.h"
#include "models/hlo/text.h"
#include "models/message/compile_oom.h"

namespace oomph::hlo {
namespace {

// A call, a value in another memory, and something to commute. The peak is at the add: p, c, the copy and the sum.
constexpr std::string_view kText = R"(HloModule m, entry_computation_layout={(f32[256]{0})->f32[256]{0}}

%double (x: f32[256]) -> f32[256] {
  %x = f32[256]{0} parameter(0)
  ROOT %y = f32[256]{0} multiply(%x, %x)
}

ENTRY %main (p: f32[256]) -> f32[256] {
  %p = f32[256]{0} parameter(0)
  %c = f32[256]{0} call(%p), to_apply=%double
  %v = f32[256]{0:S(1)} copy(%c)
  ROOT %sum = f32[256]{0} add(%v, %p)
}

)";

Module Read(std::string_view text) {
  absl::StatusOr<Module> module = Parse("test", text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

struct Scene {
  Module module = Read(kText);
  Answer answer;
  Scene() { RunModel(module, answer); }
  Plan& plan() { return answer.plans.at(0); }
  PlacedValue& Placed(std::string_view name) {
    for (Allocation& allocation : plan().allocations) {
      for (PlacedValue& value : allocation.values) {
        if (value.name == name) return value;
      }
    }
    ADD_FAILURE() << name;
    return plan().allocations.at(0).values.at(0);
  }
};

Answer Refused(Status status, std::string why, std::optional<Rule> rule = {}) {
  Answer answer;
  answer.status = status;
  answer.why = std::move(why);
  answer.rule = rule;
  return answer;
}

std::vector<Reason> Judged(const Scene& scene, Bits64 promises = promise::kAll) {
  Reasons reasons;
  JudgeAnswer(scene.module, scene.answer, promises, reasons);
  return reasons.list();
}

TEST(HloOracles, AcceptARightAnswer) {
  const Scene scene;
  EXPECT_EQ(scene.answer.status, Status::kValid);
  EXPECT_EQ(scene.answer.text, kText);
  EXPECT_EQ(scene.answer.total_peak, 3 * 1024u);
  EXPECT_EQ(scene.answer.peaks, (std::vector<SpacePeak>{{0, 2 * 1024}, {1, 1024}}));
  EXPECT_TRUE(Judged(scene).empty()) << Judged(scene)[0].text;
}

std::string Replaced(std::string text, std::string_view what, std::string_view with) {
  const size_t at = text.find(what);
  EXPECT_NE(at, text.npos) << what;
  return text.replace(at, what.size(), with);
}

// What a hand changes, and who says so: that oracle alone.
struct Example {
  std::string_view oracle, detail;
  std::function<void(Scene&)> edit;
  Bits64 but = 0;  // promises that are not made
};

const std::vector<Example>& Examples() {
  static const std::vector<Example> examples = {
      {"ends", "died", [](Scene& s) { s.answer.status = Status::kDied; }},
      {"ends", "divided_by_zero", [](Scene& s) { s.answer = Refused(Status::kDied, "died: signal 8 (SIGFPE)"); }},
      {"ends", "hung", [](Scene& s) { s.answer.status = Status::kHung; }},
      {"answer_is_readable", "rubbish", [](Scene& s) { s.answer.status = Status::kRubbish; }},
      {"ends", "a_cc_x_N", [](Scene& s) { s.answer = Refused(Status::kDied, "died: F0000 00:00:17 a.cc:7] Check failed: x > 0"); }},
      {"own_checks_pass", "value_x_overlaps", [](Scene& s) { s.answer.why = "broken: Value <add.4> overlaps"; }},
      {"own_checks_pass", "broken", [](Scene& s) { s.answer.why = "broken: "; }},
      {"every_text_is_read", "unread", [](Scene& s) { s.answer = Refused(Status::kUnread, "expected }"); }},
      {"refusal_says_why", "silent", [](Scene& s) { s.answer = Refused(Status::kInvalid, ""); }},
      {"text_comes_back", "refused", [](Scene& s) { s.answer.text.resize(s.answer.text.size() / 2); }},
      {"text_comes_back", "changed", [](Scene& s) { s.answer.text = Replaced(s.answer.text, "(%v, %p)", "(%v,%p)"); }},
      {"text_is_as_valid", "result_shape",
       [](Scene& s) { s.answer.text = Replaced(s.answer.text, "%v = f32[256]{0", "%v = f32[128]{0"); },
       promise::kFaithfulness},
      {"text_is_the_module", "changed", [](Scene& s) { s.answer.text = Replaced(s.answer.text, "add(", "subtract("); }},
      {"peak_is_told", "missing", [](Scene& s) { s.answer.total_peak.reset(), s.answer.peaks.clear(); }},
      {"peak_holds_each_array", "below",
       [](Scene& s) { s.answer.total_peak = 1023, s.answer.peaks = {{0, 1023}, {1, 1023}}; }},
      {"peak_is_within_everything", "above",
       [](Scene& s) { s.answer.total_peak = 6 * 1024 + 1, s.answer.peaks = {{0, 6 * 1024}, {1, 1}}; }},
      {"spaces_make_the_total", "above", [](Scene& s) { s.answer.peaks[1].bytes = 3 * 1024 + 1; }},
      {"spaces_make_the_total", "below", [](Scene& s) { s.answer.peaks[1].bytes = 1023; }},
      {"spaces_are_the_modules", "unknown", [](Scene& s) { s.answer.peaks.push_back({5, 1}); }},
      {"memory_verdict_is_predicted", "refused",
       [](Scene& s) {
         s.answer = Refused(Status::kDeclined, PrintTemporariesOom({uint64_t{20} << 30, uint64_t{15} << 30, "m"}, OomEnvelope::kAnnotated));
         s.answer.chip = "v5e";
       }},
      {"memory_verdict_is_predicted", "accepted",
       [](Scene& s) {
         s.module = Read("HloModule m\n\nENTRY e {\n  p = s8[40000000000]{0} parameter(0)\n  ROOT n = s8[40000000000]{0} negate(p)\n}\n");
         s.answer = {};
         s.answer.status = Status::kValid;
         s.answer.total_peak = 80'000'000'000;
         s.answer.chip = "v5e";
       },
       promise::kPrinting | promise::kFaithfulness},
      {"planned_module_is_read", "refused", [](Scene& s) { s.answer.planned[0].resize(100); }},
      {"planned_module_is_valid", "result_shape",
       [](Scene& s) { s.answer.planned[0] = Replaced(s.answer.planned[0], "%v = f32", "%v = s32"); }},
      {"plan_names_what_is_there", "unknown",
       [](Scene& s) { s.plan().allocations[0].values.push_back({"ghost", {}, 0, 0, {}}); }},
      {"plan_names_what_is_there", "unknown",
       [](Scene& s) { s.plan().allocations[0].values.push_back({"sum", {1}, 0, 0, {}}); }},
      {"plan_names_what_is_there", "scoped", [](Scene& s) { s.plan().scoped.push_back({"ghost", 1, 0, 0, {}, {}}); }},
      {"plan_stays_inside", "allocation", [](Scene& s) { --s.plan().allocations[1].bytes, --*s.plan().peak, s.plan().minimum.reset(); }},
      {"plan_stays_inside", "memory", [](Scene& s) { s.plan().memories[1].capacity = 1023; }},
      {"plan_stays_inside", "scoped",
       [](Scene& s) { s.plan().memories[1].capacity = 1024, s.plan().scoped.push_back({"p", 1, 1000, 25, {}, {}}); }},
      {"plan_is_aligned", "offset", [](Scene& s) { s.plan().memories[0].alignment = 1000; }},
      {"plan_has_the_bytes", "too_few", [](Scene& s) { s.Placed("v").bytes = 1023; }},
      {"plan_has_the_bytes", "too_many",
       [](Scene& s) { s.Placed("v").bytes = 1025, ++s.plan().allocations[1].bytes, ++*s.plan().peak; }},
      {"plan_keeps_live_values_apart", "overlap",
       [](Scene& s) { s.Placed("sum").offset = s.Placed("p").offset, s.Placed("sum").live.reset(); }},
      {"plan_keeps_its_own_ranges_apart", "overlap", [](Scene& s) { s.Placed("y").live->end += 3; }},
      {"plan_ranges_cover_the_uses", "short", [](Scene& s) { --s.Placed("v").live->end; }},
      {"plan_ranges_cover_the_uses", "late", [](Scene& s) { ++s.Placed("p").live->begin; }},
      {"plan_is_whole", "missing", [](Scene& s) { s.plan().allocations[1].values.clear(); }},
      {"plan_peak_is_its_sum", "sum", [](Scene& s) { ++*s.plan().peak; }},
      {"plan_minimum_is_a_bound", "below", [](Scene& s) { s.plan().reuses_operands = true, s.plan().minimum = *s.plan().peak + 1; }},
      {"plan_minimum_is_the_live_peak", "below", [](Scene& s) { --*s.plan().minimum; }},
      {"scoped_memory_is_kept_apart", "overlap", [](Scene& s) { s.plan().scoped.push_back({"sum", 1, 1023, 1, {}, {}}); }},
      {"reservation_is_whole", "cut", [](Scene& s) { s.plan().scoped.push_back({"p", 1, 0, 40, {}, 64}); }},
      {"reservation_is_whole", "exceeded", [](Scene& s) { s.plan().scoped.push_back({"p", 1, 0, 40, 41, {}}); }},
  };
  return examples;
}

TEST(HloOracles, RejectWhatAHandChanged) {
  std::set<std::string_view> asked;
  for (const Example& example : Examples()) {
    SCOPED_TRACE(std::string(example.oracle) + " " + std::string(example.detail));
    Scene scene;
    example.edit(scene);
    const std::vector<Reason> reasons = Judged(scene, promise::kAll & ~example.but);
    ASSERT_EQ(reasons.size(), 1u) << (reasons.size() > 1 ? reasons[1].text : "");
    EXPECT_EQ(reasons[0].oracle, example.oracle);
    EXPECT_EQ(reasons[0].detail, example.detail);
    EXPECT_FALSE(reasons[0].text.empty());
    asked.insert(example.oracle);
  }
  for (const OracleRow& row : Oracles()) EXPECT_TRUE(asked.contains(row.info.name)) << row.info.name << " has no example";
}

TEST(HloOracles, AreAskedAloneAsWell) {
  for (const Example& example : Examples()) {
    Scene scene;
    example.edit(scene);
    for (const OracleRow& row : Oracles()) {
      if (row.info.name != example.oracle) continue;
      Reasons reasons;
      row.ask(scene.module, scene.answer, reasons);
      ASSERT_EQ(reasons.list().size(), 1u) << row.info.name;
      EXPECT_EQ(reasons.list()[0].detail, example.detail);
    }
  }
}

TEST(HloOracles, AskOnlyForWhatIsPromised) {
  for (const Example& example : Examples()) {
    Scene scene;
    example.edit(scene);
    bool rests_on_a_promise = false;
    for (const OracleRow& row : Oracles()) rests_on_a_promise |= row.info.name == example.oracle && row.info.promise != 0;
    EXPECT_EQ(Judged(scene, 0).empty(), rests_on_a_promise) << example.oracle;
  }
}

TEST(HloOracles, BlameNobodyForWhatWasNotRun) {
  Scene scene;
  scene.answer = {};
  EXPECT_TRUE(Judged(scene).empty());
}

// An invalid module is refused for a reason, and nothing is asked of its memory and its text.
TEST(HloOracles, AcceptAnHonestRefusal) {
  Scene scene;
  scene.module = Read(Replaced(std::string(kText), "add(%v, %p)", "add(%v)"));
  RunModel(scene.module, scene.answer);
  EXPECT_EQ(scene.answer.status, Status::kInvalid);
  EXPECT_EQ(scene.answer.rule, Rule::kOperandCount);
  EXPECT_TRUE(Judged(scene).empty());
}

// ---- bounds ----

TEST(BytesOfEverything, CountsWhatRunsAsOftenAsItRuns) {
  const Module module = Read(kText);
  EXPECT_EQ(RunsOf(module), (std::vector<uint64_t>{1, 1}));
  EXPECT_EQ(BytesOfEverything(module), 6 * 1024u);
  EXPECT_EQ(BytesOfTheLargest(module), 1024u);
  const Module twice = Read(Replaced(std::string(kText), "copy(%c)", "call(%c), to_apply=%double"));
  EXPECT_EQ(RunsOf(twice), (std::vector<uint64_t>{2, 1}));
}

// A chain of computations, each of which calls the one before it twice.
TEST(BytesOfEverything, EndsWhereCallsDouble) {
  std::string text = "HloModule m\n\nc0 {\n  ROOT p = f32[2] parameter(0)\n}\n\n";
  for (int i = 1; i < 80; ++i) {
    const std::string callee = "to_apply=c" + std::to_string(i - 1);
    text += (i == 79 ? "ENTRY c" : "c") + std::to_string(i) + " {\n  p = f32[2] parameter(0)\n  a = f32[2] call(p), " + callee +
            "\n  ROOT b = f32[2] call(a), " + callee + "\n}\n\n";
  }
  const Module module = Read(text);
  EXPECT_EQ(RunsOf(module)[0], UINT64_MAX);
  EXPECT_EQ(BytesOfEverything(module), UINT64_MAX);
  Answer answer;
  RunModel(module, answer);  // too many steps to count
  EXPECT_EQ(answer.status, Status::kValid);
  Reasons reasons;
  JudgeAnswer(module, answer, promise::kAll, reasons);
  EXPECT_TRUE(reasons.empty());
}

// ---- the comparison ----

std::string Compared(const Answer& reference, const Answer& answer) {
  Reasons reasons;
  CompareAnswers(Read(kText), reference, answer, reasons);
  if (reasons.empty()) return "";
  EXPECT_EQ(reasons.list()[0].oracle, "equals_reference");
  return std::string(reasons.list()[0].detail);
}

TEST(HloCompare, TellsTheFirstThingThatDiffers) {
  const Answer valid = Scene().answer;
  const Answer invalid = Refused(Status::kInvalid, "x", Rule::kOperandType);
  Answer other = valid;
  EXPECT_EQ(Compared(valid, valid), "");
  EXPECT_EQ(Compared(valid, invalid), "refuses");
  EXPECT_EQ(Compared(valid, Refused(Status::kUnread, "x")), "refuses");
  EXPECT_EQ(Compared(invalid, valid), "accepts_operand_type");
  EXPECT_EQ(Compared(Refused(Status::kUnread, "x"), valid), "accepts");
  EXPECT_EQ(Compared(invalid, Refused(Status::kInvalid, "x", Rule::kLiteral)), "rule");
  ++*other.total_peak;
  EXPECT_EQ(Compared(valid, other), "peak");
  other = valid;
  ++other.peaks[0].bytes;
  EXPECT_EQ(Compared(valid, other), "space");
}

TEST(HloCompare, PassesOverWhatOneDoesNotTell) {
  const Answer valid = Scene().answer;
  Answer other = valid;
  other.total_peak.reset(), other.peaks.clear(), other.text.clear();
  EXPECT_EQ(Compared(valid, other), "");
  EXPECT_EQ(Compared(other, valid), "");
  // One who speaks of no rules refuses as well as one who does.
  const Answer invalid = Refused(Status::kInvalid, "x", Rule::kOperandType);
  EXPECT_EQ(Compared(invalid, Refused(Status::kUnread, "y")), "");
  EXPECT_EQ(Compared(valid, Refused(Status::kDied, "")), "");
}

// ---- relations ----

Reasons Related(const RelationRow& row, const Answer& answer, const Answer& related) {
  const Module module = Read(kText);
  Reasons reasons;
  row.judge(row.info.name, module, answer, module, related, reasons);
  return reasons;
}

TEST(HloRelations, AcceptTheSpecificationAndRejectARefusal) {
  const Answer refused = Refused(Status::kInvalid, "x");
  for (const RelationRow& row : Relations()) {
    SCOPED_TRACE(std::string(row.info.name));
    const Module module = Read(kText);
    Module changed, again;
    if (!row.relate(module, changed)) continue;
    ASSERT_TRUE(row.relate(module, again));
    EXPECT_EQ(Print(changed), Print(again));  // the same each time
    Answer before, after;
    RunSpecification(module, before);
    RunSpecification(changed, after);
    Reasons reasons;
    row.judge(row.info.name, module, before, changed, after, reasons);
    EXPECT_TRUE(reasons.empty()) << reasons.list()[0].text;
    EXPECT_FALSE(Related(row, before, refused).empty());
    EXPECT_TRUE(Related(row, before, {}).empty());  // not run
    // Of one that was refused to begin with only the same answer is asked.
    EXPECT_EQ(Related(row, refused, before).empty(), row.info.name != "the_same_twice");
  }
}

TEST(HloRelations, ThereIsOneForEachRewriteAndThePeakGoesOnlyWhereItMay) {
  ASSERT_EQ(Relations().size(), 1 + kRewrites);
  const Answer answer = Scene().answer;
  Answer larger = answer;
  ++*larger.total_peak;
  for (size_t i = 0; i < kRewrites; ++i) {
    const RewriteRow& row = kRewriteRows[i];
    EXPECT_EQ(Related(Relations()[1 + i], answer, larger).empty(), row.may_raise) << row.name;
    EXPECT_EQ(Related(Relations()[1 + i], larger, answer).empty(), row.may_lower) << row.name;
  }
}

// ---- answers as texts and bytes ----

TEST(PackAnswer, ComesBack) {
  for (int status = 0; status < kStatuses; ++status) {
    Answer answer = Scene().answer, again;
    answer.status = static_cast<Status>(status);
    answer.why = "why\nso";
    answer.rule = Rule::kCustomCall;
    ASSERT_TRUE(UnpackAnswer(PackAnswer(answer), again));
    EXPECT_EQ(again, answer);
    ASSERT_TRUE(UnpackAnswer(PackAnswer(Answer()), again));
    EXPECT_EQ(again, Answer());
  }
}

TEST(UnpackAnswer, RefusesEveryLengthButItsOwn) {
  const std::string packed = PackAnswer(Scene().answer);
  Answer answer;
  for (size_t size = 0; size < packed.size(); ++size) EXPECT_FALSE(UnpackAnswer(packed.substr(0, size), answer)) << size;
  EXPECT_FALSE(UnpackAnswer(packed + "x", answer));
}

TEST(PrintAnswer, SaysItInLines) {
  EXPECT_EQ(Summary(Refused(Status::kInvalid, "no\troot\nmore")), "invalid: no\\x09root");
  EXPECT_EQ(Summary(Refused(Status::kDied, "died: signal 8 (SIGFPE)")), "died: signal 8 (SIGFPE)");
  const Answer answer = Scene().answer;
  EXPECT_EQ(PrintAnswer(answer), "valid\npeak: 3072 bytes\n  memory space 0 (HBM, or the default): 2048 bytes\n"
                                 "  memory space 1 (VMEM): 1024 bytes\n" +
                                     DescribePlans(answer) + std::string(kText));
  EXPECT_EQ(DescribePlans(answer),
            "plan of model, peak 3KiB, at least 3KiB\n  memory space 0 (HBM, or the default): 2KiB\n"
            "    [0, 1024)  p  steps [0, 7)\n    [1024, 2048)  sum  steps [5, 7)\n    [1024, 2048)  y  steps [2, 5)\n"
            "  memory space 1 (VMEM): 1KiB\n    [0, 1024)  v  steps [4, 6)\n");
  EXPECT_THAT(DescribePlans(answer, 2), testing::EndsWith("2KiB\n  and 5 lines more\n"));
}

}  // namespace
}  // namespace oomph::hlo
