// Plans, refusals and their texts; the planner against its specification.
#include "models/sparsecore/planner.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <tuple>

#include "gtest/gtest.h"
#include "models/message/sparsecore_oom.h"
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
  EXPECT_EQ(HighWater(answer, Space::kTileSpmem), 0);
  EXPECT_EQ(HighWater(answer, Space::kSflagTile), 2);
  EXPECT_EQ(HighWater(answer, Space::kSmemScs), 25);
  EXPECT_EQ(HighWater(answer, Space::kSflagScs), 12);
  const Answer scalar = Planned("sparsecore v5p core scalar");
  EXPECT_EQ(HighWater(scalar, Space::kHbm), 4096);
  EXPECT_EQ(HighWater(scalar, Space::kSflagTile), 0);
  EXPECT_EQ(HighWater(scalar, Space::kSflagScs), 11);
}

// The sample of the page on error 3000, letter for letter.
TEST(SparseCorePlanner, PrintsThePublishedSample) {
  const Answer answer = Planned(
      "sparsecore v5p tiling none wording numbered allocate a tile_spmem f32[117265] use a "
      "allocate r tile_spmem f32[23440] at result.1:279:1 %232 use r");
  EXPECT_EQ(answer.message,
            "INTERNAL:Failed to run pass pipeline. Hlo-Op: result.1:279:1: error: 'memref.alloca' op current allocation "
            "offset upper bound (140704 words) exceeds the legitimate user allocatable offset upper bound (131071 words) "
            "in memory space 201 when allocating 23440 words. result.1:279:1: note: see current operation: %232 = "
            "\"memref.alloca\"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<23440xf32, 201>");
  const auto oom = ReadSparseCoreOom(answer.message);
  ASSERT_TRUE(oom.ok()) << oom.status();
  EXPECT_EQ(oom->base(), 117265);
  EXPECT_EQ(static_cast<uint64_t>(oom->bound), answer.overrun->bound);
  EXPECT_EQ(oom->memory, answer.overrun->space);
  EXPECT_EQ(Planned("sparsecore v5p tiling none allocate a tile_spmem f32[131072] use a").status, Status::kPlanned);
}

// libtpu 0.0.52, v6e: two scopes of 40000 as a whole kernel.
TEST(SparseCorePlanner, PrintsTheCompilersText) {
  const Answer answer = Planned(
      "sparsecore v6e scope allocate a tile_spmem f32[40000] at f.6:56:1 %49 use a end "
      "scope allocate b tile_spmem f32[40000] use b end");
  EXPECT_EQ(answer.message,
            "INTERNAL: Failed to run MLO pass pipeline.f.6:56:1: error: 'memref.alloca' op E3000: "
            "CompileTimeSparseCoreAllocationFailure: current allocation offset upper bound (80127 words) exceeds the "
            "legitimate user allocatable offset upper bound (65535 words) in memory space tile_spmem when allocating "
            "40064 words\nSee https://openxla.org/xla/errors/error_3000 for more details.\nf.6:56:1: note: see current "
            "operation: %49 = \"memref.alloca\"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<313x128xf32, "
            "#sc_tpu.memory_space<tile_spmem>>\nmain.1:1:1: error: NOTE: Failed in pass AllocationAssignment\n");
}

