#include "models/sparsecore/planner.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
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
// Any value of the types, odd ones too: few names, so that much of it means something.
class Random {
 public:
  explicit Random(uint64_t seed) : random_(seed) {}
  Program Make();

 private:
  uint64_t Below(uint64_t n) { return random_() % n; }
  uint64_t Size() { return Below(12) == 0 ? random_() >> Below(64) : Below(300); }
  Buffer MakeBuffer();
  Statement MakeStatement(uint32_t buffers);

  std::mt19937_64 random_;
};

Buffer Random::MakeBuffer() {
  constexpr Type kTypes[] = {Type::kF32, Type::kF32, Type::kBf16, Type::kS8, Type::kS4, Type::kPred, Type::kS64};
  Buffer buffer;
  buffer.space = static_cast<Space>(Below(3) == 0 ? Below(kSparseCoreSpaces) : Below(4));
  buffer.type = kTypes[Below(std::size(kTypes))];
  for (uint64_t i = Below(4); i > 0; --i) buffer.shape.push_back(Size());
  if (Below(10) == 0) {
    buffer.tile.emplace();
    for (uint64_t i = Below(4); i > 0; --i) buffer.tile->push_back(Below(3) == 0 ? Size() : 1 << Below(9));
  }
  return buffer;
}

Statement Random::MakeStatement(uint32_t buffers) {
  Statement statement;
  constexpr Kind kOften[] = {Kind::kAllocate, Kind::kUse, Kind::kUse, Kind::kScope, Kind::kIf, Kind::kElse, Kind::kEnd};
  statement.kind = Below(3) == 0 ? static_cast<Kind>(Below(kKinds)) : kOften[Below(std::size(kOften))];
  statement.buffer = Below(20) == 0 ? kNoBuffer : static_cast<uint32_t>(Below(buffers + 1));
  statement.trips = Below(4) == 0 ? kUnknownTrips : Below(4);
  return statement;
}

Program Random::Make() {
  Program program;
  program.target = static_cast<Target>(Below(kTargets));
  program.core = static_cast<Core>(Below(4) == 0);
  program.tiling = static_cast<Tiling>(Below(3));
  program.wording = static_cast<Wording>(Below(2));
  for (uint64_t i = Below(3) == 0 ? Below(4) : 0; i > 0; --i) {
    SpaceLimit limit;
    limit.space = static_cast<Space>(Below(kSparseCoreSpaces));
    if (Below(2) == 0) limit.first_word = Size();
    if (Below(3) != 0) limit.last_word = Size() * 20;
    program.limits.push_back(limit);
  }
  const uint32_t buffers = static_cast<uint32_t>(Below(12));
  for (uint32_t i = 0; i < buffers; ++i) {
    program.buffers.push_back(MakeBuffer());
    program.buffers.back().name = "b" + std::to_string(i);
  }
  // Small ones often, and each allocated and used somewhere, or little would stay.
  const bool small = Below(2) == 0;
  for (Buffer& buffer : program.buffers) {
    if (small) buffer = {buffer.name, Space::kTileSpmem, Type::kF32, {128 + Below(20000)}, {}, "", ""};
  }
  for (uint64_t i = 1 + Below(60); i > 0; --i) program.statements.push_back(MakeStatement(buffers));
  for (uint32_t i = 0; small && i < buffers; ++i) {
    const size_t at = Below(program.statements.size() + 1);
    const Statement both[] = {{Kind::kAllocate, i, 0}, {Kind::kUse, i, 0}};
    program.statements.insert(program.statements.begin() + static_cast<std::ptrdiff_t>(at), both, both + 2);
  }
  return program;
}

TEST(SparseCorePlanner, IsTheSpecification) {
  Random random(1);
  Planner planner;
  Answer model, specified, quick;
  std::array<int, kStatuses> seen = {};
  for (int i = 0; i < 100'000; ++i) {
    Program program = random.Make();
    RunModel(program, model);
    Specification().Run(program, specified);
    ASSERT_EQ(specified, model) << PrintProgram(program) << "\n" << specified.message << "\n" << model.message;
    planner.Plan(program, quick);
    ASSERT_TRUE(quick.status == model.status && quick.high_water == model.high_water && quick.overrun == model.overrun);
    ++seen[static_cast<size_t>(model.status)];
    // Its one form means the same.
    Normalize(program);
    RunModel(program, specified);
    ASSERT_EQ(specified.status, model.status) << PrintProgram(program);
    ASSERT_EQ(specified.high_water, model.high_water);
    Program again;
    ASSERT_TRUE(ParseProgram("p.sc", PrintProgram(program), again).ok()) << PrintProgram(program);
    ASSERT_EQ(again, program) << PrintProgram(program);
  }
  for (const Status status : {Status::kPlanned, Status::kOverBound, Status::kOverHighWater, Status::kNotHere,
                              Status::kDeclined}) {
    EXPECT_GT(seen[static_cast<size_t>(status)], 100) << StatusWord(static_cast<int>(status));
  }
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
