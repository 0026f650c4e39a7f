// What is told of programs, which ways are found, which allocation of a dump a message means.
#include "models/sparsecore/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/mlir/read.h"
#include "models/sparsecore/fit.h"
#include "models/sparsecore/planner.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

Program Parsed(const std::string& text) {
  Program program;
  const absl::Status status = ParseProgram("p", text, program);
  EXPECT_TRUE(status.ok()) << status;
  return program;
}

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// 128 words of each tile, then 40000 in a scope that is hoisted, so that both are live together.
constexpr const char* kTwoScopes = R"(sparsecore v6e
scratch s tile_spmem f32[128]
use s
scope
  allocate a tile_spmem f32[40000]
  use a
end
scope
  allocate b tile_spmem f32[30000]
  use b
end
)";

TEST(SparseCoreExplain, TellsWhatIsLiveAndWhatWouldFit) {
  const std::string text = Explain(Parsed(kTwoScopes), Answer());
  EXPECT_TRUE(Has(text, "On v6e, a kernel of the vector subcores: the first allocation that does not fit is\n  a: tile_spmem f32[40000]\n")) << text;
  EXPECT_TRUE(Has(text, "It takes 40064 words of tile_spmem (a word has 4 bytes) from word 30208 on and ends at word 70271; the last one there is "
                        "65535: 4736 words too much.")) << text;
  EXPECT_TRUE(Has(text, "Live in tile_spmem then:")) << text;
  EXPECT_TRUE(Has(text, "         128        30080  b: tile_spmem f32[30000]\n")) << text;
  EXPECT_TRUE(Has(text, "           0         2048  s: tile_spmem f32[128]\n")) << text;
  EXPECT_TRUE(Has(text, "* at most tile_spmem f32[35328] for a: ")) << text;
  EXPECT_TRUE(Has(text, "* an operation (a sync_copy, say) behind each run_scoped")) << text;
  EXPECT_TRUE(Has(text, "* v5p instead of v6e")) << text;
}

TEST(SparseCoreExplain, EachWayIsPlanned) {
  const std::vector<Way> ways = WaysToFit(Parsed(kTwoScopes));
  ASSERT_FALSE(ways.empty());
  for (const Way& way : ways) {
    Answer answer;
    RunModel(way.program, answer);
    EXPECT_EQ(answer.status, Status::kPlanned) << PrintProgram(way.program);
  }
  EXPECT_TRUE(WaysToFit(Parsed("allocate a tile_spmem f32[128]\nuse a\n")).empty());
}

TEST(SparseCoreExplain, AScopeAroundWhatUsesItCanDo) {
  const std::vector<Way> ways = WaysToFit(Parsed(R"(sparsecore v6e
allocate a tile_spmem f32[40000]
use a
work
scope
  allocate b tile_spmem f32[40000]
  use b
end
work
)"));
  const auto way = std::find_if(ways.begin(), ways.end(), [](const Way& w) { return w.kind == WayKind::kScope; });
  ASSERT_NE(way, ways.end());
  EXPECT_EQ(way->program.buffers[way->buffer].name, "a");
  EXPECT_TRUE(Has(PrintProgram(way->program), "scope\n  allocate a tile_spmem f32[40000]\n  use a\nend\n")) << PrintProgram(way->program);
}

TEST(SparseCoreExplain, WhatFitsIsToldByMemory) {
  const std::string text = Explain(Parsed("allocate a tile_spmem f32[300]\nuse a\n"), Answer());
  EXPECT_TRUE(Has(text, "all of its buffers fit.")) << text;
  EXPECT_TRUE(Has(text, "  tile_spmem         384         65536\n")) << text;
  Answer other;
  other.status = Status::kOverBound;
  other.overrun = Overrun{Space::kTileSpmem, 70000, 65535, 384, 0};
  EXPECT_TRUE(Has(Explain(Parsed("allocate a tile_spmem f32[300]\nuse a\n"), other), "Who was asked says otherwise: over_bound: 384 words"));
}

TEST(SparseCoreExplain, SizesThatWrapAreTold) {
  const std::string text = Explain(Parsed("allocate a tile_spmem f32[18446744073709551615,128]\nuse a\n"), Answer());
  EXPECT_TRUE(Has(text, "the numbers do not even hold it")) << text;
}

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

std::vector<FromMlir> Dump() {
  const auto module = mlir::Read("d.mlir", kDump);
  EXPECT_TRUE(module.ok()) << module.status();
  return ReadPrograms("d.mlir", *module, Target::kV6e).value();
}

TEST(SparseCoreExplain, AMessageIsFoundInADump) {
  const std::vector<FromMlir> dump = Dump();
  SparseCoreOom oom;
  oom.space = "tile_spmem";
  oom.memory = Space::kTileSpmem;
  oom.words = 89600;
  oom.bound = 256 + 89600 - 1;
  oom.limit = 65535;
  oom.place = "f.6:59:1";
  auto found = FindInDump(oom, dump);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->by, Found::By::kPlan);
  EXPECT_EQ(dump[0].program.buffers[found->buffer].name, "b");
  EXPECT_TRUE(Has(ExplainFound(oom, "d.mlir", dump, *found), "In d.mlir, function main.1, it is\n  b: tile_spmem f32[700,128]")) << ExplainFound(oom, "d.mlir", dump, *found);
  oom.place = "d:5:5";
  EXPECT_EQ(FindInDump(oom, dump)->by, Found::By::kPlace);
  oom.place.clear();
  oom.bound = 1'000'000;
  EXPECT_EQ(FindInDump(oom, dump)->by, Found::By::kWords);
  // Of the kernel level: 16 times in spmem.
  oom.space = "spmem";
  oom.memory = Space::kSpmem;
  oom.words = 256 * 16;
  EXPECT_EQ(dump[0].program.buffers[FindInDump(oom, dump)->buffer].name, "a");
  oom.words = 7;
  EXPECT_FALSE(FindInDump(oom, dump).has_value());
}

}  // namespace
}  // namespace oomph::sparsecore
