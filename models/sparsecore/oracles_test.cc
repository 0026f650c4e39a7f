// Each oracle by an answer that it accepts and one that it does not; relations by what they change; comparisons; structure.
// Not for: whether they find faults (fuzz/faults/faults_test.cc).
#include "models/sparsecore/oracles.h"

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "models/sparsecore/answer_text.h"
#include "models/sparsecore/compare.h"
#include "models/sparsecore/generate.h"
#include "models/sparsecore/memory.h"
#include "models/sparsecore/planner.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/relations.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

constexpr size_t kTile = static_cast<size_t>(Space::kTileSpmem), kSmem = static_cast<size_t>(Space::kSmemTile);

Program Read(std::string_view text) {
  Program program;
  const absl::Status status = ParseProgram("p", text, program);
  EXPECT_TRUE(status.ok()) << status;
  return program;
}
constexpr std::string_view kPlain =
    "sparsecore v6e scratch a tile_spmem f32[256] scratch s smem_tile s32[] use a use s "
    "scope allocate b tile_spmem f32[1024] allocate c tile_spmem f32[512] use b use c end copy a work";

Answer ModelOf(const Program& program) {
  Answer answer;
  RunModel(program, answer);
  return answer;
}

std::string First(const Program& program, const Answer& answer) {
  Reasons reasons;
  JudgeAnswer(program, answer, promise::kAll, reasons);
  if (reasons.empty()) return "";
  return std::string(reasons.list()[0].oracle) + "/" + std::string(reasons.list()[0].detail);
}

Placed* Find(const Program& program, Answer& answer, std::string_view name) {
  for (Placed& placed : answer.placed) {
    if (placed.buffer < program.buffers.size() && program.buffers[placed.buffer].name == name) return &placed;
  }
  return nullptr;
}

TEST(SparseCoreOracles, EachSeesWhatItIsFor) {
  const Program fits = Read(kPlain), refused = Read("sparsecore v6e scope allocate a tile_spmem f32[65537] use a end work");
  const Answer good = ModelOf(fits), over = ModelOf(refused);
  ASSERT_EQ(good.status, Status::kPlanned) << Summary(good);
  ASSERT_EQ(over.status, Status::kOverBound) << Summary(over);
  EXPECT_EQ(First(fits, good), "");
  EXPECT_EQ(First(refused, over), "");
  struct Example {
    std::string_view reason;
    const Program& program;
    std::function<void(Answer&)> spoil;
  };
  const std::vector<Example> examples = {
      {"ends/died", fits, [](Answer& a) { a = {}, a.status = Status::kDied; }},
      {"ends/hung", fits, [](Answer& a) { a = {}, a.status = Status::kHung; }},
      {"answer_is_readable/rubbish", fits, [](Answer& a) { a = {}, a.status = Status::kRubbish; }},
      {"answer_is_readable/both", fits, [](Answer& a) { a.message = "E3000"; }},
      {"takes_what_it_promised/declined", fits, [](Answer& a) { a = {}, a.status = Status::kDeclined; }},
      {"overrun_is_told/missing", refused, [](Answer& a) { a.overrun.reset(); }},
      {"high_water_is_told/missing", fits, [](Answer& a) { a.high_water[kSmem].reset(); }},
      {"live_buffers_are_apart/tile_spmem", fits, [&](Answer& a) { Find(fits, a, "c")->base = Find(fits, a, "b")->base; }},
      {"live_buffers_are_apart/tile_spmem", fits, [&](Answer& a) { Find(fits, a, "b")->base = 0; }},  // the tile's part of spmem
      {"places_are_in_their_memory/above", fits, [&](Answer& a) { Find(fits, a, "s")->base = 5000, a.high_water[kSmem] = 2047; }},
      {"a_buffer_has_room/tile_spmem", fits, [&](Answer& a) { Find(fits, a, "c")->words = 511; }},
      {"written_buffers_are_placed/missing", fits, [&](Answer& a) { a.placed.erase(a.placed.begin()); }},
      {"written_buffers_are_placed/memory", fits, [&](Answer& a) { Find(fits, a, "s")->space = Space::kHbm, Find(fits, a, "s")->base = 5000; }},
      {"overrun_is_over/fits", refused, [](Answer& a) { a.overrun->bound = a.overrun->limit; }},
      {"overrun_is_over/words", refused, [](Answer& a) { a.overrun->words = a.overrun->bound + 2; }},
      {"limit_is_the_memorys/tile_spmem", refused, [](Answer& a) { --a.overrun->limit; }},
      {"high_water_is_the_highest/low", fits, [](Answer& a) { a.high_water[kTile] = 1000; }},
      {"high_water_is_the_highest/high", fits, [](Answer& a) { a.high_water[kTile] = 70000; }},
      {"what_lives_fits/tile_spmem", refused, [](Answer& a) { a = {}, a.status = Status::kPlanned, a.high_water.fill(65536); }},
      {"what_lives_fits/high_water", fits, [](Answer& a) { a.placed.clear(), a.high_water[kTile] = 1500; }},
      {"a_refusal_has_a_reason/tile_spmem", refused, [](Answer& a) { a.overrun->bound += 1 << 20; }},
      {"text_reads_back/unknown", refused, [](Answer& a) { a.message = "no"; }},
      {"text_reads_back/numbers", refused, [](Answer& a) { ++a.overrun->bound; }},
  };
  std::set<std::string> seen;
  for (const Example& example : examples) {
    Answer answer = &example.program == &fits ? good : over;
    example.spoil(answer);
    Reasons reasons;
    JudgeAnswer(example.program, answer, promise::kAll, reasons);
    bool found = false;
    for (const Reason& reason : reasons.list()) {
      found = found || std::string(reason.oracle) + "/" + std::string(reason.detail) == example.reason;
    }
    EXPECT_TRUE(found) << example.reason << ", but " << First(example.program, answer);
    seen.insert(std::string(example.reason.substr(0, example.reason.find('/'))));
  }
  for (const OracleRow& row : Oracles()) EXPECT_TRUE(seen.count(std::string(row.info.name))) << row.info.name;
}

