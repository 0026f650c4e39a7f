// One accepted and one rejected example for each oracle: a small problem, a right plan, and the plan with one thing in
// it changed by hand. Then relations and the comparison likewise.
// Not for: how many real faults the oracles find (see fuzz/faults/faults_test.cc), or random plans (survey_test.cc).
#include "models/placement/oracles.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "models/placement/compare.h"
#include "models/placement/problem_testing.h"
#include "models/placement/promises.h"

namespace oomph::placement {
namespace {

// A problem with everything in it, and its plan:
//
//   20 |       +--+
//   16 |    +--+ e|       b has a gap in [2,4) in which it keeps its bytes [0,2);
//   12 |    |d +--+       e lies above what d has in use at last
//    8 | b..+  |d |       d has a slice of 4 bytes that begins at 3, and 4 bytes from its start on
//    4 +-+--+--+--+
//    0 | a     | c|       a is fixed; c and its twin g are a group; f occupies nothing
//      0 1  2  3  4
struct Scene {
  Problem problem;
  Plan plan;

  Scene() {
    problem.capacity = 24;
    problem.buffers = {Live(4, 0, 3), Live(4, 0, 4), Live(4, 3, 4), Live(8, 1, 4),
                       Live(4, 3, 4), Live(0, 2, 2), Live(4, 3, 4)};
    problem.buffers[0].fixed = 0;
    problem.buffers[1].gaps = {{2, 4, 0, 2}};
    problem.buffers[2].group = problem.buffers[6].group = 1;
    problem.buffers[3].alignment = 4;
    problem.buffers[3].slices = {{4, 3}};
    plan.status = Status::kFeasible;
    plan.offsets = {0, 4, 0, 8, 16, 0, 0};
    plan.peak = 20;
    plan.lower_bound = 18;
  }
  uint64_t& offset(size_t i) { return *plan.offsets[i]; }
};

std::vector<Reason> Judged(const Scene& scene, Bits64 promises = promise::kAll) {
  Reasons fast, naive;
  JudgePlan(scene.problem, scene.plan, promises, fast);
  JudgePlanNaively(scene.problem, scene.plan, promises, naive);
  EXPECT_EQ(fast.list(), naive.list());
  return fast.list();
}

TEST(Oracles, AcceptARightPlan) {
  const std::vector<Reason> reasons = Judged({});
  EXPECT_TRUE(reasons.empty()) << reasons[0].text;
}

// What a hand changes, and who says so: that oracle alone.
struct Example {
  std::string_view oracle, detail;
  size_t step;
  std::function<void(Scene&)> edit;
  Bits64 but = 0;  // promises that are not made
};

// Two buffers beside one another.
void TwoOnly(Scene& s, uint64_t peak) {
  s.problem.buffers = {Live(4, 0, 2), Live(4, 0, 2)};
  s.plan.offsets = {0, 4};
  s.plan.peak = peak;
  s.plan.lower_bound.reset();
}
// The optimum is 6: the last below the third. XLA's heap gives 7.
void Stairs(Scene& s) {
  s.problem.buffers = {Live(2, 0, 4), Live(2, 0, 2), Live(3, 2, 4), Live(2, 0, 1)};
  s.plan.offsets = {0, 2, 4, 4};
  s.plan.peak = 7;
  s.plan.lower_bound.reset();
}

const std::vector<Example>& Examples() {
  static const std::vector<Example> examples = {
      {"ends", "died", 6, [](Scene& s) { s.plan = {}, s.plan.status = Status::kDied; }},
      {"ends", "hung", 6, [](Scene& s) { s.plan = {}, s.plan.status = Status::kHung; }},
      {"answer_is_readable", "rubbish", 6, [](Scene& s) { s.plan = {}, s.plan.status = Status::kRubbish; }},
      {"answer_is_readable", "count", 6, [](Scene& s) { s.plan.offsets.pop_back(); }},
      {"takes_what_it_promised", "invalid", 6, [](Scene& s) { s.plan = {}, s.plan.status = Status::kInvalid; }},
      {"spent_budget_is_told", "optimal", 6, [](Scene& s) {
         TwoOnly(s, 8);
         s.problem.buffers.resize(7, s.problem.buffers[0]);
         for (size_t i = 2; i < 7; ++i) s.problem.buffers[i].space = static_cast<uint32_t>(i);
         s.plan.offsets.resize(7, 0);
         s.plan.status = Status::kOptimal, s.plan.budget_spent = true;
       }},
      {"spent_budget_is_told", "infeasible", 6, [](Scene& s) {
         s.plan = {}, s.plan.status = Status::kInfeasible, s.plan.budget_spent = true, s.problem.capacity = 9;
       }},
      {"spent_budget_is_told", "not_found", 6, [](Scene& s) {
         s.plan = {}, s.plan.status = Status::kNotFound, s.plan.budget_spent = true, s.problem.capacity = 9;
       }},
      {"all_placed", "empty", 5, [](Scene& s) { s.plan.offsets[5].reset(); }},
      {"all_placed", "buffer", 2, [](Scene& s) { s.plan.offsets[2].reset(); }},
      {"all_placed", "buffer", 0, [](Scene& s) { s.plan.offsets.clear(); }},
      {"within_capacity", "capacity", 4, [](Scene& s) { s.problem.capacity = 19; }},
      {"within_capacity", "capacity", 5, [](Scene& s) { s.offset(5) = 25; }},
      {"within_capacity", "wraps", 4, [](Scene& s) { s.problem.capacity.reset(), s.offset(4) = UINT64_MAX - 3; }},
      {"aligned", "power_of_two", 4, [](Scene& s) { s.problem.buffers[4].alignment = 32; }},
      {"aligned", "odd", 4, [](Scene& s) { s.problem.buffers[4].alignment = 5; }},
      {"fixed_offsets_kept", "offset", 5, [](Scene& s) { s.problem.buffers[5].fixed = 1; }},
      {"colocated_together", "offset", 6, [](Scene& s) { s.offset(6) = 20, s.plan.peak = 24; }},
      {"no_live_overlap", "collision", 4, [](Scene& s) {
         s.problem.buffers[4] = Live(4, -1, 1);
         s.offset(4) = 7, s.plan.peak = 16, s.plan.lower_bound = 14;
       }},
      {"gap_windows_kept", "collision", 2, [](Scene& s) { s.problem.buffers[2].size = 5; }},
      {"slices_kept", "collision", 4, [](Scene& s) { s.offset(4) = 13, s.plan.peak = 17, s.plan.lower_bound = 17; }},
      {"peak_exact", "low", 6, [](Scene& s) { s.plan.peak = 19; }},
      {"peak_exact", "high", 6, [](Scene& s) { s.plan.peak = 21; }},
      {"peak_not_below_bound", "peak", 6,
       [](Scene& s) { s.plan.offsets.clear(), s.plan.peak = s.plan.lower_bound = 17; }, promise::kOffsets},
      {"lower_bound_holds", "bound", 6, [](Scene& s) { s.plan.lower_bound = 21; }},
      {"lower_bound_holds", "bound", 3, [](Scene& s) { Stairs(s), s.plan.lower_bound = 7; }},
      {"infeasible_is_not_refuted", "placement", 6, [](Scene& s) { s.plan = {}, s.plan.status = Status::kInfeasible; }},
      {"optimal_is_not_beaten", "placement", 3, [](Scene& s) { Stairs(s), s.plan.status = Status::kOptimal; }},
      {"gives_up_only_if_nothing_fits", "placement", 6, [](Scene& s) { s.plan = {}, s.plan.status = Status::kNotFound; }},
  };
  return examples;
}

std::string Told(const std::vector<Reason>& reasons) {
  std::string text;
  for (const Reason& r : reasons) text += std::string(r.oracle) + "/" + std::string(r.detail) + ": " + r.text + "\n";
  return text;
}

TEST(Oracles, RejectWhatAHandChanged) {
  std::set<std::string_view> seen;
  for (const Example& example : Examples()) {
    Scene scene;
    example.edit(scene);
    const std::vector<Reason> reasons = Judged(scene, promise::kAll & ~example.but);
    ASSERT_EQ(reasons.size(), 1u) << example.oracle << "/" << example.detail << "\n" << Told(reasons);
    EXPECT_EQ(reasons[0].oracle, example.oracle) << Told(reasons);
    EXPECT_EQ(reasons[0].detail, example.detail) << Told(reasons);
    EXPECT_EQ(reasons[0].step, example.step) << Told(reasons);
    seen.insert(example.oracle);
  }
  for (const OracleRow& row : Oracles()) EXPECT_TRUE(seen.count(row.info.name)) << row.info.name << " has no example";
}

// Who reads a finding wants to know what it died of.
TEST(Oracles, TellWhatTheNoteTells) {
  for (const Status status : {Status::kDied, Status::kHung, Status::kRubbish, Status::kInvalid}) {
    Scene scene;
    scene.plan = {};
    scene.plan.status = status;
    const std::string without = Judged(scene).at(0).text;
    scene.plan.note = "line 2 of its output:\x1b " + std::string(5000, 'x');
    const std::string text = Judged(scene).at(0).text;
    EXPECT_TRUE(text.starts_with(without + ": line 2 of its output:\\x1b x")) << text;
    EXPECT_LT(text.size(), 500u);
  }
}

// Each alone, as a row, is the same pure function; and nobody but it says so.
TEST(Oracles, AreAskedAloneAsWell) {
  for (const Example& example : Examples()) {
    Scene scene;
    example.edit(scene);
    for (const OracleRow& row : Oracles()) {
      if ((row.info.promise & example.but) != 0) continue;
      Reasons reasons;
      row.ask(scene.problem, scene.plan, reasons);
      EXPECT_EQ(!reasons.empty(), row.info.name == example.oracle) << example.oracle << ", " << row.info.name;
    }
  }
}

TEST(Oracles, AskOnlyForWhatIsPromised) {
  for (const Example& example : Examples()) {
    Scene scene;
    example.edit(scene);
    const auto row = std::find_if(Oracles().begin(), Oracles().end(),
                                  [&](const OracleRow& r) { return r.info.name == example.oracle; });
    EXPECT_EQ(Judged(scene, 0).empty(), row->info.promise != 0) << example.oracle;
  }
}

TEST(Oracles, BlameNobodyForWhatWasNotRun) {
  Scene scene;
  scene.offset(1) = 0;
  scene.plan.status = Status::kNotRun;
  EXPECT_TRUE(Judged(scene).empty());
}

TEST(Oracles, AcceptHonestFailures) {
  Scene scene;
  scene.plan = {};
  scene.plan.status = Status::kTimeout;
  scene.plan.budget_spent = true;
  EXPECT_TRUE(Judged(scene).empty());
  scene.problem.capacity = 17;  // 18 bytes are in use at 3
  for (const Status status : {Status::kInfeasible, Status::kNotFound}) {
    scene.plan.status = status;
    scene.plan.budget_spent = false;
    EXPECT_TRUE(Judged(scene).empty());
  }
}

TEST(Oracles, AcceptAnOptimumThatIsOneAndWhatABoundProves) {
  Scene scene;
  TwoOnly(scene, 8);
  scene.plan.status = Status::kOptimal;
  EXPECT_TRUE(Judged(scene).empty());
  scene.plan.budget_spent = true;
  scene.plan.lower_bound = 8;
  EXPECT_TRUE(Judged(scene).empty());
}

TEST(Oracles, AcceptAProblemWithoutBuffers) {
  Scene scene;
  scene.problem = {};
  scene.problem.capacity = 0;
  scene.plan = {};
  scene.plan.status = Status::kOptimal;
  scene.plan.peak = scene.plan.lower_bound = 0;
  EXPECT_TRUE(Judged(scene).empty());
  scene.plan = {};
  scene.plan.status = Status::kInfeasible;
  EXPECT_EQ(Told(Judged(scene)).substr(0, 25), "infeasible_is_not_refuted");
}

// ---- The comparison ----

std::vector<Reason> Compared(const Plan& reference, const Plan& plan) {
  Reasons reasons;
  ComparePlans(Scene().problem, reference, plan, reasons);
  return reasons.list();
}

TEST(Compare, TellsTheFirstThingThatDiffers) {
  const Plan reference = Scene().plan;
  EXPECT_TRUE(Compared(reference, reference).empty());
  const auto expect = [&](std::string_view detail, size_t step, const std::function<void(Plan&)>& edit) {
    Plan plan = reference;
    plan.nodes = 3;
    Plan other = plan;
    edit(other);
    const std::vector<Reason> reasons = Compared(plan, other);
    ASSERT_EQ(reasons.size(), 1u) << detail;
    EXPECT_EQ(reasons[0].detail, detail);
    EXPECT_EQ(reasons[0].step, step);
    EXPECT_EQ(reasons[0].oracle, kEqualsReference);
  };
  expect("status_proof", 0, [](Plan& plan) { plan.status = Status::kOptimal; });
  expect("status_refused", 0, [](Plan& plan) { plan.status = Status::kNotFound; });
  expect("status", 0, [](Plan& plan) { plan.status = Status::kTimeout; });
  expect("offset", 4, [](Plan& plan) { plan.offsets[4] = 17, plan.peak = 21; });
  expect("offset", 2, [](Plan& plan) { plan.offsets[2].reset(); });
  expect("peak", 6, [](Plan& plan) { plan.peak = 21; });
  expect("lower_bound", 6, [](Plan& plan) { plan.lower_bound = 17; });
  expect("nodes", 6, [](Plan& plan) { plan.nodes = 4; });
}

TEST(Compare, AStatusIsAWord) {
  Plan refused;
  refused.status = Status::kInfeasible;
  const std::vector<Reason> reasons = Compared(refused, Scene().plan);
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0].detail, "status_placed");
  EXPECT_EQ(reasons[0].text, "the status is feasible, the reference has infeasible");
}

TEST(Compare, PassesOverWhatOneDoesNotTell) {
  const Plan reference = Scene().plan;
  Plan plan;
  plan.status = Status::kOptimal;  // no bound: "placed" is all it says
  EXPECT_TRUE(Compared(reference, plan).empty());
  plan.status = Status::kNotFound;
  EXPECT_FALSE(Compared(reference, plan).empty());
  plan.status = Status::kNotRun;
  EXPECT_TRUE(Compared(reference, plan).empty());
}

}  // namespace
}  // namespace oomph::placement
