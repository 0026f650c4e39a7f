// Programs as text and back, what is refused and where.
#include "models/sparsecore/text.h"

#include <string>

#include "gtest/gtest.h"

namespace oomph::sparsecore {
namespace {

Program Parsed(std::string_view text) {
  Program program;
  const absl::Status status = ParseProgram("p.sc", text, program);
  EXPECT_TRUE(status.ok()) << status;
  return program;
}

std::string ErrorOf(std::string_view text) {
  Program program;
  return std::string(ParseProgram("p.sc", text, program).message());
}

constexpr std::string_view kEverything =
    "sparsecore v5p core scalar tiling linear wording numbered\n"
    "limit tile_spmem 65535 first 0\n"
    "limit hbm first 4096\n"
    "scratch a tile_spmem f32[256]\n"
    "scratch b spmem bf16[8,128]\n"
    "scope\n"
    "  allocate c smem_tile s32[]\n"
    "  use c\n"
    "  for 7\n"
    "    load a\n"
    "    while\n"
    "      copy a\n"
    "    end\n"
    "  end\n"
    "  if\n"
    "    allocate r tile_spmem f32[9,128]/8x128 at result.1:279:1 %232\n"
    "  else\n"
    "    copy\n"
    "  end\n"
    "  for ?\n"
    "    work\n"
    "  end\n"
    "end\n";

TEST(SparseCoreText, PrintsWhatItReads) {
  const Program program = Parsed(kEverything);
  EXPECT_EQ(PrintProgram(program), kEverything);
  Program again = program;
  Normalize(again);
  EXPECT_EQ(again, program);
  EXPECT_EQ(program.target, Target::kV5p);
  EXPECT_EQ(program.buffers[3].value, "%232");
  EXPECT_EQ(PrintBuffer(program.buffers[3]), "tile_spmem f32[9,128]/8x128");
  EXPECT_EQ(program.statements[12].kind, Kind::kAllocate);
}

TEST(SparseCoreText, ReadsOnOneLine) {
  const Program program = Parsed("sparsecore 7x scope allocate a tile_spmem f32[8] use a copy work end # all of it");
  EXPECT_EQ(PrintProgram(program),
            "sparsecore 7x\nscope\n  allocate a tile_spmem f32[8]\n  use a\n  copy\n  work\nend\n");
}

TEST(SparseCoreText, AnyLineCanBeDeleted) {
  const std::string text(kEverything);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin) + 1;
    const Program program = Parsed(text.substr(0, begin) + text.substr(end));
    EXPECT_EQ(Parsed(PrintProgram(program)), program);
    begin = end;
  }
}

TEST(SparseCoreText, LeavesOutWhatMeansNothing) {
  EXPECT_EQ(PrintProgram(Parsed("end else use a if else else allocate a tile_spmem f32[8] end use a copy a scope")),
            "sparsecore v6e\nif\nelse\n  allocate a tile_spmem f32[8]\nend\ncopy\nscope\nend\n");
  // Kernel-level scratch is there from the beginning.
  EXPECT_EQ(PrintProgram(Parsed("use b use a scratch a tile_spmem f32[8] allocate b tile_spmem f32[8]")),
            "sparsecore v6e\nscratch a tile_spmem f32[8]\nuse a\nallocate b tile_spmem f32[8]\n");
}

TEST(SparseCoreText, GivesOneForm) {
  Program program;
  program.buffers.resize(4);
  program.buffers[0] = {"Scope", Space::kSpmem, Type::kToken, std::vector<uint64_t>(20, 1), {}, "%a b", "7"};
  program.buffers[1].name = "b0";
  program.buffers[2].name = "b0";
  program.limits = {{Space::kHbm, 1, 2}, {Space::kSpmem, {}, 3}, {Space::kHbm, 4, {}}, {Space::kSmemScs, {}, {}}};
  program.statements = {{Kind::kAllocate, 2, 3}, {Kind::kFor, 2, 3},      {Kind::kScratch, 0, 0}, {Kind::kAllocate, 2, 0},
                        {Kind::kUse, 9, 0},      {Kind::kAllocate, 1, 0}, {Kind::kScope, 1, 1},   {Kind::kUse, 0, 0}};
  Normalize(program);
  EXPECT_EQ(PrintProgram(program),
            "sparsecore v6e\nlimit spmem 3\nlimit hbm first 4\n"
            "scratch b1 spmem f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1] at _a_b %7\nallocate b0 tile_spmem f32[]\nfor 3\n"
            "  allocate b2 tile_spmem f32[]\n  scope\n    use b1\n  end\nend\n");
  EXPECT_EQ(Parsed(PrintProgram(program)), program);
}

TEST(SparseCoreText, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorOf("sparsecore v6e\nallocate a tile f32[8]"),
            "p.sc:2:12: expected spmem, tile_spmem, smem_tile, sflag_tile, smem_scs, sflag_scs or hbm, found 'tile'");
  EXPECT_EQ(ErrorOf("scratch a hbm f32[8] scratch a hbm f32[8]"),
            "p.sc:1:30: expected a name that is not there yet, found 'a'");
  EXPECT_EQ(ErrorOf("allocate a hbm float[8]"), "p.sc:1:16: expected a type such as f32, found 'float'");
  EXPECT_EQ(ErrorOf("for x"), "p.sc:1:5: expected a number, found 'x'");
  EXPECT_EQ(ErrorOf("allocate a hbm f32[18446744073709551616]"),
            "p.sc:1:20: expected a number below 2^64, found '18446744073709551616'");
  EXPECT_EQ(ErrorOf("sparsecore v4"), "p.sc:1:12: expected v5p, v6e, 7x, core, tiling, wording or a statement, found 'v4'");
  EXPECT_EQ(ErrorOf("use A"), "p.sc:1:5: expected a name of a-z, 0-9 and _, found 'A'");
}

TEST(SparseCoreText, KnowsItsTexts) {
  EXPECT_TRUE(LooksLikeProgram(kEverything));
  EXPECT_TRUE(LooksLikeProgram("# one\nscratch a tile_spmem f32[8]"));
  EXPECT_TRUE(LooksLikeProgram("scope end"));
  EXPECT_FALSE(LooksLikeProgram("scratch f32[8,128]"));  // a kernel of a TensorCore
  EXPECT_FALSE(LooksLikeProgram("for 7 days"));
  EXPECT_FALSE(LooksLikeProgram("HloModule m"));
  EXPECT_FALSE(LooksLikeProgram(""));
}

TEST(SparseCoreText, TakesManyNestedScopes) {
  std::string text = "sparsecore v6e\n";
  for (int i = 0; i < 100000; ++i) text += "scope ";
  const Program program = Parsed(text);
  EXPECT_EQ(program.statements.size(), 200000);
  EXPECT_LT(PrintProgram(program).size(), 20'000'000);
}

}  // namespace
}  // namespace oomph::sparsecore
