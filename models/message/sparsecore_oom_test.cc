// E3000 and E3001 texts, both ways.
#include "models/message/sparsecore_oom.h"

#include <string>

#include "gtest/gtest.h"

namespace oomph {
namespace {

// As openxla.org prints it for error 3000.
constexpr std::string_view kPublished =
    "INTERNAL:Failed to run pass pipeline. Hlo-Op: result.1:279:1: error: 'memref.alloca' op current allocation offset "
    "upper bound (140704 words) exceeds the legitimate user allocatable offset upper bound (131071 words) in memory "
    "space 201 when allocating 23440 words. result.1:279:1: note: see current operation: %232 = \"memref.alloca\"() "
    "<{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<23440xf32, 201>";

// libtpu 0.0.52, v6e: two scopes, one after the other, as a whole kernel.
constexpr std::string_view kNamed =
    "INTERNAL: Failed to run MLO pass pipeline.f.6:56:1: error: 'memref.alloca' op E3000: "
    "CompileTimeSparseCoreAllocationFailure: current allocation offset upper bound (80127 words) exceeds the legitimate "
    "user allocatable offset upper bound (65535 words) in memory space tile_spmem when allocating 40064 words\n"
    "See https://openxla.org/xla/errors/error_3000 for more details.\n"
    "f.6:56:1: note: see current operation: %49 = \"memref.alloca\"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> "
    "memref<313x128xf32, #sc_tpu.memory_space<tile_spmem>>\n"
    "main.1:1:1: error: NOTE: Failed in pass AllocationAssignment\n";

// Two of 2^58 words, as libtpu 0.0.52 prints it.
TEST(SparseCoreOom, ReadsWrappedNumbers) {
  const auto oom = ReadSparseCoreOom(
      "f.6:56:1: error: 'memref.alloca' op E3000: CompileTimeSparseCoreAllocationFailure: current allocation offset upper bound "
      "(9223372036854775807 words) exceeds the legitimate user allocatable offset upper bound (1048575 words) in memory space spmem "
      "when allocating -4611686018427387904 words");
  ASSERT_TRUE(oom.ok()) << oom.status();
  EXPECT_EQ(oom->bound, INT64_MAX);
  EXPECT_EQ(oom->words, -4611686018427387904);
  EXPECT_EQ(oom->base(), -4611686018427387904);
}

TEST(SparseCoreOom, ReadsThePublishedText) {
  const auto oom = ReadSparseCoreOom(kPublished);
  ASSERT_TRUE(oom.ok()) << oom.status();
  EXPECT_EQ(oom->bound, 140704);
  EXPECT_EQ(oom->limit, 131071);
  EXPECT_EQ(oom->words, 23440);
  EXPECT_EQ(oom->base(), 117265);
  EXPECT_EQ(oom->space, "201");
  EXPECT_EQ(oom->memory, SparseCoreSpace::kTileSpmem);
  EXPECT_EQ(oom->place, "result.1:279:1");
  EXPECT_EQ(oom->value, "%232");
  EXPECT_EQ(oom->type, "memref<23440xf32, 201>");
  EXPECT_TRUE(oom->numbered);
  EXPECT_EQ(PrintSparseCoreOom(*oom), kPublished);
}

TEST(SparseCoreOom, ReadsTheCompilersText) {
  const auto oom = ReadSparseCoreOom(kNamed);
  ASSERT_TRUE(oom.ok()) << oom.status();
  EXPECT_EQ(oom->base(), 40064);
  EXPECT_EQ(oom->memory, SparseCoreSpace::kTileSpmem);
  EXPECT_EQ(oom->place, "f.6:56:1");
  EXPECT_EQ(oom->value, "%49");
  EXPECT_EQ(oom->type, "memref<313x128xf32, #sc_tpu.memory_space<tile_spmem>>");
  EXPECT_FALSE(oom->numbered);
  EXPECT_EQ(PrintSparseCoreOom(*oom), kNamed);
}

TEST(SparseCoreOom, ReadsItInALogAndEscaped) {
  std::string quoted = "E0530 12:00:00.1 current state\njaxlib.XlaRuntimeError: '";
  for (const char c : kNamed) quoted += c == '\n' ? std::string("\\n") : c == '\'' ? "\\'" : std::string(1, c);
  const auto oom = ReadSparseCoreOom(quoted + "'");
  ASSERT_TRUE(oom.ok()) << oom.status();
  EXPECT_EQ(*oom, *ReadSparseCoreOom(kNamed));
  std::string wrapped(kPublished);
  for (size_t at = wrapped.find(' ', 60); at != wrapped.npos; at = wrapped.find(' ', at + 60)) wrapped[at] = '\n';
  EXPECT_EQ(*ReadSparseCoreOom(wrapped), *ReadSparseCoreOom(kPublished));
}

TEST(SparseCoreOom, TellsTheMemoriesOfOneNumberByTheLimit) {
  const auto memory = [](std::string_view space, int64_t limit) {
    SparseCoreOom oom = {limit + 1, limit, 1, std::string(space), {}, "f:1:1", "%0", "memref<i32>", true};
    return ReadSparseCoreOom(PrintSparseCoreOom(oom))->memory;
  };
  EXPECT_EQ(memory("0", 2046), SparseCoreSpace::kSmemTile);
  EXPECT_EQ(memory("0", 16326), SparseCoreSpace::kSmemScs);
  EXPECT_EQ(memory("204", 58), SparseCoreSpace::kSflagTile);
  EXPECT_EQ(memory("204", 6948), SparseCoreSpace::kSflagScs);
  EXPECT_EQ(memory("203", 1), SparseCoreSpace::kHbm);
  EXPECT_EQ(memory("205", 1), std::nullopt);
}

TEST(SparseCoreOom, FindsNothingElsewhere) {
  for (const std::string_view text : {"", "current", "current allocation offset upper bound (x words)",
                                      "Ran out of memory in memory space vmem while allocating on stack"}) {
    EXPECT_EQ(ReadSparseCoreOom(text).status().code(), absl::StatusCode::kNotFound) << text;
  }
  std::string many;
  for (int i = 0; i < 100000; ++i) many += "current allocation offset upper ";
  EXPECT_FALSE(ReadSparseCoreOom(many).ok());
}

TEST(SparseCoreOom, ReadsEmbeddingTables) {
  const auto table = ReadEmbeddingTable(
      "XLA:TPU compile permanent error. Compilation failure: No viable logical replica count for the embedding table "
      "with metadata: max_nz_per_row = 141352, max_unique_nz_per_row = 8, feature_width = 8, sample_count = 204800 (last "
      "tried split factor for vector splitting = 1, last tried split factor for sample dimension splitting = 1, "
      "fixed_size_allocation_bytes = 410880, row_dependent_size_allocation_bytes = 1696224, total_spmem_size_bytes = "
      "524288) ...");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(*table, (EmbeddingTable{141352, 8, 8, 204800, 410880, 1696224, 524288}));
  EXPECT_EQ(ReadEmbeddingTable("x").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace oomph