TEST(SparseCoreOracles, NoneIsAskedWithoutItsPromise) {
  const Program fits = Read(kPlain);
  Answer answer;
  answer.status = Status::kPlanned;  // of a compiler that tells nothing else
  Reasons reasons;
  JudgeAnswer(fits, answer, promise::kDeterminism, reasons);
  EXPECT_TRUE(reasons.empty()) << reasons.list()[0].text;
}

TEST(SparseCoreOracles, NoAnswerIsTooOddForThem) {
  for (uint64_t seed = 0; seed < 2'000; ++seed) {
    Choices choices = Choices::FromSeed(seed, false);
    Program program;
    GenerateProgram(choices, {}, program);
    Answer answer;
    answer.status = static_cast<Status>(choices.Below(kStatuses));
    const auto number = [&] { return choices.Below(2) == 0 ? choices.Below(100) : choices.Bits(); };
    if (choices.Below(2) == 0) answer.overrun = Overrun{static_cast<Space>(choices.Below(kSparseCoreSpaces)), number(), number(), number(), static_cast<uint32_t>(number())};
    for (auto& high : answer.high_water) {
      if (choices.Below(2) == 0) high = number();
    }
    for (uint64_t n = choices.Below(20); n > 0; --n) {
      answer.placed.push_back({static_cast<uint32_t>(number()), static_cast<uint32_t>(number()), static_cast<Space>(choices.Below(kSparseCoreSpaces)), number(), number()});
    }
    Reasons reasons;
    JudgeAnswer(program, answer, promise::kAll, reasons);
    EXPECT_FALSE(PrintAnswer(program, answer).empty());
    Answer unpacked;
    ASSERT_TRUE(UnpackAnswer(PackAnswer(answer), unpacked));
    EXPECT_TRUE(unpacked == answer);
    const std::string bytes = PackAnswer(answer);
    (void)UnpackAnswer(std::string_view(bytes).substr(0, choices.Below(bytes.size())), unpacked);
  }
}

// ---- Relations ----

std::string Related(std::string_view relation, std::string_view text) {
  for (const RelationRow& row : Relations()) {
    Program into;
    if (row.info.name != relation) continue;
    return row.relate(Read(text), into) ? PrintProgram(into) : "none";
  }
  return "no such relation";
}
std::string Printed(std::string_view text) { return PrintProgram(Read(text)); }

TEST(SparseCoreRelations, ChangeWhatTheySay) {
  EXPECT_EQ(Related("a_type_is_its_bits", "scratch a tile_spmem bf16[8] use a"), Printed("scratch a tile_spmem s16[8] use a"));
  EXPECT_EQ(Related("a_type_is_its_bits", "scratch a smem_tile s32[8] use a"), "none");
  EXPECT_EQ(Related("work_takes_nothing", "copy"), Printed("work copy"));
  EXPECT_EQ(Related("a_scope_leaves_nothing", "scope allocate a tile_spmem f32[8] use a end"), "none");  // the last may be hoisted
  EXPECT_EQ(Related("a_scope_leaves_nothing", "scope allocate a tile_spmem f32[8] use a end work"),
            Printed("scope allocate a tile_spmem f32[8] use a end scope allocate a_again tile_spmem f32[8] use a_again end work"));
  EXPECT_EQ(Related("trips_do_not_count", "for 2 copy end"), Printed("for 3 copy end"));
  EXPECT_EQ(Related("trips_do_not_count", "for 1 copy end"), "none");
  EXPECT_EQ(Related("scratch_can_be_scoped", "scratch a tile_spmem f32[8] use a work"),
            Printed("scope allocate a tile_spmem f32[8] use a work end work"));
  EXPECT_EQ(Related("scratch_can_be_scoped", "scratch a tile_spmem f32[8] use a"), "none");
  EXPECT_EQ(Related("a_smaller_buffer_is_no_worse", "scratch a tile_spmem f32[8,128] use a"), Printed("scratch a tile_spmem f32[8,127] use a"));
  EXPECT_EQ(Related("a_higher_limit_is_no_worse", "limit spmem 99 copy"), Printed("limit spmem 149 copy"));
  EXPECT_EQ(Related("a_higher_limit_is_no_worse", "copy"), "none");
}

