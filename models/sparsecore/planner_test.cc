#include "models/sparsecore/planner.h"

#include <string>

#include "gtest/gtest.h"
#include "models/sparsecore/specification.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

Program Parsed(std::string_view text) {
  Program program;
  const absl::Status status = ParseProgram("p.sc", text, program);
  EXPECT_TRUE(status.ok()) << status << "\n" << text;
  return program;
}
Answer Planned(std::string_view text) {
  const Program program = Parsed(text);
  Answer answer, specified, quick;
  RunModel(program, answer);
  Specification().Run(program, specified);
  EXPECT_EQ(specified, answer) << text;
  Planner planner;
  planner.Plan(program, quick);
  EXPECT_EQ(quick.status, answer.status);
  EXPECT_EQ(quick.high_water, answer.high_water);
  EXPECT_EQ(quick.overrun, answer.overrun);
  return answer;
}
uint64_t HighWater(const Answer& answer, Space space) {
  return answer.high_water[static_cast<size_t>(space)].value_or(UINT64_MAX);
}
TEST(SparseCorePlanner, TakesAnEmptyKernel) {
  const Answer answer = Planned("sparsecore v6e");
  EXPECT_EQ(answer.status, Status::kPlanned);
  EXPECT_EQ(HighWater(answer, Space::kHbm), 2048);
  EXPECT_EQ(HighWater(answer, Space::kSflagTile), 2);
  EXPECT_EQ(HighWater(answer, Space::kSmemScs), 25);
  EXPECT_EQ(HighWater(answer, Space::kSflagScs), 12);
}

}  // namespace
}  // namespace oomph::sparsecore