// Of pairs of branches that both do not fit, which is refused and where: A is 128000 words, B 128064. Found with
// tile Smem and linear tiling on v6e.
TEST(SparseCorePlanner, HoistsInTheMeasuredOrder) {
  struct Row {
    std::string_view program;
    uint64_t base, words;
    uint64_t base_before_a_copy;  // where a copy follows; which branch it is then: the same if base is
    uint64_t words_before_a_copy;
  };
  constexpr uint64_t kA = 128000, kB = 128064;
  constexpr Row kRows[] = {
      {"c A | B .", 0, kB, 0, kA},
      {"8 c A | B . .", 8, kB, 8, kB},
      {"8 16 . c A | B . .", 24, kB, 8, kB},
      {"8 8 c A | B . . .", 16, kB, 16, kB},
      {"8 8 c A | B . . 8 . .", 16, kA, 16, kB},
      {"f c A | B . .", 0, kB, 0, kB},
      {"8 f c A | B . . .", 8, kB, 8, kB},
      {"f 8 c A | B . . .", 8, kB, 8, kB},
      {"f 8 c A | B . . 8 . .", 8, kB, 8, kB},
      {"c 8 c A | B . . 8 . .", 16, kB, 8, kB},
      {"8 c c A | B . . .", 8, kB, 8, kB},
      {"8 c c 8 . | A . | c B | 8 . . . .", 24, kA, 16, kB},
      {"8 c 8 8 c A | B . . 8 . . . .", 24, kA, 24, kA},
      {"f c 8 8 c A | B . . 8 . . . .", 16, kA, 16, kA},
      {"8 f c A | B . . 8 . .", 8, kA, 8, kB},
      {"8 c c 8 . | A . | 8 c B | 16 . . . . .", 32, kB, 32, kB},
      {"8 c 8 c A | 16 . . . | c B | 8 . . . .", 24, kA, 16, kB},
      {"8 c 8 8 c A | B . . 32 . . | c 8 . | 64 . . . .", 88, kA, 96, kA},
  };
  for (const Row& row : kRows) {
    for (const bool copied : {false, true}) {
      std::string text = "sparsecore v6e tiling linear ";
      int buffers = 0;
      for (const char* at = row.program.data(); at < row.program.data() + row.program.size(); ++at) {
        const auto scope = [&](uint64_t words, bool whole) {
          const std::string name = "b" + std::to_string(buffers++);
          text += "scope allocate " + name + " smem_tile s32[" + std::to_string(words) + "] use " + name + " ";
          if (whole) text += "end ";
        };
        if (*at == 'A' || *at == 'B') scope(*at == 'A' ? kA : kB, true);
        if (*at >= '0' && *at <= '9') {
          char* end = nullptr;
          scope(std::strtoull(at, &end, 10), false);
          at = end - 1;
        }
        if (*at == 'c') text += "if ";
        if (*at == 'f') text += "for 7 ";
        if (*at == '|') text += "else ";
        if (*at == '.') text += "end ";
      }
      const Answer answer = Planned(text + (copied ? "copy" : ""));
      ASSERT_TRUE(answer.overrun.has_value()) << text;
      EXPECT_EQ(answer.overrun->words, copied ? row.words_before_a_copy : row.words) << row.program << copied;
      EXPECT_EQ(answer.overrun->bound + 1 - answer.overrun->words, copied ? row.base_before_a_copy : row.base)
          << row.program << copied;
    }
  }
}

// What is behind E3000, each with the largest that passes.
TEST(SparseCorePlanner, ChecksWhatIsUsedInTheEnd) {
  const auto status = [](const std::string& head, std::string_view buffer, uint64_t words, std::string_view more = "") {
    return Planned("sparsecore " + head + " scratch a " + std::string(buffer) + "[" + std::to_string(words) + "] use a " +
                   std::string(more))
        .status;
  };
  // 2046 words of tile Smem.
  const std::string_view six = "scratch b smem_tile s32[3] use b scratch c smem_tile s32[] use c";
  EXPECT_EQ(status("v6e tiling linear", "smem_tile s32", 2032, six), Status::kPlanned);
  EXPECT_EQ(status("v6e tiling none", "smem_tile s32", 2046), Status::kPlanned);
  EXPECT_EQ(status("v6e tiling none", "smem_tile s32", 2047), Status::kOverHighWater);
  EXPECT_EQ(status("v6e tiling none", "smem_tile s32", 2048), Status::kOverBound);
  // Of the scalar core's: 17 + 16256 + 8.
  EXPECT_EQ(status("v5p core scalar tiling linear", "smem_scs s32", 16256), Status::kPlanned);
  EXPECT_EQ(status("v5p core scalar tiling linear", "smem_scs s32", 16264), Status::kOverHighWater);
  EXPECT_EQ(status("v6e core scalar tiling linear", "smem_scs s32", 16304), Status::kOverHighWater);
  EXPECT_EQ(status("v6e core scalar tiling linear", "smem_scs s32", 16312), Status::kOverBound);
  // Semaphores.
  for (const auto& [chip, tile, scalar] : {std::tuple{"v5p", 24, 7019}, {"v6e", 24, 7029}, {"7x", 56, 6929}}) {
    EXPECT_EQ(status(chip, "sflag_tile s32", tile), Status::kPlanned) << chip;
    EXPECT_EQ(status(chip, "sflag_tile s32", tile + 1), Status::kOverHighWater) << chip;
    EXPECT_EQ(status(chip, "sflag_tile s32", tile + 2), Status::kOverBound) << chip;
    const std::string of_scalar = std::string(chip) + " core scalar";
    EXPECT_EQ(status(of_scalar, "sflag_scs s32", scalar), Status::kPlanned) << chip;
    EXPECT_EQ(status(of_scalar, "sflag_scs s32", scalar + 1), Status::kOverHighWater) << chip;
    EXPECT_EQ(status(of_scalar, "sflag_scs s32", scalar + 11), Status::kOverHighWater) << chip;
    EXPECT_EQ(status(of_scalar, "sflag_scs s32", scalar + 12), Status::kOverBound) << chip;
    EXPECT_EQ(status(of_scalar, "sflag_scs s32", scalar, "copy"), Status::kOverHighWater) << chip;
  }
  // The texts, as far as they are told.
  EXPECT_NE(Planned("sparsecore v6e scratch a sflag_tile s32[25] use a")
                .message.find("Used 132B of 128B sparse_core_tile_sflag"),
            std::string::npos);
  EXPECT_NE(Planned("sparsecore v6e core scalar tiling linear scratch a smem_scs s32[16264] use a")
                .message.find("SCS Smem usage (16289) exceeds the user allocatable high limit (16282)"),
            std::string::npos);
  EXPECT_NE(Planned("sparsecore v6e core scalar scratch a sflag_scs s32[7038] use a")
                .message.find("SCS Sflag usage (7049) exceeds the user allocatable high limit (7048)"),
            std::string::npos);
  // A limit of the program's own is all there is.
  EXPECT_EQ(status("v6e tiling none limit smem_tile 2046", "smem_tile s32", 2047), Status::kPlanned);
}