// ---- Comparison ----

std::string Compared(std::string_view text, const std::function<void(Answer&)>& change) {
  const Program program = Read(text);
  const Answer reference = ModelOf(program);
  Answer answer = reference;
  change(answer);
  Reasons reasons;
  CompareAnswers(program, reference, answer, reasons);
  return reasons.empty() ? "" : std::string(reasons.list()[0].detail);
}

TEST(SparseCoreCompare, SaysWhatDiffers) {
  const std::string_view over = "sparsecore v6e scope allocate a tile_spmem f32[65537] use a end work";
  EXPECT_EQ(Compared(kPlain, [](Answer&) {}), "");
  EXPECT_EQ(Compared(kPlain, [](Answer& a) { a.high_water.fill(std::nullopt), a.placed.clear(); }), "");
  EXPECT_EQ(Compared(kPlain, [](Answer& a) { ++*a.high_water[kTile]; }), "high_water");
  EXPECT_EQ(Compared(kPlain, [](Answer& a) { ++a.placed[0].base; }), "placed");
  EXPECT_EQ(Compared(kPlain, [](Answer& a) { a = {}, a.status = Status::kOverBound; }), "refuses");
  EXPECT_EQ(Compared(kPlain, [](Answer& a) { a = {}, a.status = Status::kDeclined; }), "not_compiled");
  EXPECT_EQ(Compared(kPlain, [](Answer& a) { a = {}, a.status = Status::kDied; }), "");  // an oracle says it
  EXPECT_EQ(Compared(over, [](Answer& a) { a = {}, a.status = Status::kPlanned; }), "accepts");
  EXPECT_EQ(Compared(over, [](Answer& a) { a = {}, a.status = Status::kOverHighWater; }), "refuses_otherwise");
  EXPECT_EQ(Compared(over, [](Answer& a) { ++a.overrun->bound; }), "bound");
  EXPECT_EQ(Compared(over, [](Answer& a) { --a.overrun->words; }), "words");
  EXPECT_EQ(Compared(over, [](Answer& a) { a.overrun->space = Space::kSpmem; }), "space");
  EXPECT_EQ(Compared(over, [](Answer& a) { ++a.overrun->limit; }), "limit");
  EXPECT_EQ(Compared(over, [](Answer& a) { a.overrun->buffer = kNoBuffer; }), "");
  const std::string_view huge = "scratch a tile_spmem f32[288230376151711744] use a";
  EXPECT_EQ(Compared(huge, [](Answer& a) { a = {}, a.status = Status::kPlanned; }), "accepts_huge");
}

// ---- Structure ----

TEST(SparseCoreStructure, WhatIsVisibleAndHowLongItLives) {
  const Program program = Read("scratch c tile_spmem f32[] if allocate a tile_spmem f32[] use a else allocate b tile_spmem f32[] end work");
  Structure structure;
  FindStructure(program, structure);
  EXPECT_TRUE(structure.IsVisible(program, 1, 3));
  EXPECT_FALSE(structure.IsVisible(program, 1, 5));  // in the other branch
  EXPECT_EQ(structure.lives_to[1], 4u);
  EXPECT_EQ(structure.lives_to[2], 6u);
  EXPECT_FALSE(structure.IsVisible(program, 2, 7));
  EXPECT_TRUE(structure.IsVisible(program, 0, 0));  // kernel-level
  EXPECT_EQ(structure.partner[1], 6u);
}

TEST(SparseCoreStructure, TheMostThatLives) {
  const Program program = Read("scratch s tile_spmem f32[64] use s scope allocate a tile_spmem f32[10] use a scope allocate b tile_spmem f32[20] use b end "
                               "allocate c tile_spmem f32[5] use c end scope allocate d tile_spmem f32[29] use d end");
  Structure structure;
  FindStructure(program, structure);
  std::vector<uint64_t> words;
  for (const Buffer& buffer : program.buffers) words.push_back(LeastWords(buffer));
  const MostLive most = MostLiveWords(program, structure, WrittenBuffers(program, structure), words);
  EXPECT_EQ(most[static_cast<size_t>(Space::kSpmem)], 64u * 16);
  EXPECT_EQ(most[kTile], 64u + 30);
}

}  // namespace
}  // namespace oomph::sparsecore
