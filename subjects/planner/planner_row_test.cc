// Planners behind the C interface: what they answer, what their faults become, which files are none.
#include "subjects/planner/planner_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "models/placement/family.h"
#include "models/placement/oracles.h"
#include "models/placement/plan.h"
#include "models/placement/problem.h"
#include "models/placement/promises.h"
#include "subjects/planner/planner_library.h"
#include "subjects/plugin/plugin_row.h"

namespace oomph {
namespace {

using placement::Plan;
using placement::Problem;
using placement::Status;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

PlannerRowSpec SpecFor(const std::string& plugin) {
  PlannerRowSpec spec;
  spec.family = &PlacementFamily();
  spec.name = plugin;
  spec.path = PluginPath(plugin);
  return spec;
}

// a in [0, 4), b in [2, 6), c in [4, 8).
Problem Three() {
  Problem problem;
  for (int i = 0; i < 3; ++i) {
    placement::Buffer buffer;
    buffer.id = std::string(1, static_cast<char>('a' + i));
    buffer.size = 10;
    buffer.start = 2 * i;
    buffer.end = buffer.start + 4;
    problem.buffers.push_back(buffer);
  }
  return problem;
}

std::unique_ptr<Subject> Start(const std::string& plugin, const std::string& variant, bool in_child = true) {
  PlannerRowSpec spec = SpecFor(plugin);
  spec.limits.case_time = std::chrono::milliseconds(500);
  const SubjectRow row = PlannerRow(spec);
  EXPECT_EQ(row.absent, "");
  if (!row.absent.empty()) return nullptr;
  auto subject = row.make(variant, in_child);
  EXPECT_TRUE(subject.ok()) << subject.status();
  return subject.ok() ? *std::move(subject) : nullptr;
}

Plan Ask(Subject& subject, const Problem& problem) {
  OutcomeOf<Plan> outcome;
  subject.Run(CaseOf<Problem>(problem), outcome);
  return outcome.value;
}

TEST(PlannerRowTest, TheExampleAnswersInAChildAndHere) {
  for (const bool in_child : {true, false}) {
    const auto subject = Start("first_fit_planner", "", in_child);
    ASSERT_NE(subject, nullptr);
    EXPECT_EQ(subject->info().version, "1");
    EXPECT_EQ(subject->info().in_child, in_child);
    EXPECT_EQ(subject->info().promises,
              placement::promise::kOffsets | placement::promise::kPeak | placement::promise::kDeterminism);
    EXPECT_THAT(subject->info().promise_sources, Contains(StartsWith("peak: first_fit_planner_plugin.c")));
    EXPECT_EQ(subject->info().features >> placement::feature::kOddAlign & 1, 1u);
    EXPECT_EQ(subject->info().features >> placement::feature::kGaps & 1, 0u);
    Problem problem = Three();
    for (int round = 0; round < 3; ++round) {
      const Plan plan = Ask(*subject, problem);
      EXPECT_EQ(plan.status, Status::kFeasible) << plan.note;
      EXPECT_THAT(plan.offsets, ElementsAre(0u, 10u, 0u));
      EXPECT_EQ(plan.peak, 20u);
      EXPECT_FALSE(plan.lower_bound || plan.nodes || plan.budget_spent);
    }
    problem.capacity = 19;
    EXPECT_EQ(Ask(*subject, problem).status, Status::kNotFound);
    EXPECT_TRUE(Ask(*subject, problem).offsets.empty());
  }
}

// What the oracles name it, too: a fault that the harness cannot tell from another helps nobody.
TEST(PlannerRowTest, FaultsAreNamedAsWhatTheyAre) {
  const struct {
    const char *variant, *note, *oracle;
    Status status;
  } faults[] = {
      {"none", "", "", Status::kFeasible},
      {"overlaps", "", "no_live_overlap", Status::kFeasible},
      {"misses", "", "all_placed", Status::kFeasible},
      {"crashes", "signal 6 (SIGABRT)", "ends", Status::kDied},
      {"exits", "exit 3, after writing: nothing more to say", "ends", Status::kDied},
      {"hangs", "no answer within 500 ms", "ends", Status::kHung},
      {"no_status", "gave 99, which is no status", "answer_is_readable", Status::kRubbish},
      {"refuses", "", "infeasible_is_not_refuted", Status::kInfeasible},
      {"times_out", "tired of it", "", Status::kTimeout},
  };
  Problem problem = Three();
  problem.capacity = 100;
  for (const auto& fault : faults) {
    SCOPED_TRACE(fault.variant);
    const auto subject = Start("faulty_planner", fault.variant);
    ASSERT_NE(subject, nullptr);
    const Plan plan = Ask(*subject, problem);
    EXPECT_EQ(plan.status, fault.status);
    EXPECT_THAT(plan.note, HasSubstr(fault.note));
    Reasons reasons;
    placement::JudgePlan(problem, plan, subject->info().promises, reasons);
    EXPECT_EQ(reasons.empty() ? "" : reasons.list().front().oracle, fault.oracle);
    // The next case meets a living planner.
    EXPECT_EQ(Ask(*subject, Problem()).status, Status::kOptimal);
  }
}

TEST(PlannerRowTest, OptionsThatItDoesNotKnowAreRefused) {
  const SubjectRow row = PlannerRow(SpecFor("faulty_planner"));
  EXPECT_EQ(row.variants.size(), 9u);
  const auto subject = row.make("nonsense", true);
  ASSERT_FALSE(subject.ok());
  EXPECT_THAT(std::string(subject.status().message()),
              AllOf(HasSubstr("does not take the options \"nonsense\""), HasSubstr("overlaps")));
}

TEST(PlannerRowTest, WhatIsNoPlannerIsRefusedInOneLine) {
  const auto of = [](const std::string& plugin) { return FindPlanner(SpecFor(plugin)).status(); };
  EXPECT_TRUE(absl::IsUnimplemented(of("first_fit"))) << of("first_fit");
  EXPECT_TRUE(absl::IsUnimplemented(of("no_query"))) << of("no_query");
  EXPECT_TRUE(absl::IsNotFound(of("there_is_none"))) << of("there_is_none");
  EXPECT_TRUE(absl::IsAborted(of("dies_at_load"))) << of("dies_at_load");
  PlannerRowSpec spec = SpecFor("there_is_none");
  spec.how_to_get = "write it";
  EXPECT_THAT(PlannerRow(spec).absent, HasSubstr("is not there: write it"));
  EXPECT_EQ(PlannerRow(spec).variants.size(), 1u);
}

oomph_planner_info g_info;  // what the planner below says of itself
int Query(oomph_planner_info* info) { return *info = g_info, 0; }
int Plans(const oomph_problem*, oomph_plan*) { return OOMPH_PLAN_OPTIMAL; }

TEST(PlannerLibraryTest, ADescriptionIsCheckedBeforeItIsBelieved) {
  const oomph_planner_info good = {.abi = OOMPH_PLANNER_ABI_VERSION,
                                   .struct_bytes = sizeof(oomph_planner_info),
                                   .name = "it",
                                   .version = nullptr,
                                   .features = nullptr,
                                   .num_features = 0,
                                   .promises = nullptr,
                                   .num_promises = 0,
                                   .variants = nullptr,
                                   .num_variants = 0};
  const auto said = [](const oomph_planner_info& info) {
    g_info = info;
    return std::string(PlannerLibrary::Of("x.so", {Query, Plans}).status().message());
  };
  EXPECT_EQ(said(good), "");
  oomph_planner_info bad = good;
  bad.abi = 2;
  EXPECT_THAT(said(bad), HasSubstr("planner interface version 2"));
  bad = good, bad.struct_bytes = 8;
  EXPECT_THAT(said(bad), HasSubstr("has 8 bytes"));
  bad = good, bad.name = nullptr;
  EXPECT_THAT(said(bad), HasSubstr("gives no name"));
  bad = good, bad.num_promises = 1;
  EXPECT_THAT(said(bad), HasSubstr("counts promises and lists none"));
  bad = good, bad.num_variants = 1;
  EXPECT_THAT(said(bad), HasSubstr("counts variants and lists none"));
  EXPECT_THAT(std::string(PlannerLibrary::Of("x.so", {Query, nullptr}).status().message()),
              HasSubstr("does not define oomph_planner_plan"));
  EXPECT_THAT(std::string(PlannerLibrary::Of("x.so", {nullptr, nullptr}).status().message()),
              HasSubstr("not a planner"));
}

// Everything that a problem has arrives, in its place.
int Echo(const oomph_problem* problem, oomph_plan* plan) {
  const oomph_buffer& b = problem->buffers[1];
  const bool all = problem->struct_bytes == sizeof *problem && problem->has_capacity == 1 &&
                   problem->capacity == 77 && problem->num_buffers == 2 &&
                   std::string(problem->options) == "x=1" && std::string(b.id) == "second" && b.size == 9 &&
                   b.alignment == 1 && b.start == -3 && b.end == 12 && b.fixed == 5 && b.hint == 6 &&
                   b.has == (OOMPH_BUFFER_HAS_FIXED | OOMPH_BUFFER_HAS_HINT) && b.space == 2 && b.group == 3 &&
                   b.num_gaps == 2 && b.gaps[1].start == 7 && b.gaps[1].end == 8 && b.gaps[1].window_lower == 1 &&
                   b.gaps[1].window_upper == 2 && b.num_slices == 1 && b.slices[0].size == 4 &&
                   b.slices[0].start == -1 && problem->buffers[0].num_gaps == 1 && problem->buffers[0].has == 0;
  plan->offsets[1] = 5;
  plan->peak = 14, plan->lower_bound = 13, plan->nodes = 12, plan->budget_spent = 1;
  plan->valid = OOMPH_PLAN_HAS_OFFSETS | OOMPH_PLAN_HAS_LOWER_BOUND | OOMPH_PLAN_HAS_NODES;
  return all ? OOMPH_PLAN_TIMEOUT : OOMPH_PLAN_INVALID;
}

TEST(PlannerLibraryTest, AWholeProblemGoesThereAndAWholePlanComesBack) {
  g_info = {};
  g_info.abi = OOMPH_PLANNER_ABI_VERSION;
  g_info.struct_bytes = sizeof g_info;
  g_info.name = "it";
  const auto library = PlannerLibrary::Of("x.so", {Query, Echo});
  ASSERT_TRUE(library.ok()) << library.status();
  Problem problem;
  problem.capacity = 77;
  problem.buffers.resize(2);
  problem.buffers[0].gaps = {{0, 1, 0, 0}};
  placement::Buffer& b = problem.buffers[1];
  b = {.id = "second", .size = 9, .alignment = 0, .start = -3, .end = 12, .fixed = 5, .hint = 6, .space = 2,
       .group = 3, .gaps = {{0, 1, 0, 0}, {7, 8, 1, 2}}, .slices = {{4, -1}}, .extra = ""};
  Plan plan;
  (*library)->Plan(problem, "x=1", plan);
  EXPECT_EQ(plan.status, Status::kTimeout);
  EXPECT_THAT(plan.offsets, ElementsAre(std::nullopt, 5u));
  EXPECT_EQ(plan.peak, std::nullopt);
  EXPECT_EQ(plan.lower_bound, 13u);
  EXPECT_EQ(plan.nodes, 12u);
  EXPECT_TRUE(plan.budget_spent);
}

}  // namespace
}  // namespace oomph
