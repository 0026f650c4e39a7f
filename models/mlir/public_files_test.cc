// The allocations of the public MLIR files of the folder that OOMPH_MLIR_CASES names, against a table of them that was made
// by reading the files line by line, not by a reader of MLIR. Not for: what is in such a file besides (read_test.cc).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "models/mlir/read.h"
#include "models/mlir/values.h"

namespace oomph::mlir {
namespace {

// "LINE SIZES SPACE DEPTH; ..." in the order of the text: the line, followed by an a where it is a memref.alloca and else a
// memref.alloc; the sizes of its type; what stands last in it, - for nothing; in how many operations it stands. Files that are
// not named have none.
struct FileRow {
  const char* name;
  const char* allocations;
};
constexpr FileRow kFiles[] = {
    {"011",
     "26 4x4 #l1 2; 51 4x4 #l1 2; 53 4x4 #l1 2; 76 4x4 #l1 2"},
    {"013",
     "7 1x1x1x1 #ttcore.memory_space<l1> 1; 9 1x1x1x1 #ttcore.memory_space<l1> 1"
     "; 15 1x2x1x1 #ttcore.memory_space<l1> 1; 27 1x1 - 4"},
    {"014",
     "58 1x1x1x1 #l1 2; 59 1x1x1x1 #l1 2; 69 1x1 #l1 5; 71 1x1 #l1 5; 90 1x1 #l1 5; 92 1x1 #l1 5"},
    {"016",
     "18 1x1x16x16 #l1 2; 22 1x1x16x16 #dram 2; 29 16x16 #l1 3; 30 16x16 #l1 3; 31 16x16 #l1 3"},
    {"017",
     "8 1x1x4096x4096 #ttcore.memory_space<l1> 1"},
    {"019",
     "40 4x4 #l1 4; 66 4x4 #l1 4"},
    {"020",
     "23 1x1x16x16 #l1 2; 24 1x1x16x16 #l1 2; 25 1x1x16x16 #l1 2; 36 16x16 #l1 6; 38 16x16 #l1 6"
     "; 40 16x16 #l1 6"},
    {"022",
     "42 1x1x2x4 #l1 2; 43 1x1x2x4 #l1 2; 44 1x1x2x4 #l1 2; 58 2x4 - 5; 60 2x4 - 5; 62 2x4 - 5"},
    {"023",
     "22 1x1x16x16 #l1 2; 23 1x1x16x16 #l1 2; 24 1x1x16x16 #l1 2; 29 16x16 #l1 3; 30 16x16 #l1 3"
     "; 31 16x16 #l1 3"},
    {"025",
     "18 1x1x2x3 #dram 2; 19 1x1x3x4 #dram 2; 20 1x1x2x4 #l1 2; 29 2x3 #l1 3; 31 3x4 #l1 3"
     "; 33 2x4 #l1 3"},
    {"026",
     "34 1x1x2x3 #l1 2; 35 1x1x3x4 #l1 2; 36 1x1x2x4 #l1 2; 48 2x3 #l1 6; 50 3x4 #l1 6"
     "; 52 2x4 #l1 6; 73 1x1x2x3 #l1 2; 74 1x1x3x4 #l1 2; 75 1x1x2x4 #l1 2; 86 2x3 #l1 6"
     "; 88 3x4 #l1 6; 90 2x4 #l1 6; 122 1x1 #l1 5; 123 1x1 #l1 5"},
    {"028",
     "34 1x1x2x3 #l1 2; 35 1x1x3x4 #l1 2; 36 1x1x2x4 #l1 2; 48 2x3 #l1 6; 50 3x4 #l1 6"
     "; 52 2x4 #l1 6; 77 1x1x32x32 #ttcore.memory_space<l1> 2"
     "; 86 32x32 #ttcore.memory_space<l1> 5; 105 1x1x1x1 #ttcore.memory_space<dram> 2"
     "; 114 1x1 #ttcore.memory_space<l1> 5; 115 1x1 #ttcore.memory_space<l1> 5; 142 1x1 #dram 5"},
    {"029",
     "33 1x1x2x3 #l1 2; 34 1x1x3x4 #l1 2; 35 1x1x2x4 #l1 2; 47 2x3 #l1 6; 49 3x4 #l1 6"
     "; 51 2x4 #l1 6; 79 1x1 #l1 5"},
    {"031",
     "21 1x1x1x1 #l1_ 2; 25 2x3x1x1 #l1_ 2; 29 2x1x1x1 #l1_ 2; 37 1x1 #l1_ 3; 38 1x1 #l1_ 3"
     "; 39 1x1 #l1_ 3"},
    {"032",
     "12 1x1x4x4 #l1 2; 13 1x1x4x4 #l1 2; 23 4x4 #l1 3; 24 4x4 #l1 3; 27 1x8 #l1 3"
     "; 51 1x1x4x4 #l1 2; 52 1x1x4x4 #l1 2; 62 4x4 #l1 3; 63 4x4 #l1 3; 66 1x8 #l1 3"
     "; 101 1x1x4x4 #l1 2; 102 1x1x4x4 #l1 2; 112 4x4 #l1 3; 113 4x4 #l1 3; 116 1x8 #l1 3"
     "; 152 1x1x4x4 #l1 2; 153 1x1x4x4 #l1 2; 163 4x4 #l1 3; 166 1x4 #l1 3; 200 1x1x4x4 #l1 2"
     "; 201 1x1x4x4 #l1 2; 213 4x4 #l1 3; 214 4x4 #l1 3; 223 1x1x2x2 #l1 2; 224 1x1x2x2 #l1 2"
     "; 234 2x2 #l1 3; 235 2x2 #l1 3; 238 1x4 #l1 3"},
    {"035",
     "17 1024 1 2; 21 16 2 3"},
    {"037",
     "22 64x64 - 2; 35 64x64 1 2; 36 64x64 1 2; 37 64x64 1 2; 49 32x32 2 4; 50 32x32 2 4"
     "; 51 32x32 2 4"},
    {"038",
     "15 1 2 2; 16 1 2 2; 23 1 2 2"},
    {"040",
     "63 64 1 4; 80 64 1 4"},
    {"041",
     "39 32 1 : i32 4; 60 32 2 5; 112 32 1 : i32 4; 136 32 2 5; 184 32 1 : i32 4; 199 32 2 5"},
    {"043",
     "28 64x64 - 2; 53 32x32 2 5; 54 32x32 2 5; 55 32x32 2 5"},
    {"044",
     "43 32x32 2 5"},
    {"046",
     "37 2048 2 6; 47 2048 2 6"},
    {"047",
     "45 2048 2 6; 59 2048 2 6"},
    {"049",
     "51 32x32 2 5; 55 32x32 2 5; 59 32x32 2 5; 63 32x32 2 5"},
    {"050",
     "33 16 1 4; 39 16 2 5"},
    {"052",
     "40 32x32 2 5; 44 32x32 2 5"},
    {"053",
     "69 32x32 2 5; 115 32x32 2 5"},
    {"055",
     "35 32 2 2; 43 32 2 2; 77 32 2 2; 85 32 2 2"},
    {"056",
     "36 32 - 4; 48 32 1 5; 59 32 2 6"},
    {"058",
     "43 32 - 4; 55 32 1 5; 67 32 2 6"},
    {"059",
     "52 32 2 2; 61 32 2 2; 69 32 2 2; 77 32 2 2"},
    {"061",
     "195 2x3x4 3 1; 216a ?x?x? - 1; 505 32x32 3 1; 521 32x32 3 1"},
    {"062",
     "9a 16 - 1; 26a ? - 1; 50a ? - 2; 73a ? - 2; 98a ? - 2; 128a ?x? - 2; 147a 16 - 1"
     "; 162a ? - 1; 180a ? - 2; 200 ? - 2; 227 ? - 2"},
    {"064",
     "130a 512x384 - 1; 146a ?x384 - 1"},
    {"065",
     "10 1x?x32 3 1; 26 1x?x32 3 1; 36 ? 3 1; 47a ? 3 1; 60 ?x32 3 1"},
    {"067",
     "5a ? - 1; 13a 16384 - 1; 23a ? - 1; 33a ?x1024 - 1; 43a 16 - 1; 56a ? - 2; 64a 128 - 1"
     "; 75 16384 #iree_codegen.workgroup_local 1; 76a 1024 - 1"},
    {"068",
     "4a ? - 1; 14a ?x? - 1; 22a ?x16384 - 1; 33a ? - 1"},
    {"073",
     "19a 8x32 - 1; 96a 8x32 - 1"},
    {"079",
     "46a 16 - 1; 58a ? - 1; 69a 4 - 1; 82a 4 - 1"},
    {"080",
     "143a 512x384 - 1; 159a ?x384 - 1"},
    {"085",
     "20 2x2 - 1; 28a 2x2 - 1; 36 10x2 - 1; 48 20 - 1; 59 10x2 - 1; 70 10x2 - 1; 82 10x2 - 1"
     "; 94 10x2 - 1; 106 10x2 - 1; 118 10x2 - 1; 130 10x2 - 1; 142 10x2 - 1; 162 2x2 - 1"
     "; 170a 2x2 - 1; 178 2x2 - 1"},
    {"086",
     "16a 1 - 2; 24 10x2 - 2; 28a 1 - 2; 30 64x64 2 : i32 2; 31a 64x64 2 : i32 2; 34 ? - 2"
     "; 35 ?x?x? - 2; 36a ? - 2; 37a ?x?x? - 2"},
    {"088",
     "12a ?x? - 2"},
    {"089",
     "10a 1 - 2; 14 10x2 - 2; 19a 1 - 2; 24 100 10 2; 25 100 9 2; 26 100 - 2; 37 32x32 - 2"},
};
// What is no MLIR: a tensor type in it is not closed.
constexpr const char* kRefused = "034.mlir";
constexpr const char* kReason = "034.mlir:10:42: expected a bracket that is closed, found '('";
constexpr size_t kAllFiles = 58;

std::string AllocationText(const Module& module, const Operation& operation) {
  const Value& result = module.Results(operation)[0];
  const auto type = ReadShaped(module.Resolve(result.type));
  if (!type) return absl::StrCat("no type: ", std::string(result.type));
  const std::string sizes = absl::StrJoin(type->sizes, "x", [](std::string* out, int64_t size) {
    absl::StrAppend(out, size < 0 ? std::string("?") : std::to_string(size));
  });
  size_t depth = 0;
  for (Index block = operation.block; block != kNone; ++depth) {
    block = module.operations[module.regions[module.blocks[block].region].operation].block;
  }
  const std::string space(type->rest.empty() ? std::string_view("-") : type->rest.back());
  return absl::StrCat(module.LineOf(operation.name), operation.name == "memref.alloca" ? "a" : "", " ", sizes, " ", space, " ", depth);
}

std::string AllocationsOf(const Module& module) {
  std::vector<std::string> all;
  for (const Operation& operation : module.operations) {
    const bool is_one = operation.name == "memref.alloca" || operation.name == "memref.alloc";
    if (is_one && operation.results.count == 1) all.push_back(AllocationText(module, operation));
  }
  return absl::StrJoin(all, "; ");
}

TEST(MlirPublicFilesTest, HaveTheAllocationsOfTheTable) {
  const char* folder = std::getenv("OOMPH_MLIR_CASES");
  if (folder == nullptr) GTEST_SKIP() << "OOMPH_MLIR_CASES names no folder of MLIR files";
  std::map<std::string, std::string> expected;
  for (const FileRow& row : kFiles) expected[absl::StrCat(row.name, ".mlir")] = row.allocations;
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".mlir") continue;
    const std::string name = entry.path().filename().string();
    std::ifstream file(entry.path(), std::ios::binary);
    const auto module = Read(name, std::string(std::istreambuf_iterator<char>(file), {}));
    ++files;
    if (name == kRefused) {
      EXPECT_EQ(std::string(module.status().message()).substr(0, std::string(kReason).size()), kReason);
      continue;
    }
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ(AllocationsOf(*module), expected[name]) << name;
  }
  EXPECT_EQ(files, kAllFiles);
}

}  // namespace
}  // namespace oomph::mlir
