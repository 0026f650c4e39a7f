// Programs as MLIR and back, dumps of the compiler, the published sample.
#include "models/sparsecore/mlir.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/message/sparsecore_oom.h"
#include "models/mlir/read.h"
#include "models/mlir/values.h"
#include "models/sparsecore/answer_text.h"
#include "models/sparsecore/planner.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

std::vector<FromMlir> ReadAll(const std::string& text, Target target = Target::kV6e) {
  const auto module = mlir::Read("f.mlir", text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  const auto programs = ReadPrograms("some/f.mlir", *module, target);
  EXPECT_TRUE(programs.ok()) << programs.status();
  return programs.ok() ? *programs : std::vector<FromMlir>();
}

Program Parsed(const std::string& text) {
  Program program;
  const absl::Status status = ParseProgram("p", text, program);
  EXPECT_TRUE(status.ok()) << status;
  return program;
}

// Kinds and buffers' names, one word a statement.
std::string Words(const Program& program) {
  std::string words;
  for (const Statement& s : program.statements) {
    if (!words.empty()) words += ' ';
    words += std::string(KindWord(s.kind));
    if (s.buffer != kNoBuffer) words += ":" + program.buffers[s.buffer].name;
    if (s.kind == Kind::kFor) words += s.trips == kUnknownTrips ? ":?" : ":" + std::to_string(s.trips);
  }
  return words;
}

constexpr const char* kDump = R"(#loop = #llvm.loop_annotation<unroll = #llvm.loop_unroll<disable = true>>
module attributes {sc_tpu.mlo} {
  func.func @main.1(%arg0: memref<4096xi8, #sc_tpu.memory_space<hbm>>) attributes {sc.sequencer = "scs"} {
    %alloca = memref.alloca() : memref<0xi8, #sc_tpu.memory_space<hbm>>
    %alloca_0 = memref.alloca() : memref<4xi8, #sc_tpu.memory_space<sflag_scs>>
    %c0 = arith.constant 0 : index
    sc_tpu.trace(%c0 : index)
    %alloca_1 = memref.alloca() : memref<256xf32, #xir.tiled<(128),[1]>, #sc_tpu.memory_space<tile_spmem>>
    sc_tpu.tile_task tile_mask(%c0) execute({
      sc_tpu.trace(%c0 : index)
      memref.alloca_scope  {
        %n = sc_tpu.core_index : index
        scf.for %arg2 = %c0 to %n step %n {
          %true = arith.cmpi slt, %arg2, %n : index
          scf.if %true {
            %c1 = arith.constant 1 : index
            %c7 = arith.constant 7 : index
            scf.for %arg5 = %c0 to %c7 step %c1  : index {
              memref.alloca_scope  {
                %alloca_2 = memref.alloca() : memref<9x130xbf16, #xir.tiled<(8,128)(2,1),[2,1]>, #sc_tpu.memory_space<tile_spmem>>
                %view = xir.memref_slice %alloca_2[%c0] : memref<9x130xbf16, #xir.tiled<(8,128)(2,1),[2,1]>, #sc_tpu.memory_space<tile_spmem>> -> memref<16xbf16>
                %v = sc_tpu.vector_load base(%view : memref<16xbf16>) [%c0] : vector<16xbf16>
                sc_tpu.vector_store value(%v : vector<16xbf16>) base(%alloca_1 : memref<256xf32>) [%c0]
              }
            }
            scf.for %arg6 = %c0 to %n step %c1 iter_args(%arg7 = %c0) -> (index) {
              memref.alloca_scope  {
              }
              %next = arith.addi %arg7, %c1 : index
              scf.yield %next : index
            }
            scf.if %true {
              memref.alloca_scope  {
                %alloca_2 = memref.alloca() : memref<i32, #xir.tiled<,[]>, #sc_tpu.memory_space<sflag_tile>>
                sc_tpu.enqueue_transfer source(%arg0 : memref<4096xi8>) tgt_sflag(%alloca_2 : memref<i32>)
              }
            } else {
              sc_tpu.sfence all
            }
          }
        } {loop_annotation = #loop}
        sc_tpu.barrier barrier_id(%c0)
      }
      sc_tpu.terminator
    }) {xir.core_type = #xir.core_type<sc, vector>}
    sc_tpu.sfence all
    return
  }
}
)";

TEST(SparseCoreMlirTest, ADumpIsTheKernelWithoutWhatIsAroundIt) {
  const auto programs = ReadAll(kDump);
  ASSERT_EQ(programs.size(), 1u);
  const Program& program = programs[0].program;
  EXPECT_EQ(programs[0].function, "main.1");
  EXPECT_EQ(program.core, Core::kVector);
  EXPECT_EQ(program.wording, Wording::kNamed);
  EXPECT_EQ(Words(program),
            "scratch:alloca_1 for:7 scope allocate:alloca_2 load:alloca_2 use:alloca_1 end end for:? scope end work end if scope allocate:alloca_2_n2 use:alloca_2_n2 end "
            "else work end");
  ASSERT_EQ(program.buffers.size(), 3u);
  EXPECT_EQ(PrintBuffer(program.buffers[0]), "tile_spmem f32[256]/128");
  EXPECT_EQ(PrintBuffer(program.buffers[1]), "tile_spmem bf16[9,130]/8x128");
  EXPECT_EQ(PrintBuffer(program.buffers[2]), "sflag_tile s32[]");
  EXPECT_EQ(program.buffers[1].place, "f:20:17");
  EXPECT_EQ(program.buffers[1].value, "%alloca_2");
  EXPECT_TRUE(programs[0].left_out.empty());  // what the compiler adds is none
}

TEST(SparseCoreMlirTest, GenericAndNumbered) {
  const auto programs = ReadAll(R"("builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "g"}> ({
    %0 = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<4x8xi16, 201>
    %1 = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<3xi32>
    %t = "arith.constant"() <{value = true}> : () -> i1
    "scf.if"(%t) ({
      "memref.store"(%0) : (memref<4x8xi16, 201>) -> ()
      "scf.yield"() : () -> ()
    }, {
      "x.never"() : () -> ()
    }) : (i1) -> ()
    "scf.while"() ({
      "scf.condition"(%t) : (i1) -> ()
    }, {
      %2 = "memref.alloc"(%1) : (memref<3xi32>) -> memref<?xi32, 204>
      %3 = "memref.alloc"() : () -> memref<2xi32, 204 : i32>
      "scf.yield"() : () -> ()
    }) : () -> ()
    "x.odd"(%1) ({
      %4 = "memref.alloca"() : () -> memref<!x.y, 203>
      "x.end"() : () -> ()
    }) : (memref<3xi32>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
)");
  ASSERT_EQ(programs.size(), 1u);
  const Program& program = programs[0].program;
  EXPECT_EQ(program.wording, Wording::kNumbered);
  EXPECT_EQ(program.tiling, Tiling::kNone);
  EXPECT_EQ(Words(program), "scope allocate:v0 allocate:v1 use:v0 while allocate:v3 end use:v1 if work end end work");
  EXPECT_EQ(PrintBuffer(program.buffers[1]), "smem_tile s32[3]");
  EXPECT_EQ(PrintBuffer(program.buffers[2]), "sflag_tile s32[2]");
  ASSERT_EQ(programs[0].left_out.size(), 2u);
  EXPECT_NE(programs[0].left_out[0].find("f.mlir:15:7: memref<?xi32, 204> has a size that is not known"), std::string::npos);
  EXPECT_NE(programs[0].left_out[1].find("elements of a type that is not known: !x.y"), std::string::npos);
}

TEST(SparseCoreMlirTest, MemoriesOfOtherMachinesAreNone) {
  const auto programs = ReadAll("func.func @f() {\n  %0 = memref.alloc() : memref<8xf32>\n  %1 = memref.alloc() : memref<8xf32, 2>\n  return\n}\n");
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_TRUE(programs[0].program.buffers.empty());
  EXPECT_EQ(programs[0].left_out.size(), 2u);
  const auto module = mlir::Read("f.mlir", "module {\n}\n");
  EXPECT_FALSE(ReadPrograms("f.mlir", *module, Target::kV6e).ok());
  EXPECT_TRUE(LooksLikeMlir(kDump));
  EXPECT_TRUE(LooksLikeMlir("module {\n%0 = memref.alloca() : memref<8xf32, 201>\n}"));
  EXPECT_FALSE(LooksLikeMlir("module {\n%0 = memref.alloca() : memref<8xf32, 2010>\n}"));
  EXPECT_FALSE(LooksLikeMlir("sparsecore v6e\n"));
  Program program;
  EXPECT_NE(std::string(ReadFirstProgram("f", "func.func @f() {\n%0 = memref.alloc() : memref<8xf32>\n}", Target::kV6e, program).message())
                .find("f:2:1: memref<8xf32> is in no memory of a SparseCore"),
            std::string::npos);
}

// What is printed is read back to the same statements; a copy is the scope that it is.
TEST(SparseCoreMlirTest, PrintedProgramsReadBack) {
  const Program program = Parsed(R"(sparsecore v5p core vector tiling compact
limit tile_spmem 5000 first 16
scratch a tile_spmem f32[9,128]
scratch b smem_scs s32[4]
allocate c tile_spmem bf16[3,5]
use a
for 7
  allocate d sflag_tile s32[2]
  use d
  load c
end
for ?
  while
    scope
      allocate e hbm f32[8,128]
      use e
    end
  end
end
if
  copy c
else
  work
end
copy
)");
  const std::string text = PrintMlir(program);
  const auto programs = ReadAll(text);
  ASSERT_EQ(programs.size(), 1u);
  const Program& back = programs[0].program;
  EXPECT_EQ(Words(back),
            "scratch:a scratch:b allocate:c use:a for:7 allocate:d use:d load:c end for:? while scope allocate:e use:e end end end if scope "
            "allocate:copy_19 use:c use:copy_19 end else work end scope allocate:copy_20 use:copy_20 end");
  EXPECT_EQ(back.limits, program.limits);
  EXPECT_EQ(back.target, Target::kV5p);
  EXPECT_EQ(back.buffers[1].space, Space::kSmemScs);
  EXPECT_EQ(PrintBuffer(back.buffers[0]), "tile_spmem f32[2,1,8,128]");
  EXPECT_EQ(PrintMlir(back), PrintMlir(ReadAll(PrintMlir(back))[0].program));
}

// Words up to 117264, and then the allocation of openxla.org's page of E3000: result.1:279:1, %232, 23440 words of space 201.
TEST(SparseCoreMlirTest, ThePublishedSample) {
  std::string text = "module {\nfunc.func @main() {\n%0 = memref.alloca() : memref<117265xf32, 201>\n\"x.use\"(%0) : (memref<117265xf32, 201>) -> ()\n";
  for (int line = 5; line < 279; ++line) text += "// line\n";
  text += "%232 = memref.alloca() : memref<23440xf32, 201>\n\"x.use\"(%232) : (memref<23440xf32, 201>) -> ()\nreturn\n}\n}\n";
  const auto module = mlir::Read("result.1", text);
  ASSERT_TRUE(module.ok()) << module.status();
  for (const Target target : {Target::kV5p, Target::kV7x}) {
    const auto programs = ReadPrograms("result.1", *module, target);
    ASSERT_TRUE(programs.ok());
    Answer answer;
    RunModel(programs->front().program, answer);
    EXPECT_EQ(answer.message,
              "INTERNAL:Failed to run pass pipeline. Hlo-Op: result.1:279:1: error: 'memref.alloca' op current allocation offset upper bound "
              "(140704 words) exceeds the legitimate user allocatable offset upper bound (131071 words) in memory space 201 when allocating "
              "23440 words. result.1:279:1: note: see current operation: %232 = \"memref.alloca\"() <{operandSegmentSizes = array<i32: 0, "
              "0>}> : () -> memref<23440xf32, 201>");
    const auto oom = ReadSparseCoreOom(answer.message);
    ASSERT_TRUE(oom.ok()) << oom.status();
    EXPECT_EQ(oom->base(), 117265);
    EXPECT_EQ(oom->place, "result.1:279:1");
  }
}

TEST(SparseCoreMlirTest, TenThousandScopesInOneAnother) {
  constexpr size_t kDeep = 10'000;
  std::string text = "func.func @deep() {\n";
  for (size_t i = 0; i < kDeep; ++i) absl::StrAppend(&text, "memref.alloca_scope {\n%a", i, " = memref.alloca() : memref<i32, 201>\na.use %a", i, "\n");
  for (size_t i = 0; i < kDeep; ++i) text += "a.work\n}\n";
  Answer answer;
  RunModel(ReadAll(text + "return\n}\n")[0].program, answer);
  EXPECT_EQ(answer.status, Status::kPlanned);
  EXPECT_EQ(answer.high_water[static_cast<size_t>(Space::kTileSpmem)], kDeep);
}

// What the compiler's own file after planning says it used, by memory.
std::map<Space, uint64_t> UsedIn(const std::string& after) {
  constexpr std::pair<std::string_view, Space> kNames[] = {
      {"tilespmem_words", Space::kTileSpmem}, {"tec_smem_words", Space::kSmemTile},   {"tec_sflag_words", Space::kSflagTile},
      {"scs_smem_words", Space::kSmemScs},    {"scs_sflag_words", Space::kSflagScs}, {"hbm_words", Space::kHbm}};
  std::map<Space, uint64_t> used;
  const auto module = mlir::Read("after", after);
  if (!module.ok() || module->operations.empty()) return used;
  const auto mark = module->Find(module->operations[0], "sc.alloc_high_water_mark");
  const auto named = mark ? mlir::ReadNamed(*mark) : std::nullopt;
  if (!named) return used;
  const std::string all = absl::StrCat("{", std::string(named->body), "}");
  for (const auto& [name, space] : kNames) {
    const auto words = mlir::Entry(all, name);
    if (words) used[space] = static_cast<uint64_t>(mlir::Integer(*words).value_or(-1));
  }
  return used;
}

// X.CHIP.before.mlir beside X.CHIP.after.mlir, as the compiler wrote them, in the folder dumps of the one that
// OOMPH_SPARSECORE_CASES names.
TEST(SparseCoreMlirTest, DumpsArePlannedAsTheCompilerPlannedThem) {
  const char* folder = std::getenv("OOMPH_SPARSECORE_CASES");
  if (folder == nullptr) GTEST_SKIP() << "OOMPH_SPARSECORE_CASES names no folder of measurements";
  const auto read = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  size_t dumps = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(folder) + "/dumps")) {
    const std::string path = entry.path().string(), stem = path.substr(0, path.find(".before.mlir"));
    if (stem == path) continue;
    const auto used = UsedIn(read(stem + ".after.mlir"));
    if (used.empty()) continue;
    const auto target = FindTarget(stem.substr(stem.rfind('.') + 1));
    ASSERT_TRUE(target.has_value()) << path;
    const auto programs = ReadAll(read(path), *target);
    ASSERT_EQ(programs.size(), 1u) << path;
    Answer answer;
    RunModel(programs[0].program, answer);
    ASSERT_EQ(answer.status, Status::kPlanned) << path;
    for (size_t i = 0; i < kSparseCoreSpaces; ++i) {
      const auto found = used.find(static_cast<Space>(i));
      if (static_cast<Space>(i) == Space::kSpmem) continue;  // counted in tile_spmem
      EXPECT_EQ(answer.high_water[i].value_or(0), found == used.end() ? 0 : found->second) << path << " " << SparseCoreSpaceName(static_cast<Space>(i));
    }
    ++dumps;
  }
  EXPECT_GT(dumps, 0u);
}

}  // namespace
}  // namespace oomph::sparsecore
