// What the command says of SparseCore messages, dumps and MLIR. Not for: planning (models/sparsecore).
#include "tools/sparsecore.h"

#include <fstream>
#include <string>

#include "fuzz/testing/scratch_folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/testing/run.h"

namespace oomph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMessage =
    "INTERNAL: Failed to run MLO pass pipeline.f.6:59:1: error: 'memref.alloca' op E3000: CompileTimeSparseCoreAllocationFailure: current "
    "allocation offset upper bound (89855 words) exceeds the legitimate user allocatable offset upper bound (65535 words) in memory space "
    "tile_spmem when allocating 89600 words\nSee https://openxla.org/xla/errors/error_3000 for more details.\nf.6:59:1: note: see current "
    "operation: %152 = \"memref.alloca\"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<700x128xf32, "
    "#sc_tpu.memory_space<tile_spmem>>\nmain.1:1:1: error: NOTE: Failed in pass AllocationAssignment\n";

constexpr const char* kDump = R"(func.func @main.1() attributes {sc.sequencer = "scs"} {
  %a = memref.alloca() : memref<256xf32, #xir.tiled<(128),[1]>, #sc_tpu.memory_space<tile_spmem>>
  sc_tpu.tile_task execute({
    "x.use"(%a) : (memref<256xf32>) -> ()
    %b = memref.alloca() : memref<700x128xf32, #sc_tpu.memory_space<tile_spmem>>
    "x.use"(%b) : (memref<700x128xf32>) -> ()
    sc_tpu.terminator
  })
  return
}
)";

class SparseCoreFiles : public testing::Test {
 protected:
  std::string File(const std::string& name, const std::string& text) {
    const std::string path = scratch_.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  const ScratchFolder scratch_;
};

TEST_F(SparseCoreFiles, AMessageIsExplained) {
  const auto text = ExplainSparseCoreMessagesIn(kMessage, "");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("E3000 CompileTimeSparseCoreAllocationFailure\n"));
  EXPECT_THAT(*text, HasSubstr("from word      256: so many lie below it"));
  EXPECT_THAT(*text, HasSubstr("last word      89855 of 65535: 24320 words too much"));
  EXPECT_EQ(*ExplainSparseCoreMessagesIn("nothing", ""), "");
}

TEST_F(SparseCoreFiles, OfHbmThePublishedFormulasAreTold) {
  std::string message = kMessage;
  message.replace(message.find("space tile_spmem"), 16, "space 203");
  EXPECT_THAT(*ExplainSparseCoreMessagesIn(message, ""), HasSubstr("max_unique_ids_per_partition"));
  EXPECT_THAT(*ExplainSparseCoreMessagesIn(message, ""), HasSubstr("not measured"));
  const auto table = ExplainSparseCoreMessagesIn(
      "No viable logical replica count for the embedding table with metadata: max_nz_per_row = 141352, max_unique_nz_per_row = 8, feature_width = 8, "
      "sample_count = 204800 (last tried split factor for vector splitting = 1, last tried split factor for sample dimension splitting = 1, "
      "fixed_size_allocation_bytes = 410880, row_dependent_size_allocation_bytes = 1696224, total_spmem_size_bytes = 524288)",
      "");
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(*table, HasSubstr("E3001 CompileTimeSparseCoreInvalidReplicaCount"));
  EXPECT_THAT(*table, HasSubstr("too much by    1,582,816 bytes"));
  EXPECT_THAT(*table, HasSubstr("forward      544 bytes"));   // (2 x 8 + 1) x 8 x 4
  EXPECT_THAT(*table, HasSubstr("backward     768 bytes"));  // 3 x 8 x 8 x 4
}

TEST_F(SparseCoreFiles, ADumpNamesTheOperation) {
  File("module_0001.m_unoptimized.mlir", kDump);
  File("module_0001.m_optimized.mlir", "module {");  // not asked for
  const std::string log = File("log.txt", kMessage);
  const Ran ran = RunOomph("explain " + log + " --dump " + scratch_.path());
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("  b: tile_spmem f32[700,128] at module_0001.m_unoptimized:5:5 (%b)\nby planning it anew"));
  EXPECT_THAT(ran.out, HasSubstr("What would fit"));
  EXPECT_THAT(RunOomph("explain " + log + " --dump " + scratch_.path() + "/none").out, HasSubstr("none: No such file"));
  EXPECT_THAT(RunOomph("explain " + File("other.txt", "x") + " --dump " + scratch_.path()).out, HasSubstr("no message of a SparseCore"));
}

TEST_F(SparseCoreFiles, MlirIsACase) {
  const std::string file = File("d.mlir", kDump);
  EXPECT_THAT(RunOomph("explain " + file).out, HasSubstr("Function main.1. On v6e, a kernel of the vector subcores: the first allocation"));
  EXPECT_THAT(RunOomph("explain --chip v5p " + file).out, HasSubstr("On v5p, a kernel of the vector subcores: all of its buffers fit."));
  EXPECT_THAT(RunOomph("check " + file).out, HasSubstr("over_bound: 89600 words end at 89855"));
  const std::string made = scratch_.path() + "/d.sc";
  EXPECT_EQ(RunOomph("import --chip 7x " + file + " -o " + made).code, 0);
  EXPECT_THAT(RunOomph("check " + made).out, HasSubstr("tile_spmem 89856, "));
  EXPECT_THAT(RunOomph("import --part 2 " + file).out, HasSubstr("it has 1 functions with buffers"));
  EXPECT_EQ(RunOomph("draw -o - " + file).out.find("<svg"), 0u);
}

}  // namespace
}  // namespace oomph
