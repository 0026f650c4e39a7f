// Words of buffers: tiles, packing, units, what does not fit.
#include "models/sparsecore/words.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

Program Of(std::string_view head, std::string_view buffer) {
  Program program;
  const absl::Status status =
      ParseProgram("p.sc", std::string(head) + " allocate a " + std::string(buffer), program);
  EXPECT_TRUE(status.ok()) << status;
  return program;
}
uint64_t Compact(std::string_view buffer) {
  const Program program = Of("sparsecore v6e", buffer);
  return WordsOf(program, program.buffers[0], true);
}
uint64_t Linear(std::string_view buffer) {
  const Program program = Of("sparsecore v6e tiling linear", buffer);
  return WordsOf(program, program.buffers[0], true);
}
std::string MemRef(std::string_view head, std::string_view buffer) {
  const Program program = Of(head, buffer);
  return MemRefOf(program, program.buffers[0], true);
}

// The table of docs/FACTS.md, of every third shape.
TEST(SparseCoreWords, PadsAsMeasured) {
  EXPECT_EQ(Compact("tile_spmem f32[1]"), 128);
  EXPECT_EQ(Compact("tile_spmem bf16[513]"), 384);
  EXPECT_EQ(Compact("tile_spmem s8[2,1]"), 128);
  EXPECT_EQ(Compact("tile_spmem f32[3,5]"), 512);
  EXPECT_EQ(Compact("tile_spmem bf16[17,128]"), 1536);
  EXPECT_EQ(Compact("tile_spmem f32[8,129]"), 2048);
  EXPECT_EQ(Compact("tile_spmem s8[3,200]"), 256);
  EXPECT_EQ(Compact("tile_spmem s8[4,1,1]"), 512);
  EXPECT_EQ(Linear("tile_spmem bf16[129]"), 72);
  EXPECT_EQ(Linear("tile_spmem s8[8,129]"), 320);
  EXPECT_EQ(Linear("tile_spmem f32[4,1,1]"), 32);
}

// Inside of a kernel, as measured: f32 (9,128), (3,5), (2,3,5), (9,129), bf16 (9,128).
TEST(SparseCoreWords, KeepsRows) {
  const auto scoped = [](std::string_view buffer) {
    const Program program = Of("sparsecore v6e", buffer);
    return WordsOf(program, program.buffers[0], false);
  };
  EXPECT_EQ(scoped("tile_spmem f32[9,128]"), 1152);
  EXPECT_EQ(scoped("smem_tile s32[3,5]"), 384);
  EXPECT_EQ(scoped("tile_spmem f32[2,3,5]"), 768);
  EXPECT_EQ(scoped("tile_spmem f32[9,129]"), 4096);
  EXPECT_EQ(scoped("tile_spmem bf16[9,128]"), 1024);
  EXPECT_EQ(scoped("hbm f32[9,128]"), 144);
  const Program program = Of("sparsecore v6e", "spmem f32[1000000,128]");
  EXPECT_EQ(MemRefOf(program, program.buffers[0], false), "memref<1000000x1x1x128xf32, #sc_tpu.memory_space<spmem>>");
}

TEST(SparseCoreWords, OfTypes) {
  EXPECT_EQ(Compact("tile_spmem pred[128]"), 128);
  EXPECT_EQ(Compact("tile_spmem s4[1024]"), 128);
  EXPECT_EQ(Compact("tile_spmem s64[128]"), 256);
  EXPECT_EQ(Compact("tile_spmem f8e4m3fn[512]"), 128);
}

TEST(SparseCoreWords, OfSpaces) {
  EXPECT_EQ(Compact("smem_tile s32[]"), 1);
  EXPECT_EQ(Compact("tile_spmem bf16[]"), 1);
  EXPECT_EQ(Compact("sflag_tile s32[2,3]"), 6);
  EXPECT_EQ(Compact("hbm f32[1,128]"), 16);
  EXPECT_EQ(Linear("hbm f32[1,1]"), 1);
}

TEST(SparseCoreWords, OfATileOfItsOwn) {
  EXPECT_EQ(Linear("tile_spmem f32[9,128]/8x128"), 2048);
  const Program physical = Of("sparsecore tiling none", "tile_spmem f32[23440]");
  EXPECT_EQ(WordsOf(Of("sparsecore tiling none", "tile_spmem f32[23440]"), physical.buffers[0], true), 23440);
  EXPECT_EQ(Compact("tile_spmem f32[5,3]/4x0"), 24);
}

TEST(SparseCoreWords, ThatDoNotFit) {
  EXPECT_EQ(Compact("tile_spmem f32[18446744073709551615]"), UINT64_MAX);
  EXPECT_EQ(Compact("tile_spmem f32[4294967296,4294967296]"), UINT64_MAX);
  EXPECT_EQ(Compact("tile_spmem f32[4294967296,4294967296,0]"), 0);
  EXPECT_EQ(Compact("tile_spmem f32[288230376151711744]"), uint64_t{1} << 58);
  EXPECT_EQ(Compact("hbm s64[18446744073709551488]"), (uint64_t{1} << 62) - 32);
}

TEST(SparseCoreWords, PhysicalAsPrinted) {
  EXPECT_EQ(MemRef("sparsecore v6e", "tile_spmem f32[8000000]"),
            "memref<62500x128xf32, #sc_tpu.memory_space<tile_spmem>>");
  EXPECT_EQ(MemRef("sparsecore v6e", "spmem bf16[10000001]"),
            "memref<39063x1x128x2x1xbf16, #sc_tpu.memory_space<spmem>>");
  EXPECT_EQ(MemRef("sparsecore v6e", "spmem s8[1000001,8]"),
            "memref<125001x1x2x128x4x1xi8, #sc_tpu.memory_space<spmem>>");
  EXPECT_EQ(MemRef("sparsecore v6e", "spmem bf16[1000001,1,1]"),
            "memref<1000001x1x1x1x128x2x1xbf16, #sc_tpu.memory_space<spmem>>");
  EXPECT_EQ(MemRef("sparsecore v6e", "tile_spmem f8e4m3fn[80000001]"),
            "memref<156251x1x128x4x1xf8E4M3FN, #sc_tpu.memory_space<tile_spmem>>");
  EXPECT_EQ(MemRef("sparsecore v6e", "tile_spmem pred[80000001]"),
            "memref<625001x128xi32, #sc_tpu.memory_space<tile_spmem>>");
  EXPECT_EQ(MemRef("sparsecore v6e tiling linear", "spmem s8[1000001,3]"),
            "memref<1000001x1x32xi8, #sc_tpu.memory_space<spmem>>");
  EXPECT_EQ(MemRef("sparsecore v6e", "sflag_scs s32[10000]"), "memref<10000xi32, #sc_tpu.memory_space<sflag_scs>>");
  EXPECT_EQ(MemRef("sparsecore v6e tiling none wording numbered", "tile_spmem f32[23440]"), "memref<23440xf32, 201>");
  EXPECT_EQ(MemRef("sparsecore v6e", "smem_tile s32[]"), "memref<i32, #sc_tpu.memory_space<smem_tile>>");
}

}  // namespace
}  // namespace oomph::sparsecore