TEST(SparseCorePlanner, RefusesMemoriesOfAnotherCore) {
  const Answer spmem = Planned("sparsecore v6e scope allocate a spmem f32[5000] use a end");
  EXPECT_EQ(spmem.status, Status::kNotHere);
  EXPECT_NE(spmem.message.find("core or tile-view memory space: spmem"), std::string::npos) << spmem.message;
  EXPECT_EQ(Planned("sparsecore v6e allocate a hbm f32[9,128] use a").status, Status::kNotHere);
  EXPECT_EQ(Planned("sparsecore v6e core scalar scope allocate a hbm f32[9,128] use a end").status, Status::kPlanned);
  const Answer tile = Planned("sparsecore v6e core scalar scratch a tile_spmem f32[8,128] use a");
  EXPECT_EQ(tile.status, Status::kDeclined);
  EXPECT_NE(tile.why.find("tile_spmem is no memory of the scalar core"), std::string::npos);
}

// Sizes that wrap in the compiler do not here.
TEST(SparseCorePlanner, TakesNoWrappedSizes) {
  const Answer one = Planned("sparsecore v6e scratch a tile_spmem f32[288230376151711744] use a");
  EXPECT_EQ(one.overrun->words, uint64_t{1} << 62);
  const Answer more = Planned("sparsecore v6e scratch a tile_spmem f32[1152921504606846976] use a");
  EXPECT_EQ(more.overrun->bound, UINT64_MAX);
  const Answer two = Planned(
      "sparsecore v6e limit tile_spmem 18446744073709551614 scope allocate a tile_spmem f32[9223372036854775808] use a "
      "allocate b tile_spmem f32[9223372036854775808] use b end copy");
  EXPECT_EQ(two.overrun->bound, UINT64_MAX);
}

TEST(SparseCorePlanner, TakesManyNestedScopes) {
  Program program;
  constexpr uint32_t kCount = 1'000'000;
  for (uint32_t i = 0; i < kCount; ++i) {
    program.statements.push_back({i % 3 == 0 ? Kind::kIf : Kind::kScope, kNoBuffer, 0});
    if (i % 10 != 0) continue;
    const uint32_t number = static_cast<uint32_t>(program.buffers.size());
    program.buffers.push_back({"b" + std::to_string(number), Space::kTileSpmem, Type::kF32, {}, {}, "", ""});
    program.statements.push_back({Kind::kAllocate, number, 0});
    program.statements.push_back({Kind::kUse, number, 0});
  }
  Answer answer;
  RunModel(program, answer);
  EXPECT_EQ(answer.status, Status::kOverBound);  // 65537 of one word
  EXPECT_EQ(answer.overrun->bound, 65536);
  Answer specified;
  Specification().Run(program, specified);
  EXPECT_EQ(specified.status, Status::kNotRun);
}

}  // namespace
}  // namespace oomph::sparsecore
