// External planners by a command: each answer and each way to fail is told as exactly that, and what a plan then breaks
// is named. Not for: what they do through the command line (see tools/).
#include "subjects/command/planner_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "models/placement/family.h"
#include "models/placement/oracles.h"
#include "models/placement/promises.h"
#include "subjects/command/planner_answer.h"

namespace oomph {
namespace {

using placement::Plan;
using placement::Problem;
using placement::Status;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// In [0, 4), [2, 6) with a gap, [4, 8); all of 10 bytes.
Problem Three() {
  Problem problem;
  for (int i = 0; i < 3; ++i) {
    placement::Buffer buffer;
    buffer.id = "the same";  // ids need not be unique
    buffer.size = 10;
    buffer.start = 2 * i;
    buffer.end = buffer.start + 4;
    problem.buffers.push_back(buffer);
  }
  problem.buffers[1].gaps = {{3, 4, 0, 0}};
  problem.capacity = 100;
  return problem;
}

std::string Stacker(const std::string& arguments = "") {
  return std::string("python3 '") + OOMPH_SOURCE_DIR +
         "/subjects/example/stack_planner.py' --capacity={capacity} --input={in} --output={out} " + arguments;
}

Plan Ask(const std::string& command_line, const Problem& problem, const ChildLimits& limits = {}) {
  PlannerCommand command(PlacementFamily(), "cmd:it", command_line, limits);
  OutcomeOf<Plan> outcome;
  command.Run(CaseOf<Problem>(problem), outcome);
  return outcome.value;
}

// The first oracle that a plan breaks; empty: none.
std::string OracleOf(const Problem& problem, const Plan& plan) {
  const PlannerCommand command(PlacementFamily(), "cmd:it", "", {});
  Reasons reasons;
  placement::JudgePlan(problem, plan, command.info().promises, reasons);
  return reasons.empty() ? "" : std::string(reasons.list().front().oracle);
}

TEST(PlannerCommandTest, OffsetsAndExitZeroAreAPlacement) {
  const Problem problem = Three();
  const Plan plan = Ask(Stacker(), problem);
  EXPECT_EQ(plan.status, Status::kFeasible) << plan.note;
  EXPECT_THAT(plan.offsets, ElementsAre(0u, 10u, 20u));
  EXPECT_FALSE(plan.peak || plan.lower_bound || plan.nodes);
  EXPECT_EQ(OracleOf(problem, plan), "");
}

TEST(PlannerCommandTest, WithoutACapacityThereIsRoomForAll) {
  Problem problem = Three();
  problem.capacity.reset();
  problem.buffers[1].alignment = 16;
  EXPECT_EQ(CapacityForAll(problem), 30u + 15u);
  problem.buffers[2].fixed = 1000;
  EXPECT_EQ(CapacityForAll(problem), 30u + 15u + 1010u);
  problem.buffers[0].size = UINT64_MAX;
  EXPECT_EQ(CapacityForAll(problem), uint64_t{INT64_MAX});
  problem = Three();
  problem.capacity.reset();
  EXPECT_EQ(Ask(Stacker(), problem).status, Status::kFeasible);
  EXPECT_THAT(Ask("echo at most {capacity} # {in} {out}", problem).note, HasSubstr("at most 30"));
}

TEST(PlannerCommandTest, EveryOtherEndIsSaidAsWhatItIs) {
  const struct {
    std::string command_line, note, oracle;
    Status status;
  } ends[] = {
      {Stacker("--fault=infeasible"), "exit 1, after writing: INFEASIBLE", "infeasible_is_not_refuted",
       Status::kInfeasible},
      {Stacker("--fault=not_found"), "NOT_FOUND", "", Status::kNotFound},
      {Stacker("--fault=timeout"), "DEADLINE_EXCEEDED", "", Status::kTimeout},
      {Stacker("--fault=crash"), "signal 6 (SIGABRT)", "ends", Status::kDied},
      {Stacker("--fault=raise"), "exit 1, after writing: KeyError: 'no such column'", "ends", Status::kDied},
      {Stacker("--fault=nothing"), "wrote no offsets", "answer_is_readable", Status::kRubbish},
      {Stacker("--fault=rubbish"), "line 2 of its output: the offset is no number", "answer_is_readable",
       Status::kRubbish},
      {Stacker("--fault=misses"), "", "all_placed", Status::kFeasible},
      {Stacker("--fault=overlaps"), "", "no_live_overlap", Status::kFeasible},
  };
  const Problem problem = Three();
  ChildLimits patient;
  patient.case_time = std::chrono::seconds(60);
  for (const auto& end : ends) {
    SCOPED_TRACE(end.command_line);
    const Plan plan = Ask(end.command_line, problem, patient);
    EXPECT_EQ(plan.status, end.status) << plan.note;
    EXPECT_THAT(plan.note, HasSubstr(end.note));
    EXPECT_EQ(OracleOf(problem, plan), end.oracle);
  }
}

// `kill 0` at the end of a script is common; so is a planner that takes its parent for its own.
TEST(PlannerCommandTest, WhoKillsAllAroundHasDied) {
  EXPECT_EQ(Ask("trap 'kill -9 0' EXIT; exit 3; : {in} {out}", Three()).status, Status::kDied);
  const Plan killer = Ask("sh -c 'read -r _ _ _ parent _ </proc/$PPID/stat; kill -9 $parent'; sleep 5; : {in} {out}", Three());
  EXPECT_EQ(killer.status, Status::kDied) << killer.note;
}

TEST(PlannerCommandTest, AHangEndsWithItsTime) {
  ChildLimits limits;
  limits.case_time = std::chrono::milliseconds(200);
  const Plan plan = Ask("sleep 100 # {in} {out}", Three(), limits);
  EXPECT_EQ(plan.status, Status::kHung);
  EXPECT_EQ(plan.note, "no answer within 200 ms");
  EXPECT_EQ(OracleOf(Three(), plan), "ends");
}

// It is limited in memory and in what it writes, and what it leaves running goes with it.
TEST(PlannerCommandTest, ItIsLimited) {
  const Problem problem = Three();
  EXPECT_THAT(Ask("yes > {out} # {in}", problem).note, HasSubstr("SIGXFSZ"));
  EXPECT_EQ(Ask("yes > {out} # {in}", problem).status, Status::kDied);
  const Plan plan = Ask("sleep 30 & exec true # {in} {out}", problem);  // does not wait for it
  EXPECT_EQ(plan.status, Status::kRubbish) << plan.note;
  EXPECT_EQ(Ask("mkfifo {out} # {in}", problem).status, Status::kRubbish);      // nobody reads from it
  EXPECT_EQ(Ask("ln -s /etc/passwd {out} # {in}", problem).status, Status::kRubbish);
}

TEST(PlannerCommandTest, WhatItsCsvDoesNotCarryIsNotAsked) {
  Problem problem = Three();
  problem.buffers[1].group = 1;
  EXPECT_EQ(Ask(Stacker(), problem).status, Status::kInvalid);
  EXPECT_THAT(Ask(Stacker(), problem).note, HasSubstr("groups"));
  const PlannerCommand command(PlacementFamily(), "cmd:it", Stacker(), {});
  EXPECT_EQ(command.info().promises, placement::promise::kOffsets);
  for (const auto feature : {placement::feature::kSpaces, placement::feature::kGroups, placement::feature::kSlices}) {
    EXPECT_EQ(command.info().features >> feature & 1, 0u);
  }
  EXPECT_EQ(command.info().features >> placement::feature::kWindows & 1, 1u);
}

TEST(PlannerCommandTest, NothingIsLeftBehind) {
  const Plan plan = Ask("echo {in} # {out}", Three());
  const size_t at = plan.note.find("/oomph_planner_");
  ASSERT_NE(at, std::string::npos) << plan.note;
  const size_t begin = plan.note.rfind(' ', at) + 1;
  EXPECT_FALSE(std::filesystem::exists(plan.note.substr(begin, plan.note.find("/in.csv") - begin)));
}

TEST(PlannerCommandTest, ARowHasTheNameOfTheProgram) {
  EXPECT_EQ(NameOfPlannerCommand("minimalloc --input={in}"), "cmd:minimalloc");
  EXPECT_EQ(NameOfPlannerCommand("X=1 python3 -u '/a/b c/mine.py' --input={in}"), "cmd:b");
  EXPECT_EQ(NameOfPlannerCommand("X=1 python3 -u \"/a/b/m+e.py\" --input={in}"), "cmd:m_e.py");
  EXPECT_EQ(NameOfPlannerCommand("env A=b ./run"), "cmd:run");
  EXPECT_EQ(NameOfPlannerCommand("{in}"), "cmd:planner");
  EXPECT_EQ(NameOfPlannerCommand("sh -c {in}"), "cmd:sh");
  const auto row = PlannerCommandRow(PlacementFamily(), Stacker());
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_EQ(row->spec, "cmd:" + Stacker());
  const auto subject = row->make("", true);
  ASSERT_TRUE(subject.ok());
  EXPECT_TRUE((*subject)->info().in_child);
}

TEST(PlannerCommandTest, WhatIsNoPlannerIsRefused) {
  EXPECT_TRUE(absl::IsUnimplemented(PlannerCommandRow(PlacementFamily(), "prog --input={in}").status()));
  for (const char* typo : {"true {in} {out} {capacty}", "true {In} {in} {out}"}) {
    const auto row = PlannerCommandRow(PlacementFamily(), typo);
    EXPECT_TRUE(absl::IsInvalidArgument(row.status())) << typo << ": " << row.status();
    EXPECT_THAT(std::string(row.status().message()), HasSubstr("expected {in}, {out} or {capacity}, found {"));
  }
  for (const char* other : {"true ${HOME} {in} {out}", "awk '{ print }' {in} > {out}", "echo {a,b} {} {in} {out}"}) {
    EXPECT_TRUE(PlannerCommandRow(PlacementFamily(), other).ok()) << other;
  }
  const auto none = PlannerCommandRow(PlacementFamily(), "/no/such/program {in} {out}");
  EXPECT_TRUE(absl::IsUnavailable(none.status())) << none.status();
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("exit 127"));
}

TEST(PlannerAnswerTest, OffsetsAreReadByTheHeader) {
  Plan plan;
  EXPECT_TRUE(placement::ReadOffsets("offset,x,id\n7,,b1\r\n\n# a comment\n18446744073709551615,,b0\n", 3, plan).ok());
  EXPECT_THAT(plan.offsets, ElementsAre(UINT64_MAX, 7u, std::nullopt));
  const std::pair<const char*, const char*> wrong[] = {
      {"", "no header"},
      {"id,size\n", "lacks id or offset"},
      {"id,offset\nb3,0\n", "no such buffer"},
      {"id,offset\nc,0\n", "no such buffer"},
      {"id,offset\nb,0\n", "no such buffer"},
      {"id,offset\nb-1,0\n", "no such buffer"},
      {"id,offset\nb0,-8\n", "no number"},
      {"id,offset\nb0,1e3\n", "no number"},
      {"id,offset\nb0,18446744073709551616\n", "no number"},
      {"id,offset\nb0,1\nb0,2\n", "line 3 of its output: a second offset"},
      {"id,offset\nb0,\x01\x80x\n", "?x'"},
  };
  for (const auto& [text, why] : wrong) {
    const absl::Status status = placement::ReadOffsets(text, 3, plan);
    EXPECT_FALSE(status.ok()) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(why)) << text;
  }
}

TEST(PlannerAnswerTest, TheWeakestClaimCounts) {
  using placement::ClaimOf;
  EXPECT_EQ(ClaimOf("it is INFEASIBLE."), Status::kInfeasible);
  EXPECT_EQ(ClaimOf("status: NOT_FOUND"), Status::kNotFound);
  EXPECT_EQ(ClaimOf("NOT FOUND"), Status::kNotFound);
  EXPECT_EQ(ClaimOf("INFEASIBLE part\nDEADLINE_EXCEEDED"), Status::kTimeout);
  EXPECT_EQ(ClaimOf("INFEASIBLE, NOT_FOUND"), Status::kNotFound);
  EXPECT_EQ(ClaimOf("feasible"), std::nullopt);
  EXPECT_EQ(ClaimOf("XINFEASIBLE INFEASIBLES"), std::nullopt);
}

}  // namespace
}  // namespace oomph
