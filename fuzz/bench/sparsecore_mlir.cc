// See sparsecore_mlir.h.
#include "fuzz/bench/sparsecore_mlir.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "models/mlir/read.h"
#include "models/sparsecore/mlir.h"
#include "models/sparsecore/planner.h"

namespace oomph {
namespace {

constexpr size_t kAllocations = 100'000, kDeep = 10'000;

// Allocations of 128 words as a compiler prints them, in scopes of 100 one after another, each used once.
std::string FlatText() {
  std::string text = "module attributes {sc_tpu.mlo} {\n  func.func @main.1() {\n";
  for (size_t i = 0; i < kAllocations; ++i) {
    if (i % 100 == 0) text += "    memref.alloca_scope  {\n";
    absl::StrAppend(&text, "      %alloca_", i, " = memref.alloca() : memref<1x128xf32, #sc_tpu.memory_space<tile_spmem>>\n",
                    "      sc_tpu.vector_store value(%alloca_", i, ") base(%alloca_", i, " : memref<1x128xf32>) [] : vector<16xf32>\n");
    if (i % 100 == 99) text += "    }\n";
  }
  return text + "    return\n  }\n}\n";
}

// Scopes in one another, a word in each.
std::string DeepText() {
  std::string text = "func.func @deep() {\n";
  for (size_t i = 0; i < kDeep; ++i) absl::StrAppend(&text, "memref.alloca_scope {\n%a", i, " = memref.alloca() : memref<i32, 201>\na.use %a", i, "\n");
  for (size_t i = 0; i < kDeep; ++i) text += "a.work\n}\n";
  return text + "return\n}\n";
}

// Seconds to read and plan it; the words of tile_spmem that it must take.
double SecondsFor(const std::string& text, uint64_t words) {
  const CpuStopwatch watch;
  const auto module = mlir::Read("bench.mlir", text);
  sparsecore::Answer answer;
  if (module.ok()) {
    const auto programs = sparsecore::ReadPrograms("bench.mlir", *module, sparsecore::Target::kV6e);
    if (programs.ok()) sparsecore::RunModel(programs->front().program, answer);
  }
  const double seconds = watch.seconds();
  const auto& used = answer.high_water[static_cast<size_t>(SparseCoreSpace::kTileSpmem)];
  if (used == words) return seconds;
  std::fprintf(stderr, "sparsecore-mlir: %s, not %zu words\n", used ? std::to_string(*used).c_str() : "nothing", static_cast<size_t>(words));
  std::abort();
}

void BenchMlir(BenchReport& report) {
  const std::string flat = FlatText(), deep = DeepText();
  report.AtMost("100,000 allocations read and planned", SecondsFor(flat, 100 * 128), "s", 1);
  report.Add("  of a text of", static_cast<double>(flat.size()) / 1e6, "MB");
  report.AtMost("10,000 scopes in one another read and planned", SecondsFor(deep, kDeep), "s", 1);
}

constexpr std::array<BenchRow, 1> kRows = {{{"sparsecore-mlir", "reading and planning SparseCore programs in MLIR", &BenchMlir}}};

}  // namespace

std::span<const BenchRow> SparseCoreMlirBenches() { return kRows; }

}  // namespace oomph
